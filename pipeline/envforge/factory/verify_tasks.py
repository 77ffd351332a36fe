"""Tasks that ship, verified again: every gate from their files, or in short what makes them tasks at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from envforge.core.contracts import Progress
from envforge.core.errors import ConfigError, StoreError, VerifierError
from envforge.core.records.environment import GateResult
from envforge.core.records.task import Task, TaskSetCertificate
from envforge.factory.bench import Bench
from envforge.factory.families import goals_of, knowledge_of
from envforge.factory.judging import STEADY, Judgement, JudgeSetup, task_of
from envforge.factory.opened_tasks import OpenedTasks, open_tasks
from envforge.factory.synth_tasks import BENCHMARKS, THRESHOLDS
from envforge.factory.task_figures import figures_of, variety_gate
from envforge.gates.task_sets import Admitted, balance
from envforge.gates.tasks import task_thresholds
from envforge.rollout.baselines import Stand
from envforge.store.tasks import CERTIFICATE, read_set_certificate, read_tasks, set_hashes
from envforge.store.workspace import Workspace
from envforge.synth.author import CompiledTaskAuthor, Proposal
from envforge.synth.rejection import UnfitError
from envforge.synth.shorter_rules import shortcuts_in
from envforge.world.environment import Environment


@dataclass(frozen=True)
class TasksReport:
    """What was found; nothing in `problems` if all holds."""

    environment: str
    folder: Path
    tasks: int
    every_gate: bool
    problems: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """The tasks are what their certificates say."""
        return not self.problems


def check_tasks(workspace: Workspace, name: str, progress: Progress) -> TasksReport | None:
    """In short: files and hashes fit, gold passes, doing nothing does not, checks and verifiers agree.

    None where an environment has no tasks. Raises ConfigError, and StoreError for files that cannot be read.
    """
    place = workspace.environment(name)
    folder = workspace.tasks_of(place)
    if not (folder / "tasks.jsonl").is_file() and not (folder / CERTIFICATE).is_file():
        return None
    tasks = read_tasks(folder)
    environment = Environment.open(place)
    problems = list(file_problems(folder, environment, read_set_certificate(folder)))
    ours = environment.manifest.environment_hash
    strangers = sum(task.environment_hash != ours for task in tasks.tasks)
    if strangers:
        problems.append(f"{strangers} tasks were made for another environment hash")
    else:
        problems += _played(OpenedTasks(environment, folder, tasks), progress)
    return TasksReport(environment.manifest.id, folder, len(tasks.tasks), False, tuple(problems))


def file_problems(folder: Path, environment: Environment, certificate: TaskSetCertificate) -> Iterator[str]:
    """Where files of tasks are not those that the certificate answers for."""
    if certificate.environment_hash != environment.manifest.environment_hash:
        yield "certificate.json is for another environment hash"
    yield from (f"the set failed its gate {gate.gate}" for gate in certificate.gates if not gate.passed)
    held, known = set_hashes(folder), certificate.files
    for path in sorted({*held, *known}):
        if held.get(path) != known.get(path):
            state = "is missing" if path not in held else "is not in" if path not in known else "is not as in"
            yield f"{path} {state}" + ("" if path not in held else " certificate.json")


def _played(opened: OpenedTasks, progress: Progress) -> Iterator[str]:
    tasks = opened.tasks.tasks
    with Stand(opened.environment) as stand:
        for number, task in enumerate(tasks):
            progress(f"tasks of {opened.environment.manifest.id}", number, len(tasks))
            try:
                gold, noop = stand.measure(opened.assignment(task), STEADY, episodes=1)
            except (StoreError, VerifierError) as error:
                yield f"{task.id}: {error}"
                continue
            if not gold.scored or not noop.scored:
                yield f"{task.id}: an episode got no score: checks and verifier disagree, or the gold crashed"
            if gold.scored and not gold.passed:
                yield f"{task.id}: the gold solution scores 0"
            if noop.passed:
                yield f"{task.id}: doing nothing scores 1"
            if task.now != opened.environment.manifest.clock.epoch:
                yield f"{task.id}: it tells another time than the World's"


def verify_tasks(
    workspace: Workspace, name: str, progress: Progress, *, task: str | None = None, processes: int = 1
) -> TasksReport:
    """Every gate again, on the tasks as they ship; certificates, difficulty, gold and agents must come out the same.

    `task`: this one only. Raises ConfigError, StoreError (also for tasks of another environment hash), SandboxError.
    """
    opened = open_tasks(workspace, name)
    certificate = read_set_certificate(opened.folder)
    chosen = (opened.tasks.task(task),) if task else opened.tasks.tasks
    problems = list(file_problems(opened.folder, opened.environment, certificate))
    again = _Again(workspace, opened, certificate)
    problems += again.verify(chosen, progress, processes)
    if task is None:
        problems += again.verify_set()
    manifest = opened.environment.manifest
    return TasksReport(manifest.id, opened.folder, len(chosen), True, tuple(problems))


_COPIED = ("id", "kind", "instruction", "checks", "answer_schema")
"""What the author must still write alike: text and goal cover each other by its account. Gates judge the sources."""


@dataclass(frozen=True)
class _Shipped:
    """A task that ships, as a candidate; nothing where its author does not know it any more."""

    task: Task
    proposal: Proposal | None
    problems: tuple[str, ...]


class _Again:
    """The gates over a set that ships."""

    def __init__(self, workspace: Workspace, opened: OpenedTasks, certificate: TaskSetCertificate) -> None:
        self._opened, self._certificate = opened, certificate
        self._thresholds = task_thresholds(workspace.data_file(THRESHOLDS))
        environment = opened.environment
        self._setup = JudgeSetup(
            environment.folder, dict(self._thresholds), workspace.data_file(BENCHMARKS), certificate.seed
        )
        walk = any(task.intent.source != "archetype" for task in opened.tasks.tasks)
        families = goals_of(environment, certificate.seed, walk=walk).families
        self._families = {family.id: family for family, _ in families}
        self._author = CompiledTaskAuthor(environment, knowledge_of(environment), families, certificate.seed)
        self._known: dict[str, _Shipped] = {}

    def verify(self, tasks: tuple[Task, ...], progress: Progress, processes: int) -> Iterator[str]:
        """What does not come out as certified."""
        label = f"gates of the tasks of {self._opened.environment.manifest.id}"
        shipped = (self._shipped(task) for task in tasks)
        with Bench[_Shipped](self._setup, processes, lambda _: None) as bench:
            for number, (one, judgement) in enumerate(bench.verdicts(shipped, lambda one: one.proposal)):
                progress(label, number, len(tasks))
                found = [*one.problems]
                if one.proposal is not None and judgement is not None:
                    found += self._differences(one, one.proposal, judgement)
                yield from (f"{one.task.id}: {problem}" for problem in found)

    def verify_set(self) -> Iterator[str]:
        """Gates on the set as a whole, and its figures."""
        tasks = self._opened.tasks.tasks
        admitted = Admitted(self._thresholds)
        for task in tasks:
            one = self._shipped(task)
            if one.proposal is not None:
                candidate = one.proposal.candidate
                yield from (f"{task.id}: not_duplicate: {reason}" for reason in admitted.problems(candidate))
                admitted.add(candidate)
        families = [task.intent.family for task in tasks]
        shipped = [self._shipped(task).proposal for task in tasks]
        templates = [one.template if one else task.id for one, task in zip(shipped, tasks, strict=True)]
        fresh = (
            balance(families, self._thresholds, self._certificate.wanted),
            variety_gate(tasks, templates, self._thresholds),
        )
        yield from _gate_differences(self._certificate.gates, fresh)
        if figures_of(tasks) != self._certificate.figures:
            yield "the figures in certificate.json are not those of the tasks"

    def _shipped(self, task: Task) -> _Shipped:
        if task.id not in self._known:
            self._known[task.id] = self._as_candidate(task)
        return self._known[task.id]

    def _as_candidate(self, task: Task) -> _Shipped:
        """What stands in the files; the author's own rendering of the same goal shows what was changed in them."""
        family = self._families.get(task.intent.family)
        if family is None:
            return _Shipped(task, None, (f"the environment has no family {task.intent.family} any more",))
        try:
            proposal = self._author.proposal(family, task.intent)
        except (ConfigError, UnfitError, ValueError) as error:
            return _Shipped(task, None, (f"its author cannot write it any more: {error}",))
        written = proposal.candidate
        program = self._opened.tasks.programs.get(task.id, written.program)
        alternatives = (written.program,) if shortcuts_in(program) else ()  # as judging.py had it: a shorter gold
        candidate = replace(
            written,
            **{name: getattr(task, name) for name in _COPIED},
            rubric=task.rubric,
            register=task.register_of_speech,
            program=program,
            alternatives=(*alternatives, *written.alternatives),
            verifier=self._opened.tasks.verifiers.get(task.id, written.verifier),
        )
        copied = [name for name in _COPIED if name != "instruction" or not task.words_by]
        other = [name for name in copied if getattr(candidate, name) != getattr(written, name)]
        problems = (f"its author writes another {', '.join(other)}",) if other else ()
        if task.words_by:
            # Words of a model are not written again: what they have to say is looked for in them.
            proposal = self._author.reworded(proposal, task.instruction, task.words_by)
        return _Shipped(task, replace(proposal, candidate=candidate), problems)

    def _differences(self, one: _Shipped, proposal: Proposal, judgement: Judgement) -> Iterator[str]:
        if judgement.failed is not None:
            yield f"{judgement.failed.gate} rejects it: {'; '.join(judgement.failed.reasons[:2])}"
            return
        fresh = task_of(self._opened.environment, proposal.candidate, judgement)
        yield from _gate_differences(one.task.certificate.gates, fresh.certificate.gates)
        for name in ("now", "difficulty", "gold", "gold_answer"):
            if getattr(fresh, name) != getattr(one.task, name):
                yield f"its {name} comes out otherwise"
        if fresh.certificate.baselines != one.task.certificate.baselines:
            yield "its baselines come out otherwise"


def _gate_differences(stored: Iterable[GateResult], fresh: Iterable[GateResult]) -> Iterator[str]:
    """Gates whose verdict is not that of a certificate."""
    old = {gate.gate: gate.passed for gate in stored}
    new = {gate.gate: gate.passed for gate in fresh}
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) != new.get(name):
            yield f"gate {name}: the certificate says {old.get(name)}, now {new.get(name)}"
