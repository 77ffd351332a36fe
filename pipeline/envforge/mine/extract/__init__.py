"""Extractors: one file per kind of source."""
