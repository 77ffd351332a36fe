from __future__ import annotations

import sqlite3

import pytest

from envforge.gates.tool_rules import FORBIDDEN_NAMES
from envforge.mine.infer.names import (
    label,
    plural,
    safe_identifier,
    safe_parameter,
    singular,
    snake,
    without_articles,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DataSourceObject", "data_source_object"),
        ("HTTPServerURL", "http_server_url"),
        ("retrieve-a-page", "retrieve_a_page"),
        ("Dep Time (local)", "dep_time_local"),
        ("café", "cafe"),
        ("user's name", "users_name"),
        ("__x__", "x"),
    ],
)
def test_snake(text: str, expected: str) -> None:
    assert snake(text) == expected


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("page", "pages"),
        ("data_source", "data_sources"),
        ("database", "databases"),
        ("status", "statuses"),
        ("reply", "replies"),
        ("address", "addresses"),
        ("box", "boxes"),
        ("branch", "branches"),
        ("person", "people"),
        ("key", "keys"),
        ("aircraft", "aircraft"),
        ("weather", "weather"),
        ("case", "cases"),
        ("invoice", "invoices"),
        ("purchase", "purchases"),
        ("index", "indexes"),
    ],
)
def test_singular_and_plural_are_each_others_inverse(one: str, many: str) -> None:
    assert plural(one) == many
    assert singular(many) == one
    assert singular(one) == one
    assert plural(many) == many


def test_articles_are_dropped_only_as_words() -> None:
    assert without_articles("retrieve-a-data-source") == "retrieve_data_source"
    assert without_articles("theme") == "theme"


@pytest.mark.parametrize("name", ["order", "group", "class", "from", "values", "to", "2nd", "", "default", "index"])
def test_safe_identifiers_are_accepted_unquoted_by_sqlite_and_python(name: str) -> None:
    safe = safe_identifier(name)
    sqlite3.connect(":memory:").execute(f"CREATE TABLE t ({safe} TEXT)")
    compile(f"def f({safe}): return {safe}", "x", "exec")
    assert safe != name


@pytest.mark.parametrize("name", ["key", "position", "title", "type", "offset", "plan", "view", "row"])
def test_words_that_need_no_underscore_keep_their_name(name: str) -> None:
    assert safe_identifier(name) == name
    sqlite3.connect(":memory:").execute(f"CREATE TABLE t ({name} TEXT)")


def test_every_reserved_word_becomes_usable() -> None:
    from envforge.mine.infer.names import SQL_RESERVED

    for word in sorted(SQL_RESERVED):
        sqlite3.connect(":memory:").execute(f"CREATE TABLE t ({safe_identifier(word)} TEXT)")


def test_label() -> None:
    assert label("data_source") == "data source"


@pytest.mark.parametrize("name", ["sqlite_x", "sqlite_sequence", "envforge_documents"])
def test_tables_of_the_machinery_keep_their_names_to_themselves(name: str) -> None:
    assert safe_identifier(name) == f"the_{name}"


def test_every_word_that_tools_may_not_use_has_another_spelling_as_a_parameter() -> None:
    usable = {safe_parameter(word) for word in FORBIDDEN_NAMES if not word.startswith("_")}
    assert usable.isdisjoint(FORBIDDEN_NAMES)
    assert safe_parameter("hash") == "hash_"
    assert safe_identifier("hash") == "hash"
