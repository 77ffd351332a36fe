"""Small honest implementations of how others hold an environment's state, to be measured beside the World."""
