"""Parents: `{type: "x_id", x_id: …}` choices, and which of them an API really uses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from envforge.core.records.domain import Column, Reference
from envforge.mine.infer.entities import Entity, Subject
from envforge.mine.infer.names import safe_identifier, snake
from envforge.mine.infer.typeviews import Typed, identity

PARENT_FIELDS = ("parent", "container", "owner")


@dataclass(frozen=True)
class ParentChoice:
    """A field that refers to one of several entities, or to a place without a record (a workspace)."""

    field: str
    targets: tuple[str, ...]
    """entity names; a name that is no entity stands for itself"""

    @staticmethod
    def narrowed(field: str, targets: Mapping[str, bool], used: Collection[str]) -> ParentChoice:
        """The targets that operations use (all entities when no operation says)."""
        kept = [name for name in targets if name in used]
        if not kept:
            kept = [name for name, is_entity in targets.items() if is_entity]
        return ParentChoice(field, tuple(kept))

    def column_of(self, target: str) -> str:
        """Name of the column that holds the id of a `target`."""
        return f"{target}_id" if len(self.targets) == 1 else f"{self.field}_{target}_id"

    @property
    def type_column(self) -> str | None:
        """Name of the column that says which kind of parent it is, when there is a choice."""
        return f"{self.field}_type" if len(self.targets) > 1 else None

    def columns(self, entities: Mapping[str, Entity], nullable: bool, about: str, source: str) -> list[Column]:
        """The type column (if there is a choice) and one reference per entity."""
        made: list[Column] = []
        if self.type_column is not None:
            made.append(
                Column(
                    name=self.type_column,
                    type="text",
                    nullable=nullable,
                    enum=self.targets,
                    description=about,
                    source_name=f"{source}.type",
                    evidence="discriminator pair",
                )
            )
        for target in self.targets:
            if target not in entities:
                continue
            entity = entities[target]
            key = entity.view.typed(entity.key).resolved()
            made.append(
                Column(
                    name=self.column_of(target),
                    type="integer" if key.kind == "integer" else "text",
                    nullable=nullable or self.type_column is not None,
                    role="parent",
                    references=Reference(
                        table=entity.table,
                        column=safe_identifier(entity.key),
                        confidence=1.0,
                        evidence=f"discriminator pair: {source} may be a {target}",
                    ),
                    source_name=f"{source}.{target}_id",
                    evidence=f"{source} is one of {', '.join(self.targets)}",
                )
            )
        return made

    def checks(self, entities: Collection[str]) -> tuple[str, ...]:
        """SQL conditions that tie the type column to the id columns."""
        if self.type_column is None:
            return ()
        return tuple(
            f"({self.type_column} = '{target}') = ({self.column_of(target)} IS NOT NULL)"
            for target in self.targets
            if target in entities
        )


def parent_targets(typed: Typed, entities: Collection[str]) -> dict[str, bool] | None:
    """What `typed` may refer to, each with whether it is an entity; None if it is no such choice."""
    found: dict[str, bool] = {}
    members = typed.members()
    for member in members:
        if member.expr.kind != "object" or not member.expr.fields:
            return None
        target = _one_target(member)
        if target is None:
            return None
        found[target] = target in entities
    return found or None


def _one_target(member: Typed) -> str | None:
    """The `x` of `{type: "x_id", x_id: string}`, or the place of `{type: "place", place: true}`."""
    view = member.view()
    if view is None or len(view.fields) > 3:
        return None
    keys = [name for name in view.fields if name != "type"]
    ids = [name for name in keys if snake(name).endswith("_id")]
    told = view.const("type")
    if ids and (told in {None, *ids}) and view.typed(ids[0]).resolved().kind in {"string", "integer"}:
        return snake(ids[0]).removesuffix("_id")
    if told is not None and len(keys) <= 1 and all(_is_marker(view.typed(key)) for key in keys):
        return snake(told)
    return None


def _is_marker(typed: Typed) -> bool:
    return typed.resolved().kind == "boolean"


def used_parents(subjects: Sequence[Subject], entities: Mapping[str, Entity]) -> dict[str, frozenset[str]]:
    """For each entity the parents that operations put it under: request bodies, nesting, nested creation."""
    used: dict[str, set[str]] = {name: set() for name in entities}
    for subject in subjects:
        subject_name = next((name for name in subject.answered if name in entities), None)
        for parameter in subject.call.parameters():
            if parameter.location == "body" and snake(parameter.name) in PARENT_FIELDS and subject_name is not None:
                for typed in parameter.alternatives:
                    used[subject_name].update(parent_targets(typed, entities) or {})
            child = nested_entity(parameter.typed, entities)
            if parameter.location == "body" and child is not None:
                used[child].update(_nesting(subject, subject_name, child, entities))
        if subject.many and subject_name is not None:
            for noun, parameter_name in subject.path[:-1]:
                if parameter_name is not None and noun in entities:
                    used[subject_name].add(noun)
    return {name: frozenset(targets) for name, targets in used.items()}


def _nesting(subject: Subject, answered: str | None, child: str, entities: Collection[str]) -> Iterable[str]:
    in_path = [noun for noun, parameter in subject.path if parameter is not None and noun in entities]
    if in_path:
        return in_path[-1:]
    return [answered] if answered is not None and answered != child else []


def nested_entity(typed: Typed, entities: Mapping[str, Entity]) -> str | None:
    """The entity whose records an array parameter holds (told by constant, name or shared variants)."""
    if typed.resolved().kind != "array":
        return None
    item = typed.item()
    view = item.view() if item is not None else None
    if view is None:
        return None
    named = identity(view)
    if named in entities:
        return named
    for name, entity in entities.items():
        if (
            len(view.variants) >= 3
            and len(entity.view.variants) > 6
            and view.variants.keys() <= entity.view.variants.keys()
        ):
            return name
    return None
