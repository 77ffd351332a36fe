from __future__ import annotations

from collections.abc import Callable

from envforge.core.contracts import Fetched
from envforge.core.outcome import Produced
from envforge.core.records.extraction import Extraction, MinedTable
from envforge.mine.extract.registry import extract_all
from envforge.mine.infer.general_tables import tables_in_general

Make = Callable[..., Fetched]
WORDS = ("north", "south", "east", "west", "inner", "outer", "upper", "lower", "old", "new")


def _page(number: int, word: str) -> str:
    rows = "".join(f"<tr><td>{word} {berth}<td>{number * 10 + berth}.5" for berth in range(3))
    following = f"{WORDS[(number + 1) % len(WORDS)]}.html"
    return (
        f"<title>{word.title()} harbour — Harbour book</title><body><h1>{word.title()} harbour</h1>"
        "<p>The harbour book of <a href='north.html'>our coast</a></p>"
        f"<p>All about the {word} harbour. Next is <a href='{following}'>the next</a>.</p>"
        f"<table><caption>Table {number}. {word.title()} Berths</caption><tr><th>Berth<th>Depth (m){rows}</table>"
        f"<h2>Rules</h2><dl><dt>{word} pass</dt><dd>Needed.</dd><dt>fee</dt><dd>Paid.</dd></dl>"
    )


def _extractions(fetched: Make, *, pages: int = 10) -> list[Extraction]:
    files = [
        fetched(f"book/html/{word}.html", _page(number, word), mime="text/html")
        for number, word in enumerate(WORDS[:pages])
    ]
    outcomes = extract_all(files)
    found = [outcome.value for outcome in outcomes if isinstance(outcome, Produced)]
    assert len(found) == len(files)
    return found


def _tables(extractions: list[Extraction]) -> dict[str, MinedTable]:
    return {table.name: table for extraction in extractions for table in extraction.tables}


def test_tables_of_one_header_are_one_with_the_page_of_each_row(fetched: Make) -> None:
    berths = _tables(_extractions(fetched))["berths"]
    assert [(column.name, column.type, column.unit) for column in berths.columns] == [
        ("Berth", "text", None),
        ("Depth", "real", "m"),
        ("table title", "text", None),
        ("page", "text", None),
    ]
    assert len(berths.rows) == 30 and len(berths.parts) == 10
    assert berths.rows[3] == ("south 0", 10.5, "South Berths", "south.md")
    assert berths.parts[1].locator.format(row=1) == "book/html/south.html#table[1]/row=1"
    assert sum(part.rows for part in berths.parts) == len(berths.rows)


def test_a_manual_is_searched_by_pages_sections_links_and_terms(fetched: Make) -> None:
    tables = _tables(_extractions(fetched))
    assert set(tables) == {"berths", "pages", "sections", "links", "terms"}
    assert tables["pages"].rows[0][:2] == ("north.md", "North harbour")
    assert tables["pages"].rows[0][2] == "All about the north harbour. Next is the next."
    assert tables["links"].rows[0] == ("north.md", "south.md", "the next")
    assert "our coast" not in {row[2] for row in tables["links"].rows}
    assert not any("The harbour book of" in row[5] for row in tables["sections"].rows if row[5])
    assert [row[2] for row in tables["sections"].rows[:2]] == ["North harbour", "Rules"]
    assert tables["terms"].rows[0][2:4] == ("north pass", "Rules")


def test_every_row_leads_to_its_own_page(fetched: Make) -> None:
    extractions = _extractions(fetched)
    tabular = tables_in_general([table for extraction in extractions for table in extraction.tables])
    sources = {extraction.source_id for extraction in extractions}
    for table in tabular.tables:
        entries = [entry for entry in tabular.provenance if entry.table == table.name]
        assert sum(entry.count for entry in entries) == len(tabular.rows[table.name]), table.name
        assert {entry.source for entry in entries} == sources, table.name
    links = next(table for table in tabular.tables if table.name == "links")
    assert {column.references.table for column in links.columns if column.references} == {"pages"}


def test_few_pages_are_texts_beside_their_tables(fetched: Make) -> None:
    extractions = _extractions(fetched, pages=2)
    assert set(_tables(extractions)) == {"berths"}
    assert [extraction.documents[0].path for extraction in extractions] == ["book/html/north.md", "book/html/south.md"]


def test_documents_of_a_manual_lie_where_its_pages_table_says(fetched: Make) -> None:
    extractions = _extractions(fetched)
    paths = {document.path for extraction in extractions for document in extraction.documents}
    assert paths == {row[0] for row in _tables(extractions)["pages"].rows}


def test_a_readme_speaks_of_the_package_only(fetched: Make) -> None:
    readme = fetched("README.md", "# Kit\n\n| a | b |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |\n", mime="text/markdown")
    outcome = extract_all([readme])[0]
    assert isinstance(outcome, Produced)
    assert not outcome.value.tables
    assert len(outcome.value.documents) == 1


def test_one_broken_page_fails_alone(fetched: Make) -> None:
    files = [
        fetched("a.html", "<p>fine</p>", mime="text/html"),
        fetched("b.html", b"<p>\xff\xfe\xfa", mime="text/html"),
    ]
    first, second = extract_all(files)
    assert isinstance(first, Produced)
    assert not isinstance(second, Produced)
