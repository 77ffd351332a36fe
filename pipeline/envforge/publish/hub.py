"""The Hub, through four calls of `huggingface_hub` that its versions 1.33 to 2.x share."""

from __future__ import annotations

import importlib
import importlib.util
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from envforge.core.errors import ConfigError, StoreError
from envforge.core.records.published import PublishedSet
from envforge.publish.hub_errors import NoSuchSetError, is_theirs, typed
from envforge.publish.layout import CARD, HEADS, MANIFEST
from envforge.store.files import read_json
from envforge.store.schemas import validate

PACKAGE = "huggingface_hub"
BRANCH = "main"
_REPO = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_OF_THE_HUB = (".gitattributes", CARD)
"""What may lie in a repository in which there is nothing yet."""


@dataclass(frozen=True)
class Unfinished:
    """A repository in which no set was published yet."""

    files: tuple[str, ...]


@dataclass(frozen=True)
class HubCalls:
    """The functions of the package that are used; a test hands in its own."""

    create_repo: Callable[..., Any]
    upload_folder: Callable[..., Any]
    create_tag: Callable[..., Any]
    snapshot_download: Callable[..., Any]


def hub_calls() -> HubCalls:
    """Those of the installed package. Raises ConfigError where there is none."""
    if importlib.util.find_spec(PACKAGE) is None:
        remedy = "pip install 'envforge[hub]'"
        raise ConfigError(f"publishing and pulling need the package {PACKAGE}", remedy=remedy)
    hub: Any = importlib.import_module(PACKAGE)
    utils: Any = importlib.import_module(f"{PACKAGE}.utils")
    utils.disable_progress_bars()
    # Its warnings are about how large a folder is, or that nothing changed; both are told here.
    utils.logging.set_verbosity_error()
    return HubCalls(hub.create_repo, hub.upload_folder, hub.create_tag, hub.snapshot_download)


def repo_name(name: str, where: str = "--repo") -> str:
    """OWNER/NAME. Raises ConfigError for what the Hub would not take."""
    if _REPO.fullmatch(name) is None or "--" in name or ".." in name or name.endswith((".git", ".", "-")):
        remedy = "write OWNER/NAME: letters, digits, '.', '_' and '-', but neither '--' nor '..'"
        raise ConfigError(f"{name!r} is no name of a dataset on the Hub", where=where, remedy=remedy)
    return name


class Hub:
    """One dataset on the Hub. Every method raises a HubError with what went wrong and what helps."""

    def __init__(self, repo: str, calls: HubCalls) -> None:
        self.repo = repo
        self._calls = calls

    def state(self) -> PublishedSet | Unfinished | None:
        """What was published last; what lies there instead, if envforge never finished there; None: no repository."""
        try:
            found = self._manifest(BRANCH)
            return found or Unfinished(tuple(self._listed(ignore_patterns=list(_OF_THE_HUB))))
        except NoSuchSetError:
            return None

    def published_as(self, revision: str) -> PublishedSet | None:
        """What stands under a tag, branch or commit; None where there is no such revision or no set."""
        try:
            return self._manifest(revision)
        except NoSuchSetError:
            return None

    def create(self, *, private: bool) -> None:
        """A new dataset. Raises NameClashError where there is one by now."""
        self._done("create_repo", repo_id=self.repo, repo_type="dataset", private=private, exist_ok=False)

    def upload(self, folder: Path, version: str) -> str:
        """Upload what changed, then what tells of it, and take away what is no part of the set any more.

        Large sets go up in several commits. A reader goes by the tag, and that comes last of all. Says the commit.
        """
        self._uploaded(folder, f"Files of {version}", ignore_patterns=list(HEADS))
        return self._uploaded(folder, f"Version {version}", delete_patterns=["*"])

    def tag(self, version: str, commit: str) -> None:
        """Name a commit. Raises NameClashError where the name is taken."""
        message = f"Version {version}"
        self._done(
            "create_tag", repo_id=self.repo, repo_type="dataset", tag=version, revision=commit, tag_message=message
        )

    def download(self, revision: str, patterns: list[str], folder: Path) -> None:
        """Fetch the files that `patterns` select into `folder`; what an earlier call brought is not fetched again."""
        # Asked for first: with files in the folder, the package would take them for the answer when it gets none.
        self._listed(revision=revision, allow_patterns=[MANIFEST])
        self._fetched(revision=revision, allow_patterns=patterns, local_dir=folder)

    def _manifest(self, revision: str) -> PublishedSet | None:
        if not self._listed(revision=revision, allow_patterns=[MANIFEST]):
            return None
        with tempfile.TemporaryDirectory(prefix="envforge-hub-") as scratch:
            self._fetched(revision=revision, allow_patterns=[MANIFEST], local_dir=scratch)
            return read_published(Path(scratch) / MANIFEST, f"{self.repo}@{revision}")

    def _listed(self, **options: Any) -> list[str]:
        files: list[Any] = self._fetched(dry_run=True, **options)
        return sorted(str(file.filename) for file in files)

    def _fetched(self, **options: Any) -> Any:
        # A cache of its own, empty: what the package finds in one it hands out when the Hub does not answer.
        with tempfile.TemporaryDirectory(prefix="envforge-hub-") as cache:
            return self._done("snapshot_download", repo_id=self.repo, repo_type="dataset", cache_dir=cache, **options)

    def _uploaded(self, folder: Path, message: str, **options: Any) -> str:
        done: Any = self._done(
            "upload_folder", repo_id=self.repo, repo_type="dataset", folder_path=folder, revision=BRANCH,
            commit_message=message, **options,
        )  # fmt: skip
        return str(done.oid)

    def _done(self, call: str, **options: Any) -> Any:
        function: Callable[..., Any] = getattr(self._calls, call)
        try:
            return function(**options)
        except Exception as error:
            if not is_theirs(error):
                raise
            raise typed(error, self.repo) from None


def read_published(path: Path, where: str) -> PublishedSet:
    """published.json. Raises StoreError, also for one of a later version of envforge."""
    value: Any = read_json(path)
    if isinstance(value, Mapping) and isinstance(known := value.get("format", 1), int) and known > 1:  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        raise StoreError(f"{MANIFEST} has format {known}", where=where, remedy="it is of a later envforge: update it")
    validate("published", value, f"{where}: {MANIFEST}")
    try:
        return PublishedSet.model_validate(value)
    except ValidationError as error:
        raise StoreError(f"{MANIFEST}: {error.errors()[0]['msg']}", where=where) from error
