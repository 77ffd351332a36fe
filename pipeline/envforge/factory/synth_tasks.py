"""`envforge synth-tasks`: a certified environment → candidates → gates → tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from envforge.core.contracts import Progress
from envforge.core.errors import ConfigError
from envforge.core.ids import canonical_json, sha256_bytes, sha256_text
from envforge.core.records.environment import Certificate, GateResult
from envforge.core.records.task import RejectedTask, TaskSetCertificate
from envforge.factory.bench import Bench
from envforge.factory.families import Goals, goals_of, knowledge_of
from envforge.factory.judgements import JudgementLog, code_digest
from envforge.factory.judging import LEVELS, Judgement, JudgeSetup, task_of
from envforge.factory.rewording import Fate, Rewording, Wrote
from envforge.factory.task_config import SynthConfig, SynthReport
from envforge.factory.task_figures import figures_of, variety_gate
from envforge.factory.task_room import Room, keepers
from envforge.gates.gate import number
from envforge.gates.task_sets import Admitted, balance
from envforge.gates.task_solving import FILE
from envforge.gates.tasks import task_thresholds
from envforge.store.files import read_json
from envforge.store.schemas import validate
from envforge.store.tasks import TaskSet, write_tasks
from envforge.store.workspace import Workspace
from envforge.synth.author import CompiledTaskAuthor, Proposal, kind_of
from envforge.synth.rejection import Rejection
from envforge.world.environment import Environment

KEPT_REJECTED = 3
"""Rejected candidates of one family and gate that are kept; all are counted."""
BENCHMARKS = "validators/benchmarks/ngrams.json"
THRESHOLDS = "validators/gates/tasks.json"

Item: TypeAlias = Proposal | Rejection


def synth_tasks(config: SynthConfig, progress: Progress) -> list[SynthReport]:
    """Make tasks for each environment.

    Raises ConfigError for an environment that is not certified, StoreError, SandboxError when a judging process dies.
    """
    _refuse(config)
    workspace = Workspace(config.workspace)
    folders = _environments(workspace, config.environments)
    thresholds = task_thresholds(workspace.data_file(THRESHOLDS))
    return [_Run(config, workspace, folder, thresholds, progress).run() for folder in folders]


def _refuse(config: SynthConfig) -> None:
    """Raises ConfigError for what cannot be asked for."""
    if config.author != "compiled" and config.model is None:
        raise ConfigError("needs a model", where=f"--author {config.author}", remedy="name it with --model")
    if config.count < 1 or config.processes < 1:
        raise ConfigError("count and processes are at least 1", where="synth-tasks", remedy="give a larger number")
    if not config.levels or not set(config.levels) <= set(LEVELS):
        raise ConfigError(f"levels {config.levels} are not among 1 to 5", where="--difficulty", remedy="as in 3,4,5")
    strangers = sorted(set(config.mix) - {"graph", "program"})
    if strangers or any(share < 0 for share in config.mix.values()) or (config.mix and not sum(config.mix.values())):
        remedy = "as in graph=0.6,program=0.4"
        raise ConfigError(f"{dict(config.mix)} is no mix of graph and program", where="--mix", remedy=remedy)


def _environments(workspace: Workspace, names: tuple[str, ...]) -> list[Path]:
    """The folders of certified environments: those that were named, or all there are. Raises ConfigError."""
    if names:
        folders = [workspace.environment(name) for name in dict.fromkeys(names)]
        for folder in folders:
            problem = _uncertified(folder)
            if problem:
                remedy = f"envforge check {folder.name} says why; envforge mine builds it again"
                raise ConfigError(problem, where=str(folder), remedy=remedy)
        return folders
    known = sorted(path.parent for path in workspace.environments.glob("*/environment.json"))
    folders = [folder for folder in known if not _uncertified(folder)]
    if not folders:
        remedy = "build one with: envforge mine --theme SLUG"
        raise ConfigError("there is no certified environment", where=str(workspace.environments), remedy=remedy)
    return folders


def _uncertified(folder: Path) -> str:
    """Why tasks cannot be made here: they are made for what was certified, to the byte."""
    path = folder / "certificate.json"
    if not path.is_file():
        return "has no certificate"
    value = read_json(path)
    validate("certificate", value, str(path))
    certificate = Certificate.model_validate(value)
    manifest = Environment.open(folder).manifest
    if not certificate.certified or certificate.environment_hash != manifest.environment_hash:
        return "is not certified as it is now"
    return ""


class _Run:
    """One environment's tasks."""

    def __init__(
        self, config: SynthConfig, workspace: Workspace, folder: Path, thresholds: Mapping[str, Any], progress: Progress
    ) -> None:
        self._config, self._thresholds, self._progress, self._workspace = config, thresholds, progress, workspace
        self._environment = Environment.open(folder)
        benchmarks = workspace.data_file(BENCHMARKS)
        self._setup = JudgeSetup(folder, dict(thresholds), benchmarks, config.seed, config.levels)
        manifest = self._environment.manifest
        self._run = workspace.runs / f"tasks-{manifest.id}-{self._key(benchmarks)}"
        self._log = JudgementLog(self._run / "judgements.jsonl")
        self._room = Room(config.count, config.mix, thresholds, {})
        self._admitted = Admitted(thresholds)
        self._chosen: list[tuple[Proposal, Judgement]] = []
        self._rejected: list[RejectedTask] = []
        self._kept: Counter[tuple[str, str]] = Counter()
        self.report = SynthReport(manifest.id, workspace.tasks_of(folder), config.count)

    def run(self) -> SynthReport:
        """Propose, judge, admit until there are enough or nothing is left to try; then the set is judged, and written.

        What is decided depends on the order of proposals only, never on how many are judged ahead.
        """
        self._progress(f"goals of {self.report.environment}", 0, None)
        goals = goals_of(self._environment, self._config.seed, kept=self._run / "goals.json")
        kinds = {family.id: kind_of(family, source) for family, source in goals.families}
        self._room = Room(self._config.count, self._config.mix, self._thresholds, kinds)
        knowledge = knowledge_of(self._environment)
        author = CompiledTaskAuthor(self._environment, knowledge, goals.families, self._config.seed)
        self._tell()
        with Bench[Item](self._setup, self._config.processes, self._log.known) as bench:
            for item, judgement in bench.verdicts(author.proposals(self._room.of_family), self._to_judge):
                if isinstance(item, Proposal) and judgement is not None:
                    self._log.add(item.candidate, judgement)
                self._decide(item, judgement)
                self._tell()
                if len(self._chosen) >= self._config.count:
                    break
        self._trim()
        if self._config.author != "compiled" and self._chosen:
            self._reword(author)
        self._finish(goals)
        return self.report

    def _reword(self, author: CompiledTaskAuthor) -> None:
        """Texts of the model where they pass; where not, ours stay, or with the author `agent` the task goes."""
        config = self._config
        with (
            Rewording(config, self._workspace, self._run, author) as model,
            Bench[Wrote](self._setup, config.processes, self._log.known) as bench,
        ):
            found: list[Fate] = []
            for fate in model.fates(self._chosen, bench, Admitted(self._thresholds), self._progress):
                if not fate.refused:
                    self._log.add(fate.chosen[0].candidate, fate.chosen[1])
                elif config.author == "agent":
                    self._reject(_gate_rejected(fate.chosen[0], f"wording: {fate.refused}", fate.reasons))
                found.append(fate)
            similar = number(self._thresholds, "variety", "similar", FILE)
            self.report.wording, self.report.spent = model.account(found, similar), model.spent
        self._chosen = [fate.chosen for fate in found if not fate.refused or config.author == "mixed"]
        self._trim()

    def _key(self, benchmarks: Path) -> str:
        """Names the run: all that a verdict on a candidate depends on."""
        environment = self._environment.manifest.environment_hash
        data = [dict(self._thresholds), sha256_bytes(benchmarks.read_bytes())]
        wish = [self._config.seed, sorted(self._config.levels)]
        return sha256_text(canonical_json([environment, *wish, *data, code_digest()]))[:16]

    def _tell(self) -> None:
        self._progress(f"tasks of {self.report.environment}", len(self._chosen), self._config.count)

    def _to_judge(self, item: Item) -> Proposal | None:
        """What is worth a process: there is room, and no admitted task is the same. Both can only get worse."""
        if isinstance(item, Rejection) or not self._room.fits(item) or self._admitted.problems(item.candidate):
            return None
        return item

    def _decide(self, item: Item, judgement: Judgement | None) -> None:
        if isinstance(item, Rejection):
            if self._room.of_family(item.family):
                self._reject(_part_rejected(item))
            return
        family = item.candidate.family.id
        if not self._room.fits(item):
            self._room.pass_over(family)
            return
        same = self._admitted.problems(item.candidate)
        failed = GateResult(gate="not_duplicate", passed=False, reasons=tuple(same)) if same else None
        failed = failed or (judgement.failed if judgement else None)
        if failed is not None:
            self._reject(_gate_rejected(item, failed.gate, failed.reasons))
            self._room.reject(family)
            return
        assert judgement is not None
        self._room.take(item)
        self._admitted.add(item.candidate)
        self._chosen.append((item, judgement))

    def _reject(self, rejected: RejectedTask) -> None:
        self.report.rejected[rejected.gate] += 1
        place = (rejected.family, rejected.gate)
        self._kept[place] += 1
        if self._kept[place] <= KEPT_REJECTED:
            self._rejected.append(rejected)

    def _finish(self, goals: Goals) -> None:
        """Judge the set, write it."""
        tasks = [
            task_of(self._environment, proposal.candidate, judgement, proposal.words_by)
            for proposal, judgement in self._chosen
        ]
        templates = [proposal.template for proposal, _ in self._chosen]
        report = self.report
        report.tasks, report.figures = tasks, figures_of(tasks)
        families = [task.intent.family for task in tasks]
        report.gates = (
            balance(families, self._thresholds, self._config.count),
            variety_gate(tasks, templates, self._thresholds),
        )
        if not report.shipped:
            report.folder = self._run / "rejected"
        self._write(goals)

    def _trim(self) -> None:
        """What candidates that ran out left unbalanced goes."""
        families = [proposal.candidate.family.id for proposal, _ in self._chosen]
        keep = keepers(families, [proposal.template for proposal, _ in self._chosen], self._thresholds)
        for (proposal, _), kept in zip(self._chosen, keep, strict=True):
            if not kept:
                reason = "fewer tasks were found than wanted: its family or template would have too large a share"
                self._reject(_gate_rejected(proposal, "balance", (reason,)))
        self._chosen = [entry for entry, kept in zip(self._chosen, keep, strict=True) if kept]

    def _write(self, goals: Goals) -> None:
        manifest = self._environment.manifest
        certificate = TaskSetCertificate(
            environment_id=manifest.id,
            environment_hash=manifest.environment_hash,
            seed=self._config.seed,
            wanted=self._config.count,
            levels=tuple(sorted(self._config.levels)),
            mix=dict(sorted(self._config.mix.items())),
            tried=self.report.tried,
            rejected=dict(sorted(self.report.rejected.items())),
            gates=self.report.gates,
            figures=self.report.figures,
            author=self._config.author,
            wording=self.report.wording,
        )
        programs = [(p.candidate, judged) for p, judged in self._chosen if p.candidate.kind == "program"]
        tasks = TaskSet(
            tuple(self.report.tasks),
            {candidate.id: judged.program or candidate.program for candidate, judged in programs},
            {candidate.id: candidate.verifier for candidate, _ in programs},
            goals.graph,
        )
        write_tasks(self.report.folder, tasks, self._rejected, certificate)


def _part_rejected(found: Rejection) -> RejectedTask:
    return RejectedTask(
        family=found.family,
        kind=found.kind,
        parameters=found.parameters,
        gate=f"candidate: {found.part.partition(' ')[0]}",
        reasons=(found.reason,),
    )


def _gate_rejected(proposal: Proposal, gate: str, reasons: tuple[str, ...]) -> RejectedTask:
    candidate = proposal.candidate
    return RejectedTask(
        family=candidate.family.id,
        kind=candidate.intent.kind,
        parameters=candidate.intent.parameters,
        gate=gate,
        reasons=reasons,
        instruction=candidate.instruction,
    )
