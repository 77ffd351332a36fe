"""What is learnt from and what is not: groups, masks, templates, memory; parts of the trainers without a run."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.train.things import FAMILY, OWN, example, row

from envforge.core.errors import ConfigError, SandboxError, StoreError
from envforge.core.records.completion import Message
from envforge.core.records.train_config import GrpoStage, SftStage, TrainConfig, TrainedModel
from envforge.core.records.training import SftExample, TrainingRow
from envforge.train.checkpoints import last_checkpoint
from envforge.train.drawing import Drawing
from envforge.train.evaluation import TaskScore, chosen_rows, summary
from envforge.train.notes import EpisodeNote
from envforge.train.run import Run, TrainingData, TrainReport, refuse_empty, refuse_foreign, typed_errors
from envforge.train.stages import run_stages
from envforge.train.tokens import Template

torch: Any = pytest.importorskip("torch", reason="the extra `train` is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")

GRPO = GrpoStage(steps=1, tasks=1, trajectory_tokens=64, turn_tokens=16)


def silent(label: str, done: int, total: int | None) -> None:
    """Nobody looks."""


def data(rows: list[TrainingRow], examples: list[SftExample]) -> TrainingData:
    return TrainingData("key", {"things-0": FAMILY}, {"train": rows}, examples, (), ())


# What is learnt from


def test_groups_of_one_reward_are_found_and_unscored_ones_do_not_count() -> None:
    from envforge.train.steering import _equal_groups  # pyright: ignore[reportPrivateUsage]

    nan = math.nan
    rewards = torch.tensor([[0.0, 0.0, 0.0], [1.0, nan, 1.0], [0.0, 1.0, nan], [nan, nan, nan]])
    assert _equal_groups(rewards).tolist() == [True, True, False, True]


def _gathered(value: Any) -> Any:
    return value


class _Trainer:
    """As much of TRL's trainer as the steering looks at."""

    num_generations = 2

    def __init__(self, rewards: list[list[float]]) -> None:
        self._rewards = torch.tensor(rewards)
        self.accelerator = type("One", (), {"process_index": 0, "num_processes": 1, "gather": staticmethod(_gathered)})


def _kept(rewards: list[list[float]], **steering: Any) -> dict[str, Any]:
    from envforge.train.steering import Steer, SteeredTrainer

    trainer: Any = type("Steered", (SteeredTrainer, _Trainer), {})(rewards)
    trainer.steer = Steer(host=Any, families={}, **steering)  # type: ignore[arg-type]
    size = len(rewards)
    output = {
        "advantages": torch.zeros(size),
        "completion_mask": torch.ones(size, 3),
        "tool_mask": torch.tensor([[1, 0, 1]] * size),
        "num_items_in_batch": torch.tensor(2 * size),
    }
    trainer._keep_learnable(output)
    return output


def test_what_teaches_nothing_is_in_no_average() -> None:
    rewards = [[0.0], [1.0], [1.0], [1.0], [math.nan], [0.0], [1.0], [0.0]]
    dropped = _kept(rewards)
    assert dropped["tool_mask"].sum(1).tolist() == [2, 2, 0, 0, 0, 0, 2, 2]
    assert dropped["num_items_in_batch"].item() == 8
    kept = _kept(rewards, drop_equal=False)
    assert kept["tool_mask"].sum(1).tolist() == [2, 2, 2, 2, 0, 2, 2, 2], "an unscored rollout is never trained on"
    assert _kept([[1.0], [1.0]])["tool_mask"].sum(1).tolist() == [2, 2], "its figures would be of nothing"


def test_a_reward_that_is_always_equal_ends_the_run() -> None:
    with pytest.raises(ConfigError, match="every rollout of a task got the same reward") as error:
        _kept([[0.0], [0.0]], patience=1)
    assert "patience" in error.value.remedy
    assert _kept([[0.0], [1.0]], patience=1)["tool_mask"].sum() == 4


def test_episodes_that_can_never_be_scored_are_not_taken_for_equal_rewards() -> None:
    with pytest.raises(SandboxError, match=r"no episode could be scored.*the worker died"):
        _kept([[math.nan], [math.nan]], patience=1, why_unscored="the worker died")


