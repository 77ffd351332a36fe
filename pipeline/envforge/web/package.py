"""PackageFetcher: the files of a published package, fetched once and kept in a cache."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, urlsplit, urlunsplit

from packaging.utils import canonicalize_name

from envforge.core.contracts import Fetched
from envforge.core.errors import ConfigError, SourceError
from envforge.core.ids import sha256_bytes
from envforge.core.records.source import Anchor
from envforge.web.archive import DEFAULT_LIMITS, Contents, Limits, open_nested, read_archive
from envforge.web.atomic import write_bytes
from envforge.web.licence import is_statement, licence_of_package, parse_metadata, parse_package_json
from envforge.web.npm import download_npm
from envforge.web.paths import guess_mime, is_data, matches, near_paths, unmatched
from envforge.web.pypi import download_pypi
from envforge.web.sources import Clock, make_fetched, utc_now
from envforge.web.spec import Spec, package_url, parse_spec

_MAX_DEFAULT_FILES = 400


@dataclass(frozen=True)
class Download:
    """A package's archive in the cache."""

    kind: str
    name: str
    version: str
    archive: Path
    retrieved_at: str
    sha256: str

    @property
    def package(self) -> str:
        """Its purl."""
        return package_url(self.kind, self.name, self.version)


class PackageFetcher:
    """Fetches `npm:` and `pypi:` anchors with the user's own clients; code of a package never runs.

    The archive of each (name, version) is kept under `cache`, and the version that a spec without one
    resolved to is kept too: a second run is offline and sees the same bytes. Delete the folder to look anew.
    """

    def __init__(
        self, cache: Path, *, clock: Clock = utc_now, timeout: float = 300.0, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self._cache = cache
        self._clock = clock
        self._timeout = timeout
        self._limits = limits

    def accepts(self, spec: str) -> bool:
        """True for well-formed npm: and pypi: specs."""
        try:
            return parse_spec(spec).kind in ("npm", "pypi")
        except ConfigError:
            return False

    def fetch(self, anchor: Anchor) -> Sequence[Fetched]:
        """The files of the package that `include` selects (data-like ones by default), in path order.

        Raises:
            SourceError: the package cannot be had, its archive is not safe, or a glob selects nothing.
        """
        download = self.download(parse_spec(anchor.spec))
        wheel = download.archive.suffix == ".whl"
        contents = read_archive(
            download.archive,
            lambda path: matches(path, anchor.include) or is_statement(path),
            limits=self._limits,
            strip=not wheel,
        )
        _check_selection(anchor, contents)
        return _files(anchor, download, contents, self._limits)

    def download(self, spec: Spec) -> Download:
        """The package's archive, from the cache or else from the registry.

        Raises:
            SourceError: the package cannot be had, or the cached archive was changed.
        """
        name = canonicalize_name(spec.name) if spec.kind == "pypi" else spec.name
        home = self._cache / spec.kind / name.replace("/", "__")
        # A tag such as `latest` or `next` is resolved once, like a spec without a version.
        pointer = home / "resolved" / f"{spec.version or 'any'}.json"
        if pointer.is_file():
            return _cached(pointer, spec)
        self._cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=self._cache) as temporary:
            folder = Path(temporary)
            if spec.kind == "npm":
                archive, version = download_npm(spec, folder, timeout=self._timeout, limits=self._limits)
            else:
                archive, version = download_pypi(spec, folder, timeout=self._timeout)
            return self._keep(spec, home, pointer, archive, version)

    def _keep(self, spec: Spec, home: Path, pointer: Path, archive: Path, version: str) -> Download:
        record = home / "resolved" / f"{version}.json"
        if not record.is_file():
            home.mkdir(parents=True, exist_ok=True)
            kept = home / archive.name
            shutil.move(archive, kept)
            entry = {
                "archive": kept.name,
                "version": version,
                "retrieved_at": self._clock(),
                "sha256": sha256_bytes(kept.read_bytes()),
            }
            write_bytes(record, json.dumps(entry, indent=1, sort_keys=True).encode())
        if pointer != record:
            write_bytes(pointer, record.read_bytes())
        return _cached(pointer, spec)


def _cached(pointer: Path, spec: Spec) -> Download:
    remedy = f"delete {pointer.parent.parent.name} from the cache and fetch it again"
    try:
        entry = cast("dict[str, str]", json.loads(pointer.read_bytes()))
        archive = pointer.parent.parent / entry["archive"]
        version, retrieved_at, digest = entry["version"], entry["retrieved_at"], entry["sha256"]
        body = archive.read_bytes()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SourceError("the cache entry cannot be read", where=str(pointer), remedy=remedy) from error
    if sha256_bytes(body) != digest:
        raise SourceError("the cached archive was changed after it was fetched", where=str(archive), remedy=remedy)
    return Download(spec.kind, spec.name, version, archive, retrieved_at, digest)


