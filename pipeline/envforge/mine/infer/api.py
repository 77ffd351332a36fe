"""From the operations and shapes of an API to a Domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from envforge.core.records.domain import Column, Domain, IdStyle, PropertyBag, Reference, Table
from envforge.core.records.extraction import Extraction
from envforge.core.records.source import Theme
from envforge.mine.infer.addressing import by_entity, homes
from envforge.mine.infer.bags import Bag, find_bags
from envforge.mine.infer.calls import merge_calls
from envforge.mine.infer.columns import ColumnMaker, TableDraft
from envforge.mine.infer.entities import Entity, Subject, all_records, find_entities, subjects_of
from envforge.mine.infer.lexicon import DISPLAY_LAST, ROLES, TRASH_FLAGS
from envforge.mine.infer.links import find_links, nested_listing, refers, stands_alone
from envforge.mine.infer.names import label, safe_identifier, snake
from envforge.mine.infer.operations import World, bind_operations
from envforge.mine.infer.parents import PARENT_FIELDS, nested_entity, used_parents
from envforge.mine.infer.resources import open_resources
from envforge.mine.infer.scopes import inside_scope, without_unknown_holders
from envforge.mine.infer.toolnames import one_word_for_getting
from envforge.mine.infer.typeviews import Typed

_ROLE_ORDER = ("id", "title", "type", "parent", "state", "body")
_LATE = ("author", "editor", "created_at", "updated_at")
# A role that several columns could have goes to the first of these.
_PREFERRED: dict[str, tuple[str, ...]] = {
    "title": ("title", "name", "summary", "subject"),
    "body": ("text", "body", "content", "notes", "message", "description"),
    "state": ("status", "state", *TRASH_FLAGS, "completed"),
}


def infer_api(theme: Theme, extractions: Sequence[Extraction]) -> Domain:
    """The tables, bags and bound operations that the sources of an API state.

    Nothing raises for want of facts: what cannot be bound is in `rejected` with its reason.
    """
    extractions = [open_resources(extraction) for extraction in extractions]
    stating = [extraction for extraction in extractions if extraction.operations]
    subjects = subjects_of(merge_calls(extractions))
    kinds = {extraction.extractor for extraction in stating}
    known = all_records(subjects)
    entities = find_entities(
        subjects, drop=theme.drop_entities, several_sources=len(kinds) > 1, keep=theme.keep_entities
    )
    # Words that mean an entity are known before scopes are told, and again where a scope was in front of them.
    subjects = by_entity(inside_scope(by_entity(subjects, entities), entities), entities)
    if not theme.keep_entities:
        subjects = without_unknown_holders(subjects, entities)
    drafts, bags = _drafts(entities, subjects)
    links = find_links(drafts, subjects)
    world = World(drafts, bags, links, homes(subjects), known)
    operations, rejected = bind_operations(subjects, world)
    uuid = _uses_uuids(drafts, subjects)
    tables = [_table(draft, drafts, uuid) for draft in drafts.values()]
    tables += [table for bag in bags for table in bag.tables]
    tables += [link.table for link in links]
    return Domain(
        theme=theme.slug,
        title=theme.title,
        tables=tuple(tables),
        operations=tuple(one_word_for_getting(operations)),
        rejected=tuple(rejected),
        bags=tuple(bag.record for bag in bags),
        notes=tuple(_notes(drafts, bags, known)),
    )


def _drafts(
    entities: Mapping[str, Entity], subjects: Sequence[Subject]
) -> tuple[dict[str, TableDraft], tuple[Bag, ...]]:
    """The tables under way; items of a bag do not hang on the container of their collection as well."""
    parents = used_parents(subjects, entities)
    maker = ColumnMaker(entities, parents)
    drafts = {name: maker.draft(entity) for name, entity in entities.items()}
    bags = find_bags(drafts, subjects)
    for bag in bags:
        above = drafts[bag.collection].parent
        shortcut = set(above.targets) - {bag.item} if above is not None else set[str]()
        parents[bag.item] = parents[bag.item] - shortcut
    if bags:
        maker = ColumnMaker(entities, parents)
        for bag in bags:
            drafts[bag.item] = maker.draft(entities[bag.item])
        bags = find_bags(drafts, subjects)
    for bag in bags:
        _add_title(drafts[bag.item], bag)
    _add_path_parents(drafts, subjects)
    _add_positions(drafts, subjects)
    return drafts, bags


def _add_title(draft: TableDraft, bag: Bag) -> None:
    """Items whose properties include a title get a title column: that is what they are called."""
    if bag.title_type is None or draft.find("title") is not None:
        return
    draft.add(
        Column(
            name="title",
            type="text",
            nullable=False,
            role="title",
            source_name=f"{bag.field}.title",
            evidence=f"the {bag.title_type!r} property of {bag.field}; its value is kept here, not among the values",
        )
    )


def _add_path_parents(drafts: Mapping[str, TableDraft], subjects: Sequence[Subject]) -> None:
    """Nesting in the path is first-rank evidence: /a/{x}/b lists the b of one a."""
    for subject in subjects:
        nested = nested_listing(subject, drafts)
        if nested is None or stands_alone(nested[1], subjects):
            continue
        noun, draft, target = nested[0], drafts[nested[1]], drafts[nested[0]]
        if nested[2] != nested[1]:
            continue
        if refers(draft, target) or any(child == nested[1] for _, child in target.links):
            continue
        if any(column.evidence.startswith("listed under one") for column in draft.columns):
            continue
        key = safe_identifier(target.entity.key)
        draft.add(
            Column(
                name=f"{noun}_id",
                type=target.key_type(),
                nullable=True,
                role="parent",
                references=Reference(
                    table=target.entity.table, column=key, confidence=1.0, evidence="nested in the path"
                ),
                source_name=str(subject.path[-2][1]),
                evidence=f"listed under one {label(noun)}",
            )
        )


def _add_positions(drafts: Mapping[str, TableDraft], subjects: Sequence[Subject]) -> None:
    """Children that are appended after one another have an order."""
    entities = {name: draft.entity for name, draft in drafts.items()}
    for subject in subjects:
        names = {snake(parameter.name) for parameter in subject.call.parameters() if parameter.location == "body"}
        if not names & {"after", "position", "insert_after", "insert_before"}:
            continue
        for parameter in subject.call.parameters():
            child = nested_entity(parameter.typed, entities)
            if parameter.location == "body" and child is not None and drafts[child].find("position") is None:
                drafts[child].add(
                    Column(
                        name="position",
                        type="integer",
                        nullable=False,
                        role="position",
                        evidence=f"{subject.call.first.id} inserts after a given record, so order is kept",
                    )
                )


def _table(draft: TableDraft, drafts: Mapping[str, TableDraft], uuid: bool) -> Table:
    entity = draft.entity
    key = safe_identifier(entity.key)
    columns = _ordered(_with_roles(draft.columns))
    kind = next(column.type for column in columns if column.name == key)
    style = (
        IdStyle(kind="integer")
        if kind == "integer"
        else IdStyle(kind="uuid")
        if uuid
        else IdStyle(kind="code", length=10)
    )
    checks = draft.parent.checks(drafts) if draft.parent is not None else ()
    return Table(
        name=entity.table,
        entity=entity.name,
        label=label(entity.name),
        columns=tuple(columns),
        primary_key=(key,),
        checks=checks,
        indexes=tuple(
            (column.name,) for column in columns if column.references is not None and column.role == "parent"
        ),
        source_ids=tuple(entity.sources),
        id_style=style,
    )


def _with_roles(columns: Sequence[Column]) -> list[Column]:
    """Roles by name where the type fits, each of title, body and state given once."""
    given = {column.role for column in columns if column.role is not None}
    chosen: dict[str, str] = {}
    for role, names in _PREFERRED.items():
        if role in given:
            continue
        texts = [
            c.name
            for c in columns
            if c.role is None and (c.type == "text" or (role == "state" and c.type == "boolean"))
        ]
        best = next((name for name in names if name in texts), None)
        if best is not None:
            chosen[best] = role
    made: list[Column] = []
    for column in columns:
        role = column.role or chosen.get(column.name) or _lone_role(column)
        made.append(column.model_copy(update={"role": role}) if role != column.role else column)
    return made


def _lone_role(column: Column) -> str | None:
    role = ROLES.get(column.name)
    if role in {None, *_PREFERRED, "type"} or column.references is not None:
        return None
    if role is not None and role.endswith("_at") and column.type not in {"timestamp", "date"}:
        return None
    return role


def _ordered(columns: Sequence[Column]) -> list[Column]:
    """Id, title, type and parents first, people and times last: as one would write the table by hand."""

    def rank(column: Column) -> tuple[int, int]:
        if column.role in _ROLE_ORDER:
            return (0, _ROLE_ORDER.index(column.role))
        if column.role in _LATE:
            return (3, _LATE.index(column.role))
        return (2 if column.name in DISPLAY_LAST else 1, 0)

    placed = sorted(columns, key=rank)
    kinds = [column for column in placed if column.evidence == "discriminator pair"]
    for kind in kinds:
        placed.remove(kind)
        prefix = kind.name.removesuffix("type")
        at = next((i for i, one in enumerate(placed) if one.name.startswith(prefix)), len(placed))
        placed.insert(at, kind)
    return placed


def _uses_uuids(drafts: Mapping[str, TableDraft], subjects: Sequence[Subject]) -> bool:
    """True if many entities' ids are declared UUIDs: the ids of one API are of one make."""
    told = {name for name, draft in drafts.items() for c in draft.columns if c.role == "id" and c.format == "uuid"}
    for subject in subjects:
        for parameter in subject.call.parameters():
            noun = snake(parameter.name).removesuffix("_id")
            for typed in parameter.alternatives if noun in drafts else ():
                if typed.resolved().format == "uuid":
                    told.add(noun)
            if snake(parameter.name) in PARENT_FIELDS:
                told.update(_uuid_targets(parameter.alternatives, drafts))
    return bool(told) and len(told) >= len(drafts) / 3


def _uuid_targets(alternatives: Sequence[Typed], drafts: Mapping[str, TableDraft]) -> set[str]:
    """Entities whose ids are declared UUIDs inside a parent choice."""
    found: set[str] = set()
    for typed in alternatives:
        view = typed.view()
        for name in view.fields if view is not None else ():
            noun = snake(name).removesuffix("_id")
            if view is not None and noun in drafts and view.typed(name).resolved().format == "uuid":
                found.add(noun)
    return found


def _notes(drafts: Mapping[str, TableDraft], bags: Sequence[Bag], known: Mapping[str, Entity]) -> list[str]:
    notes = [
        f"{draft.entity.table}.{name} left out: {reason}"
        for draft in drafts.values()
        for name, reason in sorted(draft.dropped.items())
    ]
    notes += [_bag_note(bag.record) for bag in bags]
    left = sorted(set(known) - set(drafts))
    if left:
        notes.append(f"records that are no entities of the theme: {', '.join(left)}")
    return notes


def _bag_note(bag: PropertyBag) -> str:
    return (
        f"{bag.item_table} carry values for the properties of {bag.collection_table} "
        f"({', '.join(bag.types)}); computed types are left out"
    )
