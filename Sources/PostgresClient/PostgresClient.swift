// PostgresClient: see DESIGN §5.
