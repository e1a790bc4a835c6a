// SyntheticExport: see DESIGN §5.
