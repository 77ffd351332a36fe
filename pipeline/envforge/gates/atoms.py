"""Atoms: the single values inside JSON, where they stand, and which call they came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

Path: TypeAlias = tuple[str | int, ...]


def atoms(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value that is neither object nor list, with its path."""
    if isinstance(value, Mapping):
        for name, item in cast("Mapping[str, Any]", value).items():
            yield from atoms(item, (*path, name))
    elif isinstance(value, list | tuple):
        for number, item in enumerate(cast("Sequence[Any]", value)):
            yield from atoms(item, (*path, number))
    else:
        yield path, value


def lists(value: Any, path: Path = ()) -> Iterator[tuple[Path, list[Any]]]:
    """Every list with its path."""
    if isinstance(value, list):
        yield path, cast("list[Any]", value)
    items = cast("Mapping[str, Any]", value).items() if isinstance(value, Mapping) else ()
    if isinstance(value, list):
        items = enumerate(cast("list[Any]", value))
    for name, item in items:
        yield from lists(item, (*path, name))


def value_at(value: Any, path: Path) -> Any:
    """The value at a path that is there."""
    for part in path:
        value = value[part]
    return value


def with_value(value: Any, path: Path, new: Any) -> Any:
    """A copy with another value at a path; what is not on the way is shared."""
    if not path:
        return new
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value)
        return {**fields, path[0]: with_value(fields.get(cast("str", path[0])), path[1:], new)}
    items = list(cast("Sequence[Any]", value))
    items[cast("int", path[0])] = with_value(items[cast("int", path[0])], path[1:], new)
    return items


def place(path: Path) -> str:
    """A path as text: items[0].id."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f"{'.' if text else ''}{part}"
    return text


def shape(path: Path) -> str:
    """A path without numbers, as ToolSpec.produces has it: items[].id."""
    text = ""
    for part in path:
        text += "[]" if isinstance(part, int) else f"{'.' if text else ''}{part}"
    return text


def same_atom(one: Any, other: Any) -> bool:
    """Equal values of one type; 1, 1.0 and true are three things only where one is true or false."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def is_telling(value: Any) -> bool:
    """True for a value that says where it came from: no null, no truth value, no small number, no empty text."""
    if value is None or isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return abs(value) > 20
    return isinstance(value, str) and len(value) > 1
