"""`envforge synth-tasks`: a certified environment → candidates → gates → tasks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envforge.core.contracts import Progress, TaskCandidate
from envforge.core.errors import ConfigError
from envforge.core.ids import canonical_json, sha256_text
from envforge.core.records.environment import Certificate, EnvironmentBlueprint, GateResult
from envforge.core.records.intent import IntentFamily
from envforge.core.records.task import Difficulty, GoldCall, RejectedTask, Task, TaskCertificate
from envforge.factory.judging import Bench, Judgement, JudgeSetup
from envforge.gates.task_sets import Admitted, balance, room_for
from envforge.gates.tasks import task_thresholds
from envforge.rollout.agents import Assignment
from envforge.rollout.baselines import baselines
from envforge.store.files import read_json
from envforge.store.tasks import TaskSet, write_tasks
from envforge.store.workspace import Workspace
from envforge.synth.author import CompiledTaskAuthor, Proposal
from envforge.synth.candidates import Source
from envforge.synth.rejection import Rejection
from envforge.world.environment import Environment

BASELINES = ("gold", "noop", "noop-plausible", "random", "scripted:0.8")
EPISODES = 4


@dataclass(frozen=True)
class SynthConfig:
    """What `envforge synth-tasks` is asked for."""

    workspace: Path
    environments: tuple[str, ...] = ()
    """Ids or paths; nothing: every certified environment of the workspace."""
    count: int = 100
    seed: int = 0
    processes: int = 2
    levels: tuple[int, ...] = (1, 2, 3, 4, 5)


@dataclass
class SynthReport:
    """What came of one environment."""

    environment: str
    folder: Path
    wanted: int
    tasks: list[Task] = field(default_factory=lambda: list[Task]())
    rejected: Counter[str] = field(default_factory=lambda: Counter[str]())
    """Gate, or part of a family -> candidates that it stopped."""
    balance: GateResult | None = None

    @property
    def tried(self) -> int:
        """Candidates, rejected ones included."""
        return len(self.tasks) + sum(self.rejected.values())


def synth_tasks(config: SynthConfig, progress: Progress) -> list[SynthReport]:
    """Make tasks for each environment. Raises ConfigError for one that is not certified, StoreError, SandboxError."""
    workspace = Workspace(config.workspace)
    names = config.environments or tuple(
        sorted(p.parent.name for p in workspace.environments.glob("*/certificate.json"))
    )
    if not names:
        remedy = "build one with: envforge mine --theme SLUG"
        raise ConfigError("there is no certified environment", where=str(workspace.environments), remedy=remedy)
    folders = [workspace.environment(name) for name in names]
    for folder in folders:
        _refuse_uncertified(folder)
    thresholds = task_thresholds(workspace.data_file("validators/gates/tasks.json"))
    return [_Run(config, workspace, folder, thresholds, progress).run() for folder in folders]


def _refuse_uncertified(folder: Path) -> None:
    """Tasks are made for what was certified, to the byte."""
    path = folder / "certificate.json"
    remedy = f"envforge check {folder.name} says why; envforge mine builds it again"
    if not path.is_file():
        raise ConfigError("has no certificate", where=str(folder), remedy=remedy)
    certificate = Certificate.model_validate(read_json(path))
    manifest = Environment.open(folder).manifest
    if not certificate.certified or certificate.environment_hash != manifest.environment_hash:
        raise ConfigError("is not certified as it is now", where=str(folder), remedy=remedy)


class _Run:
    """One environment's tasks."""

    def __init__(
        self, config: SynthConfig, workspace: Workspace, folder: Path, thresholds: Mapping[str, Any], progress: Progress
    ) -> None:
        self._config, self._folder, self._thresholds, self._progress = config, folder, thresholds, progress
        self._environment = Environment.open(folder)
        self._knowledge = EnvironmentBlueprint.model_validate(read_json(folder / "blueprint.json"))
        manifest = self._environment.manifest
        key = sha256_text(canonical_json([manifest.environment_hash, config.seed, dict(thresholds)]))[:16]
        self._log = JudgementLog(workspace.runs / f"tasks-{manifest.id}-{key}" / "judgements.jsonl")
        self._admitted = Admitted(thresholds)
        self._families: list[str] = []
        self._sources: dict[str, TaskCandidate] = {}
        self._rejected: list[RejectedTask] = []
        self.report = SynthReport(manifest.id, workspace.tasks / manifest.id, config.count)

    def run(self) -> SynthReport:
        """Propose, judge, admit until there are enough, then measure what simple agents reach, then write."""
        setup = JudgeSetup(self._folder, dict(self._thresholds), self._config.seed)
        with Bench(setup, self._config.processes, self._log.known) as bench:
            for proposal, judgement in bench.verdicts(self._open_proposals()):
                self._log.add(proposal.candidate, judgement)
                self._decide(proposal, judgement)
                self._progress(f"tasks of {self.report.environment}", len(self.report.tasks), self._config.count)
                if len(self.report.tasks) >= self._config.count:
                    break
        self.report.tasks = self._with_baselines(self.report.tasks)
        self.report.balance = balance(self._families, self._thresholds)
        self._write()
        return self.report

    def _open_proposals(self) -> Iterator[Proposal]:
        """Proposals of families that have room; all else is noted as rejected."""
        families: list[tuple[IntentFamily, Source]] = [(family, "archetype") for family in self._knowledge.intents]
        author = CompiledTaskAuthor(self._environment, self._knowledge, families, self._config.seed)
        for found in author.proposals():
            if isinstance(found, Rejection):
                self._reject(RejectedTask(
                    family=found.family, kind=found.kind, parameters=found.parameters,
                    gate=f"candidate: {found.part.partition(' ')[0]}", reasons=(found.reason,),
                ))  # fmt: skip
            elif room_for(found.candidate.family.id, self._families, self._config.count, self._thresholds):
                yield found

    def _decide(self, proposal: Proposal, judgement: Judgement) -> None:
        candidate = proposal.candidate
        failed = next((gate for gate in judgement.gates if not gate.passed), None)
        if failed is None and (reasons := self._admitted.problems(candidate)):
            failed = GateResult(gate="not_duplicate", passed=False, reasons=tuple(reasons))
        family = candidate.family.id
        if failed is not None:
            self._reject(_rejected(candidate, failed.gate, failed.reasons))
        elif judgement.difficulty is None or judgement.difficulty.level not in self._config.levels:
            self._reject(_rejected(candidate, "difficulty", ("its level was not asked for",)))
        elif room_for(family, self._families, self._config.count, self._thresholds):
            self._admitted.add(candidate)
            self._families.append(family)
            self._sources[candidate.id] = candidate
            self.report.tasks.append(self._task(candidate, judgement))

    def _reject(self, rejected: RejectedTask) -> None:
        self._rejected.append(rejected)
        self.report.rejected[rejected.gate] += 1

    def _task(self, candidate: TaskCandidate, judgement: Judgement) -> Task:
        assert judgement.difficulty is not None
        manifest = self._environment.manifest
        return Task(
            id=candidate.id,
            environment_id=manifest.id,
            environment_hash=manifest.environment_hash,
            kind=candidate.kind,
            intent=candidate.intent,
            register_of_speech=candidate.register,
            instruction=candidate.instruction,
            answer_schema=dict(candidate.answer_schema),
            checks=candidate.checks,
            rubric=candidate.rubric,
            gold=judgement.gold,
            gold_answer=judgement.answer or {},
            difficulty=judgement.difficulty,
            certificate=TaskCertificate(gates=judgement.gates),
        )

    def _with_baselines(self, tasks: list[Task]) -> list[Task]:
        """The tasks with what simple agents reach on them."""
        self._progress(f"baseline agents on {self.report.environment}", 0, None)
        assignments = [self._assignment(task) for task in tasks]
        found = baselines(
            self._environment, assignments, BASELINES, episodes=EPISODES, seed=self._config.seed,
            workers=self._config.processes,
        )  # fmt: skip
        rates: dict[str, dict[str, dict[str, float]]] = {}
        for one in found:
            rates.setdefault(one.task_id, {})[one.agent] = one.rates
        return [
            task.model_copy(
                update={"certificate": TaskCertificate(gates=task.certificate.gates, baselines=rates[task.id])}
            )
            for task in tasks
        ]

    def _assignment(self, task: Task) -> Assignment:
        candidate = self._sources[task.id]
        program = task.kind == "program"
        return Assignment(
            task, self._environment.tools, candidate.program if program else "", candidate.verifier if program else ""
        )

    def _write(self) -> None:
        programs = [task.id for task in self.report.tasks if task.kind == "program"]
        tasks = TaskSet(
            tuple(self.report.tasks),
            {name: self._sources[name].program for name in programs},
            {name: self._sources[name].verifier for name in programs},
        )
        write_tasks(self.report.folder, tasks, self._rejected)


