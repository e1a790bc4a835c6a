// TestSupport: see DESIGN §5.
