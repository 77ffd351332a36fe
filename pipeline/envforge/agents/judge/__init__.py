"""A judge for what no program can check. It scores only after it was right on episodes whose truth is known."""
