"""Statements of a test: what the result shows and what changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from envforge.build.unit_tests.kinds import is_list, is_object
from envforge.build.unit_tests.literals import WIDTH, Names, Raw, literal
from envforge.build.unit_tests.selecting import CURSOR
from envforge.build.unit_tests.told import Told
from envforge.core.records.domain import Table
from envforge.world.changes import TableChanges

_FEW = 3
_MOST_KEYS = 60
Lines = list[str]


def result_checks(name: str, result: Mapping[str, Any], names: Names, settled: Collection[str] = ()) -> Lines:
    """Asserts that the whole result is as told; of long lists the keys, the first and the last item.

    The values of `settled` keys were compared before: of lists, the order of the items was.
    """
    special = [key for key, value in result.items() if value == CURSOR or _is_long(value) or key in settled]
    if not special:
        return [_equal(name, dict(result), names), *_flag_checks(name, result)]
    lines: Lines = []
    for key, value in result.items():
        at = f'{name}["{key}"]'
        if value == CURSOR:
            lines.append(f"assert isinstance({at}, str)")
        elif _is_long(value):
            lines += _list_checks(at, value, names, ordered=key in settled)
        elif key not in settled or (is_list(value) and value):
            lines.append(_equal(at, value, names))
    return [*lines, *_flag_checks(name, result)]


def _flag_checks(at: str, value: Any) -> Lines:
    """Flags are true and false, not 1 and 0 (which are equal to them)."""
    if isinstance(value, bool):
        return [f"assert {at} is {value}"]
    if is_list(value):
        return _flag_checks(f"{at}[0]", value[0]) if value else []
    if not is_object(value):
        return []
    inner = [_flag_checks(f'{at}["{key}"]', held) for key, held in value.items() if key not in ("has_more",)]
    return [line for lines in inner for line in lines][:3]


def _is_long(value: Any) -> bool:
    return is_list(value) and len(value) > _FEW and all(is_object(item) for item in value)


def _list_checks(at: str, items: Sequence[Mapping[str, Any]], names: Names, *, ordered: bool) -> Lines:
    if ordered:
        return [_equal(f"{at}[0]", items[0], names), _equal(f"{at}[-1]", items[-1], names)]
    key = telling_key(items)
    found = [item[key] for item in items]
    lines = [f"assert len({at}) == {len(items)}"]
    if len(found) <= _MOST_KEYS:
        head = f'[item["{key}"] for item in {at}]'
        lines = [f"assert {head} == {literal(found, names, before=len(head) + 11)}"]
    lines.append(_equal(f"{at}[0]", items[0], names))
    lines.append(_equal(f"{at}[-1]", items[-1], names))
    return lines


def telling_key(items: Sequence[Mapping[str, Any]]) -> str:
    """The key whose values tell the items apart best."""
    keys = [key for key, value in items[0].items() if isinstance(value, str | int) and not isinstance(value, bool)]
    distinct = {key: len({str(item.get(key)) for item in items}) for key in keys}
    return max(keys, key=lambda key: distinct[key]) if keys else next(iter(items[0]))


def _equal(at: str, value: Any, names: Names) -> str:
    if value is None or isinstance(value, bool):
        return f"assert {at} is {value}"
    return f"assert {at} == {literal(value, names, before=len(at) + 11)}"


def change_checks(told: Told, tables: Mapping[str, Table], names: Names) -> Lines:
    """Asserts that exactly these rows were inserted, updated and deleted."""
    if not told.changes:
        return ["assert not changes(world)"]
    counts = {
        table: (len(change.inserted), len(change.updated), len(change.deleted))
        for table, change in told.changes.items()
    }
    lines: Lines = [f"assert _counts(made) == {literal(counts, before=24)}"]
    for table, change in told.changes.items():
        lines += _inserted(table, change, names)
        lines += _updated(tables[table], change, names)
        if change.deleted:
            key = tables[table].primary_key
            gone = [_key_value(row, key) for row in change.deleted]
            show = _key_of("row", key)
            head = f'[{show} for row in made["{table}"]["deleted"]]'
            lines.append(f"assert {head} == {literal(gone, names, before=len(head) + 11)}")
    return lines


def _key_value(row: Mapping[str, Any], key: Sequence[str]) -> Any:
    values = [row[name] for name in key]
    return tuple(values) if len(values) > 1 else values[0]


def _key_of(row: str, key: Sequence[str]) -> str:
    parts = [f'{row}["{name}"]' for name in key]
    return f"({', '.join(parts)})" if len(parts) > 1 else parts[0]


def _inserted(table: str, change: TableChanges, names: Names) -> Lines:
    if not change.inserted:
        return []
    at = f'made["{table}"]["inserted"]'
    if len(change.inserted) == 1:
        return [f"assert {at} == [{literal(change.inserted[0], names, before=len(at) + 12, after=1)}]"]
    return [f"assert {at} == {literal(change.inserted, names, before=len(at) + 11)}"]


def _updated(table: Table, change: TableChanges, names: Names) -> Lines:
    if not change.updated:
        return []
    key = table.primary_key
    at = f'made["{table.name}"]["updated"]'
    if len(change.updated) == 1:
        before, after = change.updated[0]
        moved = {name: after[name] for name in before if before[name] != after[name]}
        lines = [f"((before, after),) = {at}"]
        lines += [_equal(f'before["{name}"]', before[name], names) for name in key]
        return [*lines, f"assert _changed(before, after) == {literal(moved, names, before=35)}"]
    shown: dict[Any, Any] = {}
    for before, after in change.updated:
        held = _key_value(before, key)
        shown[held] = {name: after[name] for name in before if before[name] != after[name]}
    show = _key_of("before", key)
    head = f"{{{show}: _changed(before, after) for before, after in {at}}}"
    if len(head) + 12 > WIDTH:
        head = f"{{\n        {show}: _changed(before, after)\n        for before, after in {at}\n    }}"
    return [f"moved = {head}", f"assert moved == {literal(shown, names, before=16)}"]


def named_ids(told: Told, tables: Mapping[str, Table]) -> tuple[Names, Lines]:
    """Names for the ids that the call minted, and the statements that read them from the changes."""
    names = Names()
    lines: Lines = []
    if told.now:
        names.known[told.now] = "now"
    for table, change in told.changes.items():
        key = tables[table].primary_key
        minted = [row[key[0]] for row in change.inserted if len(key) == 1 and row[key[0]] in told.minted]
        base = f"new_{tables[table].entity}"
        at = f'made["{table}"]["inserted"]'
        if len(minted) == 1 and len(change.inserted) == 1:
            names.known[str(minted[0])] = base
            lines.append(f'{base} = {at}[0]["{key[0]}"]')
        elif minted and len(minted) == len(change.inserted):
            held = [f"{base}_{number + 1}" for number in range(len(minted))]
            names.known |= {str(value): name for value, name in zip(minted, held, strict=True)}
            lines += _unpacked(held, f'[row["{key[0]}"] for row in {at}]')
    lines += _other_ids(told, names)
    return names, lines


def _unpacked(names: Sequence[str], values: str) -> Lines:
    flat = f"{', '.join(names)} = {values}"
    if len(flat) + 4 <= WIDTH:
        return [flat]
    lines: Lines = [" "]
    for name in names:
        if len(lines[-1]) + len(name) + 2 > WIDTH - 4:
            lines.append(" ")
        lines[-1] += f" {name},"
    return ["(\n    " + "\n    ".join(f"  {line}" for line in lines) + f"\n    ) = {values}"]


def _other_ids(told: Told, names: Names) -> Lines:
    """Minted ids that are no keys: the thread of a comment, the code of a booking."""
    lines: Lines = []
    for value in told.minted:
        if str(value) in names.known:
            continue
        for table, change in told.changes.items():
            places = [
                (at, name) for at, row in enumerate(change.inserted) for name, held in row.items() if held == value
            ]
            if places:
                at, column = places[0]
                name = f"new_{column}" if f"new_{column}" not in names.known.values() else f"new_{table}_{column}"
                names.known[str(value)] = name
                lines.append(f'{name} = made["{table}"]["inserted"][{at}]["{column}"]')
                break
    return lines


__all__ = ["Lines", "Raw", "change_checks", "named_ids", "result_checks", "telling_key"]
