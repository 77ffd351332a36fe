"""Printing: what is written means what was given, at every width."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envforge.build.lower.layout import Group, block_text, bracketed, quoted, render
from envforge.build.lower.printer import expression_doc, flat_text
from envforge.core.errors import BuildError

TEXTS = st.text(st.sampled_from("ab \"'\\{}\n\t\r\x00\u202e\ud800é😀%"), max_size=30)
VALUES = ["row['x']", "row['it\\'s']", "f(a, 'b')", "x"]
ATOMS = st.one_of(
    st.sampled_from(
        ["a", "row['x']", "f(a)", "f(a, b=1)", "x.get('k', [])", "None", "True", "1.5", "rows[1:]", "rows[-1]"]
    ),
    TEXTS.map(repr),
)


def _operations(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.tuples(inner, inner)
    signs = ["+", "-", "*", "/", "//", "%", "and", "or", "==", "!=", "<", "<=", "is", "is not", "in", "not in"]
    return st.one_of(
        st.tuples(inner, st.sampled_from(signs), inner).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
        inner.map(lambda a: f"not ({a})"),
        inner.map(lambda a: f"-({a})"),
        st.tuples(inner, inner, inner).map(lambda t: f"({t[0]}) if ({t[1]}) else ({t[2]})"),
        st.lists(inner, max_size=4).map(lambda items: "[" + ", ".join(items) + "]"),
        st.lists(inner, max_size=3).map(lambda items: "(" + "".join(f"({item}), " for item in items) + ")"),
        two.map(lambda t: f"{{'key': ({t[0]}), **({t[1]})}}"),
        two.map(lambda t: f"[({t[0]}) for a, b in ({t[1]}) if a if b]"),
        two.map(lambda t: f"sum(({t[0]}) for a in ({t[1]}))"),
        two.map(lambda t: f"({t[0]}).join(({t[1]}))"),
        two.map(lambda t: f"({t[0]})[({t[1]})]"),
    )


EXPRESSIONS = st.recursive(ATOMS, _operations, max_leaves=12)


@settings(max_examples=300, deadline=None)
@given(EXPRESSIONS, st.integers(10, 120))
def test_an_expression_survives_printing(text: str, width: int) -> None:
    node = ast.parse(text, mode="eval").body
    printed = render(("(", Group(expression_doc(node)), ")"), width=width)
    assert ast.dump(ast.parse(printed, mode="eval").body) == ast.dump(node)
    assert ast.dump(ast.parse(flat_text(node), mode="eval").body) == ast.dump(node)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(TEXTS, max_size=4), st.sampled_from(["row['x']", "row['it\\'s']", "f(a, 'b')", "x"]), st.integers(20, 120)
)
def test_a_message_survives_printing(texts: list[str], expression: str, width: int) -> None:
    values: list[ast.expr] = []
    for text in texts:
        values += [ast.Constant(text), ast.FormattedValue(ast.parse(expression, mode="eval").body, ord("r"))]
    printed = render(("(", Group(expression_doc(ast.JoinedStr(values))), ")"), width=width)
    namespace: dict[str, Any] = {"row": {"x": 1, "it's": 2}, "f": max, "a": "c", "x": 4}
    value = eval(expression, namespace)
    assert eval(printed, namespace) == "".join(text + repr(value) for text in texts)


@given(TEXTS)
def test_literals_cannot_be_broken_out_of(text: str) -> None:
    assert ast.literal_eval(quoted(text)) == text
    assert "\n" not in quoted(text)
    body = block_text(text)
    assert ast.literal_eval(f'"""\n{body}\n"""') == f"\n{text}\n"


def test_invisible_characters_are_escaped() -> None:
    assert quoted("a\u202eb\u200b\ud800") == '"a\\u202eb\\u200b\\ud800"'
    assert block_text("a\u202eb\x00") == "a\\u202eb\\x00"


def test_what_does_not_fit_is_exploded_with_a_trailing_comma() -> None:
    doc = ("call", bracketed("(", ["first", "second"], ")"))
    assert render(doc, width=20) == "call(first, second)"
    assert render(doc, width=18) == "call(\n    first,\n    second,\n)"


def test_a_long_message_is_split_at_spaces() -> None:
    text = "word " * 40
    printed = render(Group(expression_doc(ast.Constant(text))), indent=8)
    assert max(map(len, printed.split("\n"))) <= 110
    assert ast.literal_eval(f"({printed})") == text


def test_nodes_outside_of_the_language_are_refused() -> None:
    with pytest.raises(BuildError, match="Lambda"):
        expression_doc(ast.parse("lambda: 1", mode="eval").body)
