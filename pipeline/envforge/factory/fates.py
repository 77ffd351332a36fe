"""What becomes of a specification's operations, and of a specification that makes no environment."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Generator, Sequence
from pathlib import Path
from typing import Any

from envforge.build.blueprint import draw_blueprint
from envforge.core.contracts import Database
from envforge.core.errors import BuildError
from envforge.core.outcome import Outcome, Rejected
from envforge.core.records.domain import Domain
from envforge.core.records.refusal import Refusal
from envforge.factory.fate_words import fates_in_words, reasons_in_words
from envforge.mine.infer.standing import MIN_ENTITIES
from envforge.mine.links.populating import LinkedMined
from envforge.mine.miner import DEFAULT_CLOCK, Mined
from envforge.store.files import write_json, write_jsonl

DATA_SOURCE = "data_source"
NO_ROWS = "no_rows"
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
    if standing is not None and standing.is_data_source:
        raise refusal(mined, run, DATA_SOURCE, f"the interface states {standing.words()}", note)


@contextlib.contextmanager
def refusals_kept(mined: Mined | LinkedMined, run: Path, note: Callable[[Outcome[Any]], None]) -> Generator[None]:
    """Rows that cannot be made are a refusal too, where the source is a specification: kept with its shares.

    Where fewer entities than an environment needs ever change, it is a source of data and no more. Of two themes that
    are linked the error says what is wrong.
    """
    try:
        yield
    except BuildError as error:
        if isinstance(mined, LinkedMined) or mined.standing is None:
            raise
        few = len(mined.standing.changed) < MIN_ENTITIES
        raise refusal(mined, run, DATA_SOURCE if few else NO_ROWS, error.message, note) from error


def refusal(mined: Mined, run: Path, reason: str, detail: str, note: Callable[[Outcome[Any]], None]) -> BuildError:
    """Keep why a specification makes no environment in <run>/rejected/<theme>; the error that says so."""
    standing = mined.standing
    rejected = [{"operation": r.id, **r.to_json()} for r in mined.domain.rejected]
    undrawn = _undrawn(mined)
    operations = operations_by_fate(mined.stated_operations, mined.domain, undrawn, ())
    folder = run / "rejected" / mined.theme.slug
    record = Refusal(
        theme=mined.theme.slug,
        reason=reason,
        detail=detail,
        entities=tuple(standing.real) if standing else (),
        changed=tuple(standing.changed) if standing else (),
        no_entities=dict(sorted(standing.others.items())) if standing else {},
        operations=operations,
    ).to_json()
    write_json(folder / "rejection.json", record)
    write_jsonl(folder / "rejected.jsonl", [*rejected, *undrawn])
    note(Rejected(reason, record))
    return BuildError(
        f"{reason}: {detail}; operations: {fates_in_words(operations)}"
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
        clock=mined.clock or DEFAULT_CLOCK,
    )
    return [item for item in draw_blueprint(empty, max_tools=1)[1] if item["reason"] not in _LEFT_OUT]
