"""The messaging archetype on the talk of a harbor: persons, rooms and messages, mined from a file."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache

import pytest
from tests.unit.mine.archetypes.conftest import Met, accepted, missed
from tests.unit.mine.archetypes.mining import SOURCES, filled_with, mined_from, shipped

from envforge.core.contracts import Database
from envforge.core.records.domain import Domain
from envforge.core.records.source import Theme
from envforge.mine.archetypes.match import ArchetypeMatch, match_archetypes
from envforge.mine.miner import Mined
from envforge.mine.scenario.measures import measure_plants, opened
from envforge.synth.wording.families import family_problems

ARCHETYPE = shipped("messaging")
TALK = SOURCES / "harbor-talk.json"
THEME = Theme(slug="harbor", title="Harbor", kind="domain")


@cache
def mined() -> Mined:
    return mined_from(TALK, THEME, ARCHETYPE, at="2025-09-22T14:00:00Z")


def matched(domain: Domain) -> ArchetypeMatch:
    return match_archetypes(domain, {}, [ARCHETYPE])[0]


@cache
def filled(seed: int) -> Database:
    return filled_with(mined(), seed)


def without(domain: Domain, gone: str) -> Domain:
    """The domain as if a table, or a column written table.column, had never been stated."""
    name, _, column = gone.partition(".")
    tables = tuple(
        table.model_copy(
            update={
                "columns": tuple(
                    c.model_copy(update={"references": None})
                    if not column and c.references and c.references.table == name
                    else c
                    for c in table.columns
                    if not column or table.name != name or c.name != column
                )
            }
        )
        for table in domain.tables
        if column or table.name != name
    )
    return Domain(theme=domain.theme, tables=tables)


def test_rooms_with_messages_match_by_shape() -> None:
    match = matched(mined().domain)
    assert match.accepted, match.reasons
    assert match.roles == {"channel": "rooms", "message": "messages", "person": "people"}
    assert match.fields["message"]["author"] == "sender_id"
    assert match.fields["channel"]["topic"] == "purpose"
    assert match.fields["channel"]["kind"] == "channel_kind", "added: nothing says who may join a room"


def test_people_are_added_where_a_source_lacks_them() -> None:
    assert matched(without(mined().domain, "people")).accepted


@pytest.mark.parametrize("gone", ["messages", "rooms", "messages.text", "messages.room_id"])
def test_rooms_without_talk_are_for_a_hotel(gone: str) -> None:
    assert not matched(without(mined().domain, gone)).accepted


def test_the_tools_are_those_of_the_archetype() -> None:
    done = filled(0)
    covered = {item.id for item in done.domain.rejected if item.reason == "covered"}
    assert covered >= {"createRoom", "createMessage", "listPersons"}, "a source's own would write in archived rooms"
    names = {operation.name for operation in done.operations}
    assert {"post_message", "reply_to_message", "archive_room", "decide_join_request", "list_channel_history"} <= names


@pytest.mark.parametrize("seed", [0, 5])
def test_people_write_where_they_are_members_and_while_it_is_open(seed: int) -> None:
    done = filled(seed)
    since = {(row["room_id"], row["person_id"]): row["joined_at"] for row in done.rows["channel_memberships"]}
    rooms = {row["id"]: row for row in done.rows["rooms"]}
    guests = {row["id"] for row in done.rows["people"] if row["workspace_role"] == "guest"}
    for row in done.rows["messages"]:
        room = rooms[row["room_id"]]
        assert since[row["room_id"], row["sender_id"]] <= row["created_at"] <= (room["archived_at"] or done.clock)
    open_ones: defaultdict[str, set[str]] = defaultdict(set)
    for room_id, person_id in since:
        if rooms[room_id]["channel_state"] == "open" and rooms[room_id]["channel_kind"] != "direct":
            open_ones[person_id].add(room_id)
    assert guests and max(len(open_ones[guest]) for guest in guests) <= 3


@pytest.mark.parametrize("seed", [0, 5])
def test_answers_stand_below_a_message_of_the_same_room(seed: int) -> None:
    messages = {row["id"]: row for row in filled(seed).rows["messages"]}
    answers = [row for row in messages.values() if row["thread_root_id"] is not None]
    assert len(answers) > 200
    for row in answers:
        root = messages[row["thread_root_id"]]
        assert root["thread_root_id"] is None and root["room_id"] == row["room_id"]
        assert root["created_at"] < row["created_at"]


@pytest.mark.parametrize("seed", [0, 5])
def test_every_room_has_an_owner_and_six_pins_at_most(seed: int) -> None:
    done = filled(seed)
    owners = {row["room_id"] for row in done.rows["channel_memberships"] if row["member_role"] == "owner"}
    assert owners == {row["id"] for row in done.rows["rooms"] if row["channel_kind"] != "direct"}
    rooms = {row["id"]: row["room_id"] for row in done.rows["messages"]}
    pins = [rooms[row["message_id"]] for row in done.rows["message_pins"]]
    assert max(pins.count(room) for room in pins) <= 6


@pytest.mark.parametrize("seed", [0, 5])
def test_a_fifth_of_the_people_writes_half_of_it(seed: int) -> None:
    written = Counter(row["sender_id"] for row in filled(seed).rows["messages"])
    most = [count for _, count in written.most_common(len(written) // 5)]
    assert sum(most) >= written.total() / 2


def test_hard_cases_are_there_under_every_seed() -> None:
    for seed in (0, 5):
        with opened(filled(seed)) as connection:
            measured = measure_plants(filled(seed), connection)
        assert all(plant.within for plant in measured), measured


def test_each_family_has_enough_to_ask_and_says_what_it_holds() -> None:
    done = filled(0)
    with opened(done) as connection:
        found = {family.id: len(connection.execute(family.parameter_sets).fetchmany(20)) for family in done.intents}
    assert len(found) == len(ARCHETYPE.intents) >= 17 and min(found.values()) == 20, found
    assert [(family.id, problem) for family in done.intents for problem in family_problems(family)] == []


def test_its_tools_accept_and_refuse_what_their_witnesses_say(met: Met) -> None:
    found = met(filled(0))
    assert missed(found) == []
    assert accepted(found) == {operation.name for operation in filled(0).operations}
