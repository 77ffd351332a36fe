"""A tool's parameters as two validators that agree: a compiled one that says yes fast, an exact one that says why not.

Both run in the host's own process on schemas that a stranger may have written. Nothing is fetched and no code is
generated; `$ref` leads into the same schema or is refused; a `pattern` that could keep the matcher busy is left to the
tool's own check, in the sandbox; a check that takes too many steps is given up.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import isfinite
from typing import Any, cast

import jsonschema_rs
from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError
from referencing import Registry

from envforge.core.patterns import LONGEST, surely_fast
from envforge.world.argument_references import LISTS, ONE, UNEVALUATED, Schema, follow

MOST_STEPS = 30_000
"""Keywords that the exact validator looks at in one check, a fraction of a second."""
_MOST_NODES = 2_000
"""Schema objects of a compiled validator, after each `$ref` was replaced by what it refers to."""

# fmt: off
_PLAIN = frozenset({
    "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf", "minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems",
    "minContains", "maxContains", "minProperties", "maxProperties", "required", "dependentRequired",
})
# fmt: on


class TooLong(Exception):
    """The check took too many steps."""


# Rules that are asked in Python by both


def fits_pattern(pattern: str, instance: Any) -> bool:
    """False for a text that surely does not match; what could keep the matcher busy is not asked."""
    if not isinstance(instance, str) or len(instance) > LONGEST or not surely_fast(pattern):
        return True
    return re.search(pattern, instance) is not None


def is_multiple(step: Any, instance: Any) -> bool:
    """False for a number that is no multiple of `step`.

    Numbers count as they are written: 0.3 is a multiple of 0.1, although the nearest binary fractions are not.
    """
    if isinstance(instance, bool) or not isinstance(instance, (int, float)) or not isfinite(step):
        return True
    return not _as_written(instance) % _as_written(step)


def _as_written(number: float) -> Fraction:
    return Fraction(float.__repr__(number)) if isinstance(number, float) else Fraction(int(number))


# The compiled validator


def _in_python(fits: Callable[[Any, Any], bool]) -> Any:
    """A keyword of the compiled validator that asks the exact one's own rule."""

    class Keyword:
        """Made once per place of the schema."""

        def __init__(self, _: Any, wanted: Any, __: Any) -> None:
            self._wanted = wanted

        def validate(self, instance: Any) -> None:
            """Raises ValueError when the value does not fit."""
            if not fits(self._wanted, instance):
                raise ValueError

    return Keyword


_KEYWORDS = {"pattern": _in_python(fits_pattern), "multipleOf": _in_python(is_multiple)}


def compiled(root: Schema) -> jsonschema_rs.Validator | None:
    """A validator in machine code; None for what only the exact one can judge.

    That is: schemas that hold themselves, that grow too large when written out, and a few rare keywords.
    """
    try:
        flat = _Flattened(root).of(root, ())
        return jsonschema_rs.Draft202012Validator(flat, validate_formats=False, offline=True, keywords=_KEYWORDS)
    except (_OnlyExact, ValueError, RecursionError):
        return None


class _OnlyExact(Exception):
    """Left to the exact validator."""


class _Flattened:
    """A schema without references, annotations and unknown keywords: what is left means the same to any validator."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._nodes = 0

    def of(self, schema: Any, inside: tuple[int, ...]) -> Any:
        self._nodes += 1
        if self._nodes > _MOST_NODES or id(schema) in inside:
            raise _OnlyExact
        if not isinstance(schema, dict):
            return schema
        held = cast("Schema", schema)
        if "patternProperties" in held or any(keyword in held for keyword in UNEVALUATED):
            raise _OnlyExact
        inside = (*inside, id(held))
        flat: Schema = {keyword: value for keyword, value in held.items() if keyword in _PLAIN}
        for keyword in ONE:
            if keyword in held:
                flat[keyword] = self.of(held[keyword], inside)
        for keyword in LISTS:
            if keyword in held:
                flat[keyword] = [self.of(inner, inside) for inner in held[keyword]]
        for keyword in ("properties", "dependentSchemas"):
            if keyword in held:
                flat[keyword] = {name: self.of(inner, inside) for name, inner in held[keyword].items()}
        if "$ref" in held:
            target = self.of(follow(self._root, held["$ref"]), inside)
            flat["allOf"] = [*flat.get("allOf", ()), target]
        return flat


# The exact validator


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    if not fits_pattern(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _names_are_short(instance: Any) -> bool:
    return all(len(str(key)) <= LONGEST for key in cast("dict[Any, Any]", instance))


def _pattern_properties(validator: Any, patterns: Schema, instance: Any, schema: Any) -> Iterator[Any]:
    fast = {pattern: inner for pattern, inner in patterns.items() if surely_fast(pattern)}
    if isinstance(instance, dict) and _names_are_short(instance):
        yield from _original("patternProperties")(validator, fast, instance, schema)


def _additional_properties(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
    patterns: Schema = schema.get("patternProperties", {})
    asked = not patterns or (
        isinstance(instance, dict) and _names_are_short(instance) and all(map(surely_fast, patterns))
    )
    if asked:
        yield from _original("additionalProperties")(validator, value, instance, schema)


def _multiple_of(_: Any, step: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    if not is_multiple(step, instance):
        yield ValidationError(f"{instance!r} is not a multiple of {step!r}")


def _unique_items(_: Any, wanted: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    if wanted and isinstance(instance, list):
        items = cast("list[Any]", instance)
        if len({_hashable(item) for item in items}) < len(items):
            yield ValidationError("an item is there twice")


def _hashable(value: Any) -> Any:
    """A key that is equal for equal JSON values; True is not 1."""
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, list):
        return tuple(_hashable(item) for item in cast("list[Any]", value))
    if isinstance(value, dict):
        return frozenset((name, _hashable(item)) for name, item in cast("dict[Any, Any]", value).items())
    return value


def _original(keyword: str) -> Any:
    return Draft202012Validator.VALIDATORS[keyword]


_steps = threading.local()


def _counted(function: Any) -> Any:
    def count(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        _steps.left -= 1
        if _steps.left < 0:
            raise TooLong
        return function(validator, value, instance, schema)

    return count


_OURS = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "multipleOf": _multiple_of,
    "uniqueItems": _unique_items,
}


def _not_asked(*_: Any) -> Iterator[ValidationError]:
    return iter(())


# The libraries have no types for these two.
_extend: Any = getattr(validators, "extend")  # noqa: B009
_NOTHING_ELSE: Any = cast("Any", Registry)()
_COUNTED = {keyword: _counted(function) for keyword, function in {**Draft202012Validator.VALIDATORS, **_OURS}.items()}
_Exact: Any = _extend(Draft202012Validator, _COUNTED)
# The library looks for evaluated names with the patterns themselves, slow ones too.
_WithoutUnevaluated: Any = _extend(Draft202012Validator, {**_COUNTED, "unevaluatedProperties": _not_asked})


class Exact:
    """The exact validator: every error of a value, with its place."""

    def __init__(self, root: Schema) -> None:
        own = {keyword: value for keyword, value in root.items() if keyword not in ("$id", "$schema")}
        kind = _WithoutUnevaluated if '"patternProperties"' in json.dumps(own) else _Exact
        self._validator = kind(own, registry=_NOTHING_ELSE)

    def errors(self, instance: Any) -> list[ValidationError]:
        """What is wrong. Raises TooLong after MOST_STEPS, or when schema and value are nested too deep together."""
        _steps.left = MOST_STEPS
        try:
            return list(self._validator.iter_errors(instance))
        except RecursionError as error:
            raise TooLong from error
