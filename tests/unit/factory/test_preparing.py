"""Training sets from what ships: the same bytes, on whatever way they come about."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.sites.hub import LoopbackHub

from envforge.core.errors import ConfigError, SandboxError, StoreError
from envforge.core.records.published import ChangelogEntry, PublishedSet
from envforge.core.records.training import Split
from envforge.factory.prepare_config import PrepareConfig
from envforge.factory.preparing import prepare
from envforge.factory.training_data import pulled
from envforge.publish.hub import Hub
from envforge.publish.layout import content_hashes, content_paths, members_of
from envforge.publish.reading import read_environment
from envforge.store.files import write_bytes, write_json
from envforge.train.data.demonstrations import Demonstration, Stage
from envforge.train.data.folder import read_training_set

ROOT = Path(__file__).parents[3]
Tree = Callable[[Path], dict[str, bytes]]


def _silent(label: str, done: int, total: int | None) -> None:
    del label, done, total


def _config(out: Path, **changed: Any) -> PrepareConfig:
    known: dict[str, Any] = {"workspace": ROOT, "environments": ("web-browsers",), "levels": (1, 2), "count": 3}
    return PrepareConfig(out=out, **{**known, **changed})


def test_the_held_out_family_is_whole_and_apart(tmp_path: Path) -> None:
    both: dict[str, Any] = {"environments": ("airline-booking", "web-browsers")}
    report = prepare(_config(tmp_path / "set", holdout_families=("airline-booking",), **both), _silent)
    assert report.manifest.rows == {"train": 3, "heldout_seed": 0, "heldout_family": 29}
    assert [sum(levels.values()) for levels in report.manifest.balance.values()] == [3]
    opened = read_training_set(tmp_path / "set")
    assert {row.family.split("-")[0] for row in opened.rows("heldout_family")} == {"airline"}
    assert not opened.examples() and not opened.manifest.examples


def test_what_was_interrupted_goes_on_and_comes_to_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tree: Tree
) -> None:
    whole = prepare(_config(tmp_path / "whole", sft=("gold",)), _silent)
    assert whole.manifest.examples == {"gold": 3}
    played: list[Demonstration] = []
    play = Stage.play

    def dies(stage: Stage, given: Demonstration) -> Any:
        if len(played) == 2:
            raise SandboxError("the worker died")
        played.append(given)
        return play(stage, given)

    with monkeypatch.context() as patched:
        patched.setattr(Stage, "play", dies)
        with pytest.raises(SandboxError):
            prepare(_config(tmp_path / "set", sft=("gold",)), _silent)
    assert not (tmp_path / "set").exists()
    again = prepare(_config(tmp_path / "set", sft=("gold",)), _silent)
    assert again.found == 2
    assert tree(tmp_path / "set") == tree(tmp_path / "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["set", "whole"]


def test_a_log_that_cannot_be_read_is_not_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / ".set.examples.jsonl").write_text('{"key": "k", "example": {"agent": "gold"}}\n')
    with pytest.raises(StoreError, match=r"line 1 is no example.*delete the file"):
        prepare(_config(tmp_path / "set", sft=("gold",)), _silent)


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"data": "nowhere"}, "holds no environments/ and tasks/"),
        ({"data": "hf:somebody/things"}, "names no revision"),
        ({"environments": ("atlantis",)}, "no environment 'atlantis'"),
        ({"levels": (5,)}, "no task of an environment"),
        ({"holdout_families": ("web-browsers",)}, "nothing to train on"),
        ({"holdout_seeds": (0,)}, "no database of"),
        ({"sft": ("rollout",), "runs": (Path("nowhere"),)}, "there are no trajectories"),
        ({"sft": ("rollout",), "workspace": Path("nowhere"), "data": str(ROOT)}, "no run with trajectories"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(tmp_path: Path, changed: dict[str, Any], word: str) -> None:
    with pytest.raises((ConfigError, StoreError), match=word):
        prepare(_config(tmp_path / "set", **changed), _silent)
    assert not list(tmp_path.iterdir())


def test_options_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--sft rollouts"):
        _config(tmp_path, runs=(tmp_path,))
    with pytest.raises(ConfigError, match="twice"):
        _config(tmp_path, environments=("notion", "notion"))


@pytest.mark.parametrize(("name", "word"), [("environments", "not what its hash says"), ("tasks", "is not as in")])
def test_data_that_was_changed_is_refused(tmp_path: Path, name: str, word: str) -> None:
    for kind in ("environments", "tasks"):
        shutil.copytree(ROOT / kind / "web-browsers", tmp_path / "data" / kind / "web-browsers")
    changed = {"environments": "tools.py", "tasks": "rejected.jsonl"}[name]
    path = tmp_path / "data" / name / "web-browsers" / changed
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(StoreError, match=word):
        prepare(_config(tmp_path / "set", data=str(tmp_path / "data"), environments=()), _silent)


def _published(folder: Path, split: Split = "train") -> None:
    """A set as it is uploaded, without what is made for people and other programs."""
    name = "web-browsers"
    member = read_environment(ROOT / "environments" / name, ROOT / "tasks" / name, split)
    for path, file in content_paths(member):
        write_bytes(folder / path, file.read_bytes())
    log = (ChangelogEntry(version="1.0.0", changes=("It.",)),)
    told: dict[str, Any] = {"repo": "someone/set", "version": "1.0.0", "canary": "", "changelog": log}
    found = PublishedSet(members=members_of([member]), files=content_hashes([member]), **told)
    write_json(folder / "published.json", found.to_json())


@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
def test_a_published_set_makes_the_rows_of_the_one_that_was_published(
    tmp_path: Path, tree: Tree, loopback_hub: LoopbackHub
) -> None:
    hub = loopback_hub.client("someone/set")
    hub.create(private=False)
    _published(tmp_path / "upload")
    hub.tag("1.0.0", hub.upload(tmp_path / "upload", "1.0.0"))
    prepare(_config(tmp_path / "ours"), _silent)
    asked: list[str] = []

    def client(repo: str) -> Hub:
        asked.append(repo)
        return loopback_hub.client(repo)

    config = _config(tmp_path / "theirs", workspace=tmp_path / "work", data="hf:someone/set@1.0.0", environments=())

    def pull(source: str, workspace: Path) -> Path:
        return pulled(source, workspace, client)

    prepare(config, _silent, pull)
    report = prepare(config, _silent, pull)  # nothing is fetched again
    assert asked == ["someone/set"] and report.manifest.data == "hf:someone/set@1.0.0"
    ours, theirs = tree(tmp_path / "ours"), tree(tmp_path / "theirs")
    assert ours.pop("manifest.json") != theirs.pop("manifest.json")
    assert ours == theirs


@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
def test_what_a_published_set_holds_out_is_not_trained_on(tmp_path: Path, loopback_hub: LoopbackHub) -> None:
    hub = loopback_hub.client("someone/set")
    hub.create(private=False)
    _published(tmp_path / "upload", "heldout_family")
    hub.tag("1.0.0", hub.upload(tmp_path / "upload", "1.0.0"))
    config = _config(tmp_path / "set", workspace=tmp_path / "work", data="hf:someone/set@1.0.0", environments=())
    with pytest.raises(ConfigError, match="every environment is held out"):
        prepare(config, _silent, lambda source, workspace: pulled(source, workspace, loopback_hub.client))


def test_a_folder_of_data_makes_the_rows_of_a_workspace(tmp_path: Path, tree: Tree) -> None:
    prepare(_config(tmp_path / "one"), _silent)
    prepare(_config(tmp_path / "two", data=str(ROOT)), _silent)
    one, two = tree(tmp_path / "one"), tree(tmp_path / "two")
    assert one.pop("manifest.json") != two.pop("manifest.json")  # where it is from
    assert one == two
