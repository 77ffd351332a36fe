"""A request on its way to a worker, and what of it is kept so that the episode can be had again."""

from __future__ import annotations

import functools
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from envforge.core.errors import EnvforgeError
from envforge.world.exchange import call_request
from envforge.world.sandbox import frames

_encode = frames.text_encoder(ensure_ascii=True, separators=(",", ":"))

Keep = Callable[["Asked", dict[str, Any], int], None]
"""What an answered request leaves behind: the request, what it was told, the checksum of that."""


class Sink(Protocol):
    """Where an answer goes."""

    def answered(self, told: dict[str, Any], blob: bytes) -> bool:
        """Take an answer; False when it is none (the worker is ended then)."""
        ...

    def failed(self, error: EnvforgeError) -> None:
        """There will be no answer."""
        ...


class Asked:
    """One request to one instance."""

    __slots__ = ("blob", "number", "rest", "sink", "then", "token", "tries")

    def __init__(self, number: int, rest: str, sink: Sink, *, blob: bytes = b"", then: Keep | None = None) -> None:
        """`rest`: the request's JSON behind its opening brace and the number of the instance."""
        self.number = number
        self.rest = rest
        self.blob = blob
        self.sink = sink
        self.then = then
        self.token = b""
        self.tries = 0
        """Workers that ended while they had it."""

    def frame(self) -> bytes:
        """Its bytes on the wire, behind its token."""
        return self.token + frames.pack(f'{{"world":{self.number},{self.rest}', self.blob)


def rest_of(request: dict[str, Any]) -> str:
    """A request's JSON behind the opening brace. Raises ValueError for what JSON cannot say."""
    return _encode(request)[1:]


def rest_of_call(tool: str, arguments: dict[str, Any], *, reads_only: bool) -> str:
    """`rest_of` the request of a call: what is the same for each call of a tool is there already."""
    before, behind = _around(tool, reads_only)
    return f"{before}{_encode(arguments)}{behind}"


@functools.lru_cache(maxsize=4096)
def _around(tool: str, reads_only: bool) -> tuple[str, str]:
    before, _, behind = rest_of(call_request(tool, {}, reads_only=reads_only)).rpartition("{}")
    return before, behind


@dataclass(frozen=True)
class Step:
    """A request that an episode's state stands on, and the checksum of its answer."""

    rest: str
    blob: bytes
    checksum: int


@dataclass
class Journals:
    """Per instance, the requests that led to its state: told again to a fresh worker, they lead there again."""

    steps: dict[int, list[Step]] = field(default_factory=dict[int, list[Step]])

    def begin(self, asked: Asked, _: dict[str, Any], checksum: int) -> None:
        """The instance was opened, or reset, which is the same as being opened with that seed."""
        self.steps[asked.number] = [Step(asked.rest.replace('"do":"reset"', '"do":"open"', 1), b"", checksum)]

    def load(self, asked: Asked, _: dict[str, Any], checksum: int) -> None:
        """The instance is in a loaded state (or, when that was refused, at its start): what came before is past."""
        self.steps[asked.number] = [*self.steps[asked.number][:1], Step(asked.rest, asked.blob, checksum)]

    def add(self, asked: Asked, told: dict[str, Any], checksum: int) -> None:
        """The request changed the instance, unless it was refused: that leaves no trace."""
        if "error" not in told:
            self.steps[asked.number].append(Step(asked.rest, asked.blob, checksum))

    def copy(self, number: int, other: int) -> None:
        """A second instance is in the state of the first."""
        self.steps[other] = list(self.steps[number])

    def end(self, asked: Asked, _: dict[str, Any], __: int) -> None:
        """The instance is gone."""
        self.steps.pop(asked.number, None)


def checksum_of(text: bytes) -> int:
    """Of an answer, to tell whether it came again."""
    return zlib.crc32(text)
