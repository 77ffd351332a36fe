"""The client against a hub on loopback: what goes up, what each failure is called, and that nothing is half there."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from tests.sites.hub import LoopbackHub

from envforge.core.errors import ConfigError, HubError, StoreError
from envforge.core.records.published import ChangelogEntry, PublishedSet
from envforge.publish.hub import Hub, HubCalls, Unfinished, repo_name
from envforge.publish.hub_errors import (
    HubBusyError,
    HubChangedError,
    HubRefusedError,
    HubTokenError,
    HubUnreachableError,
    NameClashError,
    NoSuchSetError,
)
from envforge.store.files import write_json, write_text

REPO = "someone/little-set"
# The package's way without hf_xet asks its HTTP client for something that is to go.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")


def _set(folder: Path, version: str = "1.0.0", **files: str) -> PublishedSet:
    for name, text in {"environments/a/tools.py": "1\n", "README.md": "# a\n", **files}.items():
        write_text(folder / name, text)
    log = (ChangelogEntry(version=version, changes=("It.",)),)
    found = PublishedSet(repo=REPO, version=version, canary="", members=(), changelog=log)
    write_json(folder / "published.json", found.to_json())
    return found


def test_what_is_published_is_known_by_branch_and_tag(loopback_hub: LoopbackHub, tmp_path: Path) -> None:
    hub, found = loopback_hub.client(REPO), _set(tmp_path)
    assert hub.state() is None
    hub.create(private=True)
    assert hub.state() == Unfinished(())
    hub.tag("1.0.0", hub.upload(tmp_path, "1.0.0"))
    assert hub.state() == hub.published_as("1.0.0") == found
    assert hub.published_as("2.0.0") is None
    assert loopback_hub.repositories[REPO].private


def test_only_what_changed_goes_up_and_what_is_gone_goes_away(loopback_hub: LoopbackHub, tmp_path: Path) -> None:
    hub = loopback_hub.client(REPO)
    hub.create(private=False)
    _set(tmp_path, **{"tables/tasks/train.parquet": "a table", "tasks/a/[odd].py": "1"})
    hub.upload(tmp_path, "1.0.0")
    loopback_hub.sent.clear()
    (tmp_path / "tasks/a/[odd].py").unlink()
    _set(tmp_path, "1.0.1", **{"environments/a/tools.py": "2\n"})
    hub.upload(tmp_path, "1.0.1")
    assert sorted(loopback_hub.sent) == ["environments/a/tools.py", "published.json"]
    assert sorted(loopback_hub.main(REPO)) == [
        ".gitattributes", "README.md", "environments/a/tools.py", "published.json", "tables/tasks/train.parquet"
    ]  # fmt: skip


def test_an_upload_that_broke_off_goes_on(loopback_hub: LoopbackHub, tmp_path: Path) -> None:
    hub = loopback_hub.client(REPO)
    hub.create(private=False)
    _set(tmp_path, **{"tables/tasks/train.parquet": "a table"})
    loopback_hub.faults["commit"] = [400]
    with pytest.raises(HubRefusedError):
        hub.upload(tmp_path, "1.0.0")
    assert hub.state() == Unfinished(())
    large = list(loopback_hub.sent)
    assert len(large) == 1
    loopback_hub.faults["commit"] = [0, 400]
    with pytest.raises(HubRefusedError):
        hub.upload(tmp_path, "1.0.0")
    assert hub.state() == Unfinished(("environments/a/tools.py", "tables/tasks/train.parquet"))
    hub.upload(tmp_path, "1.0.0")
    assert sorted(loopback_hub.sent) == sorted([*large, "README.md", "environments/a/tools.py", "published.json"])


@pytest.mark.parametrize(
    ("call", "status", "kind", "told"),
    [
        ("create", 409, NameClashError, "the name is taken"),
        ("create", 403, HubTokenError, "no right"),
        ("create", 401, HubTokenError, "expired"),
        ("create", 400, HubRefusedError, "HTTP 400"),
        ("create", 500, HubBusyError, "HTTP 500"),
        ("create", -1, HubUnreachableError, "could not be reached"),
        ("info", 401, HubTokenError, "expired"),
        ("info", 403, HubTokenError, "no right"),
        ("info", 500, HubBusyError, "HTTP 500"),
        ("info", -1, HubUnreachableError, "could not be reached"),
        ("tree", 502, HubBusyError, "HTTP 502"),
        ("tag", 500, HubBusyError, "HTTP 500"),
        ("put", 403, HubTokenError, "no right"),
        ("commit", 412, HubChangedError, "somebody else"),
    ],
)
def test_every_failure_has_a_type_and_a_remedy(
    loopback_hub: LoopbackHub, tmp_path: Path, call: str, status: int, kind: type[HubError], told: str
) -> None:
    hub = loopback_hub.client(REPO)
    _set(tmp_path, **{"tables/tasks/train.parquet": "a table"})
    if call != "create":
        hub.create(private=False)
    loopback_hub.faults[call] = [status] * 8
    with pytest.raises(HubError, match=told) as failure:
        hub.create(private=False) if call == "create" else hub.state()
        hub.tag("1.0.0", hub.upload(tmp_path, "1.0.0"))
    assert type(failure.value) is kind
    assert failure.value.where == REPO
    assert failure.value.remedy
    assert failure.value.__cause__ is None


def test_a_wrong_token_is_told_and_not_shown(loopback_hub: LoopbackHub) -> None:
    loopback_hub.client(REPO).create(private=False)
    with pytest.raises(HubTokenError) as failure:
        loopback_hub.client(REPO, "hf_expiredexpiredexpiredexpired").state()
    assert "hf_expired" not in str(failure.value)


@pytest.mark.parametrize(
    ("error", "kind", "told"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), StoreError, f"{REPO}: could not be .*No space left"),
        (PermissionError(errno.EACCES, "Permission denied", "/x/y"), StoreError, "/x/y: could not be .*Permission"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"), HubUnreachableError, "could not be reached"),
        (ValueError("Illegal header value b'Bearer some-other-token '"), HubRefusedError, r"Bearer \*\*\*"),
        (RuntimeError("a fault of ours"), RuntimeError, "a fault of ours"),
    ],
)
def test_whose_fault_it_is_is_told(error: Exception, kind: type[Exception], told: str) -> None:
    def fails(**_: object) -> None:
        raise error

    with pytest.raises(Exception, match=told) as failure:
        Hub(REPO, HubCalls(fails, fails, fails, fails)).create(private=True)
    assert type(failure.value) is kind


def test_no_network_is_told_though_a_copy_is_near(loopback_hub: LoopbackHub, tmp_path: Path) -> None:
    hub = loopback_hub.client(REPO)
    hub.create(private=False)
    _set(tmp_path / "set")
    hub.tag("1.0.0", hub.upload(tmp_path / "set", "1.0.0"))
    hub.download("1.0.0", ["*"], tmp_path / "got")
    loopback_hub.faults["info"] = [-1] * 8
    with pytest.raises(HubUnreachableError):
        hub.download("1.0.0", ["*"], tmp_path / "got")


def test_a_name_that_is_taken_twice(loopback_hub: LoopbackHub) -> None:
    hub = loopback_hub.client(REPO)
    hub.create(private=False)
    with pytest.raises(NameClashError, match="the name is taken"):
        hub.create(private=False)
    main = loopback_hub.repositories[REPO].names["main"]
    hub.tag("1.0.0", main)
    with pytest.raises(NameClashError):
        hub.tag("1.0.0", main)


def test_what_is_not_there_is_told(loopback_hub: LoopbackHub, tmp_path: Path) -> None:
    with pytest.raises(NoSuchSetError, match="no such dataset"):
        loopback_hub.client(REPO).download("main", ["*"], tmp_path)
    loopback_hub.client(REPO).create(private=False)
    with pytest.raises(NoSuchSetError, match="no such revision"):
        loopback_hub.client(REPO).download("9.9.9", ["*"], tmp_path)


@pytest.mark.parametrize("name", ["", "name", "a/b/c", "a/..", "a/b--c", "a/b.git", "-a/b", "a/ b", "a/b@1"])
def test_names_that_the_hub_does_not_take(name: str) -> None:
    with pytest.raises(ConfigError, match="OWNER/NAME"):
        repo_name(name)
