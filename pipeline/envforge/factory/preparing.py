"""`envforge prepare`: environments, tasks and runs → a training set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from pydantic import ValidationError

from envforge.core.contracts import Progress
from envforge.core.errors import ConfigError, StoreError
from envforge.core.records.training import FamilyTools, SftExample, Split, TrainingRow, TrainingSet
from envforge.core.records.trajectory import Trajectory
from envforge.factory.prepare_config import PrepareConfig, PrepareReport
from envforge.factory.training_data import Pull, data_place, published_splits, pulled, supplies_of
from envforge.rollout.trajectory_log import TRAJECTORIES, read_trajectories
from envforge.store.files import parse_json
from envforge.store.log import append_record, whole_lines
from envforge.store.workspace import Workspace
from envforge.train.data.balance import Candidate, balanced, candidates, row_of
from envforge.train.data.conversation import family_tools
from envforge.train.data.demonstrations import Demonstration, Stage
from envforge.train.data.folder import refuse_foreign, write_training_set
from envforge.train.data.harvest import harvested
from envforge.train.data.records import SPLITS
from envforge.train.data.supply import Supply, by_split, split_environments


def prepare(config: PrepareConfig, progress: Progress, pull: Pull = pulled) -> PrepareReport:
    """Write a training set into its folder.

    Raises ConfigError for what cannot be asked for, for a leak and for an empty set; StoreError for data that is not as
    it was written; SandboxError when a World breaks: the same command goes on then.
    """
    refuse_foreign(config.out)
    place, data = data_place(config.data, config.workspace, pull)
    supplies = supplies_of(place, config.environments)
    placed = split_environments(supplies, config.holdout_families, config.holdout_seeds, published_splits(place))
    manifest = TrainingSet(
        data=data,
        seed=config.seed,
        levels=config.levels,
        holdout_families=config.holdout_families,
        holdout_seeds=config.holdout_seeds,
        sft=config.sft,
        environments=placed,
    )
    tools = {one.environment.manifest.family: _tools(one) for one in supplies}
    rows = _rows(config, supplies, manifest, tools)
    log = _ExampleLog(config.out)
    left_out: Counter[str] = Counter()
    wanted = _demonstrations(config, rows["train"], tools, left_out)
    examples = _played(wanted, supplies, log, left_out, progress)
    _refuse_no_examples(config, examples, left_out)
    whole = manifest.model_copy(
        update={
            "rows": {split: len(rows[split]) for split in SPLITS},
            "balance": _balance(rows["train"]),
            "examples": dict(sorted(Counter(one.source for one in examples).items())),
            "left_out": {name: count for name, count in sorted(left_out.items()) if count},
        }
    )
    written = write_training_set(config.out, whole, [tools[name] for name in sorted(tools)], rows, examples)
    log.remove()
    return PrepareReport(config.out, written, log.found)


def _tools(supply: Supply) -> FamilyTools:
    return family_tools(supply.environment.manifest.family, supply.environment.tools)


def _rows(
    config: PrepareConfig, supplies: Sequence[Supply], manifest: TrainingSet, tools: Mapping[str, FamilyTools]
) -> dict[Split, list[TrainingRow]]:
    known = {one.environment.manifest.id: one for one in supplies}
    rows: dict[Split, list[TrainingRow]] = {}
    for split, environments in by_split(manifest.environments).items():
        there = {one.environment_id: one for one in environments}
        given: list[Candidate] = [one for name in there for one in candidates(known[name], config.levels)]
        chosen = balanced(given, config.seed)[: config.count if split == "train" else None]
        rows[split] = [
            row_of(one, there[one.task.environment_id], tools[one.family].final, config.seed) for one in chosen
        ]
    if not rows["train"]:
        levels = ",".join(map(str, config.levels))
        message = f"no task of an environment that is trained on has a level among {levels}"
        raise ConfigError(message, where="--levels", remedy="give other levels, or make tasks: envforge synth-tasks")
    return rows


def _demonstrations(
    config: PrepareConfig, rows: Sequence[TrainingRow], tools: Mapping[str, FamilyTools], left_out: Counter[str]
) -> list[Demonstration]:
    """Episodes that may become examples, of rows that are trained on only."""
    finals = {family: offered.final for family, offered in tools.items()}
    wanted: list[Demonstration] = []
    if "gold" in config.sft:
        wanted += [Demonstration(row, finals[row.family]) for row in rows]
    if "rollout" in config.sft:
        named = {(row.environment_id, row.task_id): row for row in rows}
        wanted += harvested(_trajectories(config), named, finals, most=config.most, left_out=left_out)
    return wanted


def _trajectories(config: PrepareConfig) -> Iterable[Trajectory]:
    runs = config.runs
    if not runs:
        folder = Workspace(config.workspace).runs
        runs = tuple(sorted(path.parent for path in folder.glob(f"*/{TRAJECTORIES}")))
        if not runs:
            remedy = "make one with envforge rollout, or name it with --run"
            raise ConfigError("there is no run with trajectories", where=str(folder), remedy=remedy)
    return chain.from_iterable(read_trajectories(run) for run in runs)


def _played(
    wanted: Sequence[Demonstration],
    supplies: Sequence[Supply],
    log: _ExampleLog,
    left_out: Counter[str],
    progress: Progress,
) -> list[SftExample]:
    """Examples in the order of `wanted`, none twice. Raises SandboxError; what was played is kept."""
    made: dict[int, SftExample | str] = {}
    for supply in supplies:
        ours = [place for place, one in enumerate(wanted) if one.row.environment_id == supply.environment.manifest.id]
        with Stage(supply) as stage:
            for place in ours:
                progress("examples", len(made), len(wanted))
                key = wanted[place].key(supply)
                held = log.get(key)
                made[place] = held if held is not None else log.add(key, stage.play(wanted[place]))
    examples: dict[str, SftExample] = {}
    for place in range(len(wanted)):
        one = made[place]
        if isinstance(one, str):
            left_out[f"{wanted[place].source}_{one}"] += 1
        elif one.key in examples:
            left_out["repeated"] += 1
        else:
            examples[one.key] = one
    return list(examples.values())


def _refuse_no_examples(config: PrepareConfig, examples: Sequence[SftExample], left_out: Counter[str]) -> None:
    if config.sft and not examples:
        told = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in sorted(left_out.items()) if count)
        message = f"no episode became an example ({told or 'there were none'})"
        raise ConfigError(message, where="--sft", remedy="give runs with successful episodes, or --sft gold")


def _balance(rows: Sequence[TrainingRow]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counts.setdefault(row.family, Counter())[str(row.level)] += 1
    return {family: dict(sorted(levels.items())) for family, levels in sorted(counts.items())}


class _ExampleLog:
    """What was played so far, beside the folder that is to be written: an interrupted run goes on from it."""

    def __init__(self, out: Path) -> None:
        """Raises StoreError for a file that cannot be read."""
        self._path = out.parent / f".{out.name}.examples.jsonl"
        self._held: dict[str, SftExample | str] = dict(self._read()) if self._path.is_file() else {}
        self.found = len(self._held)

    def _read(self) -> Iterator[tuple[str, SftExample | str]]:
        for number, (_, line) in enumerate(whole_lines(self._path), start=1):
            try:
                value = parse_json(line.decode("utf-8"))
                example = value["example"]
                yield value["key"], SftExample.model_validate(example) if example else str(value["why"])
            except (ValidationError, ValueError, KeyError, TypeError) as error:
                remedy = "delete the file; the examples are then played again"
                raise StoreError(f"line {number} is no example", where=str(self._path), remedy=remedy) from error

    def get(self, key: str) -> SftExample | str | None:
        """What came of it, if it was played."""
        return self._held.get(key)

    def add(self, key: str, made: SftExample | str) -> SftExample | str:
        """It was played now."""
        told = {"example": None, "why": made} if isinstance(made, str) else {"example": made.to_json(), "why": ""}
        append_record(self._path, {"key": key, **told})
        self._held[key] = made
        return made

    def remove(self) -> None:
        """The set is written: nothing has to be gone on with."""
        self._path.unlink(missing_ok=True)
