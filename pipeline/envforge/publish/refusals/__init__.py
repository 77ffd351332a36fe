"""What is not published. Each rule is a module here and a line in `registry.RULES`."""

from envforge.publish.refusals.registry import refusals_of, refusals_of_file

__all__ = ["refusals_of", "refusals_of_file"]
