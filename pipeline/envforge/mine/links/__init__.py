"""Links: two themes in one environment, and what relates them."""
