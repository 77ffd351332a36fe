"""Goals of the grammar fit an environment, say what they mean, and their programs agree with SQL."""

from __future__ import annotations

import csv
import shutil
from collections import Counter

import pytest

from envforge.core.records.intent import IntentFamily
from envforge.factory.families import knowledge_of
from envforge.gates.solutions import Player
from envforge.rollout.checks import evaluate
from envforge.synth.author import CompiledTaskAuthor, Proposal
from envforge.synth.landscape import Landscape, survey
from envforge.synth.programs.body import joined
from envforge.synth.programs.families import MOST_OF_A_KIND, program_families
from envforge.synth.programs.ground import Ground, Selector
from envforge.synth.queries import Queries
from envforge.world.environment import Environment

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ground(landscape: Landscape) -> Ground:
    return Ground(landscape, 0)


@pytest.fixture(scope="module")
def families(landscape: Landscape) -> tuple[IntentFamily, ...]:
    return program_families(landscape, 0)


@pytest.fixture(scope="module")
def proposals(archipelago: Environment, families: tuple[IntentFamily, ...]) -> list[Proposal]:
    """One of each family."""
    author = CompiledTaskAuthor(archipelago, knowledge_of(archipelago), [(one, "grammar") for one in families], 0)
    found: dict[str, Proposal] = {}
    for item in author.proposals(lambda family: family not in found):
        if isinstance(item, Proposal) and not item.words:
            found.setdefault(item.candidate.family.id, item)
    return list(found.values())


def test_listings_show_every_row_and_say_what_they_select_by(ground: Ground) -> None:
    islands = ground.listing("islands")
    assert islands is not None and islands.rows == 30
    assert islands.selector("chain") == Selector("chain", "chain")
    assert islands.selector("area", "least") == Selector("min_area", "area", "least")
    assert islands.selector("area", "most") == Selector("max_area", "area", "most")
    assert islands.selector("island_code") is None
    lookup = ground.lookup("islands")
    assert lookup is not None and lookup.tool == "get_island"


def test_a_bond_ties_rows_of_two_tables(ground: Ground) -> None:
    assert [(one.owner_table, one.other_table, one.words, one.valued) for one in ground.bonds] == [
        ("islands", "languages", "language", False)
    ]


def test_goals_of_many_kinds_and_none_crowds_out_the_rest(families: tuple[IntentFamily, ...]) -> None:
    kinds = Counter(family.id.split("-")[1] for family in families)
    ranked, over_all = {"best", "top", "each", "fallback"}, {"list", "count", "commonest", "total"}
    assert set(kinds) == ranked | over_all | {"gather", "most", "shared"}
    assert max(kinds.values()) <= MOST_OF_A_KIND
    assert len({family.id for family in families}) == len(families)


def test_the_same_seed_gives_the_same_goals_and_another_does_not(
    landscape: Landscape, families: tuple[IntentFamily, ...]
) -> None:
    assert program_families(landscape, 0) == families
    assert {family.id for family in program_families(landscape, 1)} != {family.id for family in families}


def without_one(target: str) -> list[str]:
    """The SELECT without each of its conditions; rows have a title all the same."""
    head, _, tests = target.partition(" WHERE ")
    *conditions, titled = tests.split(" AND ")
    assert titled.endswith("IS NOT NULL")
    left = [[*conditions[:place], *conditions[place + 1 :]] for place in range(len(conditions))]
    return [f"{head} WHERE {' AND '.join([*some, titled])}" for some in left]


def test_a_target_is_neither_empty_nor_everything(archipelago: Environment, families: tuple[IntentFamily, ...]) -> None:
    queries = Queries(archipelago)
    whole = {
        name: queries.rows(f"SELECT count(*) AS n FROM {name}", {}, "")[0]["n"] for name in ("islands", "harbours")
    }
    for family in families:
        table = next(name for name in whole if f'FROM "{name}" r ' in family.target)
        for given in queries.rows(family.parameter_sets, {}, family.id):
            rows = queries.rows(family.target, given, family.id)
            assert family.sizes[0] <= len(rows) <= family.sizes[1]
            assert len(rows) < whole[table]
            for wider in without_one(family.target):
                assert len(queries.rows(wider, given, family.id)) > len(rows), "every condition leaves some out"


