"""Arguments of a call against the tool's JSON Schema: what is wrong, in words an agent can act on."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError

from envforge.core.errors import StoreError
from envforge.core.records.environment import ToolSpec
from envforge.world.argument_references import BadReference, references
from envforge.world.argument_schema import Exact, TooLong, compiled
from envforge.world.argument_values import NotPlain, refuse_strange_values

UNKNOWN_TOOL = "unknown_tool"
"""Code of a call of a tool that is not there; a missing row is `not_found`."""
_SHOWN = 60
_LONGEST_NAME = 200
_MOST_ALLOWED = 40
_KINDS: tuple[tuple[type, str], ...] = (
    (type(None), "null"),
    (bool, "a boolean"),
    (str, "a string"),
    (int, "an integer"),
    (float, "a number"),
    (list, "a list"),
    (dict, "an object"),
)


_BOUNDS = {
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
_SPANS = (
    ("minimum", "maximum", "a number from {} to {}"),
    ("minLength", "maxLength", "a text of {} to {} characters"),
    ("minItems", "maxItems", "a list of {} to {} items"),
)
_NAMED = {
    "null": "null",
    "boolean": "true or false",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "array": "a list",
    "object": "an object",
}
_AS_DESCRIBED = "Give it as the tool's parameters describe it."


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


class ArgumentCheck:
    """Compiled once per tool. What fits is accepted by machine code; what does not is explained by the exact validator.

    It runs in the host's own process on schemas that a stranger may have written: see `argument_schema`.
    """

    def __init__(self, spec: ToolSpec, *, where: str = "tools.json") -> None:
        """Raises StoreError when the tool's parameters are no JSON Schema of an object."""
        self.spec = spec
        self._properties: dict[str, Any] = spec.parameters.get("properties", {})
        self._required: tuple[str, ...] = tuple(spec.parameters.get("required", ()))
        schema = {"additionalProperties": False, **spec.parameters, "type": "object"}
        try:
            Draft202012Validator.check_schema(schema)
            for target in references(schema):
                Draft202012Validator.check_schema(target)
        except (SchemaError, BadReference, RecursionError) as error:
            what = error.message if isinstance(error, SchemaError) else str(error)
            what = "it is nested too deep" if isinstance(error, RecursionError) else what
            remedy = "parameters are a JSON Schema of an object, which refers to its own $defs only"
            raise StoreError(f"{spec.name}.parameters: {what[:300]}", where=where, remedy=remedy) from error
        self._compiled = compiled(schema)
        self._exact = Exact(schema)

    @property
    def is_compiled(self) -> bool:
        """False when only the exact validator can judge this schema."""
        return self._compiled is not None

    def problem(self, arguments: Any) -> CallError | None:
        """The first thing wrong with `arguments`, or None. Never raises."""
        if not isinstance(arguments, dict):
            message = f"Arguments are an object of names and values, not {_kind(arguments)}."
            return CallError("invalid_argument", message, 'Pass an object such as {"name": "value"}.')
        given = cast("dict[Any, Any]", arguments)
        try:
            refuse_strange_values(given)
        except NotPlain as stray:
            field = _path(stray.path)
            hint = "Give less at once." if stray.code == "limit_exceeded" else "Give plain JSON values."
            return CallError(stray.code, f"{field or 'The arguments'} {stray.message}.", hint, field=field)
        if given.keys() <= self._properties.keys() and self._fits(given):
            return None
        return self.explain(given)

    def _fits(self, given: dict[str, Any]) -> bool:
        try:
            return self._compiled is not None and self._compiled.is_valid(given)
        except (ValueError, TypeError):
            return False  # a subclass of str or int: the exact validator knows them

    def explain(self, given: dict[str, Any]) -> CallError | None:
        """`problem` by the exact validator alone."""
        unknown = [name for name in given if name not in self._properties]
        if unknown:
            return _no_such(unknown[0], "", self._properties)
        missing = [name for name in self._required if name not in given]
        if missing:
            return _missing(missing[0], "", self._properties)
        try:
            errors = self._exact.errors(given)
        except TooLong:
            return self._without_words(given)
        return _from_schema(_deepest(min(errors, key=_order))) if errors else None

    def _without_words(self, given: dict[str, Any]) -> CallError:
        """For arguments so large that the exact validator gives up: the compiled one still knows where."""
        try:
            first = next(iter(self._compiled.iter_errors(given)), None) if self._compiled is not None else None
        except (ValueError, TypeError):
            first = None
        if first is None:
            message = "The arguments are too large or too deep for their check."
            return CallError("limit_exceeded", message, "Give less at once.")
        field = _path(first.instance_path)
        message = _cut(f"{field or 'arguments'}: {first.message}", _LONGEST_NAME)
        return CallError("invalid_argument", message, _AS_DESCRIBED, field=field)


