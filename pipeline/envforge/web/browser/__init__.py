"""The browser: pages as text and numbered elements, through a proxy that denies what no page was allowed to ask for."""
