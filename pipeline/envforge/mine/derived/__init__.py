"""Derived tables: histories of states and kept figures, declared once, filled with the rows, kept by every tool."""
