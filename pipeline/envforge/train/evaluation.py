"""The model tried on what it is not trained on, by the trainer's own rules: our loop plays as the trainer does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from envforge.core.seeds import derive_seed, stream
from envforge.rollout.passk import pass_at
from envforge.train.data.records import FamilyTools, Split, TrainingRow
from envforge.train.environment_factory import environment_class, outcome
from envforge.train.host import EpisodeHost
from envforge.train.installed import library
from envforge.train.loop import Generate, LoopLimits, Seat, play_batch
from envforge.train.suffix import suffix_ids
from envforge.train.tokens import Template

_SEED_BITS = 31


@dataclass(frozen=True)
class Trial:
    """How a model is tried."""

    split: Split
    rows: Sequence[TrainingRow]
    samples: int
    temperature: float
    turn_tokens: int
    trajectory_tokens: int
    rounds: int
    batch: int
    seed: int


@dataclass(frozen=True)
class TaskScore:
    """What came of one task: the greedy attempt and the sampled ones, 1 for a success; None: not scored."""

    task_id: str
    environment_id: str
    family: str
    level: int
    greedy: float | None
    sampled: tuple[float | None, ...]


def chosen_rows(rows: Sequence[TrainingRow], count: int, seed: int) -> list[TrainingRow]:
    """So many rows, evenly over levels, the same ones every time."""
    queues = {level: [row for row in rows if row.level == level] for level in sorted({row.level for row in rows})}
    for level, queue in queues.items():
        stream(seed, "evaluation", level).shuffle(queue)
    found: list[TrainingRow] = []
    while len(found) < min(count, len(rows)):
        for queue in queues.values():
            if queue and len(found) < count:
                found.append(queue.pop())
    return found


def evaluate(
    model: Any, template: Template, host: EpisodeHost, families: dict[str, FamilyTools], trial: Trial
) -> list[TaskScore]:
    """Every task once greedily, and `samples` times at the trainer's temperature. It moves no generator of the run."""
    torch: Any = library("torch")
    before = model.training
    model.eval()
    try:
        with torch.random.fork_rng(), torch.no_grad():
            greedy = _outcomes(model, template, host, families, trial, list(trial.rows), temperature=None)
            many = [row for row in trial.rows for _ in range(trial.samples)]
            torch.manual_seed(derive_seed(trial.seed, "evaluation", trial.split) >> (64 - _SEED_BITS))
            sampled = _outcomes(model, template, host, families, trial, many, temperature=trial.temperature)
    finally:
        model.train(before)
        host.notes()  # they are no part of the next step's figures
    return [
        TaskScore(
            task_id=row.task_id,
            environment_id=row.environment_id,
            family=row.family,
            level=row.level,
            greedy=greedy[number],
            sampled=tuple(sampled[number * trial.samples : (number + 1) * trial.samples]),
        )
        for number, row in enumerate(trial.rows)
    ]


def summary(split: str, scores: Sequence[TaskScore]) -> dict[str, Any]:
    """Success over tasks: greedy, sampled, and pass@k where there are that many samples. Unscored ones are left out."""
    greedy = [one.greedy for one in scores if one.greedy is not None]
    sampled = [[value for value in one.sampled if value is not None] for one in scores]
    tried = [values for values in sampled if values]
    told: dict[str, Any] = {
        "split": split,
        "tasks": len(scores),
        "unscored": sum(one.greedy is None for one in scores) + sum(v is None for one in scores for v in one.sampled),
        "greedy": _mean([float(value >= 1.0) for value in greedy]),
    }
    if tried:
        told["sampled"] = _mean([_mean([float(value >= 1.0) for value in values]) or 0.0 for values in tried])
        most = min(len(values) for values in tried)
        if most > 1:
            passes = [pass_at(most, len(values), sum(value >= 1.0 for value in values)) for values in tried]
            told[f"pass@{most}"] = _mean(passes)
    return told


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _outcomes(
    model: Any,
    template: Template,
    host: EpisodeHost,
    families: dict[str, FamilyTools],
    trial: Trial,
    rows: list[TrainingRow],
    *,
    temperature: float | None,
) -> list[float | None]:
    limits = LoopLimits(trial.trajectory_tokens, int(model.config.max_position_embeddings), trial.rounds)
    generate = generator(model, template, trial.turn_tokens, temperature)
    outcomes: list[float | None] = []
    for part in _parts(rows, trial.batch):
        seats = [_seat(row, families[row.family], host) for row in part]
        play_batch(
            seats,
            host=host,
            template=template,
            generate=generate,
            suffix=lambda results: suffix_ids(template, results),
            limits=limits,
        )
        outcomes += [outcome(seat.environment) for seat in seats]
    return outcomes


def _seat(row: TrainingRow, family: FamilyTools, host: EpisodeHost) -> Seat:
    environment = environment_class(family, host)()
    environment.reset(environment_id=row.environment_id, task_id=row.task_id, episode_seed=row.episode_seed)
    return Seat(environment, family, row.chat())


def _parts(rows: list[TrainingRow], size: int) -> Iterator[list[TrainingRow]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def generator(model: Any, template: Template, turn_tokens: int, temperature: float | None) -> Generate:
    """Answers of a model in this process; no temperature: the likeliest token each time."""
    torch: Any = library("torch")
    tokenizer = template.tokenizer
    pad, ends = tokenizer.pad_token_id, _ends(model, tokenizer)
    how: dict[str, Any] = (
        {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
        if temperature is None
        else {"do_sample": True, "temperature": temperature, "top_p": 1.0, "top_k": 0}
    )
    # What a model's own settings ask for beside these is not what it is trained with.
    how |= {"repetition_penalty": 1.0, "pad_token_id": pad, "eos_token_id": ends}

    def generate(prompts: list[list[int]]) -> tuple[list[list[int]], list[list[float]] | None]:
        if not prompts:
            return [], None
        longest = max(map(len, prompts))
        ids = torch.tensor([[pad] * (longest - len(one)) + one for one in prompts], device=model.device)
        seen = torch.tensor([[0] * (longest - len(one)) + [1] * len(one) for one in prompts], device=model.device)
        told = model.generate(input_ids=ids, attention_mask=seen, max_new_tokens=turn_tokens, **how)
        return [_until(answer[longest:].tolist(), ends) for answer in told], None

    return generate


def _ends(model: Any, tokenizer: Any) -> list[int]:
    """What ends an answer, as the trainer has it: some models end a call with another token than their last words."""
    own = model.generation_config.eos_token_id
    more: list[int] = [] if own is None else [own] if isinstance(own, int) else list(own)
    return list(dict.fromkeys([tokenizer.eos_token_id, *more]))


def _until(ids: list[int], ends: Sequence[int]) -> list[int]:
    """Up to the end of the turn."""
    stop = next((place for place, token in enumerate(ids) if token in ends), len(ids))
    return ids[: stop + 1]
