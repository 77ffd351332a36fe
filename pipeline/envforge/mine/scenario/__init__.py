"""Scenarios: what happened in a domain, run step by step; rows are its traces."""

from envforge.mine.scenario.simulation import simulate

__all__ = ["simulate"]
