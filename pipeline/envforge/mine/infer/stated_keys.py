"""Keys and references that a source states: kept where the rows keep them, else said in the notes."""

from __future__ import annotations

from collections.abc import Sequence

from envforge.core.records.domain import Reference
from envforge.core.records.extraction import MinedTable, StatedReference
from envforge.mine.infer.drafts import Draft
from envforge.mine.infer.foreign_keys import MIN_COVERAGE, coverage
from envforge.mine.infer.keys import key_faults


def keep_stated_key(draft: Draft, table: MinedTable, notes: list[str]) -> bool:
    """The key that the source states, if the rows keep it."""
    names = _kept_names(draft, table.key)
    if not table.key:
        return False
    faults = key_faults([draft.column(name) for name in names], limit=1) if names else ["a column is empty"]
    if faults:
        notes.append(f"{table.path}: the stated key of {table.name} ({', '.join(table.key)}) is not kept: {faults[0]}")
        return False
    draft.key, draft.evidence = names, f"stated by the source, and kept by all {len(table.rows)} rows"
    return True


def _kept_names(draft: Draft, stated: Sequence[str]) -> tuple[str, ...]:
    """The draft's names for columns of the source; nothing when one of them was left out."""
    own = {draft.source_names.get(name, name).lower(): name for name in draft.types}
    kept = tuple(own[name.lower()] for name in stated if name.lower() in own)
    return kept if len(kept) == len(stated) else ()


def refer_as_stated(found: Sequence[tuple[Draft, Sequence[MinedTable]]], notes: list[str]) -> None:
    """Foreign keys that sources state, measured on the rows; those of several columns have no place here."""
    by_table = {(table.source_id, table.name): draft for draft, tables in found for table in tables}
    for draft, tables in found:
        for table in tables:
            for stated in table.references:
                fault = _refer_once(draft, stated, by_table.get((table.source_id, stated.table)))
                if fault:
                    columns = ", ".join(stated.columns)
                    notes.append(f"{table.path}: {table.name} ({columns}) -> {stated.table} is not kept: {fault}")


def _refer_once(draft: Draft, stated: StatedReference, target: Draft | None) -> str:
    """Set a stated reference; why it cannot be set, if so."""
    own = _kept_names(draft, stated.columns)
    over_there = _kept_names(target, stated.target) if target is not None else ()
    if target is None or not own:
        return "that table has no rows" if target is None else "its column is empty"
    over_there = over_there or target.key
    if len(own) != 1 or len(over_there) != 1:
        return "it is a reference of several columns"
    column, key = draft.column(own[0]), target.column(over_there[0])
    if target.key != over_there and key_faults([key], limit=1):
        return f"{target.name}.{key.name} is not unique"
    measured = coverage(column.values, key.values)
    if column.type != key.type or measured.share < MIN_COVERAGE:
        return f"{measured.share:.0%} of its {measured.checked} values are there"
    evidence = f"stated by the source; {measured.share:.2%} of {measured.checked} values are keys of {target.name}"
    draft.references[column.name] = Reference(
        table=target.name, column=key.name, confidence=round(measured.share, 6), evidence=evidence
    )
    if target.key != over_there and over_there not in target.unique:
        target.unique = (*target.unique, over_there)
    return ""
