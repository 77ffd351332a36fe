"""The functions that generated modules embed."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import pytest

from envforge.build.lower import prelude
from envforge.build.lower.prelude_text import embedded, import_lines, needed
from envforge.gates.tool_rules import violations
from envforge.world.api import ToolError


def test_times_keep_the_form_of_their_input() -> None:
    assert prelude.add_minutes("2013-12-31T23:30:00Z", 45) == "2014-01-01T00:15:00Z"
    assert prelude.add_minutes("2013-12-31T23:30:00", -30) == "2013-12-31T23:00:00"
    assert prelude.add_days("2012-02-28", 1) == "2012-02-29"
    assert prelude.add_days("2012-02-28T10:00:00Z", 2) == "2012-03-01T10:00:00Z"


def test_differences() -> None:
    assert prelude.minutes_between("2013-01-01T10:00:00Z", "2013-01-01T11:30:59Z") == 90
    assert prelude.minutes_between("2013-01-01T11:30:00Z", "2013-01-01T10:00:00Z") == -90
    assert prelude.minutes_between("2013-01-01", "2013-01-02T00:01:00Z") == 1441
    assert prelude.days_between("2013-01-01T23:59:00Z", "2013-01-02T00:01:00Z") == 1
    assert prelude.days_between("2013-03-01", "2013-02-01") == -28


def test_parts_of_a_time() -> None:
    assert prelude.date_of("2013-01-15T07:05:00Z") == "2013-01-15"
    assert prelude.time_of("2013-01-15T07:05:00Z") == "07:05"
    assert [prelude.weekday_of(day) for day in ("2013-01-14", "2013-01-20T23:00:00Z")] == ["Monday", "Sunday"]


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (
            "is_date",
            ["2012-02-29"],
            ["2013-02-29", "2013-W01-1", "20130101", "2013-01-01T00:00:00Z", None, 3, "٢013-01-01"],
        ),
        (
            "is_timestamp",
            ["2013-01-01T23:59:59Z"],
            ["2013-01-01T24:00:00Z", "2013-01-01 00:00:00Z", "2013-01-01T00:00:00"],
        ),
        ("is_email", ["a.b+c@d-e.org"], ["a@b", "a b@c.org", "@c.org", "a@c..org", "a@@c.org", None]),
        ("is_url", ["https://example.org/a?b=1", "http://h"], ["ftp://h", "https://", "https:// x", "example.org", 1]),
    ],
)
def test_forms(check: str, good: list[Any], bad: list[Any]) -> None:
    function = getattr(prelude, check)
    assert [value for value in good if not function(value)] == []
    assert [value for value in bad if function(value)] == []


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        ("check_time", ["07:05"], ["7:05", "24:00", "07:60", 705]),
        ("check_uuid", ["123e4567-e89b-42d3-a456-426614174000"], ["123e4567e89b42d3a456426614174000", "x", None]),
        ("check_number", [1, 2.5, -3], ["1", True, float("nan"), float("inf"), 10**400, None]),
        ("check_integer", [0, 2**63 - 1], [2**63, 1.0, True, "1", None]),
        ("check_flag", [True, False], [0, 1, "true", None]),
        ("check_timestamp", ["2013-01-01T00:00:00Z"], ["2013-01-01"]),
        ("check_url", ["https://example.org"], ["example.org"]),
        ("check_text", ["x"], ["", " \n", 5, None, "x" * 20_001]),
    ],
)
def test_checks_name_the_argument(check: str, good: list[Any], bad: list[Any]) -> None:
    function = getattr(prelude, check)
    for value in good:
        function("the_name", value)
    for value in bad:
        with pytest.raises(ToolError) as caught:
            function("the_name", value)
        assert caught.value.code == "invalid_argument"
        assert caught.value.message.startswith("the_name must be ")
        assert len(caught.value.hint) < 120


def test_a_choice_is_not_a_truth_value() -> None:
    prelude.check_choice("n", 1, (1, 2))
    with pytest.raises(ToolError):
        prelude.check_choice("n", True, (1, 2))
    with pytest.raises(ToolError):
        prelude.check_choice("n", [1], (1, 2))


def test_required_keys() -> None:
    prelude.check_object("o", {"a": 1}, known=("a", "b"), required=("a",))
    prelude.check_object("o", {"anything": 1})
    with pytest.raises(ToolError, match="lacks the key 'a'"):
        prelude.check_object("o", {"b": 1}, known=("a", "b"), required=("a",))


def test_json_columns() -> None:
    assert prelude.to_json({"b": "ö", "a": None}) == '{"a":null,"b":"ö"}'
    assert prelude.to_json(None) is None
    assert prelude.parsed('{"a":[1]}') == {"a": [1]}
    assert prelude.parsed(None) is None
    assert [prelude.flag(value) for value in (0, 1, None)] == [False, True, None]


def test_embedded_text_carries_what_it_uses_and_keeps_the_rules() -> None:
    for name in embedded():
        parts = needed([f"{name}"])
        lines = import_lines(parts.values())
        text = "\n".join(lines) + "\n\n" + "\n\n".join(parts.values())
        assert violations(text) == []
        exec(compile(text, name, "exec"), {})


def test_no_local_name_of_the_prelude_is_a_function_of_it() -> None:
    tree = ast.parse(inspect.getsource(prelude))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    local = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    local |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    assert not functions & local
