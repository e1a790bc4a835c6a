// ImportFlow: see DESIGN §5.
