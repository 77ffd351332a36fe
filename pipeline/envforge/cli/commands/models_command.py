"""`envforge models check`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import typer

from envforge.cli import render
from envforge.cli.options import SharedOptions
from envforge.core.contracts import Progress
from envforge.llm.check_endpoint import EndpointReport, check_endpoint
from envforge.llm.connect import ModelSettings
from envforge.llm.prices import PRICES_FILE, read_prices
from envforge.store.workspace import Workspace


def run(settings: ModelSettings, *, transcript: Path | None, shared: SharedOptions) -> None:
    """Try what an endpoint can; exit 1 when something is missing that agents need."""
    prices = read_prices(Workspace(shared.workspace).data_file(PRICES_FILE))

    def check(progress: Progress) -> EndpointReport:
        return asyncio.run(check_endpoint(settings, prices, progress=progress, run=transcript))

    with render.progress(shared.silent) as progress:
        report = check(progress)
    if shared.json_output:
        render.print_json(report.to_json())
    elif not shared.quiet:
        _print(report)
    if not report.usable:
        raise typer.Exit(1)


def _print(report: EndpointReport) -> None:
    rows = [
        (finding.check, "yes" if finding.needed else "", finding.verdict, finding.detail) for finding in report.findings
    ]
    rows.append(("context told", "", "yes" if report.context else "no", f"{report.context or 'unknown'} tokens"))
    render.table(report.model, ("ability", "needed", "works", "how it showed"), rows)
    spent = report.spent
    money = "price unknown" if spent["usd"] is None else f"{spent['usd']:.4f} dollars (prices of {report.prices_as_of})"
    tokens = spent["prompt_tokens"] + spent["completion_tokens"]
    told = f"{spent['calls']} calls, {tokens:,} tokens ({spent['completion_tokens']:,} out), {money}"
    render.out.print(told, markup=False)
    able = "agents can work with it" if report.usable else "something is missing that agents need"
    render.out.print(able, markup=False)
