"""Documents of an environment: kept only where asked for, true to the rows, and refused where a plan does not fit."""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.unit.mine.archetypes.test_orders_inventory import mined

from envforge.build.blueprint import draw_blueprint
from envforge.core.contracts import Database
from envforge.core.errors import BuildError, ConfigError
from envforge.core.outcome import Produced, Rejected
from envforge.core.records.document import DocumentPart, DocumentPlan
from envforge.core.records.domain import Column, Domain, Table
from envforge.mine.archetypes import load_archetype
from envforge.mine.archetypes.documents import check_plan, with_documents
from envforge.mine.documents.rendering import document_text
from envforge.mine.documents.writing import WriteDocuments
from envforge.mine.miner import populate
from envforge.store.document_formats import FORMATS, MOST_CHARACTERS, kept_text, read_data
from envforge.synth.wording.families import family_problems

ROOT = Path(__file__).parents[4]
FILE = ROOT / "themes" / "archetypes" / "orders-inventory.yaml"

NEW = {
    *("sheet-against-books", "prices-up-to-date", "order-by-the-rules", "sheet-made-whole", "other-rules"),
    *("notice-says-another-day", "report-against-shelves", "copy-of-the-suppliers", "count-again-by-the-guide"),
}


@cache
def kept() -> Database:
    """The paper shop with its documents."""
    theme = replace(mined(), archetypes=(load_archetype(FILE, documents=True),))
    return populate(theme, rounds=2, seed=0, database_seed=0, progress=lambda label, done, total: None)


def test_there_are_none_unless_they_are_asked_for() -> None:
    plain = load_archetype(FILE)
    assert plain.documents == ()
    done = populate(mined(), rounds=0, seed=0, database_seed=0, progress=lambda label, done, total: None)
    assert done.documents == {}
    assert done.document_plans == ()
    assert not {one.name for one in draw_blueprint(done, max_tools=24)[0].operations} & {
        "read_document",
        "edit_document",
    }
    more = {family.id for family in load_archetype(FILE, documents=True).intents} - {one.id for one in plain.intents}
    assert more == NEW


def test_goals_about_documents_are_words_and_programs_that_hold_together() -> None:
    families = {family.id: family for family in kept().intents}
    for name in NEW:
        assert not list(family_problems(families[name])), name
        assert families[name].alternatives, "whole texts and edits must both be accepted"


def test_every_format_is_there_valid_and_in_its_plain_form() -> None:
    documents = kept().documents
    assert {path.rpartition(".")[2] for path in documents} == {*FORMATS}
    for path, text in documents.items():
        assert kept_text(path, text) == text
        assert len(text) <= MOST_CHARACTERS
    assert kept().changelog[-1]["operator"] == "documents"


def test_count_sheets_hold_goods_of_the_place_and_differ_here_and_there() -> None:
    rows = kept().rows
    codes = {row["id"]: row["sku"] for row in rows["product_variants"]}
    books: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for row in rows["stock_balances"]:
        books[row["depot_id"].lower()][codes[row["product_variant_id"]]] = row["on_hand"]
    sheets = {path: text for path, text in kept().documents.items() if path.startswith("counts/")}
    assert len(sheets) == len(rows["depots"])
    for path, text in sheets.items():
        stock = books[path.removeprefix("counts/depot-").removesuffix(".csv")]
        counted = {row["code"]: int(row["counted"]) for row in csv.DictReader(io.StringIO(text))}
        assert counted.keys() < stock.keys(), "some goods were forgotten, and none is made up"
        share = sum(counted[code] != stock[code] for code in counted) / len(counted)
        assert 0.1 <= share <= 0.45


def test_price_lists_and_rules_say_what_the_rows_say() -> None:
    rows, documents = kept().rows, kept().documents
    prices = {row["sku"]: row["list_price_cents"] for row in rows["product_variants"]}
    old = total = 0
    for path in (path for path in documents if path.startswith("prices/")):
        for item in json.loads(documents[path])["items"]:
            total += 1
            old += item["cents"] != prices[item["code"]]
            assert prices[item["code"]] * 0.94 <= item["cents"] <= prices[item["code"]]
    assert 0.05 <= old / total <= 0.4
    rules = [yaml.safe_load(text) for path, text in documents.items() if path.startswith("rules/")]
    assert {one["place"] for one in rules} == {row["name"] for row in rows["depots"]}
    assert all(
        one["order"]["pieces_beyond_the_reorder_point"] < one["order"]["most_pieces_of_one_kind"] for one in rules
    )


