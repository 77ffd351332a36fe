"""References of gold calls to earlier results: `$3.items[0].id` is a value of the third call's result (from 1).

A string is a reference as a whole or not at all; a field that is no plain name stands as ["due date"].
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

Path: TypeAlias = tuple[str | int, ...]
_STEP = re.compile(r"\.([A-Za-z_]\w*)|\[(\d+)\]|\[(\"(?:[^\"\\]|\\.)*\")\]")
_WHOLE = re.compile(rf"\$([1-9]\d*)((?:{_STEP.pattern})+)")
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class ResultReference:
    """A value of an earlier result: the number of its call, from 1, and the way to it."""

    call: int
    path: Path

    def __str__(self) -> str:
        return f"${self.call}{''.join(_written(step) for step in self.path)}"


def reference_in(value: Any) -> ResultReference | None:
    """The reference that a value is, None when it is none."""
    found = _WHOLE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    steps = (
        name or (int(number) if number else str(json.loads(quoted)))
        for name, number, quoted in _STEP.findall(found.group(2))
    )
    return ResultReference(int(found.group(1)), tuple(steps))


def references_in(value: Any) -> Iterator[ResultReference]:
    """Every reference in a value, also inside lists and objects."""
    reference = reference_in(value)
    if reference is not None:
        yield reference
    parts: list[Any] = []
    if isinstance(value, Mapping):
        parts = list(cast("Mapping[str, Any]", value).values())
    elif isinstance(value, (list, tuple)):
        parts = list(cast("Sequence[Any]", value))
    for part in parts:
        yield from references_in(part)


def resolved(value: Any, results: Mapping[int, Any]) -> Any:
    """A value with its references replaced. `results`: call number -> result. Raises LookupError naming one."""
    reference = reference_in(value)
    if reference is not None:
        return _followed(reference, results)
    if isinstance(value, Mapping):
        return {name: resolved(part, results) for name, part in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [resolved(part, results) for part in cast("Sequence[Any]", value)]
    return value


def _followed(reference: ResultReference, results: Mapping[int, Any]) -> Any:
    if reference.call not in results:
        raise LookupError(f"{reference}: call {reference.call} has no result")
    here: Any = results[reference.call]
    for step in reference.path:
        if isinstance(step, str) and isinstance(here, Mapping) and step in here:
            here = cast("Mapping[str, Any]", here)[step]
        elif isinstance(step, int) and isinstance(here, list) and step < len(cast("list[Any]", here)):
            here = cast("list[Any]", here)[step]
        else:
            raise LookupError(f"{reference}: there is no {_written(step)}")
    return here


def _written(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _NAME.fullmatch(step) else f"[{json.dumps(step)}]"