# What cannot be trained


def test_a_model_that_is_not_there_is_refused(tmp_path: Path) -> None:
    from envforge.train.models import open_template

    with pytest.raises(ConfigError, match="cannot be opened"):
        open_template(TrainedModel(base=str(tmp_path / "nothing")))


@pytest.mark.parametrize(
    ("error", "typed"),
    [
        (torch.OutOfMemoryError("CUDA out of memory"), True),
        (MemoryError(), True),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), True),
        (RuntimeError("shapes differ"), False),
    ],
)
def test_memory_that_runs_out_is_told_with_what_to_do(error: Exception, typed: bool) -> None:
    with pytest.raises(ConfigError if typed else RuntimeError) as caught, typed_errors("grpo"):
        raise error
    if typed:
        assert "grpo.batch" in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "examples", "changed", "words"),
    [
        ([], [], {"grpo": GRPO}, "no task is left to train on"),
        ([row(1)], [], {"grpo": GRPO.model_copy(update={"levels": (3,)})}, "no task is left to train on"),
        ([row(1)], [], {"sft": SftStage(steps=1)}, "holds no examples"),
        ([row(1)], [example()], {"sft": SftStage(steps=1, levels=(4,))}, "no example is left"),
    ],
)
def test_an_empty_set_is_refused(
    rows: list[TrainingRow], examples: list[SftExample], changed: dict[str, Any], words: str
) -> None:
    config = TrainConfig(name="mine", model=TrainedModel(own=OWN), grpo=GRPO)
    with pytest.raises(ConfigError, match=words):
        refuse_empty(config.model_copy(update={"grpo": None, **changed}), data(rows, examples))


def test_examples_that_are_all_too_long_are_refused(template: Any) -> None:
    from envforge.train.sft import sft_rows

    with pytest.raises(ConfigError, match="every example is longer than 64 tokens") as error:
        sft_rows([example()] * 2, {"things-0": FAMILY}, template, SftStage(steps=1, longest=64))
    assert "the shortest has" in error.value.remedy


def test_a_folder_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "launch").mkdir()
    refuse_foreign(tmp_path)
    (tmp_path / "letters.txt").write_text("mine")
    with pytest.raises(ConfigError, match="holds something else"):
        refuse_foreign(tmp_path)


# What goes on


def note(number: int, reward: float | None) -> EpisodeNote:
    return EpisodeNote("things", f"task-{number}", "things-0", "graph", 1, reward, 1, 1, 0, "answered", False)


def test_a_curriculum_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    make: Callable[[], Drawing] = lambda: Drawing("learnability", [row(n) for n in range(12)], seed=1)  # noqa: E731
    first, second = make(), make()
    drawn = first.draw(4)
    first.learn([note(int(one["task_id"].split("-")[1]), reward) for one in drawn for reward in (0.0, 1.0, None)])
    first.save(tmp_path)
    second.restore(str(tmp_path))
    assert [first.draw(6) for _ in range(3)] == [second.draw(6) for _ in range(3)]


def test_a_checkpoint_without_a_curriculum_is_refused(tmp_path: Path) -> None:
    drawing = Drawing("uniform", [row(1)], seed=1)
    drawing.restore(None)
    with pytest.raises(StoreError, match="holds no state of the curriculum"):
        drawing.restore(str(tmp_path))


def test_a_checkpoint_that_was_interrupted_is_passed_over(tmp_path: Path) -> None:
    assert last_checkpoint(tmp_path) is None
    for step, whole in ((2, True), (10, True), (20, False)):
        (tmp_path / f"checkpoint-{step}").mkdir()
        if whole:
            (tmp_path / f"checkpoint-{step}" / "trainer_state.json").write_text("{}")
    assert last_checkpoint(tmp_path) == str(tmp_path / "checkpoint-10")


