"""`envforge train` on the environments that ship: both stages with the real trainers, and what is said of bad input."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from envforge.core.errors import ConfigError
from envforge.core.records.train_config import DataChoice, EvaluationPlan, TrainConfig
from envforge.factory.training import TrainRequest, settings_of, train
from envforge.store.files import read_jsonl
from envforge.train.run import TrainReport

pytest.importorskip("trl", reason="the extra `train` is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT, HELD_OUT = "airline-booking", "web-browsers"


def silent(label: str, done: int, total: int | None) -> None:
    """Nobody looks."""


@pytest.fixture(scope="module")
def smoke() -> TrainConfig:
    """The preset, on one environment with another held out, and with fewer steps of imitation."""
    found = settings_of(None, "cpu-smoke", model=None, seed=None)
    assert found.sft is not None
    return found.model_copy(
        update={
            "data": DataChoice(environments=(ENVIRONMENT, HELD_OUT), levels=(1,), holdout_families=(HELD_OUT,)),
            "evaluation": EvaluationPlan(every=1, tasks=1, samples=1),
            "sft": found.sft.model_copy(update={"steps": 3, "save_every": 3}),
        }
    )


@pytest.fixture(scope="module")
def whole(smoke: TrainConfig, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TrainReport]:
    """A run from beginning to end."""
    out = tmp_path_factory.mktemp("whole") / "run"
    return out, train(TrainRequest(ROOT, smoke, out), silent)


def test_both_stages_run_and_their_losses_are_numbers(whole: tuple[Path, TrainReport]) -> None:
    out, report = whole
    lines = read_jsonl(out / "metrics.jsonl")
    steps = [line["step"] for line in lines if line["stage"] == "grpo" and "loss" in line]
    assert steps == [1, 2]
    losses = [line["loss"] for line in lines if "loss" in line]
    assert len(losses) == 5 and all(math.isfinite(loss) for loss in losses)
    assert report.stages["sft"]["steps"] == 3 and report.stages["grpo"]["steps"] == 2
    for name in ("reward", "entropy", "frac_reward_zero_std", "episodes/turns", "episodes/infrastructure"):
        assert name in lines[-1], name
    for stage in ("sft", "grpo"):
        assert (out / stage / "final" / "model.safetensors").is_file()


def test_what_is_held_out_is_tried_and_not_trained_on(whole: tuple[Path, TrainReport]) -> None:
    out, report = whole
    tried = [(one["split"], one["when"], one["step"], one["unscored"]) for one in report.evaluations]
    assert tried == [("heldout_family", when, step, 0) for step, when in enumerate(("base", "during", "after"))]
    lines = read_jsonl(out / "evaluations.jsonl")
    assert len(lines) == 3 and {line["environment_id"] for line in lines} == {HELD_OUT}
    trained = [name for line in read_jsonl(out / "metrics.jsonl") for name in line if name.startswith("reward/family/")]
    assert trained and not [name for name in trained if HELD_OUT in name]


def test_only_the_assistant_is_imitated(whole: tuple[Path, TrainReport]) -> None:
    out, report = whole
    told = report.stages["sft"]
    assert 0 < told["trained_tokens"] < told["tokens"] / 3
    assert json.loads((out / "report.json").read_text())["stages"]["sft"] == told


def test_a_run_that_was_stopped_goes_on_with_the_same_step(
    smoke: TrainConfig, whole: tuple[Path, TrainReport], tmp_path: Path
) -> None:
    out = tmp_path / "run"
    data = str(whole[0] / "data")
    first = train(TrainRequest(ROOT, smoke, out, data=data, stop_at=1), silent)
    assert first.stopped_at == 1 and not (out / "grpo" / "final").exists()
    then = train(TrainRequest(ROOT, smoke, out, data=data), silent)
    assert then.stages["sft"] == {"found": True} and then.stopped_at is None
    # The figures of the second step tell of what was sampled in it: tokens, lengths, entropy.
    assert _weights(out) == _weights(whole[0])
    assert (out / "metrics.jsonl").read_bytes() == (whole[0] / "metrics.jsonl").read_bytes()


def test_a_folder_goes_on_with_its_own_settings_only(smoke: TrainConfig, whole: tuple[Path, TrainReport]) -> None:
    other = smoke.model_copy(update={"seed": 7})
    with pytest.raises(ConfigError, match="differs in") as error:
        train(TrainRequest(ROOT, other, whole[0]), silent)
    assert "--out" in error.value.remedy


def _weights(out: Path) -> bytes:
    return (out / "grpo" / "final" / "model.safetensors").read_bytes()
