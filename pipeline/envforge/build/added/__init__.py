"""Tools that were written by another author: what their code says of them, and how they join the compiled ones."""
