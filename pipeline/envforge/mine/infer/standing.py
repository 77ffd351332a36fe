"""Standing: whether a specification founds an environment by itself, or is a source of data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from envforge.core.records.domain import READ_VERBS, BoundOperation, Domain, RejectedOperation, Table
from envforge.mine.infer.lexicon import REJECTED_WORDS
from envforge.mine.infer.names import singular

MIN_ENTITIES = 4
"""An interface with fewer real entities is a source of data, never an environment."""
MIN_OWN_FIELDS = 3
_LISTING = READ_VERBS - {"get"}
_MACHINERY = {singular(word) for words in REJECTED_WORDS.values() for word in words}
"""What a record is of, if it serves the interface and not those who use it: webhooks, tokens, metrics, exports."""


@dataclass(frozen=True)
class Standing:
    """The real entities of a specification, those of them that operations change, and why the others are none."""

    real: tuple[str, ...]
    changed: tuple[str, ...]
    others: Mapping[str, str]

    @property
    def is_data_source(self) -> bool:
        """True if there are too few real entities, or nothing ever changes."""
        return len(self.real) < MIN_ENTITIES or not self.changed

    def words(self) -> str:
        """The judgement, after 'the interface states'."""
        named = f" ({', '.join(self.real)})" if self.real else ""
        found = f"{len(self.real)} real entities{named}"
        if len(self.real) < MIN_ENTITIES:
            return f"{found}, where an environment needs {MIN_ENTITIES}"
        return f"{found}, and no operation that changes one of them"


def standing(domain: Domain) -> Standing:
    """Judge the entities that operations were bound to.

    A real entity has a stable id, three fields of its own, and a list, a search or a containing record leads to it.
    """
    entities = {table.name: table for table in domain.tables if table.kind == "entity"}
    others = {table.entity: lack for table in entities.values() if (lack := _poor(table))}
    rich = {name for name, table in entities.items() if table.entity not in others}
    reached = _reached(domain, entities)
    real = rich & reached
    others |= {
        entities[name].entity: "no list, no search and no containing record leads to it" for name in sorted(rich - real)
    }
    changed = {op.table for op in domain.operations if op.verb not in READ_VERBS} & real
    return Standing(
        real=tuple(table.entity for name, table in entities.items() if name in real),
        changed=tuple(table.entity for name, table in entities.items() if name in changed),
        others=others,
    )


def _poor(table: Table) -> str:
    """What a table lacks to be an entity; empty if nothing."""
    machinery = sorted(_MACHINERY & {singular(word) for word in table.entity.split("_")})
    if machinery:
        return f"is machinery of the interface: {machinery[0]}"
    own = [column for column in table.columns if column.name not in table.primary_key]
    if len(own) < MIN_OWN_FIELDS:
        return f"{len(own)} fields of its own"
    return ""


def _reached(domain: Domain, entities: Mapping[str, Table]) -> set[str]:
    """Tables that a list or search, or a record that is reached so, leads to."""
    listings = [op for op in domain.operations if op.verb in _LISTING]
    reached: set[str] = set()
    while True:
        named = {entities[name].entity for name in reached}
        found = {
            table
            for op in listings
            if all(holder in named for holder in _holders(op))
            for table in (op.table, *op.also)
            if table in entities
        }
        found |= {name for name, table in entities.items() if _contained(table, reached)}
        if found <= reached:
            return reached
        reached |= found


def _holders(op: BoundOperation) -> set[str]:
    """The entities that one must know a record of before the listing answers anything."""
    return {
        (one.semantic or "").partition(".")[0]
        for one in op.parameters
        if one.required and one.meaning in {"parent", "key", "scope"} and one.semantic
    }


def _contained(table: Table, reached: set[str]) -> bool:
    return any(
        column.role == "parent" and column.references is not None and column.references.table in reached - {table.name}
        for column in table.columns
    )


def as_data_source(domain: Domain, judged: Standing) -> Domain:
    """The domain without its entities and operations, each operation refused: beside rows it adds nothing."""
    refused = tuple(
        RejectedOperation(id=op.id, locator=op.locator, reason="data_source", detail=judged.words())
        for op in domain.operations
    )
    return domain.model_copy(
        update={
            "tables": (),
            "operations": (),
            "bags": (),
            "rejected": (*domain.rejected, *refused),
            "notes": (*domain.notes, f"the interface is a data source only: {judged.words()}"),
        }
    )
