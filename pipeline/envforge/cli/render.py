"""How results are shown: tables for people, JSON for machines."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from envforge.cli import interrupt
from envforge.core.contracts import Progress as Report
from envforge.core.records.environment import GateResult
from envforge.core.records.trade import TradeChoice
from envforge.factory.config import EnvironmentReport, MineReport
from envforge.factory.fate_words import fates_in_words

_CONTROL = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_WIDE = 8
_SIDE_BY_SIDE = 3
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


@contextmanager
def progress(quiet: bool) -> Generator[Report]:
    """A spinner on standard error that shows the stage at work."""
    if quiet or not err.is_terminal:
        yield _silent
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(bar_width=24), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("starting", total=None)

        def report(label: str, done: int, total: int | None) -> None:
            interrupt.check()
            bar.update(task, description=label, completed=done, total=total)

        yield report


def _silent(label: str, done: int, total: int | None) -> None:
    del label, done, total
    interrupt.check()


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A plain table; cells are never interpreted as markup."""
    if title:
        out.print(title, style="bold", markup=False)
    shown = Table(show_edge=False, pad_edge=False)
    for column in columns:
        shown.add_column(column, overflow="fold")
    for row in rows:
        shown.add_row(*(_plain(cell) for cell in row))
    out.print(shown)
    out.print()


def records(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Rows of a database; wide ones turned on their side, so that no cell is a finger wide."""
    if len(columns) <= _WIDE:
        table(title, columns, rows)
        return
    for start in range(0, len(rows), _SIDE_BY_SIDE):
        part = rows[start : start + _SIDE_BY_SIDE]
        heads = [f"row {start + number + 1}" for number in range(len(part))]
        turned = [(column, *(row[place] for row in part)) for place, column in enumerate(columns)]
        table(title if not start else "", ("column", *heads), turned)


def _plain(cell: Any) -> str:
    # A cell is data of strangers: neither markup of ours nor control sequences of the terminal.
    return plain(cell).replace("[", "\\[")


def plain(text: Any) -> str:
    """Text of strangers without control sequences of the terminal."""
    return _CONTROL.sub("", str(text))


def mine_summary(report: MineReport) -> None:
    """The readable end of `envforge mine`."""
    shown = [(s["path"], s["package"] or "", f"{s['bytes']:,}", s["licence"]) for s in report.sources]
    table(f"Sources of {report.theme}", ("file", "package", "bytes", "licence"), shown)
    for environment in report.environments:
        _environment(environment)
    for note in dict.fromkeys(note for environment in report.environments for note in environment.notes):
        out.print(f"note: {note}", markup=False)


def _environment(environment: EnvironmentReport) -> None:
    rows = list(environment.rows.items())
    total = sum(environment.rows.values())
    table(f"{environment.id}: {len(rows)} tables, {total:,} rows", ("table", "rows"), [(n, f"{c:,}") for n, c in rows])
    if environment.operations:
        out.print(f"operations of the sources: {fates_in_words(environment.operations)}", markup=False)
    if environment.archetypes:
        out.print(f"archetype: {', '.join(environment.archetypes)}", markup=False)
    trade_chosen(environment.trade)
    shares = ", ".join(f"{kind} {count / total:.1%}" for kind, count in environment.kinds.items()) if total else "none"
    out.print(f"rows by origin: {shares} (grounding: {environment.grounding})", markup=False)
    if environment.tools:
        funnel = " → ".join(f"{name} {count}" for name, count in environment.funnel().items())
        out.print(f"tools: {funnel}\n{', '.join(environment.tools)}\n", markup=False)
    if environment.gates:
        gates(environment)
    state = "certified" if environment.certified else "not certified"
    out.print(f"{state}: {environment.path} {environment.environment_hash[:16]}\n", markup=False, soft_wrap=True)


def trade_chosen(choice: TradeChoice | None) -> None:
    """Whose words the rows use, and which words of the source decided that."""
    if choice is not None:
        score = f"score {choice.score:g}: " if choice.title else ""
        out.print(plain(f"trade: {choice.title or choice.trade} ({score}{choice.reason})"), markup=False)


def gates(environment: EnvironmentReport) -> None:
    """Verdicts of an environment's gates."""
    gate_results(f"Gates of {environment.id}", environment.gates)


def gate_results(title: str, results: Sequence[GateResult]) -> None:
    """Verdicts of gates, with the reasons of those that failed."""
    shown = [(result.gate, "passed" if result.passed else "FAILED", _measures(result.measured)) for result in results]
    table(title, ("gate", "verdict", "measured"), shown)
    for result in results:
        for reason in result.reasons if not result.passed else ():
            out.print(f"  {result.gate}: {reason}", markup=False)


def _measures(measured: dict[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in measured.items() if not isinstance(value, dict | list))
