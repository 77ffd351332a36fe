"""What the texts of the tasks share with known benchmarks: compared again when the card is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from envforge.core.records.task import Task
from envforge.gates.overlap import KEPT, WORDS, BenchmarkIndex, runs_of
from envforge.publish.card.facts import facts_of
from envforge.publish.card.markdown import code, plain, table
from envforge.publish.published import Published
from envforge.store.files import read_json

INDEX = "validators/benchmarks/ngrams.json"
_PASSAGE = 40


def contamination(published: Published, index: Path) -> str:
    """The statement: what was compared with what, the threshold, and what was found. Raises StoreError."""
    known = BenchmarkIndex.read(index)
    about = cast("dict[str, Any]", read_json(index))
    tasks = [task for facts in facts_of(published) for task in facts.tasks]
    shared = [task.id for task in tasks if known.shared(task.instruction)]
    found = f": {', '.join(code(name) for name in shared)}." if shared else "."
    left_out = plain(str(about.get("not_covered", "nothing is said of it")))
    return "\n\n".join([
        "## Contamination",
        f"Every run of {WORDS} words in the instructions ({_runs(tasks):,} runs of {len(tasks):,} tasks; letters "
        "small, no punctuation) was looked up in an index of texts of benchmarks. "
        f"**{len(shared)} of {len(tasks)} tasks share one** (threshold for admission: none){found}",
        table(("compared with", "version", "texts"), _compared(about), numbers=("texts",)),
        f"The index keeps the hash of one in {KEPT} runs of those texts ({len(known.known):,}), so a single shared run "
        f"may be missed; a copied passage of {_PASSAGE} words is found with a chance of {_chance():.1%}. Not compared: "
        f"{left_out}.",
    ])  # fmt: skip


def _chance() -> float:
    """That at least one run of a copied passage is among those kept."""
    return 1 - (1 - 1 / KEPT) ** (_PASSAGE - WORDS + 1)


def _compared(about: dict[str, Any]) -> Iterator[tuple[str, str, int]]:
    for source in cast("list[dict[str, Any]]", about.get("sources", [])):
        yield code(str(source["package"])), plain(str(source["version"])), int(source["texts"])


def _runs(tasks: list[Task]) -> int:
    return sum(1 for task in tasks for _ in runs_of(task.instruction))
