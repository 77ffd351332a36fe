"""Declared knowledge, archetypes and shapes: YAML files of one record each, read strictly, in folders by rank."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

import yaml
from pydantic import ValidationError

from envforge.core.errors import ConfigError

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C parser is optional in PyYAML


class _StrictLoader(_Base):
    """YAML without its traps: a key twice in a mapping is refused, `on`, `off`, `no` and dates are plain text."""


def _mapping(loader: Any, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[str] = set()
    for key, _ in node.value:
        if key.value in seen:
            problem = f"the key {key.value!r} stands twice"
            raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
        seen.add(key.value)
    return loader.construct_mapping(node, deep=True)


def _strict_loader() -> Any:
    loader: Any = _StrictLoader
    kept = {f"tag:yaml.org,2002:{kind}" for kind in ("int", "float", "null", "merge")}
    loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag in kept]
        for first, resolvers in _Base.yaml_implicit_resolvers.items()
    }
    loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))
    loader.add_constructor("tag:yaml.org,2002:map", _mapping)
    return loader


_LOADER = _strict_loader()


class Declared(Protocol):
    """A record that a file declares."""

    id: str


DeclaredT = TypeVar("DeclaredT", bound=Declared)


def load_folders(folders: Sequence[Path], load: Callable[[Path], DeclaredT]) -> list[DeclaredT]:
    """What the files in `folders` (*.yaml) declare, by id; an earlier folder wins over a later one.

    Raises ConfigError naming the file, the field and the remedy.
    """
    found: dict[str, DeclaredT] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.yaml")):
            record = load(path)
            found.setdefault(record.id, record)
    return [found[name] for name in sorted(found)]


def read_mapping(path: Path, remedy: str) -> dict[str, Any]:
    """The mapping in a YAML file, read strictly. Raises ConfigError naming file and line."""
    try:
        content: Any = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506 - safe
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot be read: {error}", where=str(path)) from error
    except yaml.YAMLError as error:
        raise ConfigError(f"is no YAML: {error}", where=str(path), remedy="mend the line it names") from error
    if not isinstance(content, dict):
        raise ConfigError("is not a mapping", where=str(path), remedy=remedy)
    return cast("dict[str, Any]", content)


def first_problem(error: ValidationError, path: Path, remedy: str) -> ConfigError:
    """What is wrong with a file's content, by its first wrong field."""
    problems = error.errors(include_url=False)
    first = problems[0]
    place = ".".join(str(part) for part in first["loc"])
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return ConfigError(f"{first['msg']}{more}", where=f"{path}: {place}", remedy=remedy)
