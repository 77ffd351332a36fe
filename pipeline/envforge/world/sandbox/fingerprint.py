"""A fingerprint of what tool code could have left in its process: equal before and after calls, or state outlived one.

Computed inside the worker. It finds state that careless code keeps where a lint cannot see it; code that rewrites this
module as well can lie about it, and what a replay in forked mode shows is the proof (`replay.audit`).
"""

from __future__ import annotations

import builtins
import hashlib
import re
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from envforge.world.api import ToolError
from envforge.world.live import LiveWorld
from envforge.world.sandbox.tool_module import TOOL_IMPORTS, Namespace

_MOST_VALUES = 1_000_000
"""Values that are looked at; more than that is itself told as a change."""
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))


_held: dict[int, Any] = {}
"""Objects that were told by identity: while they live, no other object can have theirs."""


def fingerprint(namespace: Namespace) -> dict[str, str]:
    """Name → hash of its value: the module's globals, and what tools could reach around them.

    Data is hashed by value, in an order that does not depend on the process; functions by code, defaults, attributes
    and closures; classes and modules of others by what is set on them.
    """
    found = {name: _hashed(value) for name, value in namespace.items() if name != "__builtins__"}
    given = namespace.get("__builtins__", {})
    found["(builtins)"] = _identities(vars(builtins)) + _identities(given)
    for kind in (LiveWorld, ToolError):
        found[f"({kind.__name__})"] = _identities(vars(kind))
    for name in sorted(TOOL_IMPORTS):
        module = sys.modules.get(name)
        found[f"(module {name})"] = _identities(vars(module)) if module is not None else ""
    found["(modules)"] = hashlib.sha256("\n".join(sorted(sys.modules)).encode()).hexdigest()
    return {name: found[name] for name in sorted(found)}


def _identities(values: Mapping[str, Any]) -> str:
    """Which object each name stands for: an object that was replaced shows, whatever it looks like."""
    _held.update((id(value), value) for value in values.values())
    lines = "\n".join(f"{name}={id(values[name])}" for name in sorted(values) if name != "_")
    return hashlib.sha256(lines.encode()).hexdigest()


def _hashed(value: Any) -> str:
    walk = _Walk()
    walk.value(value)
    return walk.digest()


class _Walk:
    """Feeds a hash with a value and all it holds; each object once, so that circles end."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._seen: dict[int, int] = {}
        self._kept: list[Any] = []
        self._count = 0

    def digest(self) -> str:
        """Hex SHA-256 of what was fed."""
        return self._hash.hexdigest()

    def value(self, value: Any) -> None:
        """Feed one value."""
        self._count += 1
        kind = cast("type[Any]", type(value))
        if self._count > _MOST_VALUES:
            return
        if kind in _PLAIN:
            self._text(f"{kind.__name__}:{value!r}")
            return
        if id(value) in self._seen:
            self._text(f"again:{self._seen[id(value)]}")
            return
        self._seen[id(value)] = len(self._seen)
        self._kept.append(value)  # its number must not go to another object meanwhile
        self._text(f"{kind.__module__}.{kind.__qualname__}")
        for part in self._parts(value):
            self.value(part)
        self._text("end")

    def _text(self, text: str) -> None:
        self._hash.update(text.encode("utf-8", "surrogatepass"))
        self._hash.update(b"\x00")

    def _parts(self, value: Any) -> Iterable[Any]:
        if isinstance(value, dict):
            return _pairs(value)
        if isinstance(value, set | frozenset):
            # Order differs between processes and means nothing.
            return sorted(_hashed(item) for item in cast("set[Any]", value))
        if isinstance(value, list | tuple):
            return cast("list[Any]", value)
        if isinstance(value, types.FunctionType):
            return _of_function(value)
        if isinstance(value, types.CodeType):
            return [value.co_code, value.co_names, value.co_consts]
        if isinstance(value, types.ModuleType):
            return [value.__name__]
        if isinstance(value, types.GeneratorType):
            return _of_generator(cast("types.GeneratorType[Any, Any, Any]", value))
        return _of_object(value)


def _pairs(value: Any) -> Iterator[Any]:
    # A tool can see the order of a dict: it is a part of the value.
    # Not an override of a subclass.
    items = cast("Iterable[tuple[Any, Any]]", dict.items(value))
    for key, item in items:
        yield key
        yield item


def _of_function(function: types.FunctionType) -> list[Any]:
    cells = [cell.cell_contents for cell in function.__closure__ or () if _filled(cell)]
    return [
        function.__code__,
        function.__defaults__,
        function.__kwdefaults__,
        cells,
        dict(sorted(function.__dict__.items())),
    ]


def _filled(cell: types.CellType) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True


def _of_generator(generator: types.GeneratorType[Any, Any, Any]) -> list[Any]:
    frame = generator.gi_frame
    return [generator.__qualname__] if frame is None else [generator.__qualname__, frame.f_lasti, dict(frame.f_locals)]


def _of_object(value: Any) -> Iterator[Any]:
    """Anything else by what it says of itself, and its attributes."""
    if isinstance(value, type):
        yield value.__qualname__
        if value.__module__ == "tools":
            yield {name: item for name, item in sorted(vars(value).items()) if name not in ("__dict__", "__weakref__")}
        return
    thing: Any = value
    if hasattr(thing, "cache_info"):
        yield repr(thing.cache_info())
    if hasattr(thing, "__length_hint__"):
        yield thing.__length_hint__()
    yield _ADDRESS.sub("", repr(thing))
    yield dict(sorted(getattr(thing, "__dict__", {}).items()))
