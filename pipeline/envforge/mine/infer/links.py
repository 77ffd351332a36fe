"""Links: tables between entities, for lists of records that neither side refers to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envforge.core.records.domain import Column, Reference, Table
from envforge.mine.infer.columns import TableDraft
from envforge.mine.infer.entities import Subject
from envforge.mine.infer.lexicon import CHILD_WORDS, VERB_WORDS
from envforge.mine.infer.names import label, plural, safe_identifier, singular, snake


@dataclass(frozen=True)
class Link:
    """A link table with the entities at its ends, and what the source calls the members."""

    table: Table
    holder: str
    member: str
    role: str

    @property
    def holder_column(self) -> str:
        """The column with the holder's key."""
        return self.table.columns[0].name

    @property
    def member_column(self) -> str:
        """The column with the member's key."""
        return self.table.columns[1].name


def find_links(drafts: Mapping[str, TableDraft], subjects: Sequence[Subject]) -> list[Link]:
    """One link per embedded list of entities, and per nested listing of records that stand on their own."""
    made: list[Link] = []
    for draft in drafts.values():
        for field, target in draft.links:
            if not refers(drafts[target], draft) and (draft.entity.name != target or field):
                _add(made, drafts, draft, drafts[target], field, f"embedded list {field}")
    for subject in subjects:
        nested = nested_listing(subject, drafts)
        if nested is None:
            continue
        parent, child, role = drafts[nested[0]], drafts[nested[1]], nested[2]
        if role != nested[1]:
            known_role = any(one.holder == nested[0] and one.role == role for one in made)
            if not known_role and not is_child_role(role, nested[1]) and child.find(f"{role}_id") is None:
                _add(made, drafts, parent, child, role, f"nested listing of {role}")
            continue
        if parent is child:
            continue
        known = any({parent.entity.name, child.entity.name} == {one.holder, one.member} for one in made)
        if not known and not refers(child, parent) and not refers(parent, child) and stands_alone(nested[1], subjects):
            _add(made, drafts, parent, child, child.entity.table, "nested listing of records with a collection")
    return made


def nested_listing(subject: Subject, drafts: Mapping[str, TableDraft]) -> tuple[str, str, str] | None:
    """(parent, child, role) when a GET, or a POST that is called a list, lists the children of one parent by its path.

    The role is what the path calls the children: mostly the child's own name (`/issues/{n}/comments` of issue comments
    included), else a relation (`followers`).
    """
    entity = next((name for name in subject.answered if name in drafts), None)
    if entity is None or len(subject.path) < 2 or subject.path[-1][1] is not None or not _asks(subject):
        return None
    noun, parameter = subject.path[-2]
    if parameter is None or noun not in drafts or not subject.many or len(subject.answered) > 1:
        return None
    role = subject.path[-1][0]
    named = set(entity.split("_")) <= set(role.split("_")) or entity.endswith(f"_{role}")
    return noun, entity, entity if named else role


def _asks(subject: Subject) -> bool:
    """True for a call that only reads: some interfaces ask with a POST, and say so in its name or summary."""
    said = {*subject.call.words()[:1], snake(subject.call.first.summary).partition("_")[0]}
    return subject.call.method == "get" or any(VERB_WORDS.get(word) in {"list", "search"} for word in said)


def is_child_role(role: str, entity: str) -> bool:
    """True for words that mean the records under a record of the same kind (`subtasks`, `children`)."""
    return role in CHILD_WORDS or role in {f"sub{entity}", f"sub_{entity}", f"child_{entity}"}


def stands_alone(entity: str, subjects: Sequence[Subject]) -> bool:
    """True if `entity` has a collection of its own, outside any parent."""
    return any(
        subject.many and entity in subject.answered and len(subject.path) == 1 and subject.path[0] == (entity, None)
        for subject in subjects
    )


def refers(child: TableDraft, parent: TableDraft) -> bool:
    """True if `child` has a column that refers to `parent`."""
    table = parent.entity.table
    return any(column.references is not None and column.references.table == table for column in child.columns)


def _add(
    made: list[Link], drafts: Mapping[str, TableDraft], holder: TableDraft, member: TableDraft, field: str, why: str
) -> None:
    role = singular(snake(field))
    name = f"{holder.entity.name}_{plural(role)}"
    taken = {draft.entity.table for draft in drafts.values()} | {one.table.name for one in made}
    if name in taken:
        return
    left = f"{holder.entity.name}_id"
    right = f"{role}_id" if role != holder.entity.name else f"other_{left}"
    columns = (_end(holder, left, why), _end(member, right, why))
    table = Table(
        name=name,
        entity=singular(name),
        label=f"{label(role)} of a {label(holder.entity.name)}",
        columns=columns,
        primary_key=tuple(column.name for column in columns),
        indexes=((columns[1].name,),),
        kind="link",
        source_ids=tuple(holder.entity.sources),
    )
    made.append(Link(table, holder.entity.name, member.entity.name, role))


def _end(draft: TableDraft, name: str, why: str) -> Column:
    key = safe_identifier(draft.entity.key)
    reference = Reference(table=draft.entity.table, column=key, confidence=1.0, evidence=why)
    return Column(name=name, type=draft.key_type(), nullable=False, references=reference, evidence=why)
