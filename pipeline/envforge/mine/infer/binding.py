"""Binding: what each parameter of an operation means in the domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from envforge.core.records.domain import BoundParameter, Column, Verb
from envforge.core.records.extraction import TypeExpr
from envforge.mine.infer.bags import Bag
from envforge.mine.infer.calls import CallParameter
from envforge.mine.infer.columns import TableDraft
from envforge.mine.infer.entities import Subject
from envforge.mine.infer.lexicon import CURSORS, ORDERS, PAGE_SIZES, PRESENTATION, QUERIES, RANGE_SUFFIXES
from envforge.mine.infer.names import label, safe_identifier, snake
from envforge.mine.infer.parents import PARENT_FIELDS, nested_entity, parent_targets

_READING: frozenset[str] = frozenset({"list", "search", "filter", "aggregate"})
_ORDER = ("key", "parent", "query", "bag_filter", "filter", "column", "bag", "children", "bag_sort", "order")
_JSON: dict[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "real": {"type": "number"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "timestamp": {"type": "string", "format": "date-time"},
    "json": {"type": "object"},
}


@dataclass
class Binding:
    """The bound parameters of one operation, and the names of those that mean nothing here."""

    parameters: list[BoundParameter] = field(default_factory=lambda: list[BoundParameter]())
    dropped: list[str] = field(default_factory=lambda: list[str]())
    unbound_path: list[str] = field(default_factory=lambda: list[str]())

    def add(self, parameter: BoundParameter) -> None:
        """Add a parameter unless its name is taken."""
        if all(one.name != parameter.name for one in self.parameters):
            self.parameters.append(parameter)

    def has(self, *meanings: str) -> bool:
        """True if a parameter of one of these meanings is bound."""
        return any(one.meaning in meanings for one in self.parameters)

    def ordered(self) -> tuple[BoundParameter, ...]:
        """Keys first, paging last, the source's order in between."""
        rank = {meaning: at for at, meaning in enumerate(_ORDER)}
        return tuple(sorted(self.parameters, key=lambda one: (not one.required, rank.get(one.meaning, 99))))


