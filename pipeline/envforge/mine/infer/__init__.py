"""Inference: names, types, keys, references, operations."""
