from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from envforge.publish.refusals.case import Case
from envforge.publish.refusals.licences import licences_allow
from envforge.store.files import read_jsonl, write_jsonl

UNSTATED = {"status": "unstated", "evidence": "no licence file in the package"}
CLOSED = {"status": "stated-other", "spdx": "CC-BY-NC-4.0", "evidence": "LICENSE in package"}
OPEN = {"status": "stated-open", "spdx": "MIT", "evidence": "LICENSE in package"}


def with_licence(case: Case, licence: dict[str, Any], *, facts_only: bool, **statistics: Any) -> Case:
    path = case.environment / "environment.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["facts_only"] = facts_only
    manifest["statistics"].update(statistics)
    path.write_text(json.dumps(manifest), encoding="utf-8")
    lines = case.environment / "sources.jsonl"
    write_jsonl(lines, [{**source, "licence": licence} for source in read_jsonl(lines)])
    return Case(case.environment, case.tasks)


@pytest.mark.parametrize(("licence", "told"), [(UNSTATED, "states no licence"), (CLOSED, "CC-BY-NC-4.0")])
def test_it_is_refused_unless_only_facts_were_taken(case: Case, licence: dict[str, Any], told: str) -> None:
    found = list(licences_allow(with_licence(case, licence, facts_only=False)))
    assert {one.row for one in found} == {source.id for source in case.sources}
    assert all(told in one.reason and one.file == "environments/web-browsers/sources.jsonl" for one in found)
    assert list(licences_allow(with_licence(case, licence, facts_only=True))) == []


def test_open_licences_pass(case: Case) -> None:
    assert list(licences_allow(with_licence(case, OPEN, facts_only=False))) == []


def test_a_source_without_a_record_is_refused(case: Case) -> None:
    spoiled = with_licence(case, OPEN, facts_only=False)
    lines = read_jsonl(spoiled.environment / "sources.jsonl")
    write_jsonl(spoiled.environment / "sources.jsonl", lines[1:])
    (found,) = licences_allow(Case(spoiled.environment, None))
    assert found.row == lines[0]["id"] and "no line holds" in found.reason


def test_a_second_record_hides_no_first(case: Case) -> None:
    spoiled = with_licence(case, OPEN, facts_only=False)
    path = spoiled.environment / "sources.jsonl"
    lines = read_jsonl(path)
    write_jsonl(path, [{**lines[0], "licence": CLOSED}, *lines])
    assert [one.row for one in licences_allow(Case(spoiled.environment, None))] == [lines[0]["id"]]


def test_the_remedy_is_the_command_that_makes_it_again(case: Case) -> None:
    spoiled = with_licence(case, CLOSED, facts_only=False, rounds=3, source=["npm:piers@2.0.0"], seed=7)
    remedy = next(iter(licences_allow(spoiled))).remedy
    mine, synth = (shlex.split(part) for part in remedy.partition(": ")[2].split(" && "))
    place = ["--workspace", str(case.environment.parents[1])]
    keep = [word for wish in spoiled.manifest.statistics["keep"] for word in ("--keep", wish)]
    numbers = [word for wish in spoiled.manifest.statistics["set"] for word in ("--set", wish)]
    assert mine == [
        *("envforge", "mine", "--theme", "web-browsers", "--source", "npm:piers@2.0.0", *keep, *numbers),
        *("--rounds", "3", "--max-tools", "36", "--seed", "7", "--facts-only", *place),
    ]
    assert synth == ["envforge", "synth-tasks", "--env", "web-browsers", "--count", "60", *place]


def test_of_two_linked_themes_both_are_named(case: Case) -> None:
    spoiled = with_licence(case, CLOSED, facts_only=False, linked=["harbours", "tides"], documents=4)
    remedy = next(iter(licences_allow(Case(spoiled.environment, None)))).remedy
    assert "--theme harbours --link tides" in remedy and "--documents --facts-only" in remedy
    assert "--count" not in remedy
