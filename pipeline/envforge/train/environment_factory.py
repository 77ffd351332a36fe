"""Environments as TRL's GRPOTrainer takes them: a class for each family, with a method for each tool.

    GRPOTrainer(environment_factory=environment_classes(families, host), train_dataset=rows, ...)

Each row has `environment` (the family), `environment_id`, `task_id` and `episode_seed`. The trainer makes instances,
calls `reset` with a row, offers the public methods as tools, and asks `get_reward` at the end. Instances are used
again, so `reset` leaves nothing of the episode before.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from keyword import iskeyword
from typing import Any, ClassVar, cast
from weakref import WeakKeyDictionary

from envforge.core.errors import ConfigError
from envforge.core.records.completion import FunctionTool
from envforge.train.data.records import FamilyTools
from envforge.train.host import EpisodeHost
from envforge.train.live import LiveEpisode

_TYPES: Mapping[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list[Any],
    "object": dict[str, Any],
}
_classes: WeakKeyDictionary[EpisodeHost, dict[str, type[FamilyEnvironment]]] = WeakKeyDictionary()
"""The trainer tells environments apart by their exact type: a family has one class for each host."""


class FamilyEnvironment:
    """What the classes of all families have alike; made by `environment_classes`."""

    _host: ClassVar[EpisodeHost]
    _family: ClassVar[FamilyTools]

    def __init__(self) -> None:
        self._live: LiveEpisode | None = None

    def reset(self, **row: Any) -> None:
        """Begin the episode of a row. The row's prompt says everything, so nothing is added to it."""
        if self._live is not None:
            self._host.wait(self._live.drop())
        self._live = self._host.wait(
            self._host.begin(row["environment_id"], row["task_id"], int(row["episode_seed"]), self._family.final)
        )

    def get_reward(self) -> float | None:
        """What the episode is worth; None: it could not be scored, and nobody learns from it."""
        return None if self._live is None else self._host.wait(self._host.finish(self._live))

    async def _answer(self, name: str, arguments: Mapping[str, Any]) -> str:
        """As the method of that name, for who waits in the host's loop."""
        if self._live is None:
            raise ConfigError("no episode has begun", where=type(self).__name__, remedy="call reset with a row first")
        return await self._live.call(name, arguments)

    def _call(self, name: str, arguments: Mapping[str, Any]) -> str:
        return self._host.wait(self._answer(name, arguments))


async def answer(environment: FamilyEnvironment, name: str, arguments: Mapping[str, Any]) -> str:
    """What a tool answers, for who waits in the host's loop. Not a method: those are all offered as tools."""
    return await environment._answer(name, arguments)  # pyright: ignore[reportPrivateUsage]


def outcome(environment: FamilyEnvironment) -> float | None:
    """1: every check passed, whatever the reward that trains makes of it; None: not scored. It ends the episode."""
    environment.get_reward()
    live = environment._live  # pyright: ignore[reportPrivateUsage]
    verdict = live.trajectory.verdict if live is not None and live.trajectory is not None else None
    return None if verdict is None else verdict.score


def environment_classes(families: Iterable[FamilyTools], host: EpisodeHost) -> dict[str, type[FamilyEnvironment]]:
    """Family -> its class, the same one whenever it is asked for."""
    return {family.family: environment_class(family, host) for family in families}


def environment_class(family: FamilyTools, host: EpisodeHost) -> type[FamilyEnvironment]:
    """The class of a family: its methods take what the schemas say, and answer with text."""
    known = _classes.setdefault(host, {})
    key = family.content_id("family")
    if key not in known:
        methods = {tool.name: _method(tool) for tool in family.tools}
        body = {"_host": host, "_family": family, "__doc__": f"The environments of {family.family}.", **methods}
        known[key] = type(_class_name(family.family), (FamilyEnvironment,), body)
    return known[key]


def _class_name(family: str) -> str:
    """Its reward stands under this name in the trainer's figures."""
    return "".join(part.capitalize() for part in family.replace("_", "-").split("-"))


def _method(tool: FunctionTool) -> Any:
    """A function of the class. What does not fit the schema is answered by the World, with words for the model."""

    def method(self: FamilyEnvironment, /, **arguments: Any) -> str:
        return self._call(tool.name, arguments)  # pyright: ignore[reportPrivateUsage]

    parameters = list(_parameters(tool))
    method.__name__ = tool.name
    method.__qualname__ = tool.name
    method.__doc__ = _docstring(tool, [parameter.name for parameter in parameters])
    method.__annotations__ = {**{one.name: one.annotation for one in parameters}, "return": str}
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    method.__dict__["__signature__"] = inspect.Signature([first, *parameters], return_annotation=str)
    return method


def _parameters(tool: FunctionTool) -> Iterable[inspect.Parameter]:
    """Keyword parameters, required ones first. A name that Python does not take is left to the full schema."""
    properties = cast("dict[str, Any]", tool.parameters.get("properties", {}))
    required = set(tool.parameters.get("required", ()))
    for name in sorted(properties, key=lambda name: name not in required):
        if not name.isidentifier() or iskeyword(name):
            continue
        kind = _type(properties[name])
        if name in required:
            yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind)
        else:
            yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind | None, default=None)


def _type(schema: Mapping[str, Any]) -> Any:
    """The Python type for hints; what has several, or says none, may be anything."""
    named = schema.get("type")
    return _TYPES.get(named, Any) if isinstance(named, str) else Any


def _docstring(tool: FunctionTool, names: Iterable[str]) -> str:
    properties = cast("dict[str, Any]", tool.parameters.get("properties", {}))
    lines = [" ".join(tool.description.split()) or tool.name, "", "Args:"]
    for name in names:
        said = " ".join(str(properties[name].get("description", "")).split())
        lines.append(f"    {name}: {said or name}")
    return "\n".join(lines if len(lines) > 3 else lines[:1])
