// Loading: see DESIGN §5.
