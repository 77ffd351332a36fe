"""Walks are executed, know where their arguments came from, and lead to goals that the gates' own measures accept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from random import Random
from typing import Any, get_args

import pytest

from envforge.core.data_flow import resolved
from envforge.core.records.intent import IntentFamily, Register
from envforge.gates.solutions import Player
from envforge.rollout.checks import evaluate
from envforge.synth import walk_families
from envforge.synth.author import CompiledTaskAuthor, Proposal
from envforge.synth.candidates import Source
from envforge.synth.chain_owner import Owner
from envforge.synth.chains import chains_of, returning
from envforge.synth.entities import Entities
from envforge.synth.graph import tool_graph
from envforge.synth.landscape import Landscape, survey
from envforge.synth.queries import Queries
from envforge.synth.trace import gold_answer, gold_calls
from envforge.synth.walk_families import families_of, graph_and_families
from envforge.synth.walks import Walk, coverage, sliced, walks
from envforge.synth.wording.grammar import phrase
from envforge.world.environment import Environment

from .library_domain import DOMAIN
from .workshop import CALLED_OFF_PART, workshop
from .workshop import DOMAIN as WORKSHOP


@pytest.fixture(scope="module")
def landscape(library: Environment) -> Landscape:
    return survey(library, DOMAIN)


@pytest.fixture(scope="module")
def made(landscape: Landscape) -> list[Walk]:
    return list(walks(landscape, tool_graph(landscape), 0, 40))


@pytest.fixture(scope="module")
def families(library: Environment) -> tuple[IntentFamily, ...]:
    return graph_and_families(library, DOMAIN, 0, 60)[1]


@pytest.fixture(scope="module")
def proposals(library: Environment, families: tuple[IntentFamily, ...]) -> list[Proposal]:
    author = CompiledTaskAuthor(library, DOMAIN, [(family, "walk") for family in families], 0)
    return [found for found in author.proposals() if isinstance(found, Proposal) and not found.words]


@pytest.fixture(scope="module")
def at_work(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Another environment, with more to count and rows that were called off."""
    return workshop(tmp_path_factory.mktemp("workshop") / "workshop")


@pytest.fixture(scope="module")
def goals_at_work(at_work: Environment) -> dict[str, list[IntentFamily]]:
    """Shape of a chain -> the goals that it gives."""
    learned = survey(at_work, WORKSHOP)
    made = list(walks(learned, tool_graph(learned), 0, 60))
    chains = chains_of(learned, Entities(learned), made)
    return {chain.shape: list(families_of(learned, chain, Counter())) for chain in chains}


