"""How well the search of a snapshot finds what is known to be there."""
