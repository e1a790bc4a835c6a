// RowMapping: see DESIGN §5.
