"""Resolves whole parts of an archetype, leaving out what the matched schema has nothing for."""

from __future__ import annotations

from typing import Any, TypeVar, cast

from envforge.core.records.base import Record
from envforge.mine.archetypes.refs import BOUND_CALL, Binding, UnboundError

RecordT = TypeVar("RecordT", bound=Record)

DROPPABLE = frozenset(
    {"checks", "columns", "fields", "indexes", "joins", "milestones", "order", "ordered", "parameters", "properties"}
    | {"set", "set_given", "unique", "value", "values"}
)
"""Mappings and lists whose single entries may go when they name something unbound."""


def resolve_part(part: RecordT, binding: Binding) -> RecordT:
    """The same kind of record with every reference resolved.

    Entries of DROPPABLE mappings and lists, and optional conditions, that name an unbound role or field are
    dropped; a `when` whose condition is settled by `bound(…)` is replaced by the branch that applies.
    Raises UnboundError when anything else names something unbound.
    """
    plain = part.model_dump(mode="python", by_alias=True, exclude_unset=True)
    return type(part).model_validate(_resolve(plain, binding, droppable=False))


def _resolve(value: Any, binding: Binding, *, droppable: bool) -> Any:
    if isinstance(value, str):
        return binding.resolve(value)
    if isinstance(value, list | tuple):
        return _list(cast("list[Any]", value), binding, droppable=droppable)
    if isinstance(value, dict):
        return _mapping(cast("dict[str, Any]", value), binding, droppable=droppable)
    return value


def _list(values: list[Any], binding: Binding, *, droppable: bool) -> list[Any]:
    items: list[Any] = []
    for value in values:
        branch = _settled(value, binding)
        if branch is not None:
            items.extend(_list(branch, binding, droppable=droppable))
            continue
        try:
            item = _resolve(value, binding, droppable=False)
            if not _always_holds(item):
                items.append(item)
        except UnboundError:
            if not (droppable or _optional(value)):
                raise
    return items


def _mapping(values: dict[str, Any], binding: Binding, *, droppable: bool) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for key, value in values.items():
        try:
            entries[binding.resolve(str(key))] = _resolve(value, binding, droppable=key in DROPPABLE)
        except UnboundError:
            if not droppable:
                raise
    return entries


def _settled(value: Any, binding: Binding) -> list[Any] | None:
    """The branch of a `when` step that `bound(…)` alone decides, or None for anything else."""
    if not isinstance(value, dict) or "then" not in value:
        return None
    step = cast("dict[str, Any]", value)
    condition = step.get("when", step.get("that", ""))
    if not isinstance(condition, str) or BOUND_CALL.search(condition) is None:
        return None
    settled = {"True": "then", "not False": "then", "False": "otherwise", "not True": "otherwise"}
    branch = settled.get(binding.resolve(condition))
    return None if branch is None else list(step.get(branch, ()))


def _always_holds(item: Any) -> bool:
    """True for a `require` step that nothing can fail any more."""
    return isinstance(item, dict) and cast("dict[str, Any]", item).get("that") == "True" and "code" in item


def _optional(value: Any) -> bool:
    return isinstance(value, dict) and cast("dict[str, Any]", value).get("optional") is True
