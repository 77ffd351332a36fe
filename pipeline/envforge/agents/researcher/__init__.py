"""The researcher: finds sources for a theme, reads them, and fills tables whose every row stands in its source."""
