"""TRL's own loop over our classes and our `rollout_func`: the same answers give the same tokens and rewards.

The answers are written here and stand in for the model's; tokens, Worlds, scores and the optimiser are real.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest

from envforge.core.errors import SandboxError
from envforge.core.records.train_config import DataChoice, GrpoStage, OwnModel, SftStage, TrainConfig, TrainedModel
from envforge.factory.training import TrainRequest, open_data
from envforge.train.data.records import SftExample, TrainingRow
from envforge.train.grpo import episode_host, make_trainer
from envforge.train.models import open_model
from envforge.train.run import Run, TrainingData, TrainReport
from envforge.train.steering import Steer
from envforge.world.pool.session import PooledSession

pytest.importorskip("trl", reason="the extra `train` is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")

ROOT = Path(__file__).resolve().parents[2]
OWN = OwnModel(vocabulary=400, hidden=16, layers=1, heads=2, key_value_heads=1, head_size=8, between=32, context=4096)
ROUNDS = 4
STAGE = GrpoStage(
    steps=2, tasks=1, rollouts=9, batch=9, learning_rate=1e-3, trajectory_tokens=3000, turn_tokens=400, turns=ROUNDS,
    shown_bytes=1024, levels=(1,), zero_variance="keep", truncated="train",
)  # fmt: skip
CONFIG = TrainConfig(name="loops", model=TrainedModel(own=OWN), grpo=STAGE)
BROKEN = "the-world-breaks"


def silent(label: str, done: int, total: int | None) -> None:
    """Nobody looks."""


def call(name: str, arguments: Any) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


@dataclass
class Scripts:
    """What is said in each rollout of a task, answer by answer."""

    example: SftExample
    plans: list[list[str]] = field(default_factory=list[list[str]])

    def __post_init__(self) -> None:
        gold = [call(one.name, one.arguments) for message in self.example.messages for one in message.tool_calls]
        read, final, done = gold[:-1], gold[-1], "Done."
        name = json.loads(read[0].split("\n")[1])["name"]
        self.plans = [
            [*read, final, done],
            [f"{read[0]}\n{read[0]}", *read[1:], final, done],
            [call("no_such_tool", {}), done],
            [call(name, {"no_such_argument": [1]}), *read, final, done],
            [f'<tool_call>\n{{"name": "{name}", "arguments": {{\n</tool_call>'],
            [read[0]] * (ROUNDS + 3),
            [call(name, "no object"), done],
            [*read, final, call("final_answer", {"answer": {}}), done],
            [call(name, {BROKEN: 1}), *read, final, done],
        ]

    EXPECTED: ClassVar[tuple[float | None, ...]] = (1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, None)


class Ventriloquist:
    """Stands before the trainer's own generation: finds out whose turn it is, and says what is written for it."""

    scripts: dict[str, Scripts]
    template: Any
    steer: Steer
    seen: list[tuple[list[dict[str, Any]], dict[str, Any], Any]]
    _rewards: Any

    def begin(self) -> None:
        self.spoken: list[tuple[list[int], int]] = []

    def _generate_single_turn(self, prompt_ids: list[list[int]], *_: Any, **__: Any) -> Any:
        rows = self.steer.rows
        if len(self.spoken) != len(rows):
            self.spoken = [(list(ids), 0) for ids in prompt_ids]
            return [self._say(number, ids) for number, ids in enumerate(prompt_ids)], None
        answers: list[list[int]] = []
        waiting = list(range(len(rows)))
        for ids in prompt_ids:
            number = next(
                n for n in waiting if ids[: len(self.spoken[n][0])] == self.spoken[n][0] and self.spoken[n][1]
            )
            waiting.remove(number)
            answers.append(self._say(number, ids))
        return answers, None

    def _say(self, number: int, prompt: list[int]) -> list[int]:
        turn = self.spoken[number][1]
        row = self.steer.rows[number]
        said = self.scripts[row["task_id"]].plans[number][turn]
        ids = self.template.tokenizer(f"{said}<|im_end|>")["input_ids"]
        self.spoken[number] = ([*prompt, *ids], turn + 1)
        return list(ids)

    def _generate_and_score_completions(self, inputs: Any) -> Any:
        self.begin()
        output: dict[str, Any] = cast("Any", super())._generate_and_score_completions(inputs)
        self.seen.append((list(self.steer.rows), output, self._rewards.clone()))
        return output


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> TrainingData:
    """Two tasks with one gold call at least, each with its example."""
    request = TrainRequest(
        ROOT,
        CONFIG.model_copy(update={"sft": SftStage(steps=1), "data": DataChoice(levels=(1,))}),
        tmp_path_factory.mktemp("loops"),
        environments=("airline-booking",),
    )
    opened = open_data(request, silent)
    examples = [one for one in opened.examples if 2 <= sum(len(m.tool_calls) for m in one.messages) <= ROUNDS - 1][:2]
    wanted = {one.task_id for one in examples}
    rows: list[TrainingRow] = [row for row in opened.rows["train"] if row.task_id in wanted]
    return replace(opened, rows={"train": rows}, examples=examples)


Played = list[tuple[list[dict[str, Any]], dict[str, Any], Any]]


