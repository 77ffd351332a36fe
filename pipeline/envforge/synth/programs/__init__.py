"""The program grammar: goals of typed fragments (select, join, rank, add up, fall back) fitted to any environment."""
