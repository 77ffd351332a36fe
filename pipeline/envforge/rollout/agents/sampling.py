"""Values that fit a JSON Schema, drawn at random or taken from what was seen before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from envforge.core.seeds import stream
from envforge.world.argument_references import BadReference, follow

_WORDS = ("north", "report", "first", "open", "blue", "review", "late", "draft", "two", "harbour")
_MOST_DEEP = 6
_MOST_VALUES = 2000
_MOST_ITEMS, _MOST_LETTERS = 50, 2000
"""A stranger may have written the schema: however much it asks for, no more is made."""
_FREE = 100
"""Where a schema states no bound: numbers up to this."""


class Sampler:
    """Draws values. The same seed and names give the same draws."""

    def __init__(self, seed: int, *names: str | int) -> None:
        self.random = stream(seed, "sampler", *names)
        self._left = 0

    def value(self, schema: Any, root: Mapping[str, Any] | None = None, deep: int = 0) -> Any:
        """A value that fits `schema` as far as plain keywords say; None where they say nothing or it is too deep."""
        self._left = _MOST_VALUES if deep == 0 else self._left - 1
        if not isinstance(schema, dict) or deep > _MOST_DEEP or self._left < 0:
            return None
        held = cast("dict[str, Any]", schema)
        root = held if root is None else root
        inner = self._inner(held, root)
        if inner is not None:
            return self.value(inner, root, deep + 1)
        if "const" in held:
            return held["const"]
        if held.get("enum"):
            return self.random.choice(cast("list[Any]", held["enum"]))
        return self._typed(held, root, deep)

    def _inner(self, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
        """The schema that this one hands on to."""
        if "$ref" in schema:
            try:
                return follow(dict(root), schema["$ref"])
            except BadReference:
                return None
        for keyword in ("anyOf", "oneOf"):
            if schema.get(keyword):
                return self.random.choice(cast("list[Any]", schema[keyword]))
        return None

    def _typed(self, schema: Mapping[str, Any], root: Mapping[str, Any], deep: int) -> Any:
        kinds: Any = schema.get("type", "object" if "properties" in schema else "string")
        kind = self.random.choice(cast("list[str]", kinds)) if isinstance(kinds, list) else kinds
        if kind == "object":
            return self._object(schema, root, deep)
        if kind == "array":
            least = min(_size(schema, "minItems", 1), _MOST_ITEMS)
            count = self.random.randint(least, max(least, 3))
            return [self.value(schema.get("items", {}), root, deep + 1) for _ in range(count)]
        if kind in ("integer", "number"):
            return self._number(schema, whole=kind == "integer")
        if kind == "boolean":
            return self.random.random() < 0.5
        return self._text(schema) if kind == "string" else None

    def _object(self, schema: Mapping[str, Any], root: Mapping[str, Any], deep: int) -> dict[str, Any]:
        properties: Mapping[str, Any] = schema.get("properties", {})
        required: Sequence[str] = schema.get("required", ())
        chosen = [name for name in properties if name in required or self.random.random() < 0.3]
        return {name: self.value(properties[name], root, deep + 1) for name in chosen}

    def _number(self, schema: Mapping[str, Any], *, whole: bool) -> float:
        least = _bound(schema, "minimum", _bound(schema, "exclusiveMinimum", 0))
        most = _bound(schema, "maximum", _bound(schema, "exclusiveMaximum", max(least, 0) + _FREE))
        step = schema.get("multipleOf")
        if whole:
            found = self.random.randint(int(least), max(int(least), int(most)))
            return found - found % step if isinstance(step, int) and step else found
        return round(self.random.uniform(least, max(least, most)), 2)

    def _text(self, schema: Mapping[str, Any]) -> str:
        form = schema.get("format", "")
        day = f"20{self.random.randint(10, 29)}-{self.random.randint(1, 12):02}-{self.random.randint(1, 28):02}"
        if form in ("date", "date-time"):
            return day if form == "date" else f"{day}T{self.random.randint(0, 23):02}:00:00Z"
        text = " ".join(self.random.choice(_WORDS) for _ in range(self.random.randint(1, 3)))
        text = text.ljust(min(_size(schema, "minLength", 0), _MOST_LETTERS), "x")
        return text[: _size(schema, "maxLength", len(text))]


def _bound(schema: Mapping[str, Any], keyword: str, otherwise: float) -> float:
    """The number that a keyword states, within what JSON writers and the World hold; else another."""
    value = schema.get(keyword)
    if isinstance(value, int | float) and not isinstance(value, bool) and -(2**63) <= value < 2**63:
        return value
    return otherwise


def _size(schema: Mapping[str, Any], keyword: str, otherwise: int) -> int:
    return max(0, int(_bound(schema, keyword, otherwise)))