@pytest.fixture(scope="module")
def played(data: TrainingData, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Played]:
    """Two real steps of the trainer with each loop: what went into the optimiser."""
    patch = pytest.MonkeyPatch()
    original = PooledSession.call

    async def breaking(self: PooledSession, tool: str, arguments: Any = None) -> Any:
        if BROKEN in (arguments or {}):
            raise SandboxError("the worker died")
        return await original(self, tool, arguments)

    patch.setattr(PooledSession, "call", breaking)
    try:
        return {loop: _play(data, loop, tmp_path_factory.mktemp(loop)) for loop in ("environments", "rollouts")}
    finally:
        patch.undo()


def _play(data: TrainingData, loop: str, out: Path) -> Played:
    stage = STAGE.model_copy(update={"loop": loop})
    run = Run(CONFIG.model_copy(update={"grpo": stage}), data, out, silent, TrainReport(str(out)))
    model, template = open_model(run.config, list(data.families.values()), data.examples)
    with episode_host(run, stage) as host:
        trainer, callback = make_trainer(run, model, template, host, data.rows["train"])
        theirs: Any = trainer.__class__
        speaking: Any = type("SpokenFor", (Ventriloquist, theirs), {})
        trainer.__class__ = speaking
        trainer.template, trainer.scripts, trainer.seen = template, {e.task_id: Scripts(e) for e in data.examples}, []
        before = {name: value.clone() for name, value in trainer.model.named_parameters()}
        trainer.train()
        assert all(math.isfinite(loss) for loss in callback.losses)
        assert any(not value.equal(before[name]) for name, value in trainer.model.named_parameters())
    return cast("Played", trainer.seen)


def test_both_loops_train_on_the_same_tokens(played: dict[str, Played]) -> None:
    theirs, ours = played["environments"], played["rollouts"]
    assert len(theirs) == len(ours) == 2
    for (rows, output, rewards), (other_rows, other, other_rewards) in zip(theirs, ours, strict=True):
        assert rows[0]["task_id"] == other_rows[0]["task_id"]
        for name in ("prompt_ids", "completion_ids", "completion_mask", "tool_mask", "advantages"):
            assert output[name].equal(other[name]), name
        assert rewards.nan_to_num(nan=-1).sum(1).equal(other_rewards.nan_to_num(nan=-1).sum(1))


@pytest.mark.parametrize("loop", ["environments", "rollouts"])
def test_rewards_are_those_of_the_worlds_and_a_reused_instance_begins_anew(
    loop: str, played: dict[str, Played]
) -> None:
    tasks = [rows[0]["task_id"] for rows, _, _ in played[loop]]
    assert len(set(tasks)) == 2
    for _, _, rewards in played[loop]:
        found = [None if math.isnan(value) else value for value in rewards[:, 0].tolist()]
        assert tuple(found) == Scripts.EXPECTED


@pytest.mark.parametrize("loop", ["environments", "rollouts"])
def test_only_what_the_model_said_is_trained_on(
    loop: str, played: dict[str, Played], data: TrainingData, tokenizer: Any
) -> None:
    scripts = {one.task_id: Scripts(one) for one in data.examples}
    for rows, output, _ in played[loop]:
        for number, row in enumerate(rows):
            ids, mask = _kept(output, number)
            said = [token for token, mine in zip(ids, mask, strict=True) if mine]
            heard = tokenizer.decode([token for token, mine in zip(ids, mask, strict=True) if not mine])
            plan = scripts[row["task_id"]].plans[number]
            if Scripts.EXPECTED[number] is None:
                assert not said, "an episode that could not be scored trains nobody"
                continue
            told = tokenizer.decode(said).split("<|im_end|>")[:-1]
            assert told == plan[: len(told)]
            assert len(told) == len(plan) or number == 5
            assert heard.count("<tool_response>") == heard.count("</tool_response>")
            assert "<tool_call>" not in heard


def test_the_limit_of_rounds_ends_an_episode(played: dict[str, Played], tokenizer: Any) -> None:
    for _, output, _ in played["environments"]:
        ids, mask = _kept(output, 5)
        said = tokenizer.decode([token for token, mine in zip(ids, mask, strict=True) if mine])
        assert said.count("<|im_end|>") == ROUNDS + 1


@pytest.mark.parametrize(
    ("number", "words"),
    [(2, "Tool no_such_tool not found"), (3, "no_such_argument"), (6, "must be a mapping"), (7, "episode_over")],
)
def test_the_model_is_told_what_was_wrong(number: int, words: str, played: dict[str, Played], tokenizer: Any) -> None:
    for _, output, _ in played["rollouts"]:
        ids, mask = _kept(output, number)
        assert words in tokenizer.decode([token for token, mine in zip(ids, mask, strict=True) if not mine])


def test_an_answer_that_cannot_be_read_ends_the_episode(played: dict[str, Played]) -> None:
    for _, output, _ in played["rollouts"]:
        _, mask = _kept(output, 4)
        assert all(mask), "nothing was answered"


def test_unscored_and_equal_rollouts_have_no_advantage(played: dict[str, Played]) -> None:
    for _, output, _ in played["environments"]:
        advantages = output["advantages"].tolist()
        assert advantages[8] == 0.0
        assert advantages[0] > 0 > advantages[2]


@pytest.fixture(scope="module")
def tokenizer(data: TrainingData) -> Any:
    return open_model(CONFIG, list(data.families.values()), data.examples)[1].tokenizer


def _kept(output: dict[str, Any], number: int) -> tuple[list[int], list[int]]:
    there = output["completion_mask"][number].bool()
    return output["completion_ids"][number][there].tolist(), output["tool_mask"][number][there].tolist()
