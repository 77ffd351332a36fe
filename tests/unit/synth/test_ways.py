"""Ways along keys as people say them, and ways that nobody says."""

from __future__ import annotations

import pytest

from envforge.core.records.domain import Column, Table
from envforge.synth.chain_owner import Owner, UnsayableError, named
from envforge.synth.chain_ways import reached
from envforge.synth.chain_words import bare, looked_up, picking, reference
from envforge.synth.chains import Chain, Hop
from envforge.synth.entities import Attribute, Entity, Link
from envforge.synth.keys import Foreign
from envforge.synth.nouns import plural
from envforge.synth.reaches import Finder, Reach
from envforge.synth.sights import Sight

START = Owner("{start}")


def entity(label: str, *links: Link, people: bool = False, columns: tuple[Column, ...] = ()) -> Entity:
    name = plural(label).replace(" ", "_")
    table = Table(name=name, entity=label, label=label, primary_key=("id",), columns=columns)
    return Entity(table, "id", label, plural(label), people, links=links)


def sight(of: Entity, *columns: str) -> Sight:
    fields = {column: (column,) for column in columns}
    return Sight("get", (), False, f"{of.label}.id", of.table.name, ("id",), fields)


def shown(to: Entity, by: tuple[Foreign, ...] = ()) -> Reach:
    return Reach("get", "id", f"{to.label}.id", sight(to), by)


def over(link: Link, to: Entity) -> Hop:
    return Hop(link, shown(to), to)


def listing(to: Entity, whole: Entity, column: str, role: str) -> Hop:
    return Hop(None, shown(to, (Foreign(to.table.name, column, whole.table.name, "id"),)), to, "", (role,))


def chain(start: Entity, *hops: Hop) -> Chain:
    return Chain(start, (), hops)


USER = entity("user", people=True)
MADE_BY = Link("created_by", "users", "user", "author")
EDITED_BY = Link("last_edited_by", "users", "user", "editor")
MERGED_BY = Link("merged_by", "users", "user")
ASSIGNEE = Link("assignee_id", "users", "user", "owner")
OPENED_BY = Link("user_id", "users", "user", "person")
TASK = entity("task", MADE_BY, EDITED_BY)
CHANGE = entity("pull request", OPENED_BY, ASSIGNEE, MERGED_BY)
COMMENT = entity("comment", MADE_BY)
BOOKING = entity("booking", Link("customer_id", "customers", "customer", "owner"))
CUSTOMER = entity("customer", people=True)
TRAVELLER = entity("traveller", Link("locator", "bookings", "booking", "parent"), people=True)
TICKET = entity("ticket", Link("flight_id", "flights", "flight"))
REPOSITORY = entity("repository")


@pytest.mark.parametrize(
    ("way", "question", "phrase"),
    [
        (chain(TASK, over(MADE_BY, USER)), "who created {start}", "the person who created {start}"),
        (chain(TASK, over(EDITED_BY, USER)), "who last edited {start}", "the person who last edited {start}"),
        (chain(CHANGE, over(OPENED_BY, USER)), "who opened {start}", "the person who opened {start}"),
        (chain(CHANGE, over(MERGED_BY, USER)), "who merged {start}", "the person who merged {start}"),
        (chain(CHANGE, over(ASSIGNEE, USER)), "who is assigned to {start}", "the person assigned to {start}"),
        (
            chain(BOOKING, over(BOOKING.links[0], CUSTOMER)),
            "who made {start}",
            "the customer who made {start}",
        ),
        (
            chain(TASK, listing(COMMENT, TASK, "task_id", "parent"), over(MADE_BY, USER)),
            "who has commented on {start}",
            "the people who commented on {start}",
        ),
        (
            chain(BOOKING, listing(TICKET, BOOKING, "locator", "parent"), over(TICKET.links[0], entity("flight"))),
            "which flights are on {start}",
            "the flights on {start}",
        ),
    ],
)
def test_a_way_is_said_by_what_was_done(way: Chain, question: str, phrase: str) -> None:
    owner = reached(way, named(way.start, False))
    assert (owner.question, owner.words) == (question, phrase)


