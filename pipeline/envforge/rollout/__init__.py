"""Agents act, episodes are scored."""