def _rejected(candidate: TaskCandidate, gate: str, reasons: tuple[str, ...]) -> RejectedTask:
    return RejectedTask(
        family=candidate.family.id,
        kind=candidate.intent.kind,
        parameters=candidate.intent.parameters,
        gate=gate,
        reasons=reasons,
        instruction=candidate.instruction,
    )


class JudgementLog:
    """What was judged so far, line by line, so that an interrupted run goes on where it stopped."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: dict[str, Judgement] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
                value = json.loads(line)
                self._held[value["key"]] = _read(value)

    def known(self, candidate: TaskCandidate) -> Judgement | None:
        """The verdicts on this very candidate, if it was judged before."""
        return self._held.get(_key(candidate))

    def add(self, candidate: TaskCandidate, judgement: Judgement) -> None:
        """Keep verdicts."""
        key = _key(candidate)
        if key in self._held:
            return
        self._held[key] = judgement
        value = {
            "key": key,
            "gates": [gate.to_json() for gate in judgement.gates],
            "difficulty": judgement.difficulty.model_dump() if judgement.difficulty else None,
            "gold": [call.to_json() for call in judgement.gold],
            "answer": judgement.answer,
        }
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(value, ensure_ascii=False) + "\n")


def _key(candidate: TaskCandidate) -> str:
    """Changes with anything that the gates look at."""
    parts = [candidate.id, candidate.kind, candidate.instruction, candidate.program, candidate.verifier]
    parts += [*candidate.alternatives, canonical_json([check.to_json() for check in candidate.checks])]
    return sha256_text(canonical_json([*parts, candidate.intent.to_json()]))


def _read(value: Mapping[str, Any]) -> Judgement:
    measured = value["difficulty"]
    return Judgement(
        tuple(GateResult.model_validate(gate) for gate in value["gates"]),
        Difficulty.model_validate(measured) if measured else None,
        tuple(GoldCall.model_validate(call) for call in value["gold"]),
        value["answer"],
    )