def test_parts_have_the_word_that_goes_with_them() -> None:
    assert reached(chain(BOOKING, listing(TICKET, BOOKING, "locator", "parent")), START).words == (
        "the tickets on {start}"
    )
    issues = listing(entity("issue"), REPOSITORY, "repository_id", "")
    assert reached(chain(REPOSITORY, issues), START).words == "the issues in {start}"
    person = Owner("{start}", people=True)
    made = listing(BOOKING, CUSTOMER, "customer_id", "owner")
    assert reached(chain(CUSTOMER, made), person).words == "the bookings that {start} made"
    given = listing(entity("issue"), USER, "assignee_id", "owner")
    assert reached(chain(USER, given), person).words == "the issues assigned to {start}"


@pytest.mark.parametrize(
    "way",
    [
        chain(TRAVELLER, over(TRAVELLER.links[0], BOOKING), listing(TICKET, BOOKING, "locator", "parent")),
        chain(TASK, listing(entity("block", MADE_BY), TASK, "page_id", "parent"), over(MADE_BY, USER)),
        chain(entity("issue"), listing(CHANGE, entity("issue"), "closes_issue_id", "")),
        chain(REPOSITORY, listing(CHANGE, REPOSITORY, "repository_id", "parent"), over(MERGED_BY, USER)),
    ],
    ids=["up and down", "no word for the rows", "more than a part", "no word for these people"],
)
def test_ways_that_nobody_says(way: Chain) -> None:
    with pytest.raises(UnsayableError):
        reached(way, named(way.start, False))


def test_people_are_asked_for_by_question() -> None:
    name = Attribute(("name",), 'r."name"', "name", "name")
    email = Attribute(("email",), 'r."email"', "text", "e-mail address")
    asking = looked_up([name, email], reached(chain(TASK, over(MADE_BY, USER)), START))
    assert asking.direct == "who created {start}, and what is their e-mail address"
    assert asking.indirect == "the name and the e-mail address of the person who created {start}"


def test_people_are_named_by_their_name_alone() -> None:
    names = tuple(Column(name=one, type="text") for one in ("first_name", "last_name", "birth_date"))
    guest = entity("guest", people=True, columns=names)
    way = Chain(guest, (Finder("find", sight(guest, "first_name", "last_name", "birth_date")),), ())
    assert reference(way, "SELECT :start").say == {"last_name+first_name": "{first_name} {last_name}"}


def test_a_title_stands_with_its_item_not_with_its_list() -> None:
    entry = entity("entry in the calendar", columns=(Column(name="title", type="text", role="title"),))
    way = Chain(entry, (Finder("find", sight(entry, "title")),), ())
    assert reference(way, "SELECT :start").say == {"title": "the entry {title|quoted} in the calendar"}


def test_what_somebody_has_is_said_in_two_words_where_more_follows() -> None:
    bag = entity("bag")
    bookings = listing(BOOKING, CUSTOMER, "customer_id", "owner")
    way = chain(CUSTOMER, bookings, listing(bag, BOOKING, "booking_id", "parent"))
    assert reached(way, named(CUSTOMER, False)).words == "the bags on {start}'s bookings"


def test_nobody_goes_round_by_a_page_to_the_one_above_it() -> None:
    page = entity("page", Link("parent_id", "pages", "page", "parent"))
    with pytest.raises(UnsayableError, match="would name the page above it"):
        reached(chain(page, over(page.links[0], page)), START)


@pytest.mark.parametrize(
    ("column", "role", "phrase", "question"),
    [
        ("owner_id", "", "the collections that {start} owns", "which collections does {start} own"),
        ("filed_by", "", "the collections that {start} filed", "which collections has {start} filed"),
        ("created_by", "author", "the collections that {start} created", "which collections has {start} created"),
        ("assignee_id", "", "the collections assigned to {start}", "which collections are assigned to {start}"),
        ("customer_id", "owner", "the collections of {start}", "which collections does {start} have"),
        (
            *("reviewer_id", "", "the collections with {start} as their reviewer"),
            "which collections have {start} as their reviewer",
        ),
    ],
)
def test_what_people_are_to_rows_is_a_verb(column: str, role: str, phrase: str, question: str) -> None:
    person = entity("person", people=True)
    way = chain(person, listing(entity("collection"), person, column, role))
    owner = reached(way, Owner("{start}", people=True))
    assert (owner.words, owner.question) == (phrase, question)


