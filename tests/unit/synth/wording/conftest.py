"""Two goals to speak: a flight that does not run, and somebody's late work."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from envforge.core.records.intent import (
    AnswerField,
    Expectation,
    Intent,
    IntentFamily,
    Mention,
    Reading,
    Reference,
)

CLOCK = "2013-01-15T12:00:00Z"


@dataclass(frozen=True)
class Goal:
    """A family, one intent of it and the answer that the oracle found."""

    family: IntentFamily
    intent: Intent
    answer: dict[str, object]


def flight_family() -> IntentFamily:
    """After the first sample of the prototype, with what it left unsaid."""
    return IntentFamily(
        id="move-off-a-cancelled-flight",
        kind="policy_change",
        title="Move the passengers of a flight that does not run",
        parameter_sets="SELECT 1 AS flight",
        mentions={"fare": Mention(sql="SELECT 'basic'", say="label")},
        references={
            "flight": Reference(
                table="flights",
                key="SELECT :flight",
                by=(("departs", "origin", "destination", "date"),),
                say={
                    "departs+origin+destination+date": "our {departs|clock} from {origin|place} to "
                    "{destination|place} on {date|date}"
                },
                short="the {departs|clock}",
            )
        },
        target="SELECT 1",
        policy="row.fare != 'basic'",
        readings=(Reading(bank="tie", target="SELECT 2"),),
        expect=(Expectation(table="tickets", change="update", rows="SELECT 1"),),
        answer={"moved": AnswerField(sql="SELECT 41", match="number", json_type="integer", description="how many")},
        gold="found = pages('search_flights', flight=flight, fare=fare)\nreturn {'moved': len(found)}",
        wording={
            "text": (
                "{situation}. {ask} {change}? {policy_rest} {tie?} {report}.",
                "{situation}, so {ask} {change}? {tie?} {policy_rest} {report}.",
                "{situation}. {change_should}. {tie?} {policy_rest} {report}.",
            ),
            "text/terse": (
                "{situation}. {change}. {tie?} {report}.",
                "{situation}. {change}. {policy_rest} {tie?} {report}.",
            ),
            "text/implicit": (
                "{situation}. {change_need}. {policy_rest} {tie?} {report}.",
                "{situation} and {change_need}. {tie?} {policy_rest} {report_need}.",
            ),
            "text/rambling": (
                "{situation_long}. What I need is this: {change_should}. {policy_rest} {tie?} And {report}.",
                "{situation_long}, so I'd like you to {change}. {tie?} {policy_rest} Oh, and {report}.",
            ),
            "situation": (
                "{flight} [isn't going to run|won't be going|is off|has been pulled]",
                "we've [lost|had to pull] {flight}",
            ),
            "situation_long": (
                "{flight} isn't going to run after all, and the phones at the desk are already ringing",
                "I've just been told that {flight} won't be going, which is not what anybody needed today",
            ),
            "target": ("everyone [booked on it|who was booked on it|on it]",),
            "policy": ("who isn't on a {fare} fare", "except [the people|those|anyone] on a {fare} fare"),
            "policy_on": ("who isn't on a {fare} fare", "who is on anything but a {fare} fare"),
            "policy_rest": (
                "Customers on a {fare} fare stay where they are.",
                "Leave [anyone|people|customers] on a {fare} fare where they are.",
                "Nothing changes for [the ones|people] on a {fare} fare.",
            ),
            "change": ("[move|switch] {target} {policy} to {change_to}", "put {target} {policy_on} on {change_to}"),
            "change_should": ("{target} {policy_on} should [go on|be put on|be moved to] {change_to}",),
            "change_need": ("{target} {policy} still has to get there, on {change_to}",),
            "change_to": (
                "the next [departure|flight] we have on that route the same day",
                "our next [departure|flight] on the route that day",
            ),
            "ask": ("could you", "can you", "would you", "could you please"),
            "tie": ("If two leave at the same time, take the one with the lower flight number.",),
            "report": (
                "tell me how many [people|customers] you moved",
                "let me know how many people that was",
                "I need to know how many you moved",
            ),
            "report_need": ("Somebody will ask me how many people that was",),
        },
    )


def flight_goal(*, tie: bool = False) -> Goal:
    """One flight; `tie`: two others leave at the same time."""
    return Goal(
        flight_family(),
        Intent(
            family="move-off-a-cancelled-flight",
            kind="policy_change",
            source="archetype",
            parameters={"flight": "UA1-20130117-EWR"},
            said={
                "fare": "basic",
                "flight": {
                    "departs": "07:05",
                    "origin": "Newark",
                    "destination": "Orlando",
                    "date": "2013-01-17",
                },
            },
            spoken={"fare": "basic", "flight": "our 7:05 am from Newark to Orlando on Thursday the 17th"},
            banks=("target", "policy", "change", "report", *(["tie"] if tie else [])),
            candidates=50,
            chosen=41,
        ),
        {"moved": 41},
    )


def late_family() -> IntentFamily:
    """After the fourth sample of the prototype, with an option that the schema has."""
    return IntentFamily(
        id="somebody-is-off-sick",
        kind="batch",
        title="Late work of somebody who is off sick",
        parameter_sets="SELECT 1 AS person",
        mentions={
            "state": Mention(sql="SELECT 'Waiting'", say="quoted"),
            "page": Mention(sql="SELECT 'Late work of Rosalina'", say="quoted"),
            "today": Mention(sql="SELECT '2013-01-15'", say="date"),
        },
        references={
            "person": Reference(
                table="users", key="SELECT :person", by=(("name",),), say={"name": "{name}"}, short="{name|first}"
            )
        },
        constants={"done": ["Done", "Dropped"], "home": "Home", "days": 2},
        target="SELECT 1",
        expect=(Expectation(table="pages", change="update", rows="SELECT 1"),),
        answer={"titles": AnswerField(sql="SELECT 'a'", match="set", json_type="array", description="titles")},
        gold="found = pages('search', who=person, before=today, state=state, page=page)\nreturn {'titles': found}",
        wording={
            "text": (
                "{situation}. {target}: {change}. {change_page}. {report}.",
                "{situation}. {ask} look at {target_noun} and {change_them}? {change_page}. {report}.",
            ),
            "text/terse": (
                "{situation}. {target_noun}: {change_short}. {change_page}. {report_short}.",
                "{target_noun} -> {change_short}. {situation}. {change_page}. {report_short}.",
            ),
            "text/rambling": (
                "{situation}{situation_aside}. {situation_long} {target}, "
                "so {change}, will you? After that {change_page}. {report}.",
            ),
            "text/implicit": ("{situation}. {target_need}, and {change_need}. {change_page}. {report_need}.",),
            "situation": (
                "{person} is off sick [until further notice|for now]",
                "{person} has called in sick[| and won't be back for a while]",
                "we have to do without {person} for a while",
            ),
            "situation_aside": (", poor thing", ", and nobody saw it coming", ", as you may have heard", ""),
            "situation_long": (
                "I've been going through what was left behind and it is more than I thought.",
                "I'd rather not chase anybody about it while they are ill.",
            ),
            "target": ("anything of theirs that was due before {today} and isn't {target_done} has to wait",),
            "target_noun": ("everything assigned to {person} that was due before {today} and isn't {target_done}",),
            "target_need": ("some of {person}'s work was due before {today} and isn't {target_done}",),
            "target_done": ('"Done" or "Dropped"',),
            "change": ("set it to {state}",),
            "change_them": ("set it all to {state}",),
            "change_short": ("{state}",),
            "change_need": ("it should say {state} so that nobody waits for it",),
            "change_page": (
                "[put|make|add] a page called {page} under {home} with one bullet per item, in order of title",
            ),
            "report": ("send me the titles", "give me the list of titles", "I need the titles as well"),
            "report_short": ("titles to me", "titles, please"),
            "report_need": ("I'll need the titles for the stand-up",),
            "ask": ("could you", "can you"),
        },
    )


def late_goal() -> Goal:
    """One person."""
    return Goal(
        late_family(),
        Intent(
            family="somebody-is-off-sick",
            kind="batch",
            source="archetype",
            parameters={"person": "u1"},
            said={
                "state": "Waiting",
                "page": "Late work of Rosalina",
                "today": "2013-01-15",
                "person": {"name": "Rosalina Vega"},
            },
            spoken={
                "state": '"Waiting"',
                "page": '"Late work of Rosalina"',
                "today": "Tuesday the 15th",
                "person": "Rosalina Vega",
            },
            banks=("target", "change", "report"),
            candidates=6,
            chosen=6,
        ),
        {"titles": ["Order the glass", "Answer the fair"]},
    )


@pytest.fixture(params=["flight", "flight with a tie", "late work"])
def goal(request: pytest.FixtureRequest) -> Goal:
    """Each of the goals in turn."""
    return {
        "flight": flight_goal,
        "flight with a tie": lambda: flight_goal(tie=True),
        "late work": late_goal,
    }[str(request.param)]()
