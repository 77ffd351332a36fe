"""Secrets and persons in what comes from the web: hidden before it is stored, and before a model sees it."""