def unknown_tool(name: Any, known: Iterable[str]) -> CallError:
    """The answer to a call of a tool that is not there."""
    names = sorted(known)
    if not isinstance(name, str):
        message = f"The name of a tool is a text, not {_kind(name)}."
        return CallError(
            UNKNOWN_TOOL, message, _takes("There are", names), "caller", "tool", tuple(names[:_MOST_ALLOWED])
        )
    near = _near(name, names, 3, 0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else _takes("There are", names)
    allowed = near or tuple(names[:_MOST_ALLOWED])
    return CallError(UNKNOWN_TOOL, f"There is no tool {_short(name)}.", hint, field="tool", allowed=allowed)


def _no_such(name: str, inside: str, properties: Mapping[str, Any]) -> CallError:
    near = _near(name, list(properties), 1, 0.6)
    hint = f"Did you mean {near[0]!r}?" if near else _takes("It takes", list(properties))
    message = f"There is no argument {_quoted(name)}." if not inside else f"{inside} has no field {_quoted(name)}."
    allowed = tuple(properties)[:_MOST_ALLOWED]
    return CallError("invalid_argument", message, hint, field=_inside(inside, name), allowed=allowed)


def _missing(name: str, inside: str, properties: Mapping[str, Any]) -> CallError:
    schema: Any = properties.get(name)
    told = str(cast("dict[str, Any]", schema).get("description", "")) if isinstance(schema, dict) else ""
    hint = f"Give it: {told}" if told else "Give a value for it."
    message = (
        f"The argument {_quoted(name)} is missing." if not inside else f"{inside} lacks the field {_quoted(name)}."
    )
    return CallError("invalid_argument", message, hint, field=_inside(inside, name))


def _from_schema(error: ValidationError) -> CallError:
    field = _path(error.absolute_path)
    given, wanted, schema = cast("tuple[Any, Any, Any]", (error.instance, error.validator_value, error.schema))
    if error.validator == "additionalProperties" and not wanted and not schema.get("patternProperties"):
        strays = [name for name in given if name not in schema.get("properties", {})]
        return _no_such(strays[0], field, schema.get("properties", {}))
    if error.validator == "required":
        lacking = [name for name in wanted if name not in given]
        return _missing(lacking[0], field, schema.get("properties", {}))
    allowed: tuple[Any, ...] = tuple(wanted) if error.validator == "enum" else ()
    near = _near(given, [value for value in allowed if isinstance(value, str)], 1, 0.6)
    hint = f"Did you mean {near[0]!r}?" if near else _remedy(error)
    shown = allowed[:_MOST_ALLOWED]
    return CallError("invalid_argument", _sentence(field or "arguments", error), hint, field=field, allowed=shown)


def _near(name: Any, names: Sequence[str], most: int, cutoff: float) -> tuple[str, ...]:
    if not isinstance(name, str):
        return ()
    return tuple(difflib.get_close_matches(name[:_LONGEST_NAME], names, n=most, cutoff=cutoff))


def _takes(words: str, names: Sequence[str]) -> str:
    more = f" … ({len(names)} in all)" if len(names) > _MOST_ALLOWED else ""
    return f"{words}: {', '.join(names[:_MOST_ALLOWED]) or 'no arguments'}{more}."


def _order(error: ValidationError) -> tuple[list[str], str]:
    return [str(part) for part in error.absolute_path], str(error.validator)


def _deepest(error: ValidationError) -> ValidationError:
    """In a union, the branch whose error lies deepest is the one that was meant."""
    while error.context:
        error = max(error.context, key=lambda inner: (len(inner.absolute_path), inner.validator != "type"))
    return error


def _remedy(error: ValidationError) -> str:
    """What to give instead: "Give a number from 1 to 50."."""
    schema, value = cast("tuple[dict[str, Any], Any]", (error.schema, error.validator_value))
    for least, most, words in _SPANS:
        if error.validator in (least, most) and least in schema and most in schema:
            return f"Give {words.format(schema[least], schema[most])}."
    if error.validator in _BOUNDS:
        text = "a text " if error.validator in ("minLength", "maxLength", "pattern") else ""
        return f"Give {text}{_BOUNDS[str(error.validator)].format(value)}."
    if error.validator == "type":
        return f"Give {' or '.join(_NAMED.get(kind, kind) for kind in _wanted_types(error))}."
    if error.validator == "enum":
        return "Give one of the allowed values."
    if error.validator == "uniqueItems":
        return "Name each item once."
    return _AS_DESCRIBED


def _sentence(name: str, error: ValidationError) -> str:
    shown = _short(error.instance)
    value: Any = error.validator_value
    if error.validator == "type":
        return f"{name} is {_kind(error.instance)} ({shown}); it must be {' or '.join(_wanted_types(error))}."
    if error.validator == "enum":
        return f"{name} is {shown}; it must be one of: {', '.join(_short(item) for item in value[:_MOST_ALLOWED])}."
    if error.validator in _BOUNDS:
        return f"{name} is {shown}; it must be {_BOUNDS[str(error.validator)].format(value)}."
    return f"{name}: {error.message[:300]}."


def _wanted_types(error: ValidationError) -> list[str]:
    """The types that a value may have; in a union, those of all its branches."""
    parent = error.parent
    branches = parent.context or [] if parent is not None and parent.validator in ("anyOf", "oneOf") else [error]
    wanted: list[str] = []
    for branch in branches:
        if branch.validator == "type" and branch.absolute_path == error.absolute_path:
            kinds = cast("str | list[str]", branch.validator_value)
            wanted += [kinds] if isinstance(kinds, str) else kinds
    return list(dict.fromkeys(wanted))


def _path(parts: Iterable[Any]) -> str:
    text = ""
    for part in parts:
        text = _cut(f"{text}[{part}]", _LONGEST_NAME) if isinstance(part, int) else _inside(text, str(part))
    return text


def _inside(path: str, name: str) -> str:
    return _cut(f"{path}.{name}" if path else name, _LONGEST_NAME)


def _kind(value: object) -> str:
    return next((name for kind, name in _KINDS if isinstance(value, kind)), f"a {type(value).__name__}")


def _quoted(name: str) -> str:
    return repr(_cut(name, _SHOWN))


def _short(value: Any) -> str:
    return _cut(json.dumps(value, ensure_ascii=False), _SHOWN)


def _cut(text: str, most: int) -> str:
    """At most so many characters, and only such as a message can carry."""
    text = text if len(text) <= most else f"{text[: most - 1]}…"
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
