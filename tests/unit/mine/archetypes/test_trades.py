"""Trades: which one is chosen, what a file may replace, and that what is mined becomes rows of that trade."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.unit.mine.archetypes.mining import ROOT, SOURCES, filled_with, mined_from, shipped

from envforge.core.errors import ConfigError
from envforge.core.records.domain import Column, Domain, Table
from envforge.core.records.extraction import Example, Extraction
from envforge.core.records.source import Theme
from envforge.core.records.trade import NEUTRAL, Trade
from envforge.mine.archetypes import load_archetypes
from envforge.mine.archetypes.sayings import Saying, sayings
from envforge.mine.archetypes.trade_choice import ENOUGH, choose
from envforge.mine.archetypes.trades import in_trade, load_trade

BILLING = shipped("membership-billing")
BAKER = Trade(id="baker", title="Bakery", about="Bread.", words={"bread": 3, "sourdough bun": 2, "oven": 1})
FISHER = Trade(id="fisher", title="Fishery", about="Fish.", words={"fish": 3, "net": 1})


def said(*texts: tuple[str, float]) -> list[Saying]:
    return [Saying.of(f"place {number}", text, worth) for number, (text, worth) in enumerate(texts)]


def test_the_trade_that_most_words_speak_for_is_chosen_and_says_why() -> None:
    trade, choice = choose("shop", [FISHER, BAKER], said(("Breads of the town", 3.0), ("A net of fish", 1.0)))
    assert trade is BAKER
    assert (choice.trade, choice.title, choice.score) == ("baker", "Bakery", 9.0)
    assert choice.reason == "bread (place 0)"


def test_a_word_counts_once_where_it_is_said_most_prominently() -> None:
    _, choice = choose("shop", [BAKER], said(("bread", 1.0), ("bread", 2.5), ("bread bread", 2.0)))
    assert choice.score == 7.5 and choice.reason == "bread (place 1)"


def test_a_phrase_is_found_as_a_whole_and_in_any_number() -> None:
    assert choose("shop", [BAKER], said(("SourdoughBuns", 3.0)))[1].score == 6.0
    assert choose("shop", [BAKER], said(("a bun of sourdough", 3.0)))[1].score == 0.0


@pytest.mark.parametrize("text", ["Breadth of a network", "broad band", ""])
def test_a_word_inside_another_one_says_nothing(text: str) -> None:
    assert choose("shop", [FISHER, BAKER], said((text, 3.0)))[0] is None


def test_where_the_words_do_not_suffice_the_rows_stay_neutral_and_the_reason_names_the_nearest() -> None:
    trade, choice = choose("shop", [BAKER, FISHER], said(("an oven", 3.0), ("a bread", 0.4)))
    assert trade is None and choice.score < ENOUGH
    assert choice.trade == NEUTRAL and "nearest was baker with 4.2" in choice.reason


def test_what_a_large_source_says_in_passing_decides_nothing() -> None:
    """Lists of trades, as payment services have them, are no trade of one's own."""
    few = said(("fish", 1.5), ("net", 1.5))
    assert choose("shop", [BAKER, FISHER], few)[0] is FISHER
    many = [*few, *said(*((f"column {number}", 1.0) for number in range(2000)))]
    assert choose("shop", [BAKER, FISHER], many)[1].trade == NEUTRAL
    assert choose("shop", [BAKER, FISHER], [*many, *said(("fish", 2.5))])[0] is FISHER, "an entity counts in full"


def test_equals_go_by_their_id_whatever_their_order() -> None:
    words = said(("bread and fish", 3.0))
    assert choose("shop", [BAKER, FISHER], words)[1] == choose("shop", [FISHER, BAKER], words)[1]


def test_titles_names_values_and_examples_are_heard_and_addresses_are_not() -> None:
    column = Column(name="grain", type="text", enum=("rye", "spelt"), description="What it is made of.")
    table = Table(name="loaves", entity="loaf", label="loaf", columns=(column,), primary_key=("grain",))
    source = Extraction(
        source_id="src-a",
        extractor="openapi",
        title="Bakery",
        examples=(
            Example(shape="Loaf", value={"name": ["Seeded bun"], "url": "https://fish.example/"}, locator="#/x"),
        ),
    )
    theme = Theme(slug="ovens", title="Ovens", kind="domain")
    worth = {one.text.strip(): one.worth for one in sayings(theme, Domain(theme="ovens", tables=(table,)), [source])}
    assert worth["bakery"] == 3.0 and worth["loaf loaf"] == 2.5 and worth["rye"] == 1.5 and worth["seeded bun"] == 1.0
    assert "oven oven" in worth and not [text for text in worth if "fish" in text]


def written(folder: Path, **changes: Any) -> Path:
    good: dict[str, Any] = {"id": "sauna", "title": "Sauna", "about": "Steam.", "words": {"sauna": 3, "steam": 1}}
    path = folder / "sauna.yaml"
    path.write_text(yaml.safe_dump({**good, **changes}), encoding="utf-8")
    return path


