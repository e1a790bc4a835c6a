// ExportReader: see DESIGN §5.
