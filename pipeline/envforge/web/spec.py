"""The ways to say where facts are to be had: npm:, pypi:, file:, mcp: and a URL."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal
from urllib.parse import quote, unquote, urlsplit

from packaging.utils import canonicalize_name

from envforge.core.errors import ConfigError
from envforge.core.scrub import scrub

SpecKind = Literal["npm", "pypi", "file", "mcp", "url"]

FORMS = "npm:NAME[@VERSION], pypi:NAME[==VERSION], file:PATH, mcp:COMMAND, or a URL"

# Names are checked against the registries' own alphabets. Nothing else may reach a client: a folder, a git
# address or an option would make npm and pip run code of the source.
_NPM_NAME = r"(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~][A-Za-z0-9._~-]*"
_NPM = re.compile(rf"(?P<name>{_NPM_NAME})(?:@(?P<version>[A-Za-z0-9][A-Za-z0-9.+_-]*))?")
_PYPI = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:==(?P<version>[A-Za-z0-9][A-Za-z0-9.!+_-]*))?"
)
_ARCHIVE_ENDINGS = (".tgz", ".tar", ".tar.gz")


@dataclass(frozen=True)
class Spec:
    """A parsed anchor spec. `name` is the package, the path, the command line or the URL; `version` None means any."""

    kind: SpecKind
    name: str
    version: str | None = None


def parse_spec(text: str) -> Spec:
    """The parts of an anchor spec.

    Raises:
        ConfigError: the text has none of the five forms.
    """
    kind, colon, rest = text.partition(":")
    if colon and kind == "npm":
        return _package("npm", _NPM, rest, text)
    if colon and kind == "pypi":
        return _package("pypi", _PYPI, rest, text)
    if colon and kind == "file" and rest and "\x00" not in rest:
        return Spec("file", rest)
    if colon and kind == "mcp":
        return _command(rest, text)
    if colon and kind.lower() in ("http", "https") and _has_host(text):
        if scrub(text) != text:  # the spec is recorded and shown
            raise ConfigError("the URL holds credentials", where=repr(scrub(text)), remedy="leave them out")
        return Spec("url", text)
    raise ConfigError("not a source that can be fetched", where=repr(scrub(text)), remedy=f"write {FORMS}")


def _package(kind: Literal["npm", "pypi"], pattern: re.Pattern[str], rest: str, text: str) -> Spec:
    found = pattern.fullmatch(rest)
    if found is None or found["name"].lower().endswith(_ARCHIVE_ENDINGS):
        form = "npm:NAME or npm:NAME@VERSION" if kind == "npm" else "pypi:NAME or pypi:NAME==VERSION"
        raise ConfigError(f"not a package of {kind}", where=repr(text), remedy=f"write {form}; all forms: {FORMS}")
    return Spec(kind, found["name"], found["version"])


def _command(rest: str, text: str) -> Spec:
    """A command line as a shell reads it, without the shell: no pipes, no variables."""
    try:
        words = shlex.split(rest)
    except ValueError as error:
        raise ConfigError(f"not a command line: {error}", where=repr(scrub(text)), remedy="close its quotes") from error
    if not words or "\x00" in rest:
        raise ConfigError("names no command", where=repr(scrub(text)), remedy="write mcp:COMMAND ARGUMENTS")
    # The spec is recorded and shown. `--token VALUE` says what `--token=VALUE` does.
    options = [(name, value) for name, value in pairwise(words) if name.startswith("-") and not value.startswith("-")]
    if any(scrub(one) != one for one in (text, *(f"{name}={value}" for name, value in options))):
        where = repr(scrub(f"mcp:{words[0]} …"))
        raise ConfigError("the command holds credentials", where=where, remedy="leave them out")
    return Spec("mcp", rest)


def _has_host(text: str) -> bool:
    try:
        return bool(urlsplit(text).hostname)
    except ValueError:
        return False


def package_url(kind: str, name: str, version: str) -> str:
    """The purl of one version of a package, as the purl specification spells it."""
    if kind == "pypi":
        name = canonicalize_name(name)
    return f"pkg:{kind}/{quote(name, safe='/')}@{quote(version, safe='+.!')}"


@dataclass(frozen=True)
class PackageUrl:
    """The parts of a purl that anchors speak about."""

    kind: str
    name: str
    version: str

    def serves(self, spec: Spec) -> bool:
        """True if a file of this package answers `spec` (names compared as the registry compares them)."""
        if spec.kind != self.kind or spec.version not in (None, "latest", self.version):
            return False
        if self.kind == "pypi":
            return canonicalize_name(spec.name) == canonicalize_name(self.name)
        return spec.name == self.name


def parse_package_url(text: str | None) -> PackageUrl | None:
    """The parts of a purl; None when `text` is not one with a version."""
    if not text or not text.startswith("pkg:"):
        return None
    body = text.removeprefix("pkg:").split("#", 1)[0].split("?", 1)[0]
    kind, slash, rest = body.partition("/")
    name, at, version = rest.rpartition("@")
    if not (slash and at and name and version):
        return None
    return PackageUrl(kind, unquote(name), unquote(version))
