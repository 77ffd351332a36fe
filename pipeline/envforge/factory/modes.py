"""`envforge check --forked`: an environment's tests and episodes in both worker modes, compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envforge.core.contracts import Progress
from envforge.core.errors import ConfigError
from envforge.core.records.episode import Episode
from envforge.core.seeds import stream
from envforge.gates.episodes import episodes_of
from envforge.gates.folder import Folder
from envforge.store.episodes import read_episodes
from envforge.store.workspace import Workspace
from envforge.world.environment import Environment
from envforge.world.modes import disagreements, each_alone, in_one_process
from envforge.world.module_state import findings
from envforge.world.replay import Disagreement, refuse_strangers, unlike_the_claim
from envforge.world.tests_apart import TestDifference, TestRun, differences, run_apart, run_together

SAMPLE = 20


@dataclass(frozen=True)
class ModesReport:
    """What an environment does in both modes."""

    id: str
    environment_hash: str
    findings: tuple[str, ...]
    """Why tools.py may not share a process."""
    shared_tests: TestRun
    forked_tests: TestRun
    test_differences: tuple[TestDifference, ...]
    recorded: bool
    """True when the episodes come from a file; else they are made of the tests' calls."""
    episodes: int
    sampled: tuple[int, ...]
    calls: int
    left_behind: tuple[str, ...]
    disagreements: tuple[Disagreement, ...]

    @property
    def agrees(self) -> bool:
        """True when all tests pass in both modes, and nothing differs or was left behind."""
        found = (*self.findings, *self.test_differences, *self.left_behind, *self.disagreements)
        return not found and not self.shared_tests.failed and not self.forked_tests.failed

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "id": self.id,
            "environment_hash": self.environment_hash,
            "agrees": self.agrees,
            "module_state": list(self.findings),
            "tests": {
                "shared": _test_counts(self.shared_tests),
                "forked": _test_counts(self.forked_tests),
                "differences": [{"test": one.test, "detail": one.detail} for one in self.test_differences],
            },
            "episodes": {
                "recorded": self.recorded,
                "total": self.episodes,
                "sampled": list(self.sampled),
                "calls": self.calls,
                "left_behind": list(self.left_behind),
                "disagreements": [one.to_json() for one in self.disagreements],
            },
        }


def _test_counts(run: TestRun) -> dict[str, Any]:
    return {"passed": len(run.passed), "failed": dict(run.failed)}


def check_modes(
    workspace: Workspace,
    name: str,
    *,
    episodes: Path | None,
    sample: int = SAMPLE,
    seed: int = 0,
    progress: Progress,
) -> ModesReport:
    """Run tests and a seeded sample of episodes in both modes.

    `episodes` is a file of recorded ones; without it they are made of the tests' calls. A recorded digest or answer
    that does not hold counts as a disagreement. Raises ConfigError, StoreError, ToolFault, SandboxError.
    """
    path = workspace.environment(name)
    environment = Environment.open(path)
    known = _episodes(environment, path, episodes, seed)
    sampled = sorted(stream(seed, "sample").sample(range(len(known)), min(sample, len(known))))
    chosen = [known[number] for number in sampled]
    progress(f"{environment.manifest.id}: tests in one process", 0, None)
    together = run_together(environment)
    apart = run_apart(environment, after_each=lambda done, of: progress("tests, each in its own process", done, of))
    progress("episodes in one process", 0, None)
    warm = in_one_process(environment, chosen)
    alone = each_alone(
        environment, chosen, after_each=lambda done: progress("episodes, each in its own process", done, len(chosen))
    )
    found = disagreements(environment, chosen, warm, alone)
    claims = (
        unlike_the_claim(environment, one, run, number=at)
        for at, (one, run) in enumerate(zip(chosen, alone, strict=True))
    )
    found += [claim for claim in claims if claim is not None]
    return ModesReport(
        id=environment.manifest.id,
        environment_hash=environment.manifest.environment_hash,
        findings=tuple(findings(environment.source)),
        shared_tests=together,
        forked_tests=apart,
        test_differences=tuple(differences(environment, together, apart)),
        recorded=episodes is not None,
        episodes=len(known),
        sampled=tuple(sampled),
        calls=sum(len(episode.calls) for episode in chosen),
        left_behind=warm.left_behind,
        disagreements=tuple(_numbered(one, sampled) for one in found),
    )


def _episodes(environment: Environment, folder: Path, file: Path | None, seed: int) -> Sequence[Episode]:
    if file is not None:
        recorded = read_episodes(file)
        refuse_strangers(environment, recorded, where=str(file))
        return recorded
    made = episodes_of(Folder(folder).tests, environment.manifest.environment_hash, seed=seed)
    if not made:
        remedy = "give recorded episodes with --episodes FILE"
        where = str(folder / "tests" / "test_tools.py")
        raise ConfigError("no test calls a tool with literal arguments", where=where, remedy=remedy)
    return made


def _numbered(one: Disagreement, sampled: Sequence[int]) -> Disagreement:
    """With the episode's number in the whole list, not in the sample."""
    return Disagreement(sampled[one.episode], one.call, one.tool, one.table, one.row, one.detail)
