// DailySummaries: see DESIGN §5.