def test_what_is_left_out_is_counted(at_work: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    assert graph_and_families(at_work, WORKSHOP, 0, 60).left_out == {
        "job_id leads up, and then down again": 4,
        "parts of parts are not summed up": 1,
        "rows may meet on the way": 1,
    }
    monkeypatch.setattr(walk_families, "MOST_SPOKEN", -1)
    found = graph_and_families(at_work, WORKSHOP, 0, 60)
    assert found.families == () and set(found.left_out) == {"more than -1 relations in one sentence"}


def kinds(families: Iterable[IntentFamily]) -> set[str]:
    return {family.id.split("-")[1] for family in families}


def test_arguments_are_values_of_the_records_that_they_are_said_to_be_from(made: list[Walk]) -> None:
    seen = 0
    for walk in made:
        for number, step in enumerate(walk.steps):
            for parameter, origin in step.origins.items():
                assert origin.step < number
                assert str(step.arguments[parameter]) in str(walk.steps[origin.step].result)
                seen += 1
    assert seen > 20


def test_the_same_seed_gives_the_same_walks_and_another_does_not(landscape: Landscape, made: list[Walk]) -> None:
    graph = tool_graph(landscape)
    assert list(walks(landscape, graph, 0, 40)) == made
    assert list(walks(landscape, graph, 1, 40)) != made


def test_a_slice_keeps_what_the_sink_needs_and_nothing_else(made: list[Walk]) -> None:
    walk = next(walk for walk in made if any(step.origins for step in walk.steps[2:]))
    sink = max(number for number, step in enumerate(walk.steps) if step.origins)
    part = sliced(walk, sink)
    assert part.steps[-1].tool == walk.steps[sink].tool
    used = {origin.step for step in part.steps for origin in step.origins.values()}
    assert used == set(range(len(part.steps) - 1)), "each step but the sink feeds a later one"


def test_coverage_counts_what_was_called(landscape: Landscape, made: list[Walk]) -> None:
    graph = tool_graph(landscape)
    found = coverage(graph, made)
    assert 0 < found.tools <= 1 and 0 < found.strong_edges <= 1
    assert "post_notice" in found.not_called
    assert coverage(graph, []).tools == 0


def test_chains_do_not_turn_back(landscape: Landscape, made: list[Walk]) -> None:
    chains = chains_of(landscape, Entities(landscape), made)
    assert len({chain.shape for chain in chains}) == len(chains) > 1
    assert not any(returning(chain) for chain in chains)


def test_goals_of_several_kinds_come_of_walks(families: tuple[IntentFamily, ...]) -> None:
    assert kinds(families) == {"compare", "highest", "list", "look", "total"}
    assert all("_" not in family.title for family in families)


CUSTOMERS_JOBS = "customer >job:list_jobs"
CUSTOMERS_PARTS = "customer >part:list_customer_parts"
JOBS_PARTS = "job >part:list_parts"


def test_a_sum_is_over_one_listing(goals_at_work: Mapping[str, list[IntentFamily]]) -> None:
    """Parts of parts are weighed and counted; nobody asks for one figure over them."""
    every = {"count", "list", "highest", "total"}
    assert kinds(goals_at_work[JOBS_PARTS]) == kinds(goals_at_work[CUSTOMERS_PARTS]) == every
    assert kinds(goals_at_work[f"{CUSTOMERS_JOBS} >part:list_parts"]) == every - {"total"}


def test_no_sum_is_over_what_was_called_off(
    at_work: Environment, goals_at_work: Mapping[str, list[IntentFamily]]
) -> None:
    """Neither the rows that are summed up nor those on the way to them; every other row may be the start of one."""

    def starts(shape: str, kind: str) -> set[str]:
        family = next(one for one in goals_at_work[shape] if kinds([one]) == {kind})
        return {row["start"] for row in Queries(at_work).rows(family.parameter_sets, {}, "here")}

    queries = Queries(at_work)
    of_part = f"SELECT job_id AS key FROM parts WHERE id = '{CALLED_OFF_PART}'"
    jobs = {row["key"] for row in queries.rows(of_part, {}, "here")}
    owners = "SELECT customer_id AS key FROM jobs j WHERE {}"
    by_part = {row["key"] for row in queries.rows(owners.format(f"j.id IN ({of_part})"), {}, "here")}
    by_job = {row["key"] for row in queries.rows(owners.format("j.status = 'cancelled'"), {}, "here")}
    assert len(jobs) == len(by_part) == len(by_job) == 1 and not by_part & by_job
    assert starts(JOBS_PARTS, "total") == starts(JOBS_PARTS, "highest") - jobs
    assert starts(CUSTOMERS_PARTS, "total") == starts(CUSTOMERS_PARTS, "highest") - by_part - by_job
    assert starts(JOBS_PARTS, "total") and starts(CUSTOMERS_PARTS, "total")


@pytest.mark.parametrize("register", get_args(Register))
def test_every_register_asks(families: tuple[IntentFamily, ...], proposals: list[Proposal], register: Register) -> None:
    """Why somebody asks may be hidden; what is asked is not."""
    asks = re.compile(r"\?|\b(Please|Leave|Set|Move)\b|I need to know|I'd like to know")
    known = {family.id: family for family in families}
    for proposal in proposals:
        intent = proposal.candidate.intent
        for seed in range(6):
            text = phrase(known[intent.family], intent, register, Random(seed)).text
            assert asks.search(text), text
            assert text.count(" of the ") < 2, "nobody strings relations on a thread"


def test_only_what_shares_something_is_weighed(library: Environment, families: tuple[IntentFamily, ...]) -> None:
    family = next(one for one in families if one.id.startswith("walk-compare-number-of-copies-book"))
    pairs = Queries(library).rows(family.parameter_sets, {}, "here")
    authors = {row["id"]: row["author"] for row in Queries(library).rows("SELECT id, author FROM books", {}, "here")}
    assert pairs
    assert all(authors[pair["start"]] == authors[pair["other"]] for pair in pairs)


def test_gold_and_oracle_agree(library: Environment, proposals: list[Proposal]) -> None:
    assert len(proposals) > 12
    assert kinds(one.candidate.family for one in proposals) >= {"compare", "highest", "look", "list"}
    _agree(library, proposals)


def test_gold_and_oracle_agree_at_work(at_work: Environment, goals_at_work: Mapping[str, list[IntentFamily]]) -> None:
    given: list[tuple[IntentFamily, Source]] = [(one, "walk") for goals in goals_at_work.values() for one in goals]
    author = CompiledTaskAuthor(at_work, WORKSHOP, given, 0)
    proposals = [one for one in islice(author.proposals(), 40) if isinstance(one, Proposal) and not one.words]
    asked = kinds(proposal.candidate.family for proposal in proposals)
    assert len(proposals) > 30 and asked == {"compare", "count", "highest", "list", "look", "total"}
    picked = [one.candidate.instruction for one in proposals if one.candidate.family.policy]
    assert len(picked) > 5
    assert all(re.search(r"\b(are now (fitted|ordered)|have been cancelled)\b", text) for text in picked), (
        "states are said with their verb"
    )
    _agree(at_work, proposals)


def _agree(environment: Environment, proposals: list[Proposal]) -> None:
    with Player(environment) as player:
        for proposal in proposals:
            for program in (proposal.candidate.program, *proposal.candidate.alternatives):
                played = player.play(program)
                assert not played.failure
                failed = [
                    c
                    for c in evaluate(environment, proposal.candidate.checks, played.changeset, played.answer)
                    if not c.passed
                ]
                assert not failed, proposal.candidate.instruction


def test_graph_tasks_are_calls_with_references(library: Environment, proposals: list[Proposal]) -> None:
    found = [proposal.candidate for proposal in proposals if proposal.candidate.kind == "graph"]
    assert found
    with Player(library) as player, library.start(0) as session:
        for candidate in found[:4]:
            played = player.play(candidate.program)
            calls = gold_calls(library.tools, played.steps, candidate.intent.said)
            answer = gold_answer(library.tools, played.steps, candidate.intent.said, played.answer)
            assert answer is not None
            results: dict[int, Any] = {}
            for number, call in enumerate(calls, 1):
                results[number] = session.call(call.tool, resolved(call.arguments, results)).result
            assert resolved(answer, results) == played.answer


def test_an_owner_is_a_thing_or_people() -> None:
    assert Owner("it", pronoun=True).of("lead") == "its lead"
    assert Owner("they", people=True, pronoun=True).of("bookings") == "their bookings"
    assert Owner("the tickets of it", plural=True).subject == "the tickets of it are"
    assert Owner("{start}").does("belong") == "{start} belongs"


def test_two_are_named_with_their_noun_said_once(families: tuple[IntentFamily, ...]) -> None:
    family = next(one for one in families if one.id.startswith("walk-compare-number-of-copies-book"))
    assert family.wording["report_ask"][0].startswith("which of the books {start} and {other} ")
    assert {words for told in family.references.values() for words in told.say.values()} == {"{title|quoted}"}