def _check_selection(anchor: Anchor, contents: Contents) -> None:
    missing = unmatched(contents.paths, anchor.include)
    if missing:
        near = ", ".join(near_paths(missing[0], contents.paths))
        raise SourceError(
            f"the package holds no file for include {missing[0]!r}", where=anchor.spec, remedy=f"it holds {near}"
        )
    if anchor.include:
        return
    count = sum(map(is_data, contents.paths))
    if count == 0:
        raise SourceError(
            "the package holds no data file (JSON, YAML, CSV, Parquet, SQLite, .d.ts or README)",
            where=anchor.spec,
            remedy="name the files with include globs",
        )
    if count > _MAX_DEFAULT_FILES:
        raise SourceError(
            f"the package holds {count} data files, more than {_MAX_DEFAULT_FILES}",
            where=anchor.spec,
            remedy="choose some with include globs",
        )


def _files(anchor: Anchor, download: Download, contents: Contents, limits: Limits) -> list[Fetched]:
    statements = {path: body for path, body in contents.bodies.items() if is_statement(path)}
    licence = anchor.licence or licence_of_package(statements)
    repository = repository_of(statements)
    out: list[Fetched] = []
    for path, body in contents.bodies.items():
        if not matches(path, anchor.include):
            continue
        nested = open_nested(path, body, is_data, limits=limits)
        opened = nested.files if nested else {path: (path, body)}
        if not opened:
            raise SourceError("the packed file holds no data file", where=f"{anchor.spec}/{path}")
        for kept_path, (inner, data) in opened.items():
            out.append(
                make_fetched(
                    data,
                    url=repository.url_of(path) if repository else f"{download.package}#{quote(path)}",
                    url_status=repository.status if repository else "none: package URL, no repository declared",
                    retrieved_at=download.retrieved_at,
                    mime=guess_mime(inner),
                    path=kept_path,
                    title=f"{download.name} {download.version}: {kept_path}",
                    package=download.package,
                    transform=nested.transform if nested else "none",
                    licence=licence,
                )
            )
    return sorted(out, key=lambda fetched: fetched.source.path)


@dataclass(frozen=True)
class Repository:
    """Where a package says that it is developed."""

    url: str
    directory: str
    status: str

    def url_of(self, path: str) -> str:
        """Where the file probably is published; a guess, which `status` says."""
        inner = "/".join(part for part in (self.directory, path) if part)
        if self.url.startswith("pkg:"):
            return f"{self.url}#{quote(inner)}"
        return f"{self.url}/blob/HEAD/{quote(inner)}"


def repository_of(statements: Mapping[str, bytes]) -> Repository | None:
    """The repository that package.json or the Python metadata declare; None when they declare none."""
    for path in sorted(statements):
        if path == "package.json":
            url, directory = _from_manifest(parse_package_json(statements[path]))
            kind = "repository"
        elif path.endswith(("METADATA", "PKG-INFO")):
            url, kind = _from_headers(parse_metadata(statements[path]))
            directory = ""
        else:
            continue
        if url:
            return Repository(url, directory, f"{kind} declared by package, path inferred")
    return None


def _from_manifest(manifest: Mapping[str, Any]) -> tuple[str | None, str]:
    stated: Any = manifest.get("repository")
    directory = ""
    if isinstance(stated, Mapping):
        entry = cast("Mapping[str, Any]", stated)
        stated, directory = entry.get("url"), str(entry.get("directory") or "").strip("/")
    return (_clean(stated) if isinstance(stated, str) else None), directory


def _from_headers(headers: Message) -> tuple[str | None, str]:
    urls: dict[str, str] = {}
    for line in headers.get_all("Project-URL", []):
        label, _, url = str(line).partition(",")
        urls[label.strip().lower()] = url.strip()
    for label in ("repository", "source", "source code", "code", "homepage"):
        if url := urls.get(label):
            home = label == "homepage"
            return _clean(url, exact=home), "home page" if home else "repository"
    return _clean(str(headers.get("Home-page", "")), exact=True), "home page"


def _clean(stated: str, *, exact: bool = False) -> str | None:
    """A repository's address without its wrapping (git+, .git, user@); None when it is no web address.

    `exact` asks for the owner/name shape, as a home page need not be a repository.
    """
    if shorthand := re.fullmatch(r"([a-z]+):([\w.-]+/[\w.-]+)", stated):
        return f"pkg:{shorthand[1]}/{shorthand[2]}"
    if scp := re.fullmatch(r"(?:git\+)?(?:ssh://)?git@([\w.-]+)[:/](.+)", stated):
        stated = f"https://{scp[1]}/{scp[2]}"
    try:
        parts = urlsplit(re.sub(r"^git\+(?=[a-z]+:)", "", stated))
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme in ("git", "ssh"):
        parts = parts._replace(scheme="https")
    path = parts.path.rstrip("/").removesuffix(".git")
    if parts.scheme not in ("http", "https") or not host or path.count("/") < 2:
        return None
    if exact and path.count("/") != 2:
        return None
    return urlunsplit((parts.scheme, host + (f":{parts.port}" if parts.port else ""), path, "", ""))
