"""What becomes of a specification's operations, and of a specification that makes no environment."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from envforge.build.blueprint import draw_blueprint
from envforge.core.contracts import Database
from envforge.core.errors import BuildError
from envforge.core.outcome import Outcome, Rejected
from envforge.core.records.domain import Domain
from envforge.factory.fate_words import fates_in_words, reasons_in_words
from envforge.mine.miner import Mined
from envforge.store.files import write_json, write_jsonl

DATA_SOURCE = "data_source"
_LEFT_OUT = {
    "covered", "duplicate_name", "entity_not_selected", "over_max_tools", "reserved_name", "unreachable_id",
    "verb_share",
}  # fmt: skip
"""Why an operation that could be lowered with its effect is not shipped all the same."""


def operations_by_fate(
    stated: int, domain: Domain, undrawn: Sequence[dict[str, Any]], shipped: Collection[str]
) -> dict[str, int]:
    """The sources' operations by fate; nothing when the sources state none.

    with_effect: lowered with what they do to the state (shipped, or left out only to keep the set small); shape_only:
    understood in shape but not in effect, so not shipped; rejected: each with its reason in rejected.jsonl.
    """
    if not stated:
        return {}
    shape_only = sum(1 for item in undrawn if item["reason"] not in _LEFT_OUT)
    bound = len(domain.operations)
    return {
        "stated": stated,
        "distinct": bound + len(domain.rejected),
        "with_effect": bound - shape_only,
        "shape_only": shape_only,
        "rejected": len(domain.rejected),
        "shipped": len({op.name for op in domain.operations} & set(shipped)),
    }


def require_environment(mined: Mined, run: Path, note: Callable[[Outcome[Any]], None]) -> None:
    """Refuse a specification that is a data source only, and keep the reasons in the run's rejected/ folder.

    Raises BuildError with the reason `data_source`, what became of the operations, and where all of it is kept.
    """
    standing = mined.standing
    if standing is None or not standing.is_data_source:
        return
    rejected = [{"operation": r.id, **r.to_json()} for r in mined.domain.rejected]
    undrawn = _undrawn(mined)
    operations = operations_by_fate(mined.stated_operations, mined.domain, undrawn, ())
    folder = run / "rejected" / mined.theme.slug
    record = {
        "theme": mined.theme.slug,
        "reason": DATA_SOURCE,
        "detail": standing.words(),
        "entities": list(standing.real),
        "changed": list(standing.changed),
        "no_entities": dict(sorted(standing.others.items())),
        "operations": operations,
    }
    write_json(folder / "rejection.json", record)
    write_jsonl(folder / "rejected.jsonl", [*rejected, *undrawn])
    note(Rejected(DATA_SOURCE, record))
    raise BuildError(
        f"{DATA_SOURCE}: the interface states {standing.words()}; operations: {fates_in_words(operations)}"
        f" (rejected as: {reasons_in_words(rejected) or 'none'})",
        where=mined.theme.slug,
        remedy=f"add sources with rows or a fuller specification; every reason is in {folder}",
    )


def _undrawn(mined: Mined) -> list[dict[str, Any]]:
    """The operations that are understood in shape only, as the drawing of tools tells them."""
    if not mined.domain.operations:
        return []
    empty = Database(
        domain=mined.domain,
        rows={table.name: [] for table in mined.domain.tables},
        provenance=[],
        documents={},
        clock=mined.clock or "2026-01-05T09:00:00Z",
    )
    return [item for item in draw_blueprint(empty, max_tools=1)[1] if item["reason"] not in _LEFT_OUT]
