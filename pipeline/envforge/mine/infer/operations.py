"""Operations: each call of an API bound to the domain, or refused with a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from envforge.core.records.domain import BoundOperation, BoundParameter, RejectedOperation, Verb
from envforge.mine.infer.bags import Bag
from envforge.mine.infer.binding import Binder, Binding
from envforge.mine.infer.columns import TableDraft
from envforge.mine.infer.entities import Entity, Subject
from envforge.mine.infer.lexicon import PERSON_ENTITIES, QUERIES, TRANSITIONS, TRASH_FLAGS
from envforge.mine.infer.linking import bind_link, is_linking
from envforge.mine.infer.links import Link
from envforge.mine.infer.names import label, safe_identifier, singular, snake
from envforge.mine.infer.toolnames import tool_name, unique
from envforge.mine.infer.verbs import Doing, Refusal, classify


@dataclass(frozen=True)
class World:
    """What operations are bound to."""

    drafts: Mapping[str, TableDraft]
    bags: Sequence[Bag]
    links: Sequence[Link]
    homes: Mapping[str, frozenset[tuple[str, ...]]]
    known: Mapping[str, Entity]
    """all records that answers hold, also those that are no entities"""


def bind_operations(subjects: Sequence[Subject], world: World) -> tuple[list[BoundOperation], list[RejectedOperation]]:
    """Bind every call. Names are unique; the first call of a name keeps it."""
    binder = Binder(world.drafts, world.bags, world.links, _lone_listings(subjects, world.drafts))
    bound: list[BoundOperation] = []
    rejected: list[RejectedOperation] = []
    for subject in subjects:
        made = _bind(subject, world, binder)
        if isinstance(made, BoundOperation):
            name = unique(made.name, [one.name for one in bound], made.parent_entity)
            made = (
                made.model_copy(update={"name": name}) if name else Refusal("duplicate", f"{made.name} exists already")
            )
        if isinstance(made, BoundOperation):
            bound.append(made)
        else:
            first = subject.call.first
            rejected.append(
                RejectedOperation(id=first.id, locator=first.locator, reason=made.reason, detail=made.detail)
            )
    return bound, rejected


def _lone_listings(subjects: Sequence[Subject], drafts: Mapping[str, TableDraft]) -> dict[str, int]:
    """How many listings by parent an entity has: a lone one has to serve every kind of parent."""
    count: Counter[str] = Counter()
    for subject in subjects:
        entity = next((name for name in subject.answered if name in drafts), None)
        if entity is None or not subject.many or subject.call.method != "get":
            continue
        asked = {
            snake(one.name).removesuffix("_id")
            for one in subject.call.parameters()
            if one.location in {"path", "query"}
        }
        if asked & set(drafts):
            count[entity] += 1
    return dict(count)


def _bind(subject: Subject, world: World, binder: Binder) -> BoundOperation | Refusal:
    doing = classify(subject, world.drafts)
    if isinstance(doing, Refusal):
        return doing
    inside = _bag_value(subject, doing, world)
    if inside is not None:
        return inside
    if is_linking(doing):
        return bind_link(subject, doing, world.drafts, world.links)
    entity = _entity(subject, doing, world)
    if isinstance(entity, Refusal):
        return entity
    if _away_from_home(subject, doing, entity, world):
        verb: Verb = "unlink" if subject.call.method == "delete" else "link"
        return bind_link(subject, Doing(verb, f"{doing.evidence} under another record"), world.drafts, world.links)
    if doing.verb == "search" and subject.call.method == "get" and not _asks(subject):
        doing = Doing("list", f"{doing.evidence}, but without a free-text query")
    relation = _own_relation(subject, doing, entity, world)
    if relation is not None:
        return relation
    part = _part_of_record(subject, doing, entity, world.drafts[entity])
    if part is not None:
        return part
    verb = doing.verb
    binding = binder.bind(subject, verb, entity)
    if binding.unbound_path:
        return Refusal("unbound_parameter", f"path parameter {binding.unbound_path[0]} leads to no {label(entity)}")
    state = _state(doing, world.drafts[entity])
    refused = _without_effect(doing, binding, state, world.drafts[entity])
    if refused is not None:
        return refused
    return _operation(subject, doing, entity, binding, state, world)


def _operation(
    subject: Subject, doing: Doing, entity: str, binding: Binding, state: dict[str, Any], world: World
) -> BoundOperation:
    first = subject.call.first
    others = tuple(
        world.drafts[name].entity.table for name in subject.answered if name in world.drafts and name != entity
    )
    evidence = doing.evidence
    if len(subject.call.languages) > 1:
        evidence += f"; stated by {len(subject.call.languages)} kinds of source"
    if binding.dropped:
        evidence += f"; dropped: {', '.join(binding.dropped)}"
    parents = [noun for noun, parameter in subject.path if parameter is not None and noun != entity]
    return BoundOperation(
        id=first.id,
        name=tool_name(subject.call, doing.verb, entity),
        verb=doing.verb,
        entity=entity,
        table=world.drafts[entity].entity.table,
        parent_entity=next((noun for noun in reversed(parents) if noun in world.drafts), None),
        also=others if doing.verb == "search" else (),
        target_state=state,
        parameters=binding.ordered(),
        description=first.summary or first.description,
        source_id=subject.call.sources[0],
        locator=first.locator,
        evidence=evidence,
    )


def _entity(subject: Subject, doing: Doing, world: World) -> str | Refusal:
    """The entity an operation is about: what it answers, else what its path ends with."""
    answered = [name for name in subject.answered if name in world.drafts]
    nouns = [noun for noun, _ in subject.path]
    parents = {noun for noun, parameter in subject.path if parameter is not None}
    if doing.verb in {"list", "search", "filter"}:
        items = [name for name in answered if name not in parents] or answered
        carried = [name for name in items if any(bag.item == name for bag in world.bags)]
        if items:
            return (carried or items)[0]
    elif answered and not (subject.answered and subject.answered[0] not in world.drafts):
        return answered[0]
    changes = doing.verb in {"create", "update", "delete", "transition", "unlink", "link"}
    if not subject.answered or changes:
        told = [noun for noun in nouns if noun in world.drafts]
        last = next(
            (noun for noun in reversed(nouns) if noun not in {"search", "query"} and noun != doing.action), None
        )
        # A change may answer a receipt (`{id}`, `{message}`): then the path says what it is about.
        if told and told[-1] == last and (subject.answer is None or not answered):
            return (
                told[-1] if doing.verb != "get" or subject.answer is None else Refusal("untyped", "says nothing typed")
            )
    if not subject.answered and subject.answer is not None and nouns:
        return Refusal("unlisted_entity", f"{label(nouns[-1])} has no id, too few fields, or no listing")
    if not subject.answered:
        return Refusal("untyped", "answers nothing that is typed, and its path names no entity")
    name = subject.answered[0]
    why = "cannot be listed, or is outside the theme" if name in world.known else "has no stable id"
    return Refusal("unlisted_entity", f"{label(name)} {why}")


def _away_from_home(subject: Subject, doing: Doing, entity: str, world: World) -> bool:
    """True for changes to an item under a path where it is not kept (`DELETE /issues/{n}/labels/{name}`)."""
    if doing.verb not in {"update", "delete"} or doing.action or not subject.path or subject.path[-1][1] is None:
        return False
    kept = world.homes.get(entity, frozenset())
    return bool(kept) and tuple(noun for noun, _ in subject.path) not in kept


def _asks(subject: Subject) -> bool:
    return any(snake(parameter.name) in QUERIES for parameter in subject.call.parameters())


def _own_relation(subject: Subject, doing: Doing, entity: str, world: World) -> Refusal | None:
    """Refuse lists of what somebody who is not named follows, watches or blocks (`GET /user/followers`)."""
    if doing.verb != "list" or len(subject.path) < 2 or subject.path[-1][1] is not None:
        return None
    (holder, parameter), (role, _) = subject.path[-2:]
    named = set(entity.split("_")) <= set(role.split("_")) or entity.endswith(f"_{role}")
    if parameter is not None or holder not in PERSON_ENTITIES or role in world.drafts or named:
        return None
    return Refusal("no_link", f"lists the {label(role)} of the acting user, a relation that the domain does not hold")


def _part_of_record(subject: Subject, doing: Doing, entity: str, draft: TableDraft) -> Refusal | None:
    """Refuse changes to a part that is no column (`PUT /boards/{id}/layout`)."""
    if doing.verb != "update" or not subject.path or subject.path[-1][1] is not None:
        return None
    noun = subject.path[-1][0]
    if noun == entity or doing.action or draft.find(noun) is not None or len(subject.path) < 2:
        return None
    return Refusal("part_of_record", f"changes the {label(noun)} of a {label(entity)}, which is no column")


def _bag_value(subject: Subject, doing: Doing, world: World) -> BoundOperation | Refusal | None:
    """Reading one property of an item (`/items/{id}/properties/{property_id}`)."""
    for bag in world.bags:
        steps = [(noun, parameter) for noun, parameter in subject.path if parameter is not None]
        if (
            len(steps) != 2
            or steps[0][0] != bag.item
            or steps[1][0] != singular(snake(bag.field))
            or doing.verb not in {"get", "list"}
        ):
            continue
        item = world.drafts[bag.item]
        key = safe_identifier(item.entity.key)
        first = subject.call.first
        definition = singular(bag.record.definition_table)
        parameters = (
            BoundParameter(
                name=safe_identifier(str(steps[0][1])), source_name=str(steps[0][1]), meaning="parent",
                json_type={"type": "string"}, required=True, column=f"{bag.item}_id", semantic=f"{bag.item}.{key}",
                description=f"Id of the {label(bag.item)}.",
            ),
            BoundParameter(
                name=safe_identifier(str(steps[1][1])), source_name=str(steps[1][1]), meaning="key",
                json_type={"type": "string"}, required=True, column=f"{singular(snake(bag.field))}_id",
                semantic=f"{definition}.id", description=f"Id of the {label(definition)}.",
            ),
        )  # fmt: skip
        return BoundOperation(
            id=first.id,
            name=tool_name(subject.call, "get", singular(bag.record.value_table)),
            verb="get",
            entity=singular(bag.record.value_table),
            table=bag.record.value_table,
            parent_entity=bag.item,
            parameters=parameters,
            description=first.summary,
            source_id=subject.call.sources[0],
            locator=first.locator,
            evidence="value of the property bag, by item and property",
        )
    return None


def _state(doing: Doing, draft: TableDraft) -> dict[str, Any]:
    """What a transition or a soft delete sets."""
    if doing.verb == "delete":
        for flag in TRASH_FLAGS[:5]:
            column = draft.find(flag)
            if column is not None and column.type == "boolean":
                return {column.name: True}
        return {}
    if doing.verb == "transition":
        for name, value in TRANSITIONS.get(doing.action, ()):
            column = draft.find(name)
            if column is None:
                continue
            if (isinstance(value, bool) and column.type == "boolean") or value in column.enum:
                return {column.name: value}
    return {}


def _without_effect(doing: Doing, binding: Binding, state: dict[str, Any], draft: TableDraft) -> Refusal | None:
    """Refuse what would change nothing, or would need what the domain does not hold."""
    verb: Verb = doing.verb
    if verb == "transition" and not state:
        return Refusal("no_state", f"no column of {draft.entity.table} has a value for {doing.action!r}")
    if verb == "transfer" and not any(
        one.meaning == "parent" and not one.source_name.startswith("{") for one in binding.parameters
    ):
        return Refusal("no_parent", "its body names no parent that the domain knows")
    if verb == "update" and not binding.has("column", "bag", "children", "parent"):
        return Refusal("no_effect", "no body parameter is a column")
    if verb == "create" and not binding.has("column", "bag", "children"):
        return Refusal("no_effect", "no body parameter is a column")
    if verb in {"update", "delete", "transition", "transfer"} and not binding.has("key"):
        return Refusal("no_key", f"changes a {label(draft.entity.name)} without naming it")
    if verb == "get" and not binding.has("key", "parent", "scope") and draft.entity.name not in PERSON_ENTITIES:
        return Refusal("singleton", "answers one record without a key")
    if verb == "search" and not binding.has("query"):
        return Refusal("no_query", "searches without a free-text query")
    return None
