// HK2PGCommand: see DESIGN §5.
