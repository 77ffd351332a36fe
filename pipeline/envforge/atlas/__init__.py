"""Room 5: the wide catalogue of themes, its taxonomy, and what people and models decide about both."""
