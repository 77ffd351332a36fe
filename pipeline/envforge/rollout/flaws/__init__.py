"""Gold solutions with one known fault each: episodes whose mistake is known, to measure a diagnosis by."""
