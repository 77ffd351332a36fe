"""Opening folders: what is broken is named with file, field and remedy."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import StoreError
from envforge.world.environment import Environment


def test_opens_the_library(library: Environment) -> None:
    assert library.manifest.id == "library"
    assert [tool.name for tool in library.tools][:2] == ["search_books", "get_book"]
    assert library.template.tables["loans"].primary_key == ("id",)


def test_the_template_is_built_once_and_again_after_a_change(copy: Path) -> None:
    first = Environment.open(copy).template
    assert Environment.open(copy).template is first
    (copy / "documents" / "new.md").write_text("x", encoding="utf-8")
    assert Environment.open(copy).template.digest != first.digest


def _write(name: str, text: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        (folder / name).write_text(text, encoding="utf-8")

    return spoil


def _drop(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def _replace(name: str, old: str, new: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")

    return spoil


def _before_index(sql: str) -> Callable[[Path], None]:
    return _replace("schema.sql", "CREATE INDEX", f"{sql} CREATE INDEX")


def _first_tool(**more: Any) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        tools = json.loads((folder / "tools.json").read_text(encoding="utf-8"))
        tools[0].update(more)
        (folder / "tools.json").write_text(json.dumps(tools), encoding="utf-8")

    return spoil


BROKEN = {
    "no manifest": (_drop("environment.json"), "environment.json is missing"),
    "manifest no JSON": (_write("environment.json", "{"), "environment.json: is not JSON"),
    "manifest field": (_replace("environment.json", '"title"', '"titel"'), "environment.json: tit"),
    "clock": (_replace("environment.json", "T09:00:00Z", " 9am"), "clock.epoch"),
    "ids": (_replace("environment.json", '"loans": {"kind"', '"lones": {"kind"'), "no table 'lones'"),
    "no tools.json": (_drop("tools.json"), "tools.json: is missing"),
    "tools.json no list": (_write("tools.json", "{}"), "is not a list"),
    "tools.json field": (_first_tool(verb="look"), r"tools.json: \[0\].verb"),
    "reserved name": (_first_tool(name="reset"), "'reset' is reserved"),
    "name twice": (_first_tool(name="get_book"), "'get_book' is there twice"),
    "bad schema": (_first_tool(parameters={"properties": {"a": {"type": "strng"}}}), "search_books.parameters"),
    "no tools.py": (_drop("tools.py"), "tools.py: is missing"),
    "no schema": (_drop("schema.sql"), "schema.sql: cannot be read"),
    "schema no SQL": (_write("schema.sql", "CREATE TABEL x"), "schema.sql: is not accepted"),
    "schema attaches": (_write("schema.sql", "ATTACH '/tmp/x' AS x;"), "not authorized"),
    "schema has a trigger": (
        _before_index("CREATE TRIGGER t AFTER INSERT ON loans BEGIN SELECT 1; END;"),
        "not authorized",
    ),
    "no primary key": (
        _before_index("CREATE TABLE x (a TEXT);"),
        "no primary key",
    ),
    "no rows file": (_drop("data/loans.csv"), "loans.csv: cannot be read"),
    "wrong header": (_replace("data/loans.csv", "due_on", "due"), "loans.csv: has the columns"),
    "wrong type": (_replace("data/books.csv", "1987", "soon"), "books.csv"),
    "broken CHECK": (_replace("data/members.csv", "junior", "kid"), "members.csv: data row 4 is refused"),
    "broken reference": (_replace("data/loans.csv", "M-B3XE", "M-XXXX"), "1 rows refer to nothing"),
}


@pytest.mark.parametrize(("spoil", "says"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_folders_are_named(copy: Path, spoil: Callable[[Path], None], says: str) -> None:
    spoil(copy)
    with pytest.raises(StoreError, match=says) as caught:
        assert Environment.open(copy).plan and Environment.open(copy).checks
    assert caught.value.where and caught.value.remedy


def _document_link(folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("x", encoding="utf-8")
    (folder / "documents" / "more").symlink_to(outside)


def _data_link(folder: Path) -> None:
    (folder / "data" / "books.csv").rename(folder.parent / "books.csv")
    (folder / "data" / "books.csv").symlink_to(folder.parent / "books.csv")


def _tools_pipe(folder: Path) -> None:
    (folder / "tools.py").unlink()
    os.mkfifo(folder / "tools.py")


def _endless_schema(folder: Path) -> None:
    ones = "json_each('[" + ",".join("1" * 1000) + "]')"
    with (folder / "schema.sql").open("a", encoding="utf-8") as stream:
        stream.write(f"INSERT INTO books SELECT 1, '', '', 1, 1, '' FROM {ones}, {ones}, {ones}, {ones};\n")


def _deep_json(folder: Path) -> None:
    (folder / "tools.json").write_text("[" * 100_000 + "]" * 100_000, encoding="utf-8")


def _giant_document(folder: Path) -> None:
    with (folder / "documents" / "giant.md").open("wb") as stream:
        stream.truncate(1 << 30)


STRANGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "a link among the documents": (_document_link, r"documents/more: a symbolic link"),
    "a link among the rows": (_data_link, r"books\.csv: a symbolic link"),
    "a pipe for tools.py": (_tools_pipe, r"tools\.py: is no regular file"),
    "a schema without end": (_endless_schema, r"schema\.sql: is not accepted"),
    "JSON without end": (_deep_json, r"tools\.json: is not JSON: it is nested too deep"),
    "a giant document": (_giant_document, r"giant\.md: is larger than"),
}


@pytest.mark.parametrize(("spoil", "said"), STRANGE.values(), ids=STRANGE.keys())
def test_a_folder_that_a_stranger_sent(copy: Path, spoil: Callable[[Path], None], said: str) -> None:
    spoil(copy)
    with pytest.raises(StoreError, match=said):
        Environment.open(copy)


def test_a_module_too_long_for_a_worker_is_refused(copy: Path) -> None:
    with (copy / "tools.py").open("a", encoding="utf-8") as module:
        module.write("# padding\n" * 200_001)
    with pytest.raises(StoreError, match=r"longer than 2,000,000") as caught:
        Environment.open(copy)
    assert caught.value.where.endswith("tools.py") and caught.value.remedy
