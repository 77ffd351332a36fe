"""Arguments of a call against the tool's JSON Schema: what is wrong, in words an agent can act on."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable

from envforge.core.errors import StoreError
from envforge.core.patterns import LONGEST, surely_fast
from envforge.core.records.environment import ToolSpec

_SHOWN = 60
_MOST_ALLOWED = 40


@dataclass(frozen=True)
class CallError:
    """Why a call gave no result.

    `kind`: caller (the arguments, or what the tool answered) or fault (the tool crashed).
    """

    code: str
    message: str
    hint: str = ""
    kind: str = "caller"
    field: str = ""
    allowed: tuple[Any, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """What an agent is shown: empty parts are left out."""
        value: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.hint:
            value["hint"] = self.hint
        if self.field:
            value["field"] = self.field
        if self.allowed:
            value["allowed"] = list(self.allowed)
        return value


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    if not isinstance(instance, str) or len(instance) > LONGEST or not surely_fast(pattern):
        return
    if not re.search(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: dict[str, Any], instance: Any, schema: Any) -> Iterator[Any]:
    fast = {pattern: inner for pattern, inner in patterns.items() if surely_fast(pattern)}
    if isinstance(instance, dict) and all(len(str(key)) <= LONGEST for key in cast("dict[Any, Any]", instance)):
        yield from Draft202012Validator.VALIDATORS["patternProperties"](validator, fast, instance, schema)


# The libraries have no types for these two.
_extend: Any = getattr(validators, "extend")  # noqa: B009
_Validator: Any = _extend(Draft202012Validator, {"pattern": _pattern, "patternProperties": _pattern_properties})
_NOTHING_ELSE: Any = cast("Any", Registry)()


class ArgumentCheck:
    """Compiled once per tool.

    It runs in the host's own process on schemas that a stranger may have written: nothing is fetched for a `$ref`,
    and a `pattern` that could keep the matcher busy is left to the tool's own check, in the sandbox.
    """

    def __init__(self, spec: ToolSpec, *, where: str = "tools.json") -> None:
        """Raises StoreError when the tool's parameters are no JSON Schema of an object."""
        self._properties: dict[str, Any] = spec.parameters.get("properties", {})
        self._required: tuple[str, ...] = tuple(spec.parameters.get("required", ()))
        schema = {"additionalProperties": False, **spec.parameters, "type": "object"}
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as error:
            remedy = "parameters are a JSON Schema of an object"
            raise StoreError(f"{spec.name}.parameters: {error.message}", where=where, remedy=remedy) from error
        self._validator = _Validator(schema, registry=_NOTHING_ELSE)
        self._where = where
        self._name = spec.name

    def problem(self, arguments: Any) -> CallError | None:
        """The first thing wrong with `arguments`, or None."""
        if not isinstance(arguments, dict):
            return CallError(
                "invalid_argument", f"Arguments are an object of names and values, not {_kind(arguments)}."
            )
        given = cast("dict[Any, Any]", arguments)
        unknown = [str(name) for name in given if name not in self._properties]
        if unknown:
            return self._unknown(unknown[0])
        missing = [name for name in self._required if name not in given]
        if missing:
            return CallError(
                "invalid_argument",
                f"The argument {missing[0]!r} is missing.",
                self._describe(missing[0]),
                field=missing[0],
            )
        try:
            error = next(iter(sorted(self._validator.iter_errors(given), key=_order)), None)
        except (Unresolvable, RecursionError) as failure:
            what = f"a $ref leads nowhere: {failure}" if isinstance(failure, Unresolvable) else "a $ref runs in circles"
            remedy = "a schema refers to its own $defs only"
            raise StoreError(f"{self._name}.parameters: {what}", where=self._where, remedy=remedy) from failure
        return None if error is None else self._from_schema(_deepest(error))

    def _unknown(self, name: str) -> CallError:
        near = difflib.get_close_matches(name, list(self._properties), n=1, cutoff=0.6)
        hint = f"Did you mean {near[0]!r}?" if near else f"It takes: {', '.join(self._properties) or 'no arguments'}."
        allowed = tuple(self._properties)
        return CallError("invalid_argument", f"There is no argument {name!r}.", hint, field=name, allowed=allowed)

    def _describe(self, name: str) -> str:
        schema: Any = self._properties.get(name)
        return str(cast("dict[str, Any]", schema).get("description", "")) if isinstance(schema, dict) else ""

    def _from_schema(self, error: ValidationError) -> CallError:
        field = _path(error.absolute_path)
        wanted: Any = error.validator_value
        allowed: tuple[Any, ...] = tuple(wanted) if error.validator == "enum" else ()
        hint = ""
        if allowed and isinstance(error.instance, str):
            texts = [value for value in allowed if isinstance(value, str)]
            near = difflib.get_close_matches(error.instance, texts, n=1, cutoff=0.6)
            hint = f"Did you mean {near[0]!r}?" if near else ""
        name = field or "arguments"
        return CallError("invalid_argument", _sentence(name, error), hint, field=field, allowed=allowed[:_MOST_ALLOWED])


def unknown_tool(name: str, known: Iterable[str]) -> CallError:
    """The answer to a call of a tool that is not there."""
    names = sorted(known)
    near = tuple(difflib.get_close_matches(name, names, n=3, cutoff=0.5))
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are: {', '.join(names)}."
    return CallError("not_found", f"There is no tool {_short(name)}.", hint, field="tool", allowed=near or tuple(names))


def _order(error: ValidationError) -> tuple[list[str], str]:
    return [str(part) for part in error.absolute_path], str(error.validator)


def _deepest(error: ValidationError) -> ValidationError:
    """In a union, the branch whose error lies deepest is the one that was meant."""
    while error.context:
        error = max(error.context, key=lambda inner: (len(inner.absolute_path), inner.validator != "type"))
    return error


def _sentence(name: str, error: ValidationError) -> str:
    shown = _short(error.instance)
    value: Any = error.validator_value
    if error.validator == "type":
        kinds = value if isinstance(value, str) else " or ".join(value)
        return f"{name} is {_kind(error.instance)} ({shown}); it must be {kinds}."
    if error.validator == "enum":
        return f"{name} is {shown}; it must be one of: {', '.join(_short(item) for item in value[:_MOST_ALLOWED])}."
    bounds = {
        "minimum": "at least {}",
        "maximum": "at most {}",
        "exclusiveMinimum": "more than {}",
        "exclusiveMaximum": "less than {}",
        "minLength": "at least {} characters long",
        "maxLength": "at most {} characters long",
        "minItems": "a list of at least {}",
        "maxItems": "a list of at most {}",
        "pattern": "of the form {}",
        "const": "{}",
    }
    if error.validator in bounds:
        return f"{name} is {shown}; it must be {bounds[str(error.validator)].format(value)}."
    return f"{name}: {error.message[:300]}."


def _path(parts: Iterable[Any]) -> str:
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "a boolean"
    kinds = ((str, "a string"), (int, "an integer"), (float, "a number"), (list, "a list"), (dict, "an object"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "null")


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
