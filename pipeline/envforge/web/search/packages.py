"""The registries of the user's own package clients, for what they really offer.

npm searches by words. pip has no search: its index answers for an exact name only, so each word of the query that can
be a name is looked up (a few of them), and nothing else of it is found.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from envforge.core.records.search import Hit
from envforge.core.scrub import scrub
from envforge.web.clients import ClientResult, run_client
from envforge.web.search.answers import checked_query, field, listed, plain, ranked
from envforge.web.search.errors import ProviderFaultError, UnreadableAnswerError
from envforge.web.spec import package_url

Registry: TypeAlias = Literal["npm", "pypi"]
MAX_NAMES = 4
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_NO_SEARCH = re.compile(r"\bE404\b.*/-/v1/search", re.DOTALL)


class PackageSearch:
    """Hits are purls; their titles are what `--source` takes. One registry that does not answer fails the search."""

    def __init__(self, name: str, registries: Sequence[Registry], *, timeout: float) -> None:
        self.name = name
        self._timeout = timeout
        looks = {"pypi": self._pypi, "npm": self._npm}
        self._looks = [looks[registry] for registry in registries]

    def search(self, query: str, *, limit: int) -> tuple[Hit, ...]:
        """The hits, registry after registry. Raises ConfigError, SourceError."""
        words = checked_query(query, limit)
        found: list[tuple[str, str, str]] = []
        with tempfile.TemporaryDirectory(prefix="envforge-search-") as scratch:
            for look in self._looks:
                found += look(words, limit, Path(scratch))
        return ranked(found, limit=limit, provider=self.name)

    def _npm(self, words: str, limit: int, folder: Path) -> list[tuple[str, str, str]]:
        npm = shutil.which("npm")
        where = "npm search"
        if npm is None:
            raise ProviderFaultError("there is no npm client on PATH", where=where, remedy="install Node.js with npm")
        options = ["--json", f"--searchlimit={limit}", "--loglevel=error", "--update-notifier=false"]
        result = run_client([npm, "search", *options, "--", words], cwd=folder, timeout=self._timeout, what=where)
        if result.code:
            raise _npm_fault(result, where)
        return [_npm_hit(entry, where) for entry in listed(_parsed(result.stdout, where), where)]

    def _pypi(self, words: str, limit: int, folder: Path) -> list[tuple[str, str, str]]:
        names = [word for word in words.split() if _NAME.fullmatch(word)]
        return [
            hit for name in list(dict.fromkeys(names))[: min(limit, MAX_NAMES)] for hit in self._named(name, folder)
        ]

    def _named(self, name: str, folder: Path) -> list[tuple[str, str, str]]:
        where = f"pip index versions {name}"
        command = [sys.executable, "-m", "pip", "index", "versions", "--json", "--no-input"]
        command += ["--disable-pip-version-check", "--", name]
        result = run_client(command, cwd=folder, timeout=self._timeout, what=where)
        if result.code:
            if "No matching distribution found" in result.stderr and not result.network_failed:
                return []
            raise ProviderFaultError(
                f"the package index could not be asked: {result.said}",
                where=where,
                remedy="try again, or look at `python -m pip config list`",
                retryable=result.network_failed,
            )
        told = _parsed(result.stdout, where)
        found, latest = str(field(told, "name", where)), str(field(told, "latest", where))
        versions = len(listed(field(told, "versions", where), where))
        snippet = f"Python package of this exact name; {versions} versions, the latest is {latest}."
        return [(f"pypi:{found}=={latest}", package_url("pypi", found, latest), snippet)]


def _npm_hit(entry: Any, where: str) -> tuple[str, str, str]:
    name, version = str(field(entry, "name", where)), str(field(entry, "version", where))
    keywords: Any = cast("dict[str, Any]", entry).get("keywords")
    told = ", ".join(str(word) for word in cast("list[Any]", keywords)) if isinstance(keywords, list) else ""
    about = f"{cast('dict[str, Any]', entry).get('description') or ''} {f'({told})' if told else ''}"
    return f"npm:{name}@{version}", package_url("npm", name, version), about.strip()


def _npm_fault(result: ClientResult, where: str) -> ProviderFaultError:
    text = result.stderr + result.stdout
    if _NO_SEARCH.search(text):
        return ProviderFaultError(
            "the registry that npm is configured for offers no search",
            where=where,
            remedy="look at `npm config get registry`, or take --provider pypi; a known name is fetched without search",
        )
    remedy = "try again, or look at `npm config get registry`"
    told = f"npm search failed (exit code {result.code}): {result.said}"
    return ProviderFaultError(told, where=where, remedy=remedy, retryable=result.network_failed)


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        said = f"the client printed no JSON: {scrub(plain(text[:400], 160))}"
        raise UnreadableAnswerError(said, where=where, kind="json", remedy="is it a recent version?") from error
