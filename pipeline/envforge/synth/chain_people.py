"""What people are to a row, as verbs: who wrote, opened, made, owns or filed it, read off a column's role and name."""

from __future__ import annotations

import re

_WROTE = frozenset({"comment", "note", "message", "review", "reply"})
_OPENED = frozenset({"issue", "pull request", "ticket"})
_MADE = frozenset({"booking", "reservation", "order", "purchase"})
MAKERS = ("author", "editor", "person")
"""Roles of columns that hold who did something to the row."""
_DOES = {
    "owner": "own", "holder": "hold", "keeper": "keep", "manager": "manage", "maintainer": "maintain",
    "lead": "lead", "leader": "lead", "organiser": "organise", "organizer": "organize",
}  # fmt: skip
"""What somebody does, of whom a column of this name holds the key."""
_STANDS_AS = frozenset({"reviewer"})
"""What somebody is to a row, whether or not it is over: who has decided a correction reviews it no more."""
_PARTICIPLES = {"wrote": "written"}


def stem(column: str) -> str:
    """A key's column without what says that it holds a key: "owner" for owner_id."""
    return re.sub(r"_(id|key|code)$", "", column)


def assigned(role: str, column: str) -> bool:
    """The row is assigned to them."""
    return (role == "owner" or not role) and "assign" in column


def does(label: str, role: str, column: str) -> str:
    """What they do to the row day by day, without its ending: "own"; "" for what was done once."""
    return "" if role == "owner" and label in _MADE else _DOES.get(stem(column), "")


def stands_as(column: str) -> str:
    """What they are to the row, as a noun: "reviewer"; "" where a verb says it."""
    return stem(column) if stem(column) in _STANDS_AS else ""


def did(label: str, role: str, column: str) -> str:
    """What they did to the row: "created", "last edited", "merged"; "" where the column does not say."""
    if role == "owner" and label in _MADE:
        return "made"
    last = column.startswith("last_")
    done = re.fullmatch(r"(?:last_)?([a-z]+ed)_by", stem(column))
    if role == "editor" or (done and last and role not in MAKERS):
        return done.group(1) if done and not last else "last edited"
    if done and role not in MAKERS:
        return done.group(1)
    if role not in MAKERS:
        return ""
    return "wrote" if label.split()[-1] in _WROTE else "opened" if label in _OPENED else "created"


def has_done(verb: str) -> str:
    """The same after "has": "written", "opened"."""
    return _PARTICIPLES.get(verb, verb)
