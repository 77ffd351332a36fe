"""Formats of documents: what the host reads with libraries and what tools read by themselves is the same."""

from __future__ import annotations

import json
import random
import re
import string
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from envforge.build.adapters.document_formats import format_functions
from envforge.build.unit_tests.document_calls import INVALID, VALID
from envforge.store.document_formats import FORMATS, FormatError, kept_text, plain_text, read_data
from envforge.world.api import ToolError

Kept = Callable[[str, str], str]


@pytest.fixture(scope="module")
def embedded() -> dict[str, Any]:
    """The functions that tools.py gets, all formats."""
    names: dict[str, Any] = {"re": re, "json": json, "ToolError": ToolError}
    exec("\n\n".join(format_functions(FORMATS).values()), names)
    return names


def kept(function: Kept, path: str, text: str) -> str | None:
    try:
        return function(path, text)
    except (ToolError, FormatError):
        return None


@pytest.mark.parametrize("kind", FORMATS)
def test_both_keep_what_is_valid_and_refuse_the_rest(embedded: dict[str, Any], kind: str) -> None:
    for text in VALID[kind]:
        wanted = kept_text(f"a.{kind}", text)
        assert kept(embedded["_kept_document"], f"a.{kind}", text) == wanted
        assert kept(embedded["_kept_document"], f"a.{kind}", wanted) == wanted, "the plain form stays as it is"
    for text in INVALID[kind]:
        assert kept(embedded["_kept_document"], f"a.{kind}", text) is None, text
        assert kept(kept_text, f"a.{kind}", text) is None, text


@pytest.mark.parametrize("kind", sorted({*FORMATS} - {"yaml", "sql"}))
def test_both_judge_damaged_texts_alike(embedded: dict[str, Any], kind: str) -> None:
    random_ = random.Random(7)
    verdicts: set[bool] = set()
    for _ in range(1500):
        text = damaged(random_, random_.choice(VALID[kind]))
        ours, theirs = kept(embedded["_kept_document"], f"a.{kind}", text), kept(kept_text, f"a.{kind}", text)
        assert ours == theirs, text
        verdicts.add(ours is None)
    assert verdicts == {True, False}


@pytest.mark.parametrize("kind", ["yaml", "sql"])
def test_the_small_readers_take_nothing_that_others_refuse_or_understand_otherwise(
    embedded: dict[str, Any], kind: str
) -> None:
    random_ = random.Random(11)
    taken = 0
    for _ in range(4000):
        text = damaged(random_, random_.choice(VALID[kind]))
        ours = kept(embedded["_kept_document"], f"a.{kind}", text)
        if ours is not None:
            taken += 1
            assert kept(kept_text, f"a.{kind}", text) == ours, text
            if kind == "yaml":
                assert yaml.safe_load(ours) == yaml.safe_load(text), text
    assert taken > 400


def damaged(random_: random.Random, text: str) -> str:
    signs = list(text)
    for _ in range(random_.randint(1, 2)):
        at = random_.randrange(len(signs) + 1)
        if at < len(signs) and random_.random() < 0.5:
            del signs[at]
        else:
            signs.insert(at, random_.choice(" \n-:#'\"a1[]{}&*!|>%@`?,;()$_\\<>/~^"))
    return "".join(signs)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("sign", ["\x7f", "\x85", "\xa0", "\u2028", "\ufeff", "\uffff", "\ud800", "\N{PARROT}", "\r"])
def test_no_sign_is_kept_that_others_cannot_read(embedded: dict[str, Any], kind: str, sign: str) -> None:
    """Wherever it stands, as itself or as an escape; what is kept is bytes, and stays as it is."""
    for text in VALID[kind]:
        for at in (0, text.find("x") + 1, text.find('"') + 1, len(text)):
            for written in (sign, f"\\u{ord(sign):04x}"):
                put = text[:at] + written + text[at:]
                ours = kept(embedded["_kept_document"], f"a.{kind}", put)
                assert ours == kept(kept_text, f"a.{kind}", put)
                if ours is not None:
                    assert ours.encode()
                    assert kept(embedded["_kept_document"], f"a.{kind}", ours) == ours
                if ours is not None and kind == "yaml":
                    assert yaml.safe_load(ours)


@pytest.mark.parametrize(
    "piece", ["[", '{"a":', '"\\"', "{", "$", "\\(", "<p>", "'", "- ", "(", "\\begin{a}", " ", "a: "]
)
def test_long_rows_of_one_piece_are_judged_at_once(embedded: dict[str, Any], piece: str) -> None:
    """No text of the longest kind brings a reader to its knees, and both say the same of it."""
    for kind in FORMATS:
        most = 1_200 if kind == "yaml" else 5_900  # PyYAML itself takes its time with brackets
        text = "x" + piece * (most // len(piece))
        for put in (text, text[1:]):
            ours = kept(embedded["_kept_document"], f"a.{kind}", put)
            assert ours == kept(kept_text, f"a.{kind}", put)


def test_data_survives_being_written(embedded: dict[str, Any]) -> None:
    random_ = random.Random(3)
    for _ in range(2000):
        data = [tree(random_, 0)]
        for kind in ("json", "yaml"):
            text = plain_text(kind, data)
            assert embedded[f"_{kind}_text"](data) == text
            assert read_data(f"a.{kind}", text) == data == embedded[f"_{kind}_data"](text)


def tree(random_: random.Random, depth: int) -> Any:
    chance = random_.random()
    if depth < 3 and chance < 0.3:
        return {key_of(random_): tree(random_, depth + 1) for _ in range(random_.randint(0, 3))}
    if 0 < depth < 3 and chance < 0.4:
        items = [tree(random_, depth + 1) for _ in range(random_.randint(0, 3))]
        return {"items": [item for item in items if not isinstance(item, list)]}
    if chance < 0.6:
        return random_.choice([None, True, False, 0, -3, 12, 2.5, -0.25, 100_000])
    return "".join(random_.choice(string.ascii_letters + " _-.:#'\"\\é/@,") for _ in range(random_.randint(0, 9)))


def key_of(random_: random.Random) -> str:
    return random_.choice(["a", "name", "yes", "on", "two words", "1x", "x:y", "é", "q-1", "null", "7"])


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("late: yes", "yes"),
        ("late: 2024-05-06", "2024-05-06"),
        ("late: 1:30", "1:30"),
        ("late: 012", "012"),
        ("late: ~", "~"),
        ("late: 0x1F", "0x1F"),
        ("late: .5", ".5"),
        ("late: 1_000", "1_000"),
    ],
)
def test_what_readers_of_yaml_understand_differently_must_be_quoted(
    embedded: dict[str, Any], text: str, what: str
) -> None:
    with pytest.raises(ToolError) as caught:
        embedded["_kept_document"]("a.yaml", text)
    assert what in caught.value.message
    quoted = text.replace(what, f'"{what}"')
    assert yaml.safe_load(embedded["_kept_document"]("a.yaml", quoted)) == {"late": what}
