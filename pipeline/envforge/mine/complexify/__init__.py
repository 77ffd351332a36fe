"""Complexify: operators that make a database richer and harder, each with figures before and after."""

from envforge.mine.complexify.rounds import complexify, derive, document, enrich, operators, plain_operators

__all__ = ["complexify", "derive", "document", "enrich", "operators", "plain_operators"]
