"""`envforge eval --bench bfcl`: items → talks with our loop → bfcl-eval's own checker, beside its own loop."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from time import perf_counter

from envforge.core.contracts import Model, Progress
from envforge.core.errors import ConfigError, ModelError
from envforge.core.records.benchmark import BenchmarkItem, BenchmarkReport, BenchmarkRun, BenchmarkScore
from envforge.core.records.trajectory import EpisodeSettings
from envforge.core.seeds import derive_seed
from envforge.factory.bench_files import REPORT, begin_bench, read_items, write_item
from envforge.llm.permission import key_from_environment
from envforge.rollout.agents.model import Mind
from envforge.rollout.bfcl.items import BfclItem, items_of, result_of
from envforge.rollout.bfcl.side import Side, opened_side
from envforge.rollout.dialogue import Talked, hold, talking_agent, talking_prompt
from envforge.rollout.model_player import ModelPlay
from envforge.rollout.playing import OF_THE_RUN
from envforge.rollout.protocols import protocol
from envforge.rollout.request import Clocked
from envforge.store.files import write_json

CATEGORIES = (
    "simple_python", "simple_java", "simple_javascript", "multiple", "parallel", "parallel_multiple", "irrelevance",
    "live_simple", "live_multiple", "live_parallel", "live_parallel_multiple", "live_irrelevance", "live_relevance",
    "multi_turn_base", "multi_turn_miss_func", "multi_turn_miss_param", "multi_turn_long_context",
)  # fmt: skip
"""Those that need neither the web nor a memory from one item to the next."""
MOST_TURNS = 400
"""Answers in one talk; bfcl-eval bounds each turn itself."""
_Z = 1.959964
_SEED_BITS = 11


@dataclass(frozen=True)
class BfclConfig:
    """A run: which items, played how, in which folder; `own`: beside bfcl-eval's own loop."""

    category: str
    limit: int | None
    python: Path
    out: Path
    seed: int = 0
    concurrency: int = 1
    own: bool = False
    own_base_url: str = ""
    own_key_variable: str = ""

    def refuse(self) -> None:
        """Raises ConfigError for what cannot be asked for."""
        if self.category not in CATEGORIES:
            remedy = f"one of {', '.join(CATEGORIES)}"
            raise ConfigError(f"there is no category {self.category!r} here", where="--category", remedy=remedy)
        if self.limit is not None and self.limit < 1:
            raise ConfigError(f"is {self.limit}", where="--limit", remedy="give at least 1")


@dataclass(frozen=True)
class _Room:
    """What all items are played with."""

    config: BfclConfig
    side: Side
    mind: Mind
    run: BenchmarkRun


def bfcl(config: BfclConfig, model: Model, name: str, play: ModelPlay, progress: Progress) -> BenchmarkReport:
    """Play what is missing, have bfcl-eval score it, and write report.json into the run's folder.

    Raises ConfigError, StoreError, SandboxError when bfcl-eval fails, and what is about the run (budgets).
    """
    config.refuse()
    return asyncio.run(_whole(config, model, name, play, progress))


async def _whole(config: BfclConfig, model: Model, name: str, play: ModelPlay, progress: Progress) -> BenchmarkReport:
    form = protocol(play.protocol)
    prompt = talking_prompt(form)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(model.close)
        side = await stack.enter_async_context(opened_side(config.python, config.out / "bfcl", _own_endpoint(config)))
        most = 10**9 if config.limit is None else config.limit
        told = await side.ask("items", category=config.category, limit=most)
        items = items_of(told)
        settings = _settings(play, prompt.name, prompt.sha256, once=items[0].talk.once)
        ids = tuple(item.id for item in items)
        run = BenchmarkRun(
            benchmark="bfcl", version=told["version"], category=config.category, items=ids, model=name,
            identity=model.identity, settings=settings, seed=config.seed,
        )  # fmt: skip
        begin_bench(config.out, run)
        room = _Room(config, side, Mind(model, form, prompt, settings), run)
        played = await _played(room, items, progress)
        scores = [await _score(side, config.category, played)]
        if config.own:
            progress("playing with its own loop", 0, len(items))
            scores.append(await _own_score(room, name, play.temperature))
    report = _report(run, played, scores)
    write_json(config.out / REPORT, report.to_json())
    return report


def _own_endpoint(config: BfclConfig) -> Mapping[str, str]:
    """How bfcl-eval's own client finds the model. Its key goes into the process, and nowhere else."""
    if not config.own:
        return {}
    key = key_from_environment(config.own_key_variable, needed=False).reveal()
    return {"OPENAI_BASE_URL": config.own_base_url, **({"OPENAI_API_KEY": key} if key else {})}