@pytest.fixture(scope="module")
def settled(archipelago: Environment, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The archipelago with people on every island of its first chain."""
    folder = shutil.copytree(archipelago.folder, tmp_path_factory.mktemp("settled") / "archipelago")
    path = folder / "data" / "islands.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    first = min(row["chain"] for row in rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({**row, "inhabited": "1"} if row["chain"] == first else row for row in rows)
    return Environment.open(folder)


def test_nobody_looks_up_more_rows_than_an_episode_has_room_for(
    landscape: Landscape, families: tuple[IntentFamily, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def looks_up(found: tuple[IntentFamily, ...]) -> list[str]:
        return [one.id for one in found if "shown.append(call(" in one.gold]

    assert looks_up(families)
    monkeypatch.setattr("envforge.synth.programs.families.MOST_LOOKED_UP", 0)
    fewer = program_families(landscape, 0)
    assert fewer and not looks_up(fewer)


def test_a_fallback_is_needed_in_some_cases_and_not_in_others(settled: Environment) -> None:
    """Both ways of the program are taken, and both come to what SQL says."""
    knowledge = knowledge_of(settled)
    families = program_families(survey(settled, knowledge), 0)
    author = CompiledTaskAuthor(
        settled, knowledge, [(one, "grammar") for one in families if one.id.startswith("program-fallback")], 0
    )
    found: Counter[bool] = Counter()
    with Player(settled) as player:
        for proposal in author.proposals():
            assert isinstance(proposal, Proposal), proposal
            for program in (proposal.candidate.program, *proposal.candidate.alternatives):
                played = player.play(program)
                assert not played.failure
                checks = evaluate(settled, proposal.candidate.checks, played.changeset, played.answer)
                assert all(check.passed for check in checks), (proposal.candidate.instruction, played.answer)
                found[played.answer["found"]] += 1
    assert set(found) == {False, True}, found


def test_programs_and_sql_agree(archipelago: Environment, proposals: list[Proposal]) -> None:
    assert len(proposals) >= 30
    with Player(archipelago) as player:
        for proposal in proposals:
            candidate = proposal.candidate
            assert candidate.kind == "program" and candidate.intent.source == "grammar"
            for program in (candidate.program, *candidate.alternatives):
                played = player.play(program)
                assert not played.failure, (candidate.instruction, played.failure, program)
                checks = evaluate(archipelago, candidate.checks, played.changeset, played.answer)
                assert all(check.passed for check in checks), (candidate.instruction, played.answer, program)


def test_programs_have_another_way(proposals: list[Proposal]) -> None:
    with_another = [one for one in proposals if one.candidate.alternatives]
    assert len(with_another) >= 0.8 * len(proposals)


def test_texts_hold_no_names_of_columns(proposals: list[Proposal]) -> None:
    for proposal in proposals:
        text = proposal.candidate.instruction
        assert "_" not in text and "code" not in text and "{" not in text


def test_clauses_are_put_in_a_row() -> None:
    assert joined(["with the chain {a}", "that are inhabited"]) == "with the chain {a} and that are inhabited"
    assert joined(["that accept flags", "that are not inhabited"]) == "that accept flags but that are not inhabited"
    assert joined(["with the engine {b}", "of {a}"]) == "of {a} with the engine {b}"
    assert joined(["with more than {a} beds", "with fewer than {b} seats"]) == (
        "with more than {a} beds and fewer than {b} seats"
    )
    assert joined(["without {a} among their ties", "with {b} among their ties"]) == (
        "with {b} among their ties but without {a} among their ties"
    )


def test_no_goal_speaks_of_columns_or_tables(families: tuple[IntentFamily, ...]) -> None:
    for family in families:
        words = " ".join(words for bank in family.wording.values() for words in bank)
        assert (
            "whose" not in words
            and "marked as" not in words
            and "number of the" not in words.replace("greatest number of the", "")
        ), words
        assert all("s " in f"{target} " for target in family.wording["target"])


def test_a_state_stands_before_its_noun(families: tuple[IntentFamily, ...]) -> None:
    for family in families:
        for name, mention in family.mentions.items():
            if mention.say == "label" and name.rpartition("_")[2] in ("state", "status", "type", "kind"):
                assert all(f"{{{name}}} " in target for target in family.wording["target"])
                assert not any("_" in words for words in mention.labels.values())
