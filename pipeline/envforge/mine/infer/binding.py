"""Binding: what each parameter of an operation means in the domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from envforge.core.records.domain import BoundParameter, Verb
from envforge.mine.infer.bags import Bag
from envforge.mine.infer.calls import CallParameter
from envforge.mine.infer.columns import TableDraft
from envforge.mine.infer.containers import Containers
from envforge.mine.infer.entities import Subject
from envforge.mine.infer.lexicon import CURSORS, ORDERS, PAGE_SIZES, PRESENTATION, QUERIES
from envforge.mine.infer.links import Link
from envforge.mine.infer.names import safe_parameter, snake
from envforge.mine.infer.parameters import (
    after_parameter,
    bag_parameter,
    children_parameter,
    column_parameter,
    entity_kinds,
    json_of,
    key_parameter,
    range_column,
    range_parameters,
    sort_schema,
)
from envforge.mine.infer.parents import PARENT_FIELDS, nested_entity
from envforge.mine.infer.scoped import scoped_path

_READING: frozenset[str] = frozenset({"list", "search", "filter", "aggregate"})
_ORDER = ("scope", "key", "parent", "query", "bag_filter", "filter", "column", "bag", "children", "bag_sort", "order")


@dataclass
class Binding:
    """The bound parameters of one operation, and the names of those that mean nothing here."""

    parameters: list[BoundParameter] = field(default_factory=lambda: list[BoundParameter]())
    dropped: list[str] = field(default_factory=lambda: list[str]())
    unbound_path: list[str] = field(default_factory=lambda: list[str]())

    def add(self, *parameters: BoundParameter) -> None:
        """Add parameters whose names are not taken."""
        for parameter in parameters:
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

    def __init__(
        self,
        drafts: Mapping[str, TableDraft],
        bags: Sequence[Bag],
        links: Sequence[Link],
        lone_listings: Mapping[str, int],
    ) -> None:
        self._drafts = drafts
        self._entities = {name: draft.entity for name, draft in drafts.items()}
        self._bags = bags
        self._containers = Containers(drafts, links, lone_listings)

    def bind(self, subject: Subject, verb: Verb, entity: str) -> Binding:
        """Bind all parameters of the call."""
        binding = Binding()
        draft = self._drafts[entity]
        self._path(binding, subject, verb, draft)
        variants: list[str] = []
        for parameter in subject.call.parameters():
            if parameter.location == "path" or parameter.name in subject.call.path_parameters():
                continue
            if parameter.name in draft.entity.view.variants and verb in {"create", "update"}:
                variants.append(parameter.name)
            elif not self._one(binding, parameter, verb, draft):
                binding.dropped.append(parameter.name)
        if len(variants) >= 2:
            _payload(binding, draft, verb)
        self._title(binding, draft, verb)
        return binding

    def _path(self, binding: Binding, subject: Subject, verb: Verb, draft: TableDraft) -> None:
        """The last path parameter is the record's key, unless a word follows that names what is inside it."""
        steps = [(noun, parameter) for noun, parameter in subject.path if parameter is not None]
        if self._scoped(binding, subject, verb, draft):
            return
        about = {one.name: one for one in subject.call.parameters() if one.location == "path"}
        tail, after = subject.path[-1] if subject.path else ("", None)
        nested = verb in _READING or verb == "create" or (verb == "get" and after is None)
        role = tail if after is None and verb in _READING | {"get"} else ""
        for at, (noun, name) in enumerate(steps):
            stated = about.get(name)
            text, typed = (stated.description, stated.typed) if stated is not None else ("", None)
            last = at == len(steps) - 1
            if not last and steps[at + 1][0] == noun:
                binding.unbound_path.append(name)  # half of a name whose record nothing leads to
                continue
            own = noun == draft.entity.name or (after is not None and noun not in self._drafts)
            if last and not nested and own:
                binding.add(key_parameter(draft, name, text, typed))
                continue
            found = self._containers.by_role(draft, noun, name, text, role) if last else None
            if found is None:
                spread = verb in {"list", "create"}
                found = self._containers.parents(draft, noun, name, text, required=True, spread=spread, typed=typed)
            if not found and self._implied(noun, [later for later, _ in steps[at + 1 :]]):
                binding.dropped.append(name)
            elif not found:
                binding.unbound_path.append(name)
            binding.add(*found)

    def _scoped(self, binding: Binding, subject: Subject, verb: Verb, draft: TableDraft) -> bool:
        """Bind the path as a chain of records, if that is how the interface finds them."""
        tail, after = subject.path[-1] if subject.path else ("", None)
        reads = verb in _READING or verb == "create"
        itself = not reads and (after is not None or tail not in self._drafts)
        found = scoped_path(subject, draft.entity.name, self._drafts, names_itself=itself)
        binding.add(*(found or ()))
        return found is not None

    def _implied(self, noun: str, later: Sequence[str]) -> bool:
        """True if a record further down the path says by itself which `noun` it is in."""
        named = [self._drafts[one] for one in later if one in self._drafts and one != noun]
        return any(self._containers.leads_to(draft, noun) for draft in named)

    def _one(self, binding: Binding, parameter: CallParameter, verb: Verb, draft: TableDraft) -> bool:
        """Bind one query or body parameter; False if it means nothing here."""
        name = snake(parameter.name)
        if verb in _READING and self._reading(binding, parameter, name, verb, draft):
            return True
        if name in PRESENTATION and draft.find(name) is None:
            return True
        if parameter.location == "body" and self._structured(binding, parameter, name, verb, draft):
            return True
        return self._column(binding, parameter, verb, draft)

    def _structured(self, binding: Binding, parameter: CallParameter, name: str, verb: Verb, draft: TableDraft) -> bool:
        """Parents, property bags, nested records and places among siblings."""
        if name in PARENT_FIELDS:
            chosen = self._containers.chosen(parameter, draft)
            binding.add(*chosen)
            return bool(chosen)
        entity = draft.entity.name
        bag = next((one for one in self._bags if name == one.field and entity in {one.item, one.collection}), None)
        if bag is not None:
            binding.add(bag_parameter(parameter, bag, entity))
            return True
        child = nested_entity(parameter.typed, self._entities)
        if child is not None and verb in {"create", "update"} and not binding.has("children"):
            binding.add(children_parameter(parameter, self._drafts[child]))
            return True
        if name == "after" and verb == "create" and any(one.role == "position" for one in draft.columns):
            binding.add(after_parameter(parameter, draft))
            return True
        return False

    def _reading(self, binding: Binding, parameter: CallParameter, name: str, verb: Verb, draft: TableDraft) -> bool:
        """Paging, order, free text and filter objects of a listing."""
        bag = next((one for one in self._bags if one.item == draft.entity.name), None)
        on_bag = verb == "filter" and bag is not None
        free = draft.find(name) is None
        if name in CURSORS and free:
            binding.add(_shaping(parameter, "cursor"))
        elif name in PAGE_SIZES and free:
            binding.add(_shaping(parameter, "page_size").model_copy(update={"json_type": {"type": "integer"}}))
        elif name in QUERIES:
            binding.add(_shaping(parameter, "query").model_copy(update={"required": parameter.required}))
        elif name in ORDERS and free:
            meaning = "bag_sort" if on_bag else "order"
            binding.add(_shaping(parameter, meaning).model_copy(update={"json_type": sort_schema(parameter)}))
        elif name in {"filter", "filters", "where"}:
            return self._filter(binding, parameter, on_bag)
        else:
            return False
        return True

    def _filter(self, binding: Binding, parameter: CallParameter, on_bag: bool) -> bool:
        """A filter object: over typed properties, or over the kind of record that a search answers."""
        plain = _shaping(parameter, "bag_filter").model_copy(update={"json_type": {"type": "object"}})
        kinds = () if on_bag else entity_kinds(parameter, self._drafts)
        if kinds:
            plain = plain.model_copy(
                update={
                    "name": "object_type",
                    "source_name": f"{parameter.name}.value",
                    "meaning": "filter",
                    "op": "entity",
                    "json_type": {"type": "string", "enum": list(kinds)},
                    "description": "Only records of this kind.",
                }
            )
        if on_bag or kinds:
            binding.add(plain)
        return on_bag or bool(kinds)

    def _column(self, binding: Binding, parameter: CallParameter, verb: Verb, draft: TableDraft) -> bool:
        """A value for a column, or a condition on one."""
        name, reads = snake(parameter.name), verb in _READING
        column = draft.find(parameter.name) or draft.find(name) or draft.find(f"{name}_id")
        op = "eq"
        if column is None and reads:
            column, op = range_column(name, draft)
        if (
            column is not None
            and column.role == "position"
            and parameter.typed.resolved().kind not in {"integer", "number"}
        ):
            column = None
        if reads and (column is None or column.role in {"id", "parent"}) and self._inside(binding, parameter, draft):
            return True
        if column is None or column.role == "id" or (column.role == "type" and verb == "update"):
            return False
        ranges = range_parameters(parameter, column) if reads and op == "eq" else []
        if ranges:
            binding.add(*ranges)
            return True
        semantic = None
        if column.references is not None:
            semantic = self._containers.reference(column, column.name, "column", "", False).semantic
        binding.add(
            BoundParameter(
                name=safe_parameter(column.name if op == "eq" else name),
                source_name=parameter.name,
                meaning="filter" if reads else "column",
                op=op if reads else None,
                json_type=json_of(column),
                required=parameter.required,
                description=parameter.description or column.description,
                column=column.name,
                semantic=semantic,
            )
        )
        return True

    def _inside(self, binding: Binding, parameter: CallParameter, draft: TableDraft) -> bool:
        """A query parameter that names the container (`?block_id=`)."""
        noun = snake(parameter.name).removesuffix("_id").removesuffix("_gid")
        if noun not in self._drafts:
            return False
        found = self._containers.parents(
            draft, noun, parameter.name, parameter.description, required=parameter.required, spread=True
        )
        binding.add(*found)
        return bool(found)

    def _title(self, binding: Binding, draft: TableDraft, verb: Verb) -> None:
        """A title that travels among the properties is a parameter of its own."""
        bag = next((one for one in self._bags if one.item == draft.entity.name), None)
        if bag is None or bag.title_type is None or verb not in {"create", "update"} or not binding.has("bag"):
            return
        column = draft.find("title")
        if column is not None:
            given = column_parameter(column)
            binding.add(given.model_copy(update={"required": verb == "create", "source_name": f"{bag.field}.title"}))


def _shaping(parameter: CallParameter, meaning: str) -> BoundParameter:
    return BoundParameter(
        name=safe_parameter(parameter.name),
        source_name=parameter.name,
        meaning=meaning,
        json_type={"type": "string"},
        description=parameter.description,
    )


def _payload(binding: Binding, draft: TableDraft, verb: Verb) -> None:
    """What a record's kind decides: its text, its flags, the rest of its payload."""
    for column in draft.columns:
        if column.role == "type":
            if verb == "create":
                binding.add(column_parameter(column).model_copy(update={"required": True}))
        elif column.role == "body" or column.name == "content" or "only on" in column.evidence:
            binding.add(column_parameter(column))
