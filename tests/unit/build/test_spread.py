"""Tools of a source without an archetype: few entities, each with what one does to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from envforge.build.blueprint.candidate import Candidate
from envforge.build.blueprint.reachability import reachable
from envforge.build.blueprint.select import choose
from envforge.core.records.blueprint import Operation
from envforge.core.records.domain import Domain

from .conftest import column, table
from .test_select import operation

ENTITIES = ("host", "disk", "network", "image", "key", "zone_map", "report", "balancer", "firewall")
LIFE = ("list", "get", "create", "update", "delete")


def source(*operations: Operation) -> list[Candidate]:
    return [Candidate(one, "source") for one in operations]


def life_of(entity: str, verbs: Sequence[str] = LIFE) -> list[Candidate]:
    """The usual tools of one entity: a list yields its ids, all but it and the creation need one."""
    free = {"list", "create"}
    return source(
        *(
            operation(
                f"{verb}_{entity}",
                verb,
                entity,
                needs="" if verb in free else f"{entity}.id",
                yields=f"{entity}.id" if verb in free else "",
            )
            for verb in verbs
        )
    )


def domain(*referring: str) -> Domain:
    tables = [
        table(f"{name}s", name, (column("id"), column("host_id", to="hosts")) if name in referring else (column("id"),))
        for name in ENTITIES
    ]
    return Domain(theme="test", tables=tuple(tables))


def test_few_entities_have_their_whole_life() -> None:
    candidates = [one for name in ENTITIES for one in life_of(name)]
    chosen, rejected = choose(candidates, domain("disk", "network", "image", "key"), max_tools=24)
    assert len(chosen) == 24
    verbs = {name: {one.verb for one in chosen if one.entity == name} for name in {one.entity for one in chosen}}
    assert set(verbs) == {"host", "disk", "network", "image", "key"}
    assert all({"list", "get", "create", "update"} <= own for own in verbs.values())
    assert {one["reason"] for one in rejected} == {"over_max_tools", "entity_not_selected"}
    assert len(chosen) + len(rejected) == len(candidates)


def test_steps_between_states_come_before_other_changes() -> None:
    steps = source(*(operation(f"{name}_host", "transition", "host", needs="host.id") for name in ("start", "stop")))
    candidates = [*life_of("host"), *steps, *life_of("disk"), *life_of("key")]
    chosen, _ = choose(candidates, domain("disk", "key"), max_tools=13)
    names = {one.name for one in chosen}
    assert {"start_host", "stop_host"} <= names
    assert "delete_key" not in names


def test_finding_in_three_ways_is_one_verb() -> None:
    finds = [
        operation(f"{verb}_host_{n}", verb, "host", yields="host.id") for n in range(6) for verb in ("list", "search")
    ]
    candidates = [*source(*finds), *life_of("host", LIFE[1:]), *life_of("disk")]
    chosen, rejected = choose(candidates, domain("disk"), max_tools=12)
    found = sum(one.verb in {"list", "search", "filter"} for one in chosen)
    assert found <= 0.4 * len(chosen)
    assert max(Counter(one.verb for one in chosen).values()) <= 0.4 * len(chosen)
    assert "over_max_tools" in {one["reason"] for one in rejected}


def test_another_entity_lends_the_tool_that_finds_a_needed_id() -> None:
    needy = source(operation("attach_disk", "update", "disk", needs="report.id"))
    candidates = [
        *(one for name in ("host", "network", "image", "key") for one in life_of(name)),
        *life_of("disk", ("list", "get", "create", "delete")),
        *needy,
        *life_of("report", ("list", "get")),
    ]
    chosen, _ = choose(candidates, domain("disk", "network", "image", "key"), max_tools=24)
    names = {one.name for one in chosen}
    assert {"attach_disk", "list_report"} <= names
    assert "get_report" not in names
    assert reachable(chosen)[1] == []


def test_a_plain_name_and_known_ids_are_preferred() -> None:
    finds = source(
        operation("list_host_of_report", "list", "host", needs="report.id", yields="host.id"),
        operation("list_host_recently_seen", "list", "host", yields="host.id"),
        operation("list_all", "list", "host", yields="host.id"),
        operation("list_host", "list", "host", yields="host.id"),
    )
    others = [one for name in ("disk", "key", "image") for one in life_of(name)]
    candidates = [*finds, *life_of("host", LIFE[1:]), *others]
    chosen, _ = choose(candidates, domain("disk", "key", "image"), max_tools=20)
    assert [one.name for one in chosen if one.entity == "host" and one.verb == "list"] == ["list_host"]


def test_what_knows_an_archetype_is_chosen_as_before() -> None:
    known = Domain(
        theme="test", tables=tuple(one.model_copy(update={"archetype_role": "thing"}) for one in domain("disk").tables)
    )
    candidates = [one for name in ENTITIES for one in life_of(name)]
    chosen, _ = choose(candidates, known, max_tools=24)
    assert len({one.entity for one in chosen}) == 8
