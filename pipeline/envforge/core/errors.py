"""Errors, named by the boundary that was crossed when they happened.

Every error carries what a person needs to act: what is wrong, where (file, field) and the remedy.
The command line shows these three and exits with 2; nothing else in the package prints.
"""

from __future__ import annotations

from typing import ClassVar


class EnvforgeError(Exception):
    """Base of all errors that envforge raises on purpose.

    Args:
        message: what is wrong, one sentence.
        where: the file, field, URL or package concerned.
        remedy: what the user can do about it.
        retryable: True when the same call may succeed later (network, time-out).
    """

    boundary: ClassVar[str] = "envforge"

    def __init__(self, message: str, *, where: str = "", remedy: str = "", retryable: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.remedy = remedy
        self.retryable = retryable

    def __str__(self) -> str:
        parts = [f"{self.where}: {self.message}" if self.where else self.message]
        if self.remedy:
            parts.append(f"({self.remedy})")
        return " ".join(parts)


class ConfigError(EnvforgeError):
    """The user's input (flag, theme, catalogue, archetype or configuration file) is not usable."""

    boundary = "config"


class SourceError(EnvforgeError):
    """A source could not be fetched, opened or trusted."""

    boundary = "source"


class ExtractError(EnvforgeError):
    """A source was fetched, but its content could not be read as what it claims to be."""

    boundary = "extract"


class BuildError(EnvforgeError):
    """A database, blueprint or tool module could not be built from what was mined."""

    boundary = "build"


class SandboxError(EnvforgeError):
    """The sandboxed worker died, broke a limit or answered garbage."""

    boundary = "sandbox"


class ToolFault(EnvforgeError):
    """Generated tool code crashed (a fault of the tool, not of its caller)."""

    boundary = "tool"


class ProgramError(EnvforgeError):
    """A solution program crashed, let a ToolError through or answered no JSON."""

    boundary = "program"


class VerifierError(EnvforgeError):
    """A verifier crashed or answered outside its contract."""

    boundary = "verifier"


class ModelError(EnvforgeError):
    """A model call failed, was cut, filtered or empty."""

    boundary = "model"


class DeniedError(EnvforgeError):
    """An agent wanted something that its permissions do not hold."""

    boundary = "permission"


class StoreError(EnvforgeError):
    """A file or ledger entry could not be written, read or validated."""

    boundary = "store"


class HubError(EnvforgeError):
    """A set could not be published to the Hub, or not be had from there."""

    boundary = "hub"
