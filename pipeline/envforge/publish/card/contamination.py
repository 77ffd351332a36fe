"""What the texts of the tasks share with known benchmarks: compared again when the card is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from envforge.core.records.task import Task
from envforge.gates.overlap import WORDS, BenchmarkIndex, runs_of
from envforge.publish.card.facts import facts_of
from envforge.publish.card.markdown import code, plain, table
from envforge.publish.published import Published
from envforge.store.files import read_json

INDEX = "validators/benchmarks/ngrams.json"


def contamination(published: Published, index: Path) -> str:
    """The statement: what was compared with what, the threshold, and what was found. Raises StoreError."""
    known = BenchmarkIndex.read(index)
    about = cast("dict[str, Any]", read_json(index))
    tasks = [task for facts in facts_of(published) for task in facts.tasks]
    shared = [task.id for task in tasks if known.shared(task.instruction)]
    return "\n\n".join([
        "## Contamination",
        f"Every run of {WORDS} words in the instructions ({_runs(tasks):,} runs of {len(tasks):,} tasks; letters in lower "
        "case, signs dropped) was looked up in an index of texts of benchmarks. "
        f"**{len(shared)} of {len(tasks)} tasks share one** (threshold for admission: none)"
        + (f": {', '.join(code(name) for name in shared)}." if shared else "."),
        table(("compared with", "version", "texts"), _compared(about), numbers=("texts",)),
        f"The index keeps the hash of {plain(str(about.get('kept', '')))} runs of those texts, {len(known.known):,} in all, so "
        f"a shared run of exactly {WORDS} words may be missed, and a copied text is not. Not compared: "
        f"{plain(str(about.get('not_covered', 'nothing is said of it')))}. Sets that are evaluated by simulating a shop or an "
        "airline desk may share the *subject* of an environment here; no text, row or tool was taken from one.",
        f"A copy of this set can be found by its canary, `{published.canary}`.",
    ])  # fmt: skip


def _compared(about: dict[str, Any]) -> Iterator[tuple[str, str, int]]:
    for source in cast("list[dict[str, Any]]", about.get("sources", [])):
        yield code(str(source["package"])), plain(str(source["version"])), int(source["texts"])


def _runs(tasks: list[Task]) -> int:
    return sum(1 for task in tasks for _ in runs_of(task.instruction))