def test_the_same_rows_give_the_same_texts_and_others_give_others() -> None:
    theme = replace(mined(), archetypes=(load_archetype(FILE, documents=True),))
    again = populate(theme, rounds=2, seed=0, database_seed=0, progress=lambda label, done, total: None)
    assert again.documents == kept().documents
    other = populate(theme, rounds=2, seed=0, database_seed=3, progress=lambda label, done, total: None)
    assert other.documents != kept().documents


TABLE = Table(
    name="goods",
    entity="good",
    label="good",
    columns=(Column(name="id", type="integer"), Column(name="name", type="text")),
    primary_key=("id",),
)


def database(*plans: DocumentPlan) -> Database:
    names = ["Cup & saucer", "50% <off>", "a_b", "it's"]
    return Database(
        domain=Domain(theme="t", tables=(TABLE,)),
        rows={"goods": [{"id": number, "name": name} for number, name in enumerate(names, 1)]},
        provenance=[],
        documents={},
        clock="2026-01-05T09:00:00Z",
        document_plans=plans,
    )


def plan(kind: Any, path: str, **more: Any) -> DocumentPlan:
    return DocumentPlan(
        name="of_goods", format=kind, about="", rows=f"SELECT '{path}' AS path, id, name FROM goods", **more
    )


def written(one: DocumentPlan) -> str:
    outcome = WriteDocuments().apply(database(one), seed=0, round_number=0)
    assert isinstance(outcome, Produced)
    (text,) = outcome.value.documents.values()
    return text


PARTS = (
    DocumentPart(heading="Goods"),
    DocumentPart(list="{id}: {name}"),
    DocumentPart(table={"No_": "id", "Name": "name"}),
)


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("html", ["<h2>Goods</h2>", "<li>2: 50% &lt;off&gt;</li>", "<td>Cup &amp; saucer</td>"]),
        ("tex", ["\\subsection{Goods}", "\\item 2: 50\\% <off>", "1 & Cup \\& saucer \\\\", "No\\_ & Name"]),
        ("md", ["## Goods", "- 4: it's", "| 3 | a_b |"]),
    ],
)
def test_what_a_format_would_misread_is_escaped(kind: Any, parts: list[str]) -> None:
    text = written(plan(kind, f"a/goods.{kind}", parts=PARTS))
    assert all(part in text for part in parts), text


def test_statements_quote_their_texts() -> None:
    parts = (DocumentPart(text="Goods of {name}"), DocumentPart(insert="goods", table={"id": "id", "name": "name"}))
    text = written(plan("sql", "goods.sql", parts=parts))
    assert "INSERT INTO goods (id, name) VALUES (4, 'it''s');" in text


def test_a_tree_is_filled_with_a_row_or_with_every_row() -> None:
    content = {
        "first": "{id}",
        "said": "no. {id}",
        "all": {"each": "{name}"},
        "by": {"by": "{name}", "each": {"id": "{id}"}},
    }
    text = written(plan("yaml", "goods.yaml", content=content))
    data = read_data("goods.yaml", text)
    assert (data["first"], data["said"]) == (1, "no. 1")
    assert data["all"] == ["Cup & saucer", "50% <off>", "a_b", "it's"]
    assert data["by"]["it's"] == {"id": 4}


@pytest.mark.parametrize(
    ("one", "problem"),
    [
        (plan("csv", "a/goods.txt", columns={"id": "id"}), "is no path of such a document"),
        (plan("csv", "../goods.csv", columns={"id": "id"}), "is no path of such a document"),
        (plan("csv", "goods.json", columns={"id": "id"}), "is no path of such a document"),
        (plan("md", "goods.md", parts=(DocumentPart(text="x" * 7000),)), "more than 6000"),
        (plan("md", "goods.md", parts=(DocumentPart(text="```"),)), "would not be valid"),
        (plan("json", "goods.json", content={"by": "all", "each": "{name}"}), "two rows have one key"),
        (
            DocumentPlan(
                name="none", format="csv", about="", rows="SELECT 'a.csv' AS path, id FROM goods WHERE id > 9"
            ),
            "no row",
        ),
    ],
)
def test_a_document_that_cannot_be_is_refused(one: DocumentPlan, problem: str) -> None:
    with pytest.raises(BuildError) as caught:
        WriteDocuments().apply(database(one), seed=0, round_number=0)
    assert problem in str(caught.value)


def test_two_plans_may_not_write_one_document() -> None:
    one = plan("csv", "goods.csv", columns={"id": "id"})
    with pytest.raises(BuildError, match="there already"):
        WriteDocuments().apply(database(one, one), seed=0, round_number=0)
    assert isinstance(WriteDocuments().apply(database(), seed=0, round_number=0), Rejected)


