from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from envforge.atlas.catalogue import Atlas, load_atlas, write_catalogue
from envforge.atlas.decisions import DECISIONS, agreement, apply, placed, reviewed_atlas
from envforge.core.errors import ConfigError, StoreError
from envforge.core.records.atlas import ThemeDecision
from envforge.store.log import append_record


def decided(action: str, subject: str, value: str = "", **more: Any) -> ThemeDecision:
    given = {"action": action, "subject": subject, "value": value, "reviewer": "person", **more}
    return ThemeDecision.model_validate(given)


def test_a_theme_is_moved(atlas: Atlas) -> None:
    assert apply(atlas, [decided("move", "fish-farms", "farms")]).themes["fish-farms"].category == "farms"


def test_the_last_decision_about_a_theme_counts(atlas: Atlas) -> None:
    both = [decided("move", "fish-farms", "farms"), decided("accept", "fish-farms", "fish")]
    assert apply(atlas, both).themes["fish-farms"].category == "fish"


def test_a_class_is_renamed_and_keeps_its_id(atlas: Atlas) -> None:
    after = apply(atlas, [decided("rename", "boats", "Boats and harbours")])
    assert after.titles["boats"] == "Boats and harbours" and after.themes["ferries"].category == "boats"


def test_a_class_is_split(atlas: Atlas) -> None:
    after = apply(atlas, [decided("split", "boats", "races Races on water", members=["regattas", "dairies"])])
    assert after.titles["races"] == "Races on water" and after.first_level("races") == "water"
    assert after.themes["regattas"].category == "races"
    assert after.themes["dairies"].category == "farms", "it was not in the class that was split"


def test_a_theme_goes_into_another_with_its_names_and_children(atlas: Atlas) -> None:
    child = atlas.themes["regattas"].model_copy(update={"parent": "harbours"})
    grown = Atlas(themes={**atlas.themes, "regattas": child}, taxonomy=atlas.taxonomy)
    after = apply(grown, [decided("merge", "harbours", "ferries")])
    assert "harbours" not in after.themes and after.themes["regattas"].parent == "ferries"
    found = after.find("harbours")
    assert found is not None and found.slug == "ferries"


def test_a_rejected_theme_is_gone(atlas: Atlas) -> None:
    assert "dairies" not in apply(atlas, [decided("reject", "dairies")]).themes


def test_a_new_theme_of_a_class_that_was_split_off_is_moved_there_by_a_decision(atlas: Atlas) -> None:
    split = decided("split", "boats", "races Races on water", members=["regattas"])
    new = atlas.themes["ferries"].model_copy(
        update={"slug": "canoe-polo", "title": "Canoe polo", "aliases": (), "category": "races"}
    )
    theme, moved = placed(new, atlas, [split])
    assert (theme.category, moved) == ("boats", "races")
    grown = Atlas(themes={**atlas.themes, "canoe-polo": theme}, taxonomy=atlas.taxonomy)
    assert apply(grown, [split, decided("move", "canoe-polo", moved)]).themes["canoe-polo"].category == "races"
    assert placed(atlas.themes["ferries"], atlas, [split]) == (atlas.themes["ferries"], "")


@pytest.mark.parametrize("decision", [decided("reject", "dairies"), decided("merge", "dairies", "fish-farms")])
def test_a_new_theme_that_a_decision_would_take_out_again_is_refused(atlas: Atlas, decision: ThemeDecision) -> None:
    with pytest.raises(ConfigError, match=f"decision of a person .{decision.action}"):
        placed(atlas.themes["dairies"], atlas, [decision])


def test_a_verdict_changes_nothing(atlas: Atlas) -> None:
    assert apply(atlas, [decided("audit", "dairies", "clean")]).themes == atlas.themes


@pytest.mark.parametrize(
    "decision",
    [
        decided("move", "ferries", "gliders"),
        decided("move", "ferries", "water"),
        decided("rename", "gliders", "Gliders"),
        decided("split", "boats", "fish Fishes"),
        decided("split", "boats", "races"),
        decided("merge", "ferries", "gliders"),
        decided("merge", "ferries", "ferries"),
    ],
)
def test_a_decision_that_cannot_be_kept_is_refused_by_its_number(atlas: Atlas, decision: ThemeDecision) -> None:
    with pytest.raises(ConfigError, match=r"decisions\.jsonl, decision 1") as caught:
        apply(atlas, [decision])
    assert caught.value.remedy


def test_decisions_outlive_a_catalogue_that_is_written_anew(folder: Path) -> None:
    append_record(folder / DECISIONS, decided("move", "fish-farms", "farms").to_json())
    write_catalogue(folder, load_atlas([folder]).themes.values())
    assert load_atlas([folder]).themes["fish-farms"].category == "fish"
    assert reviewed_atlas([folder]).themes["fish-farms"].category == "farms"
    assert reviewed_atlas([folder]) == reviewed_atlas([folder])


def test_a_decision_about_a_theme_that_is_gone_is_no_mistake(atlas: Atlas) -> None:
    assert apply(atlas, [decided("move", "gliders", "boats")]).themes == atlas.themes


def test_a_decision_without_a_reviewer_is_refused_with_its_line(folder: Path) -> None:
    (folder / DECISIONS).write_text('{"action":"reject","subject":"dairies"}\n', encoding="utf-8")
    with pytest.raises(StoreError, match="line 1: reviewer"):
        reviewed_atlas([folder])


def test_two_passes_agree_on_what_both_placed() -> None:
    log = [
        decided("accept", "ferries", "boats"),
        decided("accept", "dairies", "farms"),
        decided("move", "catches", "fish"),
        decided("accept", "ferries", "boats", round=2),
        decided("move", "dairies", "fish", round=2, reviewer="model"),
    ]
    found = agreement(log)
    assert (found.both, found.same, found.share) == (2, 1, 0.5)
    assert found.differing == (("dairies", "farms", "fish"),)


def test_one_pass_has_no_agreement() -> None:
    assert agreement([decided("accept", "ferries", "boats")]).share is None