class Binder:
    """Binds parameters, knowing the tables, the bags and which parents one listing has to serve."""

    def __init__(self, drafts: Mapping[str, TableDraft], bags: Sequence[Bag], lone_listings: Mapping[str, int]) -> None:
        self._drafts = drafts
        self._entities = {name: draft.entity for name, draft in drafts.items()}
        self._bags = bags
        self._lone = lone_listings

    def bind(self, subject: Subject, verb: Verb, entity: str) -> Binding:
        """Bind all parameters of the call."""
        binding = Binding()
        draft = self._drafts[entity]
        self._path(binding, subject, verb, draft)
        variants: list[str] = []
        for parameter in subject.call.parameters():
            if parameter.location == "path" or _is_path(subject, parameter.name):
                continue
            if parameter.name in draft.entity.view.variants and verb in {"create", "update"}:
                variants.append(parameter.name)
            elif not self._one(binding, parameter, verb, draft):
                binding.dropped.append(parameter.name)
        if len(variants) >= 2:
            self._payload(binding, draft, verb)
        self._title(binding, draft, verb)
        return binding

    def _path(self, binding: Binding, subject: Subject, verb: Verb, draft: TableDraft) -> None:
        steps = [(noun, parameter) for noun, parameter in subject.path if parameter is not None]
        about = {parameter.name: parameter for parameter in subject.call.parameters() if parameter.location == "path"}
        nested = verb in _READING or (verb == "create")
        for at, (noun, name) in enumerate(steps):
            stated = about.get(name)
            text = stated.description if stated is not None else ""
            last = at == len(steps) - 1
            if last and not nested:
                binding.add(self._key(draft, name, text))
            elif not self._parent(binding, draft, noun, name, text, required=True, spread=verb in {"list", "create"}):
                binding.unbound_path.append(name)

    def _key(self, draft: TableDraft, name: str, text: str) -> BoundParameter:
        key = safe_identifier(draft.entity.key)
        column = next(one for one in draft.columns if one.name == key)
        return BoundParameter(
            name=safe_identifier(name) if snake(name) not in {"id", "gid"} else f"{draft.entity.name}_{snake(name)}",
            source_name=name,
            meaning="key",
            json_type=_json_of(column),
            required=True,
            description=text or f"Id of the {label(draft.entity.name)}.",
            column=key,
            semantic=f"{draft.entity.name}.{key}",
        )

    def _parent(
        self, binding: Binding, draft: TableDraft, noun: str, name: str, text: str, *, required: bool, spread: bool
    ) -> bool:
        """Bind `name` as the id of the containing `noun`; a lone listing takes every kind of parent."""
        choice = draft.parent
        if choice is not None and noun in choice.targets and choice.type_column is not None:
            alone = spread and self._lone.get(draft.entity.name, 0) <= 1
            targets = [one for one in choice.targets if one in self._drafts] if alone else [noun]
            for target in targets:
                column = draft.find(choice.column_of(target))
                if column is not None:
                    one = self._reference(column, f"{target}_id", "parent", text, required and len(targets) == 1)
                    binding.add(one.model_copy(update={"source_name": name}))
            return True
        table = self._drafts[noun].entity.table if noun in self._drafts else None
        for column in draft.columns:
            if column.references is not None and column.references.table == table:
                one = self._reference(column, safe_identifier(name), "parent", text, required)
                binding.add(one.model_copy(update={"source_name": name}))
                return True
        return False

    def _reference(self, column: Column, name: str, meaning: str, text: str, required: bool) -> BoundParameter:
        assert column.references is not None
        target = next(draft for draft in self._drafts.values() if draft.entity.table == column.references.table)
        return BoundParameter(
            name=name,
            source_name=column.source_name,
            meaning=meaning,
            json_type=_json_of(column),
            required=required,
            description=text or f"Id of the {label(target.entity.name)}.",
            column=column.name,
            semantic=f"{target.entity.name}.{column.references.column}",
        )

    def _one(self, binding: Binding, parameter: CallParameter, verb: Verb, draft: TableDraft) -> bool:
        """Bind one query or body parameter; False if it means nothing here."""
        name = snake(parameter.name)
        if verb in _READING and self._reading(binding, parameter, name, verb, draft):
            return True
        if name in PRESENTATION and draft.find(name) is None:
            return True
        if name in PARENT_FIELDS and self._parents(binding, parameter, draft):
            return True
        bag = next(
            (one for one in self._bags if name == one.field and draft.entity.name in {one.item, one.collection}), None
        )
        if bag is not None and parameter.location == "body":
            binding.add(_bag_parameter(parameter, name, bag, draft.entity.name))
            return True
        child = nested_entity(parameter.typed, self._entities)
        if parameter.location == "body" and child is not None and verb in {"create", "update"}:
            return self._children(binding, parameter, name, child)
        if name == "after" and self._position(draft) is not None and verb == "create":
            binding.add(self._after(parameter, draft))
            return True
        return self._column(binding, parameter, verb, draft)

    def _reading(self, binding: Binding, parameter: CallParameter, name: str, verb: Verb, draft: TableDraft) -> bool:
        bag = next((one for one in self._bags if one.item == draft.entity.name), None)
        plain = BoundParameter(
            name=safe_identifier(name), source_name=parameter.name, meaning="cursor", json_type={"type": "string"},
            required=False, description=parameter.description,
        )  # fmt: skip
        if name in CURSORS and draft.find(name) is None:
            binding.add(plain)
        elif name in PAGE_SIZES and draft.find(name) is None:
            binding.add(plain.model_copy(update={"meaning": "page_size", "json_type": {"type": "integer"}}))
        elif name in QUERIES:
            binding.add(plain.model_copy(update={"meaning": "query", "required": parameter.required}))
        elif name in ORDERS and draft.find(name) is None:
            meaning = "bag_sort" if verb == "filter" and bag is not None else "order"
            binding.add(plain.model_copy(update={"meaning": meaning, "json_type": sort_schema(parameter)}))
        elif name in {"filter", "filters", "where"}:
            return self._filter(binding, parameter, plain, verb == "filter" and bag is not None)
        else:
            return False
        return True

    def _filter(self, binding: Binding, parameter: CallParameter, plain: BoundParameter, on_bag: bool) -> bool:
        if on_bag:
            binding.add(plain.model_copy(update={"meaning": "bag_filter", "json_type": {"type": "object"}}))
            return True
        kinds = _entity_kinds(parameter, self._drafts)
        if not kinds:
            return False
        binding.add(
            plain.model_copy(
                update={
                    "name": "object_type",
                    "source_name": f"{parameter.name}.value",
                    "meaning": "filter",
                    "op": "entity",
                    "json_type": {"type": "string", "enum": list(kinds)},
                    "description": "Only records of this kind.",
                }
            )
        )
        return True

    def _parents(self, binding: Binding, parameter: CallParameter, draft: TableDraft) -> bool:
        choice = draft.parent
        if choice is None:
            return False
        stated: set[str] = set()
        for typed in parameter.alternatives:
            stated.update(parent_targets(typed, self._drafts) or {})
        targets = [one for one in choice.targets if one in self._drafts and (one in stated or not stated)]
        for target in targets:
            column = draft.find(choice.column_of(target))
            if column is not None:
                needed = parameter.required and choice.targets == (target,)
                one = self._reference(column, column.name, "parent", "", needed)
                binding.add(one.model_copy(update={"source_name": f"{parameter.name}.{target}_id"}))
        return bool(targets)

    def _children(self, binding: Binding, parameter: CallParameter, name: str, child: str) -> bool:
        if binding.has("children"):
            return False
        draft = self._drafts[child]
        writable = [
            one
            for one in draft.columns
            if one.role in {"type", "body"} or one.type == "json" or one.source_name.count(".")
        ]
        properties = {
            one.name: {**_json_of(one), **({"description": one.description} if one.description else {})}
            for one in writable
            if one.references is None
            and one.role not in {"id", "parent", "created_at", "updated_at"}
            and not one.name.startswith("parent")
        }
        required = [one.name for one in writable if one.role == "type"]
        binding.add(
            BoundParameter(
                name=safe_identifier(name),
                source_name=parameter.name,
                meaning="children",
                json_type={
                    "type": "array",
                    "items": {"type": "object", "properties": properties, "required": required},
                },
                required=parameter.required,
                description=parameter.description,
                child=child,
            )
        )
        return True

    def _position(self, draft: TableDraft) -> Column | None:
        return next((one for one in draft.columns if one.role == "position"), None)

    def _after(self, parameter: CallParameter, draft: TableDraft) -> BoundParameter:
        key = safe_identifier(draft.entity.key)
        return BoundParameter(
            name="after",
            source_name=parameter.name,
            meaning="column",
            op="after",
            json_type={"type": "string"},
            description=parameter.description or f"Id of the {label(draft.entity.name)} to come after.",
            column="position",
            semantic=f"{draft.entity.name}.{key}",
        )

    def _column(self, binding: Binding, parameter: CallParameter, verb: Verb, draft: TableDraft) -> bool:
        name = snake(parameter.name)
        column = draft.find(parameter.name) or draft.find(name) or draft.find(f"{name}_id")
        op = "eq"
        if column is None and verb in _READING:
            column, op = _range(name, draft)
        if column is not None and column.role == "position" and parameter.typed.resolved().kind == "object":
            column = None
        if column is None or column.role == "id":
            return verb in _READING and self._filtering_parent(binding, parameter, draft)
        reads = verb in _READING
        if column.role == "parent" and reads and self._filtering_parent(binding, parameter, draft):
            return True
        semantic = None
        if column.references is not None:
            semantic = self._reference(column, column.name, "column", "", False).semantic
        binding.add(
            BoundParameter(
                name=column.name if op == "eq" else safe_identifier(name),
                source_name=parameter.name,
                meaning="filter" if reads else "column",
                op=op if reads else None,
                json_type=_json_of(column),
                required=parameter.required,
                description=parameter.description or column.description,
                column=column.name,
                semantic=semantic,
            )
        )
        return True

    def _filtering_parent(self, binding: Binding, parameter: CallParameter, draft: TableDraft) -> bool:
        noun = snake(parameter.name).removesuffix("_id").removesuffix("_gid")
        return noun in self._drafts and self._parent(
            binding, draft, noun, parameter.name, parameter.description, required=parameter.required, spread=True
        )

    def _payload(self, binding: Binding, draft: TableDraft, verb: Verb) -> None:
        for column in draft.columns:
            inner = column.role == "body" or column.name == "content" or "only on" in column.evidence
            if inner and column.role != "type":
                binding.add(_from_column(column))
            elif column.role == "type" and verb == "create":
                binding.add(_from_column(column).model_copy(update={"required": True}))

    def _title(self, binding: Binding, draft: TableDraft, verb: Verb) -> None:
        """A title that travels among the properties is a parameter of its own."""
        bag = next((one for one in self._bags if one.item == draft.entity.name), None)
        if bag is None or bag.title_type is None or verb not in {"create", "update"} or not binding.has("bag"):
            return
        column = draft.find("title")
        if column is not None:
            given = _from_column(column)
            binding.add(given.model_copy(update={"required": verb == "create", "source_name": f"{bag.field}.title"}))


