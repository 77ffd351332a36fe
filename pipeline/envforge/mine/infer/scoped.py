"""Scoped records: found by what they are in and their own name or number (`/repos/{owner}/{repo}/issues/{number}`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from envforge.core.records.domain import BoundParameter, Column
from envforge.mine.infer.addressing import addressed_column
from envforge.mine.infer.columns import TableDraft
from envforge.mine.infer.entities import Subject
from envforge.mine.infer.names import label, safe_identifier
from envforge.mine.infer.parameters import id_parameter_name, json_of


@dataclass(frozen=True)
class _Step:
    """A record on the way: its table, and the column that the path's parameter holds."""

    draft: TableDraft
    parameter: str
    held: Column
    text: str

    @property
    def is_key(self) -> bool:
        """True if the parameter alone tells the record."""
        return self.held.name == safe_identifier(self.draft.entity.key)


def scoped_path(
    subject: Subject, entity: str, drafts: Mapping[str, TableDraft], *, names_itself: bool
) -> list[BoundParameter] | None:
    """The parameters of a path as a chain of records, each found inside of the one before it.

    None where every parameter tells its record alone (what a path begins with is found by whatever it says), or where
    the chain has a gap: then each is bound by itself.
    """
    steps = _steps(subject, drafts)
    if not steps or (names_itself and steps[-1].draft.entity.name != entity):
        return None
    scopes = steps[:-1] if names_itself else steps
    if not scopes or all(step.is_key for step in steps[1:]):
        return None
    made: list[BoundParameter] = []
    for step, inner in zip(scopes, [*(one.draft for one in steps[1:]), drafts[entity]], strict=False):
        column = _column_to(inner, step)
        if column is None:
            return None
        made.append(_parameter(step, "scope", column.name))
    if names_itself:
        made.append(_parameter(steps[-1], "key", steps[-1].held.name))
    return made


def _steps(subject: Subject, drafts: Mapping[str, TableDraft]) -> list[_Step]:
    """The records along a path; the first half of a name of two parts is a record of its own. Empty if one is none."""
    given = {one.name: one for one in subject.call.parameters() if one.location == "path"}
    found: list[_Step] = []
    path = [(noun, name) for noun, name in subject.path if name is not None]
    for at, (noun, name) in enumerate(path):
        draft = drafts.get(noun)
        stated = given.get(name)
        if draft is None:
            return []
        if at + 1 < len(path) and path[at + 1][0] == noun:
            draft = _holder(draft, name, drafts)
            if draft is None:
                return []
        held = addressed_column(draft, name, stated.typed if stated else None)
        found.append(_Step(draft, name, held, stated.description if stated else ""))
    return found


def _holder(draft: TableDraft, name: str, drafts: Mapping[str, TableDraft]) -> TableDraft | None:
    """The record that the first half of a name tells: what the column called like it refers to."""
    via = draft.find(f"{name}_id") or draft.find(name)
    if via is None or via.references is None:
        return None
    return next((one for one in drafts.values() if one.entity.table == via.references.table), None)


def _column_to(inner: TableDraft, outer: _Step) -> Column | None:
    """The column of a record that says which `outer` it is in: called like the parameter, its parent, its owner, or
    called like the record.
    """
    found = [one for one in inner.columns if one.references and one.references.table == outer.draft.entity.table]
    called = {outer.parameter, f"{outer.parameter}_id"}
    named = f"{outer.draft.entity.name}_id"
    return min(
        found,
        key=lambda one: (one.name not in called, one.role != "parent", one.role != "owner", one.name != named),
        default=None,
    )


def _parameter(step: _Step, meaning: str, column: str) -> BoundParameter:
    entity = step.draft.entity.name
    said = step.text or f"The {label(step.held.name)} of the {label(entity)}."
    return BoundParameter(
        name=id_parameter_name(step.parameter, entity),
        source_name=step.parameter,
        meaning=meaning,
        json_type=json_of(step.held),
        required=True,
        description=said,
        column=column,
        semantic=f"{entity}.{step.held.name}",
    )
