"""Fetches Python packages through the pip of this interpreter; nothing is built and nothing runs.

A wheel comes by `pip download --only-binary :all:`. A package that has only an sdist would be built by pip
to learn its metadata, so its archive is fetched by `unearth` over the same indexes instead.
"""

from __future__ import annotations

import ast
import logging
import re
import shutil
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from packaging.utils import InvalidSdistFilename, InvalidWheelFilename, parse_sdist_filename, parse_wheel_filename

from envforge.core.errors import SourceError
from envforge.core.scrub import scrub
from envforge.web.clients import run_client
from envforge.web.spec import Spec

if TYPE_CHECKING:
    from unearth import Package, PackageFinder
    from unearth.fetchers import Fetcher

_PIP = [sys.executable, "-m", "pip"]


def download_pypi(spec: Spec, folder: Path, *, timeout: float) -> tuple[Path, str]:
    """Download a wheel, or else an sdist, into the (empty) folder; the archive and the resolved version.

    Raises:
        SourceError: no such package or version, no pip, or the index cannot be reached.
    """
    wanted = spec.name + (f"=={spec.version}" if spec.version else "")
    what = f"pypi:{wanted}"
    command = [*_PIP, "download", "--no-deps", "--only-binary", ":all:", "--no-input", "--progress-bar", "off"]
    command += ["--disable-pip-version-check", "--dest", str(folder), "--", wanted]
    result = run_client(command, cwd=folder, timeout=timeout, what=what)
    wheels = sorted(folder.glob("*.whl"))
    if not result.code and len(wheels) == 1:
        return wheels[0], _wheel_version(wheels[0], what)
    if "No module named pip" in result.stderr:
        raise SourceError(
            "this Python has no pip", where=what, remedy="run `python -m ensurepip`, or give --snapshot DIR"
        )
    if result.network_failed:
        raise _unreachable(what, result.said)
    if "No matching distribution found" not in result.stderr:
        raise SourceError(f"pip download failed (exit code {result.code}): {result.said}", where=what)
    return _download_sdist(wanted, what, folder, timeout)


def _wheel_version(wheel: Path, what: str) -> str:
    try:
        return str(parse_wheel_filename(wheel.name)[1])
    except InvalidWheelFilename as error:
        raise SourceError(f"pip brought {wheel.name!r}, which is no wheel's name", where=what) from error


@dataclass(frozen=True)
class PipIndexes:
    """Where this pip looks for packages. An empty `indexes` stands for pip's own default unless `no_index`."""

    indexes: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    trusted_hosts: tuple[str, ...] = ()
    no_index: bool = False
    extra_only: bool = False
    cert: str | None = None


def read_pip_indexes(text: str) -> PipIndexes:
    """The indexes in the output of `pip config list`; the environment wins over files, as it does in pip."""
    settings: dict[str, str] = {}
    for line in text.splitlines():
        key, equals, quoted = line.partition("=")
        if not equals:
            continue
        try:
            value = str(ast.literal_eval(quoted))
        except (ValueError, SyntaxError):
            value = quoted
        settings[key.strip()] = value

    def setting(option: str) -> str:
        keys = (f":env:.{option}", f"download.{option}", f"global.{option}")
        return next((settings[key] for key in keys if key in settings), "")

    extra = tuple(setting("extra-index-url").split())
    main = tuple(setting("index-url").split()[:1])
    return PipIndexes(
        indexes=main + extra,
        find_links=tuple(setting("find-links").split()),
        trusted_hosts=tuple(setting("trusted-host").split()),
        no_index=setting("no-index").strip().lower() in ("1", "true", "yes", "on"),
        extra_only=not main,
        cert=setting("cert") or None,
    )


def _configured(what: str, folder: Path, timeout: float) -> PipIndexes:
    result = run_client([*_PIP, "config", "list"], cwd=folder, timeout=timeout, what=what)
    if result.code:
        raise SourceError(f"pip config list failed: {result.said}", where=what)
    return read_pip_indexes(result.stdout)


def _download_sdist(wanted: str, what: str, folder: Path, timeout: float) -> tuple[Path, str]:
    import httpx2
    from unearth.errors import UnpackError

    finder = _finder(_configured(what, folder, timeout), timeout)
    try:
        with _heard() as complaints:
            candidate = _first_sdist(finder.find_matches(wanted))
        if candidate is None and (broken := [line for line in complaints if "Server Error(" in line]):
            raise _unreachable(what, broken[0])
        if candidate is None:
            raise SourceError(
                "no such package or version in the indexes that pip is configured for (no wheel and no sdist)",
                where=what,
                remedy="check the spelling and `python -m pip config list`",
            )
        archive = finder.download(candidate.link, folder)
    except httpx2.HTTPError as error:
        raise _unreachable(what, scrub(f"{type(error).__name__}: {error}")) from None
    except (UnpackError, OSError, ValueError) as error:
        raise SourceError(f"the sdist could not be fetched: {scrub(str(error))}", where=what) from None
    finally:
        finder.session.close()  # pyright: ignore[reportAttributeAccessIssue]
    kept = folder / archive.name
    if archive.resolve() != kept.resolve():  # a file of a local index stays where it is
        shutil.copyfile(archive, kept)
    return kept, str(candidate.version)


@contextmanager
def _heard() -> Generator[list[str]]:
    """What unearth logs about indexes that did not answer; it goes on without them and raises nothing."""
    lines: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(scrub(record.getMessage()))

    logger = logging.getLogger("unearth")
    listener, propagate = Listener(logging.WARNING), logger.propagate
    logger.addHandler(listener)
    logger.propagate = False  # what matters is said in the error; nothing else in the package prints
    try:
        yield lines
    finally:
        logger.removeHandler(listener)
        logger.propagate = propagate


def _finder(pip: PipIndexes, timeout: float) -> PackageFinder:
    import ssl

    from unearth import PackageFinder
    from unearth.auth import MultiDomainBasicAuth
    from unearth.fetchers import PyPIClient

    context = ssl.create_default_context(cafile=pip.cert) if pip.cert else ssl.create_default_context()
    session = PyPIClient(trusted_hosts=pip.trusted_hosts, verify=context, timeout=min(timeout, 60.0))
    session.follow_redirects = True
    session.auth = MultiDomainBasicAuth(prompting=False, index_urls=pip.indexes)
    # unearth's own client fits its protocol but for the width of its annotations
    finder = PackageFinder(session=cast("Fetcher", session), trusted_hosts=pip.trusted_hosts)
    default = [source["url"] for source in finder.sources]  # where pip and unearth look when nothing is configured
    finder.sources.clear()
    if not pip.no_index:
        for url in [*(default if pip.extra_only else []), *pip.indexes]:
            finder.add_index_url(url)
    for link in pip.find_links:
        if "://" in link or Path(link).exists():
            finder.add_find_links(link)
    return finder


def _first_sdist(candidates: Iterable[Package]) -> Package | None:
    """The best candidate that is one archive file: no wheel, no checkout, no folder."""
    for candidate in candidates:
        link = candidate.link
        if link.is_wheel or link.is_vcs or (link.is_file and not link.file_path.is_file()):
            continue
        try:
            parse_sdist_filename(link.filename)
        except InvalidSdistFilename:
            if not re.search(r"\.(?:tar\.(?:gz|bz2|xz)|tgz|zip)$", link.filename):
                continue
        return candidate
    return None


def _unreachable(what: str, said: str) -> SourceError:
    return SourceError(
        f"the package index could not be reached: {said}",
        where=what,
        remedy="try again, look at `python -m pip config list`, or give --snapshot DIR",
        retryable=True,
    )
