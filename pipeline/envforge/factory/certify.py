"""`envforge check`: every gate again, against the certificate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from envforge.core.contracts import GateContext, Progress
from envforge.core.records.environment import Certificate
from envforge.factory.config import EnvironmentReport
from envforge.factory.verify_tasks import TasksReport, check_tasks, verify_tasks
from envforge.gates.certificate import (
    certificate_of,
    compare_certificate,
    load_thresholds,
    run_gates,
    write_certificate,
)
from envforge.gates.folder import Folder
from envforge.gates.integrity import Integrity
from envforge.store.files import read_json
from envforge.store.schemas import problems
from envforge.store.workspace import Workspace

THRESHOLDS = "validators/gates/environment.json"


@dataclass(frozen=True)
class CheckReport:
    """What a check found."""

    environment: EnvironmentReport
    mismatches: tuple[str, ...]
    tasks: TasksReport | None = None
    """Nothing where the environment has no tasks."""

    @property
    def holds(self) -> bool:
        """True if every gate passed, the certificate says the same, and so it is with the tasks."""
        return self.environment.certified and not self.mismatches and (self.tasks is None or self.tasks.holds)


def check_environment(
    workspace: Workspace, name: str, *, write: bool, progress: Progress, every_task_gate: int = 0
) -> CheckReport:
    """Run all gates on an environment; with `write`, store the fresh certificate.

    Its tasks are checked in short; in full, with every gate, on so many processes as `every_task_gate` says.
    Raises ConfigError, StoreError.
    """
    path = workspace.environment(name)
    context = GateContext(path, load_thresholds(workspace.data_file(THRESHOLDS)))
    results = run_gates(context, progress)
    certificate = certificate_of(path, results)
    if write:
        write_certificate(path, certificate)
    mismatches = compare_certificate(path, results)
    manifest = Folder(path).manifest
    report = EnvironmentReport(
        id=manifest.id,
        path=path,
        certified=certificate.certified,
        environment_hash=manifest.environment_hash,
        grounding=manifest.grounding,
        gates=tuple(results),
    )
    tasks = check_tasks(workspace, name, progress)
    if tasks is not None and tasks.holds and every_task_gate:
        tasks = verify_tasks(workspace, name, progress, processes=every_task_gate)
    return CheckReport(report, tuple(mismatches), tasks)


def replay_golds(workspace: Workspace, name: str, progress: Progress) -> TasksReport:
    """Without the gates: files are those of the certificate, and each task's gold passes where doing nothing does not.

    An environment without tasks does not hold: nothing was replayed. Raises ConfigError, StoreError.
    """
    path = workspace.environment(name)
    files = Integrity().check(GateContext(path, load_thresholds(workspace.data_file(THRESHOLDS))))
    found = check_tasks(workspace, name, progress)
    report = found or TasksReport(path.name, workspace.tasks_of(path), 0, False, ("there are no tasks to replay",))
    wrong = [f"environment: {reason}" for reason in (*files.reasons, *_uncertified(path))]
    return replace(report, problems=(*wrong, *report.problems))


def _uncertified(path: Path) -> Iterator[str]:
    """Why the stored certificate does not stand for the stored hash."""
    value = read_json(path / "certificate.json")
    if wrong := problems("certificate", value):
        yield f"certificate.json is no certificate: {wrong[0]}"
        return
    stored = Certificate.model_validate(value)
    if not stored.certified or stored.environment_hash != Folder(path).manifest.environment_hash:
        yield "certificate.json does not certify it"
