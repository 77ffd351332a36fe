"""`envforge check`: every gate again, against the certificate."""

from __future__ import annotations

from dataclasses import dataclass

from envforge.core.contracts import GateContext, Progress
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
from envforge.store.workspace import Workspace


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
    context = GateContext(path, load_thresholds(workspace.data_file("validators/gates/environment.json")))
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
