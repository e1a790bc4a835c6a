// CatalogueGenerator: see DESIGN §5.
