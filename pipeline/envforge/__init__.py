"""envforge turns the real world into training grounds for tool-using agents."""

__version__ = "0.1.0"
