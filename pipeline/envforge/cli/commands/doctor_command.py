"""`envforge doctor`."""

from __future__ import annotations

import typer

from envforge.cli import render
from envforge.cli.options import SharedOptions
from envforge.factory.doctor import DoctorReport, Layer, examine
from envforge.train.installed import REMEDY
from envforge.train.machine import PROBLEM, training_facts
from envforge.world.sandbox.probes import Finding


def run(*, shared: SharedOptions) -> None:
    """Examine this machine; exit 1 when code that nobody trusts cannot be run here."""
    report = examine(shared.workspace)
    if shared.json_output:
        render.print_json(report.to_json())
    elif not shared.quiet:
        _print(report)
    if not report.safe:
        raise typer.Exit(1)


def run_training(*, shared: SharedOptions) -> None:
    """Examine what training needs; exit 1 when a package is missing or of another version."""
    facts = training_facts()
    wrong = sorted(name for name, told in facts.items() if told.startswith(PROBLEM))
    if shared.json_output:
        render.print_json({"ready": not wrong, "remedy": REMEDY if wrong else "", "found": facts})
    elif not shared.quiet:
        render.table("What training needs", ("what", "found"), list(facts.items()))
        if wrong:
            render.out.print(f"cannot train here: {', '.join(wrong)}; remedy: {REMEDY}", markup=False, soft_wrap=True)
        else:
            render.out.print("the packages that training needs are here", markup=False)
    if wrong:
        raise typer.Exit(1)


def _print(report: DoctorReport) -> None:
    render.table("This machine", ("what", "found"), list(report.machine.items()))
    states = [
        (state.name, state.summary, _use(state.name, report.backend, state.why_not), state.remedy)
        for state in report.backends
    ]
    render.table("Sandboxes, best first", ("name", "layers", "here", "remedy"), states)
    if report.layers:
        layers = [(layer.name, _holds(layer), layer.told) for layer in report.layers]
        render.table(f"Layers of {report.backend!r}, as a worker tells them", ("layer", "holds", "how"), layers)
    if report.probes:
        probes = [(finding.name, _held(finding), finding.tries, finding.told) for finding in report.probes]
        title = "Tried in a worker, with the Python layer switched off first"
        render.table(title, ("probe", "verdict", "what was tried", "what came of it"), probes)
    if report.safe:
        render.out.print(f"untrusted code can be run here: sandbox {report.backend!r}", markup=False)
        return
    render.out.print(f"untrusted code can NOT be run here: {report.problem}", markup=False, soft_wrap=True)
    render.out.print(f"remedy: {report.remedy}", markup=False, soft_wrap=True)


def _use(name: str, used: str, why_not: str) -> str:
    if name == used:
        return "in use"
    return f"not to be had: {why_not}" if why_not else "could be had"


def _holds(layer: Layer) -> str:
    return "-" if layer.holds is None else "yes" if layer.holds else "NO"


def _held(finding: Finding) -> str:
    return "not tried" if finding.held is None else "held" if finding.held else "NOT HELD"