def test_a_state_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "curriculum.json").write_text('{"name": "uniform"}')
    with pytest.raises(StoreError, match="its state of the curriculum is none"):
        Drawing("uniform", [row(1)], seed=1).restore(str(tmp_path))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"curriculum": "dapo"}, "plays groups over"),
        ({"curriculum": "best"}, "there is no curriculum 'best'"),
        ({"curriculum": "alpha", "curriculum_settings": {"alpha": 2}}, "alpha: "),
    ],
)
def test_a_curriculum_that_cannot_be_is_refused_before_anything_is_trained(
    changed: dict[str, Any], words: str, tmp_path: Path
) -> None:
    config = TrainConfig(name="mine", model=TrainedModel(own=OWN), sft=SftStage(steps=1), grpo=GRPO)
    config = config.model_copy(update={"grpo": GRPO.model_copy(update=changed)})
    report = TrainReport(str(tmp_path))
    with pytest.raises(ConfigError, match=words):
        run_stages(Run(config, data([row(1)], [example()]), tmp_path, silent, report))
    assert not report.stages and not list(tmp_path.iterdir())


# How it is tried


def test_tasks_are_tried_evenly_over_levels() -> None:
    rows = [row(number, level=1 if number < 10 else 2) for number in range(12)]
    chosen = chosen_rows(rows, 4, seed=3)
    assert sorted(one.level for one in chosen) == [1, 1, 2, 2]
    assert chosen == chosen_rows(rows, 4, seed=3) and len(chosen_rows(rows, 99, seed=3)) == 12


def test_a_task_that_does_not_fit_is_left_out_and_not_failed(template: Any, tmp_path: Path) -> None:
    from envforge.train.grpo import context_of, fitting_rows

    config = TrainConfig(name="mine", model=TrainedModel(own=OWN), grpo=GRPO)
    long = row(2).model_copy(update={"prompt": (*row(2).prompt, Message(role="user", content="again " * 500))})
    run = Run(config, data([row(1), long], []), tmp_path, silent, TrainReport(str(tmp_path)))
    length = len(template.prompt_ids(row(1).chat(), FAMILY))
    config = type("Config", (), {"max_position_embeddings": length + GRPO.trajectory_tokens})
    context = context_of(run, type("Model", (), {"config": config}))
    for _ in range(2):
        assert fitting_rows(run, [row(1), long], template, context, "heldout_seed") == [row(1)]
    (warning,) = run.report.warnings
    assert warning.startswith("heldout_seed: 1 tasks have prompts over") and "left out" in warning
    assert fitting_rows(run, [row(1)], template, context - 1, "grpo") == []


class _Speaks:
    """A model whose own settings end an answer of a call with token 3, and frown on repetition."""

    device = "cpu"
    generation_config = type("Settings", (), {"eos_token_id": [7, 3], "repetition_penalty": 1.05})

    def generate(self, input_ids: Any, **told: Any) -> Any:
        self.told = told
        answers = torch.tensor([[5, 3, 9, 9], [5, 6, 7, 9], [5, 5, 2, 3]])
        return torch.cat([input_ids, answers], dim=1)


def test_a_model_is_tried_with_the_trainers_settings_and_ends_where_the_trainer_ends() -> None:
    from envforge.train.evaluation import generator

    model = _Speaks()
    tokenizer = type("Tokens", (), {"pad_token_id": 0, "eos_token_id": 2})
    answers, _ = generator(model, Template(tokenizer, ""), 4, 0.7)([[8], [8, 8], [8]])
    assert answers == [[5, 3], [5, 6, 7], [5, 5, 2]]
    assert (model.told["repetition_penalty"], model.told["eos_token_id"]) == (1.0, [2, 7, 3])


def test_scores_leave_out_what_could_not_be_scored() -> None:
    scores = [
        TaskScore("a", "things", "things-0", 1, 1.0, (1.0, 0.0)),
        TaskScore("b", "things", "things-0", 1, None, (None, None)),
        TaskScore("c", "things", "things-0", 1, 0.5, (0.0, 0.0)),
    ]
    told = summary("heldout_family", scores)
    assert (told["greedy"], told["sampled"], told["pass@2"], told["unscored"]) == (0.5, 0.25, 0.5, 3)
