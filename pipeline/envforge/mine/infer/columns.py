"""Columns: what a record's fields become in a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from envforge.core.records.domain import Column, Reference
from envforge.core.records.extraction import ColumnType, ShapeField, TypeExpr
from envforge.mine.infer.entities import Entity, id_field
from envforge.mine.infer.envelopes import unwrap
from envforge.mine.infer.lexicon import (
    DERIVED_FLAGS,
    IDENTITY_KEYS,
    NATURAL_KEYS,
    PAYLOAD_COLUMNS,
    PERSON_ENTITIES,
    PERSON_WORDS,
)
from envforge.mine.infer.names import safe_identifier, singular, snake
from envforge.mine.infer.parents import PARENT_FIELDS, ParentChoice, parent_targets
from envforge.mine.infer.scalars import flat_scalars, scalar_column
from envforge.mine.infer.typeviews import (
    ObjectView,
    Typed,
    identity,
    is_rich_text,
    principal_scalar,
    rich_text_key,
)

MAX_FLAT_VARIANTS = 6
_MAX_FLAT_FIELDS = 4
_NOT_A_TYPE = frozenset({"unsupported", "unknown"})
_SEARCH_MARKS = frozenset({"text_matches", "highlight", "highlights", "snippets"})
_HYPERMEDIA = frozenset({"node_id", "self", "_links", "links", "etag", "permalink", "livemode", "deleted"})


@dataclass
class TableDraft:
    """A table under way: its columns and what could not become one yet."""

    entity: Entity
    columns: list[Column] = field(default_factory=lambda: list[Column]())
    links: list[tuple[str, str]] = field(default_factory=lambda: list[tuple[str, str]]())
    parent: ParentChoice | None = None
    bag: tuple[str, Typed] | None = None
    dropped: dict[str, str] = field(default_factory=lambda: dict[str, str]())

    def add(self, column: Column) -> None:
        """Add `column` unless one of that name is there."""
        if all(one.name != column.name for one in self.columns):
            self.columns.append(column)

    def key_type(self) -> ColumnType:
        """Type of the key column."""
        key = safe_identifier(self.entity.key)
        return next(one.type for one in self.columns if one.name == key)

    def find(self, source_name: str) -> Column | None:
        """The column that stands for the source field `source_name`."""
        return next((one for one in self.columns if source_name in {one.source_name, one.name}), None)


class ColumnMaker:
    """Turns the fields of entities into columns, knowing all entities and which parents are in use."""

    def __init__(self, entities: Mapping[str, Entity], parents: Mapping[str, frozenset[str]]) -> None:
        self._entities = entities
        self._parents = parents

    def draft(self, entity: Entity) -> TableDraft:
        """The table of `entity`, without roles."""
        draft = TableDraft(entity)
        view = entity.view
        alternatives = {snake(name) for name, one in view.fields.items() if not one.deprecated}
        for name, one in view.fields.items():
            if name in view.variants and name != entity.key:
                continue
            # The id stays whatever is said of it: deprecated or not, the records are told apart by it.
            reason = self._unwanted(view, name, one, alternatives) if name != entity.key else None
            if reason is not None:
                draft.dropped[name] = reason
                continue
            self._field(draft, name, one)
        self._variants(draft)
        return draft

    def _unwanted(self, view: ObjectView, name: str, one: ShapeField, alternatives: set[str]) -> str | None:
        plain = snake(name)
        if name in IDENTITY_KEYS and (view.const(name) is not None or not view.typed(name).resolved().enum):
            return "names the kind of record"
        if one.deprecated and len(alternatives) > 1:
            return "deprecated"
        if plain in _HYPERMEDIA or (plain.endswith("_url") and plain not in {"html_url", "public_url", "avatar_url"}):
            return "hypermedia"
        if plain in DERIVED_FLAGS or plain.endswith("_count") or plain.startswith("num_"):
            return "derived from other rows"
        if _counts(plain, view.typed(name).resolved().kind, self._entities):
            return "counts other rows"
        if plain == "score" and not _SEARCH_MARKS.isdisjoint(view.fields):
            return "how well the record fits a search"
        if plain.removeprefix("html_") != plain and plain.removeprefix("html_") in view.fields:
            return "the same text in another notation"
        for other in view.fields:
            owner = plain.removesuffix(f"_{snake(other)}")
            if owner != plain and owner in self._entities and owner in self._targets_of(view.typed(other)):
                return f"the {snake(other)} of its {owner}, found by a join"
        return None

    def _targets_of(self, typed: Typed) -> set[str]:
        return set(parent_targets(typed, self._entities) or {})

    def _field(self, draft: TableDraft, name: str, one: ShapeField) -> None:
        typed = Typed(one.type, draft.entity.view.types)
        expr = typed.resolved()
        nullable = not one.required or expr.nullable or _has_null(typed)
        if name == draft.entity.key:
            draft.add(_key_column(name, expr, one))
        elif is_rich_text(typed):
            plain = "text" if snake(name) == "rich_text" else safe_identifier(name)
            empty = nullable or plain not in {"text", "title", "name"}
            draft.add(_column(plain, "text", name, one, empty, "rich text kept as its plain text"))
        elif self._as_parent(draft, name, one, typed, nullable) or self._as_reference(
            draft, name, one, typed, nullable
        ):
            return
        elif expr.kind in {"string", "integer", "number", "boolean"}:
            draft.add(scalar_column(name, expr, one, nullable))
        elif expr.kind == "map":
            self._map(draft, name, one, typed, nullable)
        elif expr.kind == "array":
            self._array(draft, name, one, typed)
        else:
            self._nested(draft, name, one, typed, nullable)

    def _as_parent(self, draft: TableDraft, name: str, one: ShapeField, typed: Typed, nullable: bool) -> bool:
        targets = parent_targets(typed, self._entities)
        if targets is None:
            return False
        choice = ParentChoice.narrowed(snake(name), targets, self._parents.get(draft.entity.name, frozenset()))
        left_out = sorted(set(targets) - set(choice.targets))
        if left_out:
            draft.dropped[f"{name}: {', '.join(left_out)}"] = "no operation puts it there, or no entity of the theme"
        if not choice.targets:
            draft.dropped[name] = "refers to no entity of the theme"
            return True
        if safe_identifier(draft.entity.key) in {choice.column_of(target) for target in choice.targets}:
            return False  # a record inside one of its own kind, whose id is named after the kind
        for column in choice.columns(self._entities, nullable, one.description, name):
            draft.add(column)
        if draft.parent is None:
            draft.parent = choice
        return True

    def _as_reference(self, draft: TableDraft, name: str, one: ShapeField, typed: Typed, nullable: bool) -> bool:
        found = self._target(name, typed)
        if found is None:
            return False
        target, confidence, evidence = found
        plain = snake(name)
        if plain.endswith(("_by", "_id", "_gid")) or self._by_its_key(plain) is not None:
            column = plain
        else:
            column = f"{plain}_id"
        entity = self._entities[target]
        key = entity.view.typed(entity.key).resolved()
        draft.add(
            Column(
                name=safe_identifier(column),
                type="integer" if key.kind == "integer" else "text",
                nullable=nullable,
                references=Reference(
                    table=entity.table, column=safe_identifier(entity.key), confidence=confidence, evidence=evidence
                ),
                role=_reference_role(plain.removesuffix("_id"), target),
                description=one.description,
                source_name=name,
                evidence=evidence,
            )
        )
        return True

    def _target(self, name: str, typed: Typed) -> tuple[str, float, str] | None:
        """The entity that a field refers to, in order of evidence."""
        view = typed.view()
        plain = snake(name)
        if view is not None:
            if id_field(view, plain) is None and typed.resolved().kind != "union":
                return None
            named = self._one_identity(typed)
            if named is not None and named in self._entities:
                return named, 1.0, f"embedded {named} object"
            if plain in self._entities and id_field(view, plain) is not None:
                return plain, 0.9, f"embedded object under the name {plain}"
            return None
        expr = typed.resolved()
        if expr.kind not in {"string", "integer"} or expr.enum:
            return None
        base = plain.removesuffix("_id").removesuffix("_gid")
        if base != plain and base in self._entities:
            return base, 1.0, f"scalar named {plain}"
        keyed = self._by_its_key(plain)
        if keyed is not None:
            return keyed, 1.0, f"scalar named {plain}"
        if plain.endswith(("_number", "_url")):
            return None
        person = next((one for one in PERSON_ENTITIES if one in self._entities), None)
        if base in PERSON_WORDS and person is not None and (base != plain or plain.endswith("_by")):
            return person, 0.8, f"role word {base}"
        if plain in self._entities and plain not in {"name", "title"} and expr.kind == "string":
            return plain, 0.7, f"scalar named as the entity {plain}"
        return None

    def _by_its_key(self, plain: str) -> str | None:
        """The entity that a field names together with its key, as `room_sid` does where rooms have a `sid`."""
        noun, _, key = plain.rpartition("_")
        entity = self._entities.get(noun)
        return noun if entity is not None and snake(entity.key) == key and key not in NATURAL_KEYS else None

    def _one_identity(self, typed: Typed) -> str | None:
        """The entity of an embedded object; None if it may be of several entities."""
        found: set[str] = set()
        for member in typed.members():
            view = member.view()
            if view is not None:
                found.add(identity(view) or "")
        return found.pop() if len(found) == 1 else None

    def _map(self, draft: TableDraft, name: str, one: ShapeField, typed: Typed, nullable: bool) -> None:
        item = typed.item()
        view = item.view() if item is not None else None
        if view is not None and view.discriminator is not None and item is not None:
            draft.bag = (name, item)
            return
        draft.add(_column(safe_identifier(name), "json", name, one, nullable, "map without a typed value"))

    def _array(self, draft: TableDraft, name: str, one: ShapeField, typed: Typed) -> None:
        item = typed.item()
        view = item.view() if item is not None else None
        if view is None:
            kept = item is not None and item.resolved().kind in {"string", "integer", "number", "boolean"}
            if kept:
                column = _column(safe_identifier(name), "json", name, one, True, "array of plain values")
                draft.add(column.model_copy(update={"format": "array"}))
            else:
                draft.dropped[name] = "array of untyped values"
            return
        assert item is not None
        self._members(draft, name, item)

    def _members(self, draft: TableDraft, name: str, item: Typed) -> None:
        """A list of records inside a record: members of a relation, if they are entities."""
        view = item.view()
        named = identity(view) if view is not None else None
        target = named if named is not None and named in self._entities else singular(snake(name))
        if view is None:
            draft.dropped[name] = "list of untyped parts"
            return
        if target in self._entities and id_field(view, target) is not None:
            draft.links.append((name, target))
        else:
            draft.dropped[name] = "list of parts that are no entity"

    def _nested(self, draft: TableDraft, name: str, one: ShapeField, typed: Typed, nullable: bool) -> None:
        view = typed.view()
        inside = unwrap(typed) if view is not None else None
        if inside is not None and inside.many:
            self._members(draft, name, inside.item)
            return
        if view is None:
            draft.dropped[name] = "untyped" if typed.resolved().kind in {"any", "object"} else "mixed scalar types"
            return
        scalars = flat_scalars(view)
        simple = principal_scalar(typed)
        if simple is not None and (view.discriminator is not None or len(scalars) <= 2):
            column = scalar_column(name, simple, one, nullable or simple.nullable)
            draft.add(column.model_copy(update={"evidence": "the telling value of a nested object", "enum": ()}))
        elif scalars and len(scalars) == len(view.fields) <= _MAX_FLAT_FIELDS and view.discriminator is None:
            for inner, expr in scalars.items():
                flat = scalar_column(f"{name}_{inner}", expr, view.fields[inner], True)
                draft.add(flat.model_copy(update={"source_name": f"{name}.{inner}", "evidence": "flattened"}))
        else:
            draft.add(_column(safe_identifier(name), "json", name, one, nullable, "nested object kept whole"))

    def _variants(self, draft: TableDraft) -> None:
        view = draft.entity.view
        if view.discriminator is None:
            return
        values = tuple(value for value in view.variants if value not in _NOT_A_TYPE)
        kind = draft.find(view.discriminator)
        if kind is not None:
            draft.columns[draft.columns.index(kind)] = kind.model_copy(
                update={"enum": values, "nullable": False, "role": "type", "evidence": "tells the variants apart"}
            )
        payloads = {value: view.payload(value) for value in values}
        if len(values) > MAX_FLAT_VARIANTS:
            self._large_union(draft, payloads)
            return
        for value, payload in payloads.items():
            inner = payload.view() if payload is not None else None
            scalars = flat_scalars(inner) if inner is not None else {}
            if inner is None or len(inner.fields) > 3 or not scalars:
                if inner is not None:
                    draft.dropped[value] = "payload of one variant"
                continue
            for name, expr in scalars.items():
                column = scalar_column(name, expr, inner.fields[name], True)
                draft.add(column.model_copy(update={"source_name": f"{value}.{name}", "evidence": f"only on {value}"}))

    def _large_union(self, draft: TableDraft, payloads: Mapping[str, Typed | None]) -> None:
        """Many variants: their text, their state flags, and the rest as one JSON payload."""
        texts = sorted(value for value, payload in payloads.items() if _text_of(payload) is not None)
        name = draft.entity.view.discriminator
        if texts:
            evidence = f"text of {len(texts)} of {len(payloads)} variants of {name}"
            draft.add(Column(name="text", type="text", role="body", source_name="rich_text", evidence=evidence))
        for value, payload in payloads.items():
            inner = payload.view() if payload is not None else None
            for name, expr in flat_scalars(inner).items() if inner is not None else ():
                if name in PAYLOAD_COLUMNS:
                    column = scalar_column(name, expr, inner.fields[name], True) if inner is not None else None
                    if column is not None:
                        about = {"source_name": f"{value}.{name}", "evidence": f"only on {value}"}
                        draft.add(column.model_copy(update=about))
        draft.add(
            Column(
                name="content",
                type="json",
                source_name="",
                description="What the variant holds besides its text, as JSON.",
                evidence=f"payload of {len(payloads)} variants",
            )
        )


def _counts(name: str, kind: str, entities: Iterable[str]) -> bool:
    """True for a number named as many of an entity (`comments`, `open_issues`)."""
    last = name.rpartition("_")[2]
    one = singular(last)
    return kind == "integer" and one != last and any(entity.rpartition("_")[2] == one for entity in entities)


def _reference_role(name: str, target: str) -> str | None:
    if name in PARENT_FIELDS[:2]:
        return "parent"
    return PERSON_WORDS.get(name) if target in PERSON_ENTITIES else None


def _text_of(payload: Typed | None) -> str | None:
    view = payload.view() if payload is not None else None
    if view is None:
        return None
    return rich_text_key(view) or ("title" if "title" in view.fields else None)


def _key_column(name: str, expr: TypeExpr, one: ShapeField) -> Column:
    kind: ColumnType = "integer" if expr.kind == "integer" else "text"
    return Column(
        name=safe_identifier(name), type=kind, nullable=False, role="id", format=expr.format,
        description=one.description, source_name=name, evidence="stable id of the record",
    )  # fmt: skip


def _column(name: str, kind: ColumnType, source: str, one: ShapeField, nullable: bool, evidence: str) -> Column:
    return Column(
        name=name, type=kind, nullable=nullable, description=one.description, source_name=source, evidence=evidence
    )


def _has_null(typed: Typed) -> bool:
    expr = typed.resolved()
    return expr.kind == "union" and any(typed.types.resolve(variant).kind == "null" for variant in expr.variants)
