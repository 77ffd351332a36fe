"""Fetches npm packages through the user's own npm; no script of a package ever runs."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any, cast

from envforge.core.errors import SourceError
from envforge.web.archive import Limits, read_archive
from envforge.web.clients import ClientResult, run_client
from envforge.web.spec import Spec


def download_npm(spec: Spec, folder: Path, *, timeout: float, limits: Limits) -> tuple[Path, str]:
    """Download one package into the (empty) folder; the archive and the resolved version.

    Raises:
        SourceError: npm is missing, the package or version does not exist, or the registry cannot be reached.
    """
    what = f"npm:{spec.name}" + (f"@{spec.version}" if spec.version else "")
    npm = shutil.which("npm")
    if npm is None:
        raise SourceError(
            "there is no npm client on PATH",
            where=what,
            remedy="install Node.js with npm (apt-get install npm, or your platform's package), or give --snapshot DIR",
        )
    wanted = spec.name + (f"@{spec.version}" if spec.version else "")
    # The folder is empty, so the name cannot be taken for a local folder whose prepack would run.
    command = [npm, "pack", "--ignore-scripts", "--json", "--loglevel=error", "--update-notifier=false", "--", wanted]
    result = run_client(command, cwd=folder, timeout=timeout, what=what)
    archives = sorted(folder.glob("*.tgz"))
    if result.code or len(archives) != 1:
        raise _failure(result, what)
    return archives[0], _version(result, archives[0], what, limits)


def _failure(result: ClientResult, what: str) -> SourceError:
    text = result.stderr + result.stdout
    if result.network_failed:
        return SourceError(
            f"npm could not reach its registry: {result.said}",
            where=what,
            remedy="try again, look at `npm config get registry`, or give --snapshot DIR",
            retryable=True,
        )
    if re.search(r"\bE404\b", text):
        return SourceError(
            "no such package in the registry that npm is configured for",
            where=what,
            remedy="check the spelling; a private package needs `npm login` first",
        )
    if re.search(r"\b(?:ETARGET|ENOVERSIONS)\b", text):
        return SourceError("the package has no such version", where=what, remedy="name another version, or none")
    if re.search(r"\b(?:E401|E403|ENEEDAUTH)\b", text):
        return SourceError("the registry refuses access", where=what, remedy="run `npm login` first")
    return SourceError(f"npm pack failed (exit code {result.code}): {result.said}", where=what, remedy="run it by hand")


def _version(result: ClientResult, archive: Path, what: str, limits: Limits) -> str:
    """The version in npm's answer, which is a list or (newer) an object keyed by name; else package.json's."""
    try:
        answer: Any = json.loads(result.stdout)
    except ValueError:
        answer = None
    entries = list(cast("dict[str, Any]", answer).values()) if isinstance(answer, dict) else answer
    if isinstance(entries, list) and entries and isinstance(entries[0], dict):
        version = cast("dict[str, Any]", entries[0]).get("version")
        if isinstance(version, str) and version:
            return version
    manifest = read_archive(archive, lambda path: path == "package.json", limits=limits).bodies.get("package.json")
    try:
        return str(json.loads(manifest or b"")["version"])
    except (ValueError, KeyError, TypeError) as error:
        raise SourceError("the archive does not say its version", where=what) from error
