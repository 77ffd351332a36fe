"""Thousands of live episodes on one event loop: workers, places, and what becomes of episodes whose worker dies."""
