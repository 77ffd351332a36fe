"""Records: frozen values that cross a floor or are written to disk."""
