import ast

import pytest

from envforge.gates.tool_rules import call_graph, violations, writers

GOOD = '''"""Tools."""
from __future__ import annotations
import re
from envforge.world.api import ToolError, World

_WORD = re.compile("x")

def _find(world: World, key: str) -> dict:
    return world.query("SELECT 1", [key])[0]

def get_page(world: World, key: str) -> dict:
    """Get.

    Args:
        key: its key.
    """
    return _find(world, key)

def put_page(world: World, key: str) -> dict:
    """Put.

    Args:
        key: its key.
    """
    world.execute("UPDATE t SET a = ?", [key])
    return get_page(world, key)
'''


def test_good_module_has_no_violation() -> None:
    assert violations(GOOD) == []


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("import os", "import os"),
        ("from subprocess import run", "subprocess"),
        ("from . import x", "import from"),
        ("import random", "random"),
        ("import time", "time"),
        ("x = open('/etc/passwd')", "open"),
        ("x = eval('1')", "eval"),
        ("x = getattr(World, 'q')", "getattr"),
        ("x = ().__class__", "__class__"),
        ("import datetime\nx = datetime.datetime.now()", "clock"),
        ("import datetime\nx = datetime.date.today()", "clock"),
        ("class A: pass", "ClassDef"),
        ("for i in [1]: pass", "module level"),
        ("def reset(world: World) -> dict:\n    return {}", "reserved"),
        ("def no_world(a: int) -> dict:\n    return {}", "world first"),
        (
            "def untyped(world: World, a) -> dict:\n    '''X.\n\n    Args:\n        a: x.\n    '''\n    return {}",
            "type",
        ),
        ("def undocumented(world: World, a: int) -> dict:\n    return {}", "Args"),
        ("def broken(:", "line"),
    ],
)
def test_broken_rule_is_named_with_its_line(line: str, word: str) -> None:
    found = violations(GOOD + line + "\n")
    assert any(word in reason and reason.startswith("line ") for reason in found), found


def test_world_now_is_the_worlds_clock() -> None:
    assert violations(GOOD.replace('"SELECT 1"', "world.now()")) == []


def test_call_graph_is_transitive() -> None:
    assert call_graph(ast.parse(GOOD))["put_page"] == {"put_page", "get_page", "_find"}


@pytest.mark.parametrize("body", ["w = world\n    return {}", "return {'w': world}", "return [world][0].query('x')"])
def test_a_world_out_of_sight_counts_as_writing(body: str) -> None:
    source = f"def sly(world):\n    {body}\n"
    assert writers(ast.parse(source)) == {"sly"}


def test_only_real_writers_write() -> None:
    assert writers(ast.parse(GOOD)) == {"put_page"}
