"""Search providers behind one contract (`contracts.SearchProvider`)."""