def sort_schema(parameter: CallParameter) -> dict[str, Any]:
    """JSON Schema of a sort parameter, with the choices that its types state."""
    expr = parameter.typed.resolved()
    if expr.kind == "string":
        return {"type": "string", "enum": [str(value) for value in expr.enum]} if expr.enum else {"type": "string"}
    item = parameter.typed.item() if expr.kind == "array" else parameter.typed
    view = item.view() if item is not None else None
    properties: dict[str, Any] = {}
    for name in view.fields if view is not None else ():
        inner: TypeExpr = view.typed(name).resolved() if view is not None else expr
        if inner.kind == "string":
            properties[name] = {"type": "string", **({"enum": [str(v) for v in inner.enum]} if inner.enum else {})}
    schema: dict[str, Any] = {"type": "object", "properties": properties} if properties else {"type": "object"}
    return {"type": "array", "items": schema} if expr.kind == "array" else schema


def _json_of(column: Column) -> dict[str, Any]:
    schema = dict(_JSON[column.type])
    if column.enum:
        schema["enum"] = list(column.enum)
    if column.format:
        schema["format"] = column.format
    return schema


def _from_column(column: Column) -> BoundParameter:
    return BoundParameter(
        name=column.name,
        source_name=column.source_name or column.name,
        meaning="column",
        json_type=_json_of(column),
        description=column.description,
        column=column.name,
    )


