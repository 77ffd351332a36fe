import ast

import pytest

from envforge.core.errors import ConfigError
from envforge.core.expressions import free_names, item_access, parse


def rewritten(text: str) -> str:
    return ast.unparse(item_access(parse(text)))


def test_attributes_become_items_but_methods_stay() -> None:
    assert rewritten("row.title.lower() + other.a.b") == "row['title'].lower() + other['a']['b']"


def test_free_names_leave_out_functions_and_loop_variables() -> None:
    assert free_names(parse("[x.id for x in rows if len(x.name) > limit]")) == {"rows", "limit"}


@pytest.mark.parametrize(
    "text",
    ["().__class__", "__import__('os')", "open('x')", "lambda: 1", "(y := 1)", "a.system('ls')", "x if", "f'{a.__b}'"]
    + ["-" * 50_000 + "1", "1\x00"],
)
def test_outside_the_language_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"themes/a\.yaml"):
        parse(text, where="themes/a.yaml")


def test_extra_functions_are_the_callers_choice() -> None:
    parse("chance(0.5)", functions={"chance"})
    with pytest.raises(ConfigError, match="chance"):
        parse("chance(0.5)")
