"""The ways in which the Hub says no, each with a type, and what the package's errors mean."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import Any

from envforge.core.errors import EnvforgeError, HubError, StoreError
from envforge.core.scrub import scrub

_SHOWN = 200
_AGAIN = "run the same command again, it goes on where this one stopped"


class HubUnreachableError(HubError):
    """No connection, no answer in time, or the package was told to stay offline."""


class HubTokenError(HubError):
    """No token, or one that is wrong, has expired or lacks the right."""


class NoSuchSetError(HubError):
    """No such repository or revision, or it may not be seen."""


class NameClashError(HubError):
    """The name or the version is taken by something else."""


class HubChangedError(HubError):
    """Somebody else changed the repository meanwhile."""


class HubBusyError(HubError):
    """Too many requests, or the server failed: later it may work."""


class HubRefusedError(HubError):
    """The server does not take what was sent."""


_THEIRS = ("huggingface_hub", "httpx", "httpx2", "httpcore", "httpcore2", "requests", "hf_xet")
"""Whose errors come out of its calls, beside OSError and ValueError; some inside of a RuntimeError."""


def is_theirs(error: Exception) -> bool:
    """The package or its HTTP client says it; anything else is a fault of ours."""
    modules = {type(one).__module__.split(".")[0] for one in _chain(error)}
    return isinstance(error, OSError | ValueError) or not modules.isdisjoint(_THEIRS)


def typed(error: Exception, where: str) -> EnvforgeError:
    """What an error of the package means. It may hold a token: what it says is scrubbed, and it is not chained."""
    if isinstance(error, OSError) and error.errno in _OF_THIS_MACHINE:
        remedy = f"make room or give the right to write there; then {_AGAIN}"
        place = str(error.filename or where)
        return StoreError(f"could not be read or written: {error.strerror}", where=place, remedy=remedy)
    status = next((found for one in _chain(error) if (found := _status(one))), 0)
    names = {type(one).__name__ for one in _chain(error)}
    told = _told(error)
    if "LocalTokenNotFoundError" in names or (status == 401 and "RepositoryNotFoundError" not in names):
        return _token(where, told)
    if names & {"RepositoryNotFoundError", "RevisionNotFoundError", "GatedRepoError", "DisabledRepoError"}:
        what = "there is no such revision" if "RevisionNotFoundError" in names else "there is no such dataset"
        remedy = "check the name; what is private needs HF_TOKEN in the environment"
        return NoSuchSetError(f"{what} on the Hub, or it may not be seen", where=where, remedy=remedy)
    if status:
        return _of_status(status, where, told)
    if isinstance(error, ValueError) and not names & _NETWORK:
        return HubRefusedError(f"was not taken: {told}", where=where, remedy="change what it names")
    remedy = f"check the network and HF_ENDPOINT; then {_AGAIN}"
    return HubUnreachableError(f"the Hub could not be reached: {told}", where=where, remedy=remedy, retryable=True)


_OF_THIS_MACHINE = {
    errno.EACCES, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENAMETOOLONG, errno.ENOENT, errno.ENOSPC, errno.ENOTDIR,
    errno.EPERM, errno.EROFS,
}  # fmt: skip
_NETWORK = {"ConnectError", "ConnectTimeout", "ReadTimeout", "OfflineModeIsEnabled", "RemoteProtocolError"}


def _token(where: str, told: str) -> HubTokenError:
    remedy = "put a token that may write there into HF_TOKEN, or log in anew with: hf auth login"
    return HubTokenError(f"the Hub knows no such token, or it has expired: {told}", where=where, remedy=remedy)


def _of_status(status: int, where: str, told: str) -> HubError:
    if status == 403:
        remedy = "take a name of your own, or a token with the right to write there"
        return HubTokenError(f"the token has no right to do this: {told}", where=where, remedy=remedy)
    if status == 404:
        return NoSuchSetError(f"is not there: {told}", where=where, remedy="check the name")
    if status == 409:
        return NameClashError(f"the name is taken: {told}", where=where, remedy="take another one")
    if status == 412:
        remedy = "look at what changed, then run the same command again"
        return HubChangedError(f"somebody else changed it meanwhile: {told}", where=where, remedy=remedy)
    if status == 429 or status >= 500:
        remedy = f"wait a little, then {_AGAIN}"
        return HubBusyError(f"the Hub failed (HTTP {status}): {told}", where=where, remedy=remedy, retryable=True)
    return HubRefusedError(f"was refused (HTTP {status}): {told}", where=where, remedy="change what it names")


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _status(error: BaseException) -> int:
    response: Any = getattr(error, "response", None)
    return int(getattr(response, "status_code", 0) or 0)


def _told(error: Exception) -> str:
    """The innermost words: outer ones say to try again and where the documentation is."""
    inner = list(_chain(error))[-1]
    text = getattr(error, "server_message", None) or str(inner) or type(inner).__name__
    return scrub(" ".join(str(text).split()))[:_SHOWN]