def _bag_parameter(parameter: CallParameter, name: str, bag: Bag, entity: str) -> BoundParameter:
    defines = entity == bag.collection
    text = "Property definitions by name." if defines else "Property values by name."
    return BoundParameter(
        name=safe_identifier(name),
        source_name=parameter.name,
        meaning="bag",
        json_type={"type": "object"},
        required=parameter.required and defines,
        description=text,
        child=bag.record.definition_table if defines else bag.record.value_table,
    )


def _is_path(subject: Subject, name: str) -> bool:
    return name in subject.call.path_parameters()


def _range(name: str, draft: TableDraft) -> tuple[Column | None, str]:
    for suffix, op in RANGE_SUFFIXES.items():
        if name.endswith(suffix):
            base = name.removesuffix(suffix)
            column = draft.find(base) or draft.find(f"{base}_at") or draft.find(f"{base}_on")
            if column is not None and column.type in {"date", "timestamp", "integer", "real"}:
                return column, op
    if name in {"since", "before"}:
        column = next((one for one in draft.columns if one.role == "updated_at"), None)
        return column, "ge" if name == "since" else "lt"
    return None, "eq"


def _entity_kinds(parameter: CallParameter, drafts: Mapping[str, TableDraft]) -> tuple[str, ...]:
    """The entities that a filter object lets one choose from (`{property: "object", value: "page"}`)."""
    for typed in parameter.alternatives:
        for member in typed.members():
            view = member.view()
            for name in view.fields if view is not None else ():
                values = [str(value) for value in (view.typed(name).resolved().enum if view is not None else ())]
                if len(values) > 1 and all(value in drafts for value in values):
                    return tuple(values)
    return ()