def test_the_reviewer_of_a_row_is_asked_for_by_that_noun() -> None:
    person = entity("person", people=True)
    read = entity("correction", Link("reviewer_id", "people", "person"))
    owner = reached(chain(read, over(read.links[0], person)), START)
    assert (owner.words, owner.question) == ("the reviewer of {start}", "who is the reviewer of {start}")


def test_rows_with_a_verb_of_their_own_come_before_the_question() -> None:
    made = Owner("the bookings that {start} made", plural=True)
    assert picking("how many", made).direct == "of the bookings that {start} made, how many {policy}"
    assert picking("how many", made).indirect == "how many of the bookings that {start} made {policy}"
    assert picking("which", Owner("the bags on {start}", plural=True)).direct == "which of the bags on {start} {policy}"


def test_who_owns_it_is_asked_without_a_role() -> None:
    person = entity("person", people=True)
    kept = entity("collection", Link("owner_id", "people", "person"))
    assert reached(chain(kept, over(kept.links[0], person)), START).question == "who owns {start}"
    odd = entity("collection", Link("witness_id", "people", "person"), Link("rival_id", "people", "person"))
    with pytest.raises(UnsayableError):
        reached(chain(odd, over(odd.links[0], person)), START)


def through(to: Entity, whole: Entity, tie: str, column: str) -> Hop:
    """A listing of rows that a table of ties leads to."""
    by = (Foreign(to.table.name, "id", "ties", "other_id"), Foreign("ties", column, whole.table.name, "id"))
    return Hop(None, shown(to, by), to, "", ("", ""), tie)


FEATURE, COLLECTION, SNAPSHOT = entity("feature"), entity("collection"), entity("snapshot")


@pytest.mark.parametrize(
    ("way", "phrase", "question"),
    [
        (
            chain(COLLECTION, through(FEATURE, COLLECTION, "item of a collection", "collection_id")),
            "the features in {start}",
            "which features are in {start}",
        ),
        (
            chain(FEATURE, through(SNAPSHOT, FEATURE, "feature snapshot", "feature_key")),
            "the snapshots of {start}",
            "which snapshots does {start} have",
        ),
        (
            chain(SNAPSHOT, through(FEATURE, SNAPSHOT, "feature snapshot", "snapshot")),
            "the features with {start}",
            "which features have {start}",
        ),
    ],
)
def test_what_ties_lead_to_is_said_without_the_ties(way: Chain, phrase: str, question: str) -> None:
    assert way.hops[0].reach.through
    owner = reached(way, START)
    assert (owner.words, owner.question) == (phrase, question)


@pytest.mark.parametrize(
    "way",
    [
        chain(FEATURE, through(entity("browser"), FEATURE, "feature status support", "feature_key")),
        chain(FEATURE, through(FEATURE, FEATURE, "feature snapshot", "feature_key")),
        chain(COLLECTION, through(USER, COLLECTION, "item of a collection", "collection_id")),
    ],
    ids=["called after more than both ends", "rows of one kind", "people"],
)
def test_ties_that_say_more_have_no_word(way: Chain) -> None:
    with pytest.raises(UnsayableError):
        reached(way, START)


def test_what_two_nouns_begin_with_is_said_once() -> None:
    told = [Attribute((one,), one, "text", f"contact {one}") for one in ("e-mail address", "phone number")]
    assert looked_up(told, Owner("{start}")).indirect == "the contact e-mail address and phone number of {start}"
    counts = [Attribute((one,), one, "number", f"number of {one}") for one in ("additions", "deletions")]
    assert looked_up(counts, START).indirect == "the number of additions and the number of deletions of {start}"


def test_one_of_two_is_named_without_its_noun() -> None:
    entry = entity("entry in the calendar", columns=(Column(name="title", type="text", role="title"),))
    told = reference(Chain(entry, (Finder("find", sight(entry, "title")),), ()), "SELECT :start")
    assert bare(told).say == {"title": "{title|quoted}"}