def test_a_text_of_a_source_that_its_tools_could_not_read_is_refused() -> None:
    one = plan("yaml", "goods.yaml", content={"name": "{name}"})
    for text, readable in (("# why\na: 1\n", False), ("a: 1\n", True)):
        held = replace(database(one), documents={"config.yaml": text, "notes.json": "no JSON"})
        if readable:
            outcome = WriteDocuments().apply(held, seed=0, round_number=0)
            assert isinstance(outcome, Produced)
            assert {*outcome.value.documents} == {"config.yaml", "notes.json", "goods.yaml"}
        else:
            with pytest.raises(BuildError, match=r"config\.yaml.*cannot be read"):
                WriteDocuments().apply(held, seed=0, round_number=0)


@pytest.mark.parametrize(
    ("one", "columns", "problem"),
    [
        (plan("csv", "a.csv", content={"a": 1}), {"path", "id"}, "is filled by columns"),
        (plan("json", "a.json"), {"path", "id"}, "is filled by content"),
        (plan("csv", "a.csv", columns={"id": "id"}), {"id"}, "no column path"),
        (plan("csv", "a.csv", columns={"id": "code"}), {"path", "id"}, "no column 'code'"),
        (plan("yaml", "a.yaml", content={"by": "{who}", "each": 1}), {"path", "id"}, "no column 'who'"),
        (
            plan("md", "a.md", parts=(DocumentPart(insert="goods", table={"id": "id"}),)),
            {"path", "id"},
            "sql has inserts",
        ),
        (plan("md", "a.md", parts=(DocumentPart(heading="Goods", text="All."),)), {"path"}, "a part has heading, text"),
        (plan("html", "a.html", parts=(DocumentPart(level=1),)), {"path"}, "a part has nothing"),
        (plan("sql", "a.sql", parts=(DocumentPart(insert="goods", list="{id}"),)), {"path", "id"}, "a part has list"),
        (plan("yaml", "a.yaml", content={"all": {"each": "{id}", "sum": 1}}), {"path", "id"}, "'sum' stands beside"),
    ],
)
def test_a_plan_that_does_not_fit_is_refused_when_it_is_loaded(
    one: DocumentPlan, columns: set[str], problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        check_plan(one, columns, "archetype x")


PLAIN = {"name": "sheet", "rows": "SELECT 1 AS path"}


@pytest.mark.parametrize(
    ("written", "place", "problem"),
    [
        ({"documents": None}, "d.yaml: documents", "is no list"),
        ({"documents": {"sheet": PLAIN}}, "d.yaml: documents", "is no list"),
        ({"documents": ["sheet"]}, "d.yaml: documents.0", "has no name"),
        ({"documents": [PLAIN, {"rows": "SELECT 1 AS path"}]}, "d.yaml: documents.1", "has no name"),
        ({"documents": [{"name": "sheet"}]}, "d.yaml: relations.sheet", "is no query"),
        ({"documents": [PLAIN, PLAIN]}, "d.yaml: documents.sheet", "is the name of another"),
        ({"documents": [{**PLAIN, "name": "due"}]}, "d.yaml: documents.due", "is the name of another"),
        ({"documents": [PLAIN], "relations": None}, "d.yaml: relations", "is no mapping"),
        ({"documents": [PLAIN], "words": ["hello"]}, "d.yaml: words", "is no mapping"),
        ({"documents": [PLAIN], "intents": {"a": 1}}, "d.yaml: intents", "is no list"),
    ],
)
def test_a_file_of_documents_that_is_none_is_refused_by_its_place(
    written: dict[str, Any], place: str, problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem) as caught:
        with_documents({}, {"relations": {"due": "SELECT 2"}}, written, "d.yaml")
    assert caught.value.where == place and caught.value.remedy


def test_a_text_stays_what_it_is_in_the_first_row() -> None:
    one = plan("json", "a.json", content={"name": "{name}", "none": "{gone}"})
    text = document_text(one, "a.json", [{"name": "5", "gone": None}])
    assert json.loads(text) == {"name": "5", "none": None}


def test_every_file_of_documents_belongs_to_an_archetype() -> None:
    files = sorted((ROOT / "themes" / "documents").glob("*.yaml"))
    assert files
    for path in files:
        archetype = load_archetype(ROOT / "themes" / "archetypes" / path.name, documents=True)
        assert archetype.documents, path.name
