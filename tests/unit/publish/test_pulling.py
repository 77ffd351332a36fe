"""What comes from the Hub is taken only if every byte is what was published, and fits its certificates."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.sites.hub import LoopbackHub

from envforge.core.contracts import Progress
from envforge.core.errors import ConfigError, EnvforgeError, StoreError
from envforge.core.ids import sha256_bytes
from envforge.core.records.published import ChangelogEntry, PublishedSet
from envforge.publish.hub_errors import HubUnreachableError, NoSuchSetError
from envforge.publish.layout import content_hashes, content_paths, members_of
from envforge.publish.pulling import pull
from envforge.publish.reading import read_environment
from envforge.store.files import write_bytes, write_json
from envforge.store.workspace import Workspace

REPO = "someone/little-set"
Tree = Callable[[Path], dict[str, bytes]]
Files = dict[str, bytes]


def silent(label: str, done: int, total: int | None) -> None:
    """Nobody looks."""


quiet: Progress = silent


@pytest.fixture(scope="module")
def files(small_set: Path) -> Files:
    """A published set as it lies on the Hub, without what is derived."""
    one = read_environment(small_set / "environments" / "web-browsers", small_set / "tasks" / "web-browsers", "train")
    found = PublishedSet(
        repo=REPO,
        version="1.0.0",
        canary="",
        members=members_of([one]),
        changelog=(ChangelogEntry(version="1.0.0", changes=()),),
        files=content_hashes([one]),
    )
    content = {path: file.read_bytes() for path, file in content_paths(one)}
    return {**content, "published.json": json.dumps(found.to_json()).encode()}


def _put(hub: LoopbackHub, files: Files, version: str = "1.0.0") -> None:
    if REPO not in hub.repositories:
        hub.client(REPO).create(private=False)
    repository = hub.repositories[REPO]
    repository.names[version] = repository.add("main", files)


def test_the_last_version_comes_with_equal_bytes(
    loopback_hub: LoopbackHub, files: Files, tmp_path: Path, tree: Tree, small_set: Path
) -> None:
    _put(loopback_hub, files)
    pulled = pull(loopback_hub.client(REPO), None, Workspace(tmp_path), quiet)
    assert (pulled.placed, pulled.present, pulled.revision) == (("web-browsers",), (), "1.0.0")
    for kind in ("environments", "tasks"):
        assert tree(tmp_path / kind) == tree(small_set / kind)
    assert not list((tmp_path / "runs" / "pulled").iterdir())
    again = pull(loopback_hub.client(REPO), "main", Workspace(tmp_path), quiet)
    assert (again.placed, again.present) == ((), ("web-browsers",))


def test_a_version_that_is_on_its_way_is_not_taken(loopback_hub: LoopbackHub, files: Files, tmp_path: Path) -> None:
    """Files of the next version are on the branch already; what the branch says of itself is of the last one."""
    _put(loopback_hub, files)
    loopback_hub.repositories[REPO].add("main", {**files, "environments/web-browsers/tools.py": b"later"})
    assert pull(loopback_hub.client(REPO), None, Workspace(tmp_path), quiet).revision == "1.0.0"


def test_without_its_tag_a_version_is_not_there_yet(loopback_hub: LoopbackHub, files: Files, tmp_path: Path) -> None:
    _put(loopback_hub, files)
    del loopback_hub.repositories[REPO].names["1.0.0"]
    with pytest.raises(NoSuchSetError, match="no tag yet"):
        pull(loopback_hub.client(REPO), None, Workspace(tmp_path), quiet)


def _changed(files: Files) -> Files:
    return {**files, "tasks/web-browsers/tasks.jsonl": files["tasks/web-browsers/tasks.jsonl"] + b"\n"}


def _missing(files: Files) -> Files:
    return {path: data for path, data in files.items() if not path.endswith("schema.sql")}


def _more(files: Files) -> Files:
    return {**files, "environments/web-browsers/extra.py": b"import os\n"}


def _outside(files: Files) -> Files:
    return _stated(files, {"environments/../../evil.py": "0" * 64})


def _named_outside(files: Files) -> Files:
    return _stated(files, {}, id="../../../../environments/web-browsers")


def _consistent(files: Files) -> Files:
    """Changed together with its hash in published.json: its own certificate does not know it."""
    path = "environments/web-browsers/tools.py"
    return _stated({**files, path: b"# nothing\n"}, {path: sha256_bytes(b"# nothing\n")})


def _retold(files: Files) -> Files:
    return _stated(files, {}, environment_hash="f" * 64)


def _fewer(files: Files) -> Files:
    return _stated(files, {}, tasks=7)


def _later(files: Files) -> Files:
    return {**files, "published.json": b'{"format": 2, "unknown": true}'}


def _stated(files: Files, hashes: dict[str, str], **member: Any) -> Files:
    value = json.loads(files["published.json"])
    value["files"].update(hashes)
    value["members"][0].update(member)
    return {**files, "published.json": json.dumps(value).encode()}


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (_changed, r"tasks/web-browsers/tasks\.jsonl: has not the bytes"),
        (_missing, r"environments/web-browsers/schema\.sql: is missing"),
        (_more, r"extra\.py: is not in published\.json"),
        (_outside, "names a file outside"),
        (_named_outside, r"is not a valid published: members\.0\.id"),
        (_consistent, r"environment\.json: is not for the files"),
        (_retold, r"environment\.json: is not for the files"),
        (_fewer, "as many tasks"),
        (_later, "of a later envforge"),
    ],
)
def test_what_is_not_what_was_published_is_refused(
    loopback_hub: LoopbackHub, files: Files, tmp_path: Path, spoil: Callable[[Files], Files], told: str
) -> None:
    _put(loopback_hub, spoil(files))
    with pytest.raises(StoreError, match=told):
        pull(loopback_hub.client(REPO), "1.0.0", Workspace(tmp_path), quiet)
    assert not (tmp_path / "environments").exists()
    assert not (tmp_path / "tasks").exists()
    assert not list((tmp_path / "runs" / "pulled").iterdir())


def test_what_a_branch_has_no_more_is_in_the_way_once(loopback_hub: LoopbackHub, files: Files, tmp_path: Path) -> None:
    """It came with a download that broke off."""
    _put(loopback_hub, files)
    rest = tmp_path / "runs" / "pulled" / "someone--little-set@main" / "environments" / "web-browsers" / "data"
    write_bytes(rest / "old.csv", b"id\n")
    with pytest.raises(StoreError, match=r"old\.csv: is not in published\.json"):
        pull(loopback_hub.client(REPO), "main", Workspace(tmp_path), quiet)
    assert pull(loopback_hub.client(REPO), "main", Workspace(tmp_path), quiet).placed == ("web-browsers",)


def test_what_the_workspace_holds_is_never_overwritten(loopback_hub: LoopbackHub, files: Files, tmp_path: Path) -> None:
    _put(loopback_hub, files)
    mine = tmp_path / "environments" / "web-browsers" / "tools.py"
    write_bytes(mine, b"# mine\n")
    with pytest.raises(ConfigError, match="holds another web-browsers") as failure:
        pull(loopback_hub.client(REPO), None, Workspace(tmp_path), quiet)
    assert "--workspace" in failure.value.remedy
    assert mine.read_bytes() == b"# mine\n"
    assert not (tmp_path / "tasks").exists()


def test_what_is_there_in_part_is_completed(
    loopback_hub: LoopbackHub, files: Files, tmp_path: Path, small_set: Path, tree: Tree
) -> None:
    """As after an end between tasks and environment. What somebody measured on the tasks meanwhile stays."""
    _put(loopback_hub, files)
    shutil.copytree(small_set / "tasks", tmp_path / "tasks")
    mine = tmp_path / "tasks" / "web-browsers" / "measured.jsonl"
    write_bytes(mine, b"{}\n")
    assert pull(loopback_hub.client(REPO), None, Workspace(tmp_path), quiet).placed == ("web-browsers",)
    assert mine.read_bytes() == b"{}\n"
    assert tree(tmp_path / "environments") == tree(small_set / "environments")


def test_a_download_that_broke_off_goes_on(loopback_hub: LoopbackHub, files: Files, tmp_path: Path) -> None:
    _put(loopback_hub, files)
    client = loopback_hub.client(REPO)
    # Each file is asked for by HEAD and GET: some of them come, then nothing does.
    loopback_hub.faults["file"] = [0] * 60 + [-1] * 400
    with pytest.raises(EnvforgeError) as failure:
        pull(client, "1.0.0", Workspace(tmp_path), quiet)
    assert type(failure.value) is HubUnreachableError
    first = set(loopback_hub.got)
    assert first
    assert not (tmp_path / "environments").exists()
    loopback_hub.faults.clear()
    loopback_hub.got.clear()
    pull(client, "1.0.0", Workspace(tmp_path), quiet)
    assert len(loopback_hub.got) < len(files)


def test_a_dataset_of_somebody_else_is_no_set(loopback_hub: LoopbackHub, tmp_path: Path) -> None:
    _put(loopback_hub, {"data.csv": b"1"})
    for revision in (None, "main"):
        with pytest.raises(NoSuchSetError):
            pull(loopback_hub.client(REPO), revision, Workspace(tmp_path), quiet)


def test_a_file_that_is_no_manifest_is_told(loopback_hub: LoopbackHub, tmp_path: Path) -> None:
    write_json(tmp_path / "published.json", {"repo": "a/b"})
    _put(loopback_hub, {"published.json": (tmp_path / "published.json").read_bytes()})
    with pytest.raises(StoreError, match="is not a valid published"):
        pull(loopback_hub.client(REPO), None, Workspace(tmp_path), quiet)
