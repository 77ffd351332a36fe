"""Statements of a test that histories and figures still follow from the rows, asked with SQL that no tool uses."""

from __future__ import annotations

import re

from envforge.build.lower.source import identifier
from envforge.build.unit_tests.literals import text
from envforge.build.unit_tests.probe import Call
from envforge.core.derived import faults
from envforge.core.records.blueprint import Blueprint

ASTRAY = "_astray"
_NAME = re.compile(r'"(\w+)"')


def can_go_astray(blueprint: Blueprint, call: Call) -> bool:
    """True if the call writes what some history or figure follows from, in rows that the test has not arranged."""
    written = set(call.told.changes)
    followed = {one.of for one in (*blueprint.histories, *blueprint.figures)}
    return bool(followed & written) and not call.arranged


def astray_helper(blueprint: Blueprint) -> str:
    """The helper, with its queries; every one finds rows for which something is wrong."""
    queries = faults(blueprint.histories, blueprint.figures)
    lines = [line for sql in queries.values() for line in ("    (", *_pieces(sql), "    ),")]
    return (
        "\n".join(["_FAULTS = [", *lines, "]"])
        + f'''


def {ASTRAY}(world):
    """The queries that find histories or figures which do not follow from the rows any more."""
    return [query for query in _FAULTS if world.query(query)]
'''
    )


def _pieces(sql: str, width: int = 96) -> list[str]:
    """A query as texts that stand under each other, broken at blanks."""
    lines = [""]
    for word in _NAME.sub(lambda found: identifier(found[1], "derived"), sql).split(" "):
        if lines[-1] and len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] += f"{word} "
    return [f"        {text(line)}" for line in [*lines[:-1], lines[-1].rstrip()]]
