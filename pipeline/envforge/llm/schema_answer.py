"""JSON answers: what the text says, checked against the schema that was given."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from envforge.core.errors import ConfigError
from envforge.core.ids import canonical_json
from envforge.core.model_errors import NotJsonError, SchemaMismatchError
from envforge.llm.fields import excerpt
from envforge.store.files import parse_json

_MOST_PROBLEMS = 8


@lru_cache(maxsize=64)
def _validator(schema: str) -> Draft202012Validator:
    value: Any = parse_json(schema)
    try:
        Draft202012Validator.check_schema(value)
    except SchemaError as error:
        raise ConfigError(f"is no JSON Schema: {error.message}", where="json_schema") from None
    return Draft202012Validator(value)


def parsed_answer(text: str, schema: dict[str, Any]) -> Any:
    """The JSON value of an answer. Raises NotJsonError, SchemaMismatchError; ConfigError for a wrong schema."""
    validator = _validator(canonical_json(schema))
    try:
        value: Any = parse_json(text)
    except ValueError as error:
        raise NotJsonError(f"the answer is no JSON: {error}", text=text) from None
    found = sorted(_problem(error) for error in validator.iter_errors(value))
    if found:
        shown = tuple(found[:_MOST_PROBLEMS])
        raise SchemaMismatchError(f"the answer does not fit the schema: {shown[0]}", problems=shown, text=text)
    return value


def _problem(error: Any) -> str:
    place = ".".join(str(part) for part in error.absolute_path) or "(top)"
    return f"{place}: {excerpt(error.message)}"
