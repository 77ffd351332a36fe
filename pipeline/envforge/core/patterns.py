"""Regular expressions that a stranger wrote: which of them are surely fast on text of `LONGEST` characters."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

# The parser of the standard library; deprecated under its old name `sre_parse`, without types under this one.
_parser: Any = re._parser  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]

LONGEST = 200
_MOST_WAYS = 50_000
"""Two repetitions without end side by side; tried from each place in the text, a fraction of a second."""
_TOO_MANY = _MOST_WAYS + 1


@lru_cache(maxsize=1024)
def surely_fast(pattern: str) -> bool:
    """True if there are few ways to match a text of LONGEST characters.

    `(a+)+$` can keep a matcher busy for years. Where this says False, leave the pattern to the sandbox.
    """
    try:
        return _ways(_parser.parse(pattern)) <= _MOST_WAYS
    except (re.error, RecursionError, OverflowError):
        return False


def _ways(items: Any) -> int:
    """How many ways a matcher may have to try, at most; never more than _TOO_MANY."""
    total = 1
    for operator, argument in items:
        total = min(_TOO_MANY, total * _ways_of(str(operator), argument))
    return total


def _ways_of(operator: str, argument: Any) -> int:
    match operator:
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, most, body = argument
            times = min(int(most), LONGEST)
            inner = _ways(body)
            each = 1 if inner == 1 else min(_TOO_MANY, inner ** min(times, 64))
            return min(_TOO_MANY, each * max(1, times - int(least) + 1))
        case "SUBPATTERN" | "ASSERT" | "ASSERT_NOT":
            return _ways(argument[-1])
        case "ATOMIC_GROUP":
            return _ways(argument)
        case "BRANCH":
            return min(_TOO_MANY, sum(_ways(branch) for branch in argument[1]))
        case "GROUPREF" | "GROUPREF_EXISTS":
            return _TOO_MANY
        case _:
            return 1