def _settings(play: ModelPlay, prompt: str, sha256: str, *, once: bool) -> EpisodeSettings:
    """As in an episode; where an item is one answer, one that cannot be read is not asked for again."""
    return EpisodeSettings(
        protocol=play.protocol,
        prompt=prompt,
        prompt_sha256=sha256,
        on_malformed="end" if once else play.on_malformed,
        max_turns=MOST_TURNS,
        shown_bytes=play.shown_bytes,
        context_tokens=play.context_tokens,
        on_overflow=play.on_overflow,
        turn_tokens=play.turn_tokens,
        temperature=play.temperature,
    )


async def _played(room: _Room, items: Sequence[BfclItem], progress: Progress) -> list[BenchmarkItem]:
    """Every item, those of an interrupted run among them; what could not be scored is played again."""
    there = {name: one for name, one in read_items(room.config.out).items() if not one.failure}
    waiting = (item for item in items if item.id not in there)

    async def work() -> None:
        # One iterator for all: nothing is awaited between two steps of it.
        for item in waiting:
            began = perf_counter()
            found = await _item(room, item)
            write_item(room.config.out, found, perf_counter() - began)
            there[item.id] = found
            progress("playing items", len(there), len(items))

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(room.config.concurrency):
                group.create_task(work())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [there[item.id] for item in items]


async def _item(room: _Room, item: BfclItem) -> BenchmarkItem:
    seed = derive_seed(room.config.seed, "bfcl", item.id) >> _SEED_BITS
    agent = talking_agent("bfcl", room.mind, item.talk, seed, Clocked())

    async def call(tool: str, arguments: Mapping[str, object]) -> str:
        told = await room.side.ask("call", item=item.id, tool=tool, arguments=dict(arguments))
        return str(told["result"])

    talked, failed = Talked(), None
    try:
        talked = await hold(agent, item.talk, call)
    except OF_THE_RUN:
        raise
    except ModelError as error:
        failed = error
    said = agent.conversation
    return BenchmarkItem(
        id=item.id,
        result=None if failed else result_of(item, talked),
        ending="failed" if failed else talked.ending,
        failure=str(failed) if failed else "",
        failure_kind=type(failed).__name__ if failed else "",
        messages=tuple(said.messages),
        malformed=tuple(said.malformed),
        model_calls=len(said.turns),
        prompt_tokens=sum(turn.prompt_tokens for turn in said.turns),
        completion_tokens=sum(turn.completion_tokens for turn in said.turns),
    )


async def _score(side: Side, category: str, played: Sequence[BenchmarkItem]) -> BenchmarkScore:
    results = [{"id": one.id, "result": one.result} for one in played if not one.failure]
    unscored = tuple(one.id for one in played if one.failure)
    if not results:
        return _scored("envforge", (), unscored, {})
    told = await side.ask("score", category=category, results=results)
    return _scored("envforge", told["right"], unscored, told["failures"])


async def _own_score(room: _Room, name: str, temperature: float | None) -> BenchmarkScore:
    """Its own loop keeps a call that failed as an answer; those are no failures of the model."""
    told = await room.side.ask(
        "own", category=room.config.category, model=name, temperature=temperature or 0.001,
        threads=room.config.concurrency,
    )  # fmt: skip
    broken = set(told["broken"])
    failures = {item: why for item, why in told["failures"].items() if item not in broken}
    right = [item for item in told["right"] if item not in broken]
    return _scored("own", right, tuple(sorted(broken)), failures)


def _scored(loop: str, right: Sequence[str], unscored: Sequence[str], failures: Mapping[str, str]) -> BenchmarkScore:
    scored = len(right) + len(failures)
    low, high = wilson(len(right), scored)
    return BenchmarkScore.model_validate(
        {
            "loop": loop, "scored": scored, "right": right, "unscored": unscored, "low": low, "high": high,
            "rate": len(right) / scored if scored else None, "failures": failures,
        }
    )  # fmt: skip


def wilson(right: int, scored: int) -> tuple[float | None, float | None]:
    """Wilson's interval of a share, 95 %; nothing where nothing was scored."""
    if not scored:
        return None, None
    rate, squared = right / scored, _Z * _Z / scored
    middle, half = rate + squared / 2, _Z * sqrt(rate * (1 - rate) / scored + squared / (4 * scored))
    return max(0.0, (middle - half) / (1 + squared)), min(1.0, (middle + half) / (1 + squared))


def _report(run: BenchmarkRun, played: Sequence[BenchmarkItem], scores: Sequence[BenchmarkScore]) -> BenchmarkReport:
    return BenchmarkReport(
        run=run,
        scores=tuple(scores),
        model_calls=sum(one.model_calls for one in played),
        prompt_tokens=sum(one.prompt_tokens for one in played),
        completion_tokens=sum(one.completion_tokens for one in played),
    )
