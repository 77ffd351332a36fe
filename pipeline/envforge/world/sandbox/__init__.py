"""Where tool code runs: worker processes that reach nothing, and the host's handle on them."""
