"""Which training set a run gets: the one that was asked for, with the tasks that its rows tell, or none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import ConfigError
from envforge.core.records.train_config import DataChoice, GrpoStage, OwnModel, TrainConfig, TrainedModel
from envforge.factory.training import TrainRequest, open_data
from envforge.store.files import read_json, write_json
from envforge.train.run import bind_folder

ROOT = Path(__file__).parents[3]
NAME = "web-browsers"
CONFIG = TrainConfig(
    name="mine",
    model=TrainedModel(own=OwnModel()),
    data=DataChoice(levels=(1,)),
    grpo=GrpoStage(steps=1, tasks=1, trajectory_tokens=64, turn_tokens=16),
)


def _silent(label: str, done: int, total: int | None) -> None:
    del label, done, total


def _opened(out: Path, **changed: Any) -> None:
    """As `train` begins."""
    request = TrainRequest(ROOT, CONFIG, out, **changed)
    bind_folder(CONFIG, open_data(request, _silent), out)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that made its own set."""
    out = tmp_path_factory.mktemp("begun") / "run"
    _opened(out, environments=(NAME,))
    return out


def test_the_same_command_goes_on(begun: Path) -> None:
    _opened(begun, environments=(NAME,))


@pytest.mark.parametrize("changed", [{"environments": ("notion",)}, {"environments": (NAME,), "data": str(ROOT)}])
def test_a_command_that_asks_for_other_data_does_not_go_on_with_the_set_that_is_there(
    begun: Path, changed: dict[str, Any]
) -> None:
    with pytest.raises(ConfigError, match="differs in data"):
        _opened(begun, **changed)


def test_environments_cannot_be_chosen_from_a_set_that_is_made(begun: Path, tmp_path: Path) -> None:
    _opened(tmp_path / "run", data=str(begun / "data"))
    with pytest.raises(ConfigError, match="says itself which environments") as error:
        _opened(tmp_path / "other", data=str(begun / "data"), environments=(NAME,))
    assert error.value.where == "--env"


@pytest.mark.parametrize(("field", "words"), [("tasks", f"tasks.jsonl of {NAME}"), ("environment_hash", NAME)])
def test_rows_of_other_tasks_than_those_that_score_are_refused(
    begun: Path, tmp_path: Path, field: str, words: str
) -> None:
    for path in (begun / "data").rglob("*.jsonl"):
        kept = tmp_path / "set" / path.relative_to(begun / "data")
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(path.read_bytes())
    manifest = read_json(begun / "data" / "manifest.json")
    manifest["environments"][0][field] = "0" * 64
    write_json(tmp_path / "set" / "manifest.json", manifest)
    with pytest.raises(ConfigError, match=f"was made from another {words}"):
        _opened(tmp_path / "run", data=str(tmp_path / "set"))
