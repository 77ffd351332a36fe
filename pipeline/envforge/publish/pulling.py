"""Brings a published set back: fetched, compared with its hashes, and only then put into a workspace."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from envforge.core.contracts import Progress
from envforge.core.errors import ConfigError, StoreError
from envforge.core.records.published import PublishedMember, PublishedSet
from envforge.publish.hub import BRANCH, Hub, read_published
from envforge.publish.hub_errors import NoSuchSetError
from envforge.publish.layout import MANIFEST, sha256_of
from envforge.publish.verifying import verify_member
from envforge.store.files import staged_folder
from envforge.store.workspace import Workspace

_CONTENT = ("environments", "tasks")
_REMEDY = "it is not what was published: pull again, or another revision; if it stays, tell who published it"


@dataclass(frozen=True)
class Pulled:
    """What came into the workspace."""

    published: PublishedSet
    revision: str
    placed: tuple[str, ...]
    """Ids of environments that are new in the workspace."""
    present: tuple[str, ...]
    """Ids that were there with the same bytes."""


def pull(hub: Hub, revision: str | None, workspace: Workspace, progress: Progress) -> Pulled:
    """Fetch a set, verify it and put its environments and tasks into the workspace; the last version without a name.

    What is in the workspace under one of its ids with other bytes is refused before anything is placed. An
    interrupted download goes on when it is called again. Raises HubError, ConfigError, StoreError.
    """
    chosen = revision or _last_version(hub)
    folder = workspace.runs / "pulled" / f"{hub.repo.replace('/', '--')}@{chosen.replace('/', '--')}"
    progress(f"pull {hub.repo}@{chosen}", 0, None)
    hub.download(chosen, [MANIFEST, *(f"{name}/*" for name in _CONTENT)], folder)
    if not (folder / MANIFEST).is_file():
        shutil.rmtree(folder, ignore_errors=True)
        raise NoSuchSetError(f"holds no {MANIFEST}: envforge did not publish it", where=f"{hub.repo}@{chosen}")
    try:
        published = _verified(folder, f"{hub.repo}@{chosen}", progress)
    except StoreError:
        # What is not trusted does not stay; and what a branch has no more would be in the way of it for ever.
        shutil.rmtree(folder, ignore_errors=True)
        raise
    held = {member.id: _present(workspace, folder, member) for member in published.members}
    for name in (name for name, there in held.items() if not there):
        _place(workspace, folder, name)
    shutil.rmtree(folder, ignore_errors=True)
    placed = tuple(name for name, there in held.items() if not there)
    return Pulled(published, chosen, placed, tuple(name for name, there in held.items() if there))


def _verified(folder: Path, where: str, progress: Progress) -> PublishedSet:
    published = read_published(folder / MANIFEST, where)
    verify_files(folder, published)
    for number, member in enumerate(published.members):
        progress(f"verify {member.id}", number, len(published.members))
        verify_member(folder, member)
    return published


def _last_version(hub: Hub) -> str:
    """By what the branch says of itself, which is uploaded last; its files may be those of a version to come."""
    state = hub.state()
    if not isinstance(state, PublishedSet):
        remedy = "check the name; what is private needs HF_TOKEN in the environment"
        raise NoSuchSetError("there is no published set of that name", where=hub.repo, remedy=remedy)
    if hub.published_as(state.version) is None:
        remedy = f"pull again later, or what the branch holds: {hub.repo}@{BRANCH}"
        raise NoSuchSetError(f"version {state.version} has no tag yet", where=hub.repo, remedy=remedy)
    return state.version


def verify_files(folder: Path, published: PublishedSet) -> None:
    """Compare environments and tasks with the hashes in published.json: none missing, none more, none changed.

    Raises StoreError naming the file.
    """
    ids = {member.id for member in published.members}
    known = {path: sha256 for path, sha256 in published.files.items() if path.split("/")[0] in _CONTENT}
    for path in known:
        parts = PurePosixPath(path).parts
        if ".." in parts or "\\" in path or len(parts) < 3 or parts[1] not in ids:
            raise StoreError(f"names a file outside its environments: {path!r}", where=MANIFEST, remedy=_REMEDY)
    found = dict(_found(folder))
    for path in sorted({*known, *found}):
        if path not in found:
            raise StoreError("is missing", where=path, remedy=_REMEDY)
        if path not in known:
            raise StoreError(f"is not in {MANIFEST}", where=path, remedy=_REMEDY)
        if sha256_of(found[path]) != known[path]:
            raise StoreError(f"has not the bytes that {MANIFEST} tells", where=path, remedy=_REMEDY)


def _found(folder: Path) -> Iterator[tuple[str, Path]]:
    for name in _CONTENT:
        for path in sorted((folder / name).rglob("*")):
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                raise StoreError("is no regular file", where=path.relative_to(folder).as_posix(), remedy=_REMEDY)
            if path.is_file():
                yield path.relative_to(folder).as_posix(), path


def _present(workspace: Workspace, folder: Path, member: PublishedMember) -> bool:
    """Whether the workspace holds this environment and its tasks to the byte. Raises ConfigError if it holds others."""
    complete = True
    for kind in _CONTENT:
        ours, theirs = workspace.root / kind / member.id, folder / kind / member.id
        if not ours.exists():
            complete = complete and not theirs.exists()
        elif differing := _differing(ours, theirs):
            remedy = "pull into another folder with --workspace, or move yours away"
            what = f"the workspace holds another {member.id} ({differing} differs)"
            raise ConfigError(what, where=str(ours), remedy=remedy)
    return complete


def _differing(ours: Path, theirs: Path) -> str:
    """The first file that is not the same in both; nothing where all are. What is only ours is beside the matter."""
    for path in sorted(theirs.rglob("*")):
        held = ours / path.relative_to(theirs)
        if path.is_file() and (not held.is_file() or held.read_bytes() != path.read_bytes()):
            return path.relative_to(theirs).as_posix()
    return ""


def _place(workspace: Workspace, folder: Path, name: str) -> None:
    for kind in reversed(_CONTENT):  # Tasks first: an environment that is there is there with its tasks.
        source = folder / kind / name
        target = workspace.root / kind / name
        if source.is_dir() and not target.exists():  # One that is there has these bytes, and maybe more of its own.
            with staged_folder(target) as scratch:
                shutil.copytree(source, scratch, dirs_exist_ok=True)