def test_a_trade_replaces_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    trade = load_trade(written(tmp_path, text={"card": ["Ten entries"], "oil": ["Birch oil"]}), BILLING)
    dressed = in_trade(BILLING, trade)
    assert dressed.text["card"] == ("Ten entries",) and dressed.text["oil"] == ("Birch oil",)
    assert dressed.text["maker"] == BILLING.text["maker"] and dressed.constants == BILLING.constants
    assert in_trade(BILLING, None) is BILLING


@pytest.mark.parametrize(
    ("change", "place", "problem"),
    [
        ({"id": NEUTRAL}, "id", "the archetype's own banks"),
        ({"words": {"sauna": 9}}, "words.sauna", "not 1 to 3"),
        ({"words": {"sauna": 3, "saunas": 3}}, "words.saunas", "count twice"),
        ({"words": {}}, "words", "at least 1"),
        ({"colour": "red"}, "colour", "not permitted"),
        ({"constants": {"customers": 3}}, "constants.customers", "no list or mapping"),
        ({"constants": {"prodcuts": []}}, "constants.prodcuts", "no list or mapping"),
        ({"constants": {"refusals": [3]}}, "constants.refusals.0", "is a number, not a text"),
        ({"constants": {"refusals": []}}, "constants.refusals", "is empty"),
        ({"constants": {"products": [{"k": "a", "name": "A"}]}}, "constants.products.0", "lacks about"),
        ({"constants": {"products": [{"k": "a", "name": "A", "about": 1}]}}, "products.0.about", "is a number"),
        ({"constants": {"products": ["A"]}}, "constants.products.0", "not a mapping"),
        ({"constants": {"extras": [{"say": "fee", "low": 1, "high": 2, "mid": 1}]}}, "extras.0.mid", "no such key"),
        ({"text": {"card": []}}, "text.card", "is empty"),
        ({"text": {"card": ["{card}"]}}, "text.card", "names itself"),
        ({"text": {"card": ["{colour} card"]}}, "text.card", "neither a bank nor filled"),
        ({"reference_rows": {"cards": [{"a": 1}]}}, "reference_rows.cards", "no rows of that table"),
    ],
)
def test_what_a_trade_may_not_say_is_refused_with_file_and_field(
    tmp_path: Path, change: dict[str, Any], place: str, problem: str
) -> None:
    path = written(tmp_path, **change)
    with pytest.raises(ConfigError) as caught:
        load_trade(path, BILLING)
    assert str(path) in (caught.value.where or "") and place in (caught.value.where or "")
    assert problem in caught.value.message and caught.value.remedy


def test_a_trade_of_the_users_wins_over_one_that_ships(tmp_path: Path) -> None:
    own = tmp_path / "themes"
    (own / "archetypes").mkdir(parents=True)
    (own / "trades" / BILLING.id).mkdir(parents=True)
    written(own / "trades" / BILLING.id, id="media", title="Reading room")
    found = {one.id: one for one in load_archetypes([own / "archetypes", ROOT / "themes" / "archetypes"])}
    titles = {trade.id: trade.title for trade in found[BILLING.id].trades}
    assert titles["media"] == "Reading room" and titles["climbing-hall"] == "Climbing hall"


def test_trades_of_an_archetype_that_there_is_not_are_refused(tmp_path: Path) -> None:
    (tmp_path / "archetypes").mkdir()
    stray = tmp_path / "trades" / "member-billing" / "baker.yaml"
    stray.parent.mkdir(parents=True)
    stray.write_text("id: baker\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="'member-billing' is no archetype") as caught:
        load_archetypes([tmp_path / "archetypes"])
    assert caught.value.where == str(stray)


def test_a_hall_for_climbers_sells_what_climbers_want() -> None:
    mined = mined_from(
        SOURCES / "climbing-hall.json",
        Theme(slug="hall", title="Hall", kind="domain"),
        BILLING,
        at="2025-03-17T09:00:00Z",
    )
    done = filled_with(mined, 0)
    assert done.domain.trade is not None and done.domain.trade.trade == "climbing-hall"
    names = " ".join(row["product_name"] for row in done.rows["products"]).lower()
    lines = " ".join(row["description"] for row in done.rows["invoice_lines"]).lower()
    assert "boulder" in names and "rope" in lines
    assert not [word for word in ("loom", "kiln", "ceramic", "textile") if word in names + lines]
    assert filled_with(mined, 0).rows == done.rows


def test_a_firm_of_an_unknown_trade_has_rows_that_offend_no_trade() -> None:
    text = (SOURCES / "climbing-hall.json").read_text(encoding="utf-8")
    for known, unknown in (("limber", "ailmaker"), ("limbing", "ailmaking"), ("limbs", "ews"), ("walls", "sheets")):
        text = text.replace(known, unknown)
    theme = Theme(slug="loft", title="Loft", kind="domain")
    body = text.encode()
    done = filled_with(mined_from(SOURCES / "loft.json", theme, BILLING, at="2025-03-17T09:00:00Z", body=body), 0)
    assert done.domain.trade is not None and done.domain.trade.trade == NEUTRAL, done.domain.trade
    assert {row["product_name"] for row in done.rows["products"]} >= {"Standard plan", "Basic plan"}
