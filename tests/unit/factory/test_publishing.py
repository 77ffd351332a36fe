"""`envforge publish`, whole, against a hub on loopback: versions, what goes up, what is refused, what broke off."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.conftest import write_few_tasks
from tests.sites.hub import LoopbackHub

from envforge.core.errors import ConfigError, HubError, StoreError
from envforge.core.records.trajectory import Trajectory
from envforge.factory import publishing
from envforge.factory.publishing import PublishConfig, PublishReport, publish
from envforge.publish.hub_errors import NameClashError
from envforge.publish.published import Published
from envforge.publish.refusal import Refusal
from envforge.store.files import write_jsonl, write_text
from envforge.store.tasks import TaskSet, read_set_certificate, read_tasks, write_tasks
from envforge.store.workspace import Workspace

REPO = "someone/little-set"
NAME = "web-browsers"
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")


@pytest.fixture
def workspace(small_set: Path, tmp_path: Path) -> Workspace:
    for kind in ("environments", "tasks"):
        shutil.copytree(small_set / kind, tmp_path / "here" / kind)
    return Workspace(tmp_path / "here")


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    """Card and refusals have tests of their own, and take half of the time."""

    def write_card(folder: Path, published: Published) -> None:
        write_text(folder / "README.md", f"# {published.repo} {published.version}\n")

    def refusals_of(*_: object) -> tuple[Refusal, ...]:
        return ()

    monkeypatch.setattr(publishing, "write_card", write_card)
    monkeypatch.setattr(publishing, "refusals_of", refusals_of)


def silent(label: str, done: int, total: int | None) -> None:
    """Nobody looks."""


def _publish(
    workspace: Workspace,
    hub: LoopbackHub,
    revision: str | None = None,
    *,
    dry_run: bool = False,
    trajectories: tuple[Path, ...] = (),
) -> PublishReport:
    hub.sent.clear()
    config = PublishConfig((NAME,), REPO, revision=revision, dry_run=dry_run, trajectories=trajectories)
    return publish(workspace, config, hub.client(REPO), silent)


def _reword(workspace: Workspace) -> None:
    folder = workspace.tasks / NAME
    found = read_tasks(folder)
    first = found.tasks[0].model_copy(update={"instruction": f"{found.tasks[0].instruction} Thank you."})
    certificate = read_set_certificate(folder)
    tasks = TaskSet((first, *found.tasks[1:]), found.programs, found.verifiers)
    write_tasks(folder, tasks, [], certificate)


@pytest.mark.usefixtures("light")
def test_a_changed_task_is_all_that_goes_up_again(loopback_hub: LoopbackHub, workspace: Workspace) -> None:
    first = _publish(workspace, loopback_hub)
    assert (first.uploaded, first.published and first.published.version) == (True, "1.0.0")
    assert _publish(workspace, loopback_hub).unchanged
    assert loopback_hub.sent == []
    _reword(workspace)
    second = _publish(workspace, loopback_hub)
    assert second.published
    assert second.published.changelog[0].changes == ("web-browsers: tasks changed (6 as before).",)
    assert second.published.version == "1.1.0"
    assert loopback_hub.tags(REPO) == ["1.0.0", "1.1.0"]
    sent = {path for path in loopback_hub.sent if "/" in path and not path.startswith("images/")}
    assert sent == {"tasks/web-browsers/tasks.jsonl", "tasks/web-browsers/certificate.json", "nemo/train.jsonl"}
    # Large files go up under their hash; of tables only that of the tasks has another one.
    large = [path for path in second.changed if path.endswith(".parquet")]
    assert large == ["tables/tasks/train.parquet"]
    assert second.removed == ("tasks/web-browsers/graph.json",)
    assert "tasks/web-browsers/graph.json" not in loopback_hub.main(REPO)
    with pytest.raises(ConfigError, match=r"would not be above 1\.1\.0"):
        _reword(workspace)
        _publish(workspace, loopback_hub, "1.0.5")


@pytest.mark.usefixtures("light")
def test_what_broke_off_goes_on_and_nothing_is_half_published(loopback_hub: LoopbackHub, workspace: Workspace) -> None:
    for name, statuses in (("commit", [400]), ("commit", [0, 400]), ("tag", [400])):
        loopback_hub.faults[name] = statuses
        with pytest.raises(HubError):
            _publish(workspace, loopback_hub)
        assert loopback_hub.tags(REPO) == []
    last = _publish(workspace, loopback_hub)
    assert loopback_hub.sent == []
    assert (last.uploaded, loopback_hub.tags(REPO)) == (True, ["1.0.0"])


@pytest.mark.usefixtures("light")
def test_a_repository_of_somebody_else_is_left_alone(loopback_hub: LoopbackHub, workspace: Workspace) -> None:
    loopback_hub.client(REPO).create(private=False)
    loopback_hub.repositories[REPO].add("main", {"theirs.csv": b"1"})
    with pytest.raises(NameClashError, match=r"it holds theirs\.csv"):
        _publish(workspace, loopback_hub)
    assert loopback_hub.main(REPO) == {"theirs.csv": b"1"}


@pytest.mark.usefixtures("light")
def test_a_tag_that_is_taken_is_left_alone(loopback_hub: LoopbackHub, workspace: Workspace) -> None:
    hub = loopback_hub.client(REPO)
    _publish(workspace, loopback_hub)
    hub.tag("3.0.0", loopback_hub.repositories[REPO].names["1.0.0"])
    _reword(workspace)
    with pytest.raises(NameClashError, match=r"3\.0\.0 is there already"):
        _publish(workspace, loopback_hub, "3.0.0")


def test_what_is_refused_does_not_go_up(loopback_hub: LoopbackHub, workspace: Workspace) -> None:
    write_text(workspace.environments / NAME / "tools.py", "# changed by hand\n")
    report = _publish(workspace, loopback_hub)
    assert report.refusals
    assert (report.folder, report.uploaded) == (None, False)
    assert loopback_hub.repositories == {}
    assert _publish(workspace, loopback_hub, dry_run=True).refusals == report.refusals
    assert loopback_hub.repositories == {}


@pytest.mark.usefixtures("light")
def test_a_dry_run_needs_no_hub(loopback_hub: LoopbackHub, workspace: Workspace) -> None:
    loopback_hub.faults["info"] = [-1] * 8
    report = _publish(workspace, loopback_hub, dry_run=True)
    assert "could not be asked" in report.note
    assert report.folder
    assert (report.folder / "README.md").is_file()
    assert (report.uploaded, loopback_hub.repositories) == (False, {})


@pytest.mark.usefixtures("light")
def test_episodes_are_published_with_their_tasks_only(
    loopback_hub: LoopbackHub, workspace: Workspace, tmp_path: Path
) -> None:
    task = read_tasks(workspace.tasks / NAME).tasks[0]
    episode = Trajectory(
        task_id=task.id, environment_hash=task.environment_hash, agent="tester", seed=0, turns=(), ending="gave_up",
        status="completed",
    )  # fmt: skip
    path = tmp_path / "trajectories.jsonl"
    write_jsonl(path, [episode.to_json()])
    report = _publish(workspace, loopback_hub, dry_run=True, trajectories=(path,))
    assert "tables/trajectories/train.parquet" in report.added
    write_jsonl(path, [episode.model_copy(update={"task_id": "task-of-before"}).to_json()])
    with pytest.raises(StoreError, match="task-of-before"):
        _publish(workspace, loopback_hub, dry_run=True, trajectories=(path,))
    write_jsonl(path, [episode.model_copy(update={"environment_hash": "0" * 64}).to_json()])
    with pytest.raises(ConfigError, match="of no environment of this set"):
        _publish(workspace, loopback_hub, dry_run=True, trajectories=(path,))


@pytest.mark.usefixtures("light")
def test_a_folder_that_has_not_the_name_of_its_environment_is_told(
    loopback_hub: LoopbackHub, workspace: Workspace
) -> None:
    """Both would be written to one place."""
    shutil.copytree(workspace.environments / NAME, workspace.environments / "copy")
    with pytest.raises(ConfigError, match=r"environments/copy: is called copy and holds web-browsers"):
        publish(workspace, PublishConfig((NAME, "copy"), REPO), loopback_hub.client(REPO), silent)
    assert loopback_hub.repositories == {}


def test_two_folders_with_one_id_are_told(loopback_hub: LoopbackHub, workspace: Workspace, small_set: Path) -> None:
    names = (NAME, str(small_set / "environments" / NAME))
    with pytest.raises(ConfigError, match="two environments have the id web-browsers"):
        publish(workspace, PublishConfig(names, REPO), loopback_hub.client(REPO), silent)
    write_few_tasks(small_set / "tasks" / NAME, workspace.tasks / NAME, 3)
    assert json.loads((workspace.tasks / NAME / "certificate.json").read_text())["environment_id"] == NAME
