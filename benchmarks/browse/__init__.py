"""How much of real pages the browser's Markdown holds."""
