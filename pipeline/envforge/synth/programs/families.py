"""Families with source "grammar": selections and goals that fit an environment, bound to values of its database."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from random import Random
from typing import Any

from envforge.core.records.domain import Table
from envforge.core.records.intent import IntentFamily, Mention, Reference
from envforge.core.seeds import stream
from envforge.synth.chain_words import PLACES
from envforge.synth.landscape import Landscape
from envforge.synth.literals import literal, sql_text
from envforge.synth.programs.body import Body, Selection, column_of, phrase
from envforge.synth.programs.conditions import Condition, conditions_of
from envforge.synth.programs.goal import Goal
from envforge.synth.programs.goals import goals_of
from envforge.synth.programs.ground import Bond, Ground, Listing
from envforge.synth.programs.phrases import banks
from envforge.synth.programs.subject import Subject
from envforge.synth.wording.families import family_problems

MOST_FAMILIES = 80
MOST_OF_A_KIND = 7
"""Families of one kind of goal ("top", "gather")."""
MOST_MISSED = 12
"""Goals of a kind that may fail to fit, one after the other."""
MOST_SELECTIONS = 40
MOST_SETS = 24
MOST_TRIED = 72
USELESS = 24
"""Sets that may fail before the first one fits."""
LEAST_SETS = 2
MANY = 400
"""Rows of a table from which on three conditions are put together."""
LONGEST = 1500
"""Rows that a program lists without any condition."""
MOST_LOOKED_UP = 120
"""Rows that a program looks up one by one: an episode has room for 200 calls (rollout/loop.py)."""
SMALLEST = 12
"""Rows of a table that goals are about."""


def program_families(landscape: Landscape, seed: int) -> tuple[IntentFamily, ...]:
    """Goals of the grammar for an environment; the same seed gives the same. Raises SandboxError."""
    ground = Ground(landscape, seed)
    subjects = tuple(_subjects(ground))
    queues: dict[str, list[Goal]] = {}
    for goal in _goals(subjects, stream(seed, "programs")):
        queues.setdefault(goal.what.partition("-")[0], []).append(goal)
    found: dict[str, IntentFamily] = {}
    for _ in range(MOST_OF_A_KIND):
        for kind in sorted(queues):
            if len(found) < MOST_FAMILIES and (family := _next(ground, queues[kind], found, seed)):
                found[family.id] = family
    return tuple(found.values())


def _next(ground: Ground, goals: list[Goal], found: Mapping[str, IntentFamily], seed: int) -> IntentFamily | None:
    """The next goal of a kind that fits; what was tried is used up."""
    for _ in range(MOST_MISSED):
        if not goals:
            return None
        family = _family(ground, goals.pop(0), seed)
        if family is not None and family.id not in found:
            return family
    return None


def _subjects(ground: Ground) -> Iterator[Subject]:
    for name, table in ground.tables.items():
        listing = ground.listing(name) or ground.scoped_listing(name)
        title = next((column.name for column in table.columns if column.role == "title"), "")
        whole = listing is not None and listing.scope is None
        if listing is not None and whole and table.kind == "child" and (part := _part(ground, table, listing)):
            yield part
        if (
            listing is None
            or not title
            or title not in listing.fields
            or len(table.primary_key) != 1
            or not table.label
        ):
            continue
        within = f'"{listing.scope.column}"' if listing.scope else "0"
        texts = ground.keys.rows(f'SELECT {within}, "{title}" FROM "{name}" WHERE "{title}" IS NOT NULL')  # noqa: S608
        if len(texts) >= 2 and len({(of, text.casefold()) for of, text in texts}) >= 0.95 * len(texts):
            yield Subject(ground, name, listing, title)


def _part(ground: Ground, table: Table, listing: Listing) -> Subject | None:
    """Parts of a whole that have a name there and more to tell: the releases of a browser."""
    if len(table.primary_key) != 2:
        return None
    owner, name = table.primary_key
    named = table.column(name).type == "text" and not table.column(name).references and name in listing.fields
    part = Subject(ground, table.name, listing, name, owner)
    return part if named and table.column(owner).references and len(part.facets) >= 2 else None


def _goals(subjects: Sequence[Subject], rng: Random) -> Iterator[Goal]:
    """Goals of all selections: of each in turn the next, so that none crowds out the rest."""

    def other(bond: Bond) -> Subject | None:
        return next((one for one in subjects if one.table == bond.other_table and not one.within), None)

    queues: list[list[Goal]] = []
    for selection in _selections(subjects, rng):
        goals = list(goals_of(selection, other))
        rng.shuffle(goals)
        queues.append(goals)
    for place in range(max((len(queue) for queue in queues), default=0)):
        yield from (queue[place] for queue in queues if place < len(queue))


def _selections(subjects: Sequence[Subject], rng: Random) -> list[Selection]:
    """Selections by one condition or two, in an order that the seed gives."""
    found: list[Selection] = []
    for subject in subjects:
        if len(subject.ground.keys.rows(f'SELECT 1 FROM "{subject.table}"')) < SMALLEST:  # noqa: S608
            continue
        all_ = conditions_of(subject, subjects)
        alone = [one for one in all_ if one.kind != "untied"]
        if whole_of := subject.owner or subject.within:
            whole = [one for one in all_ if one.kind == "of" and one.column == whole_of]
            rest = [one for one in all_ if one not in whole and one.kind != "untied"]
            more = [(), *((two,) for two in rest), *(pair for pair in combinations(rest, 2) if fit(*pair))]
            found += [Selection(subject, (one, *two)) for one in whole for two in more]
            continue
        pairs = [pair for pair in combinations(all_, 2) if fit(*pair) and pair[0].kind != "untied"]
        rng.shuffle(pairs)
        found += [Selection(subject, pair) for pair in pairs[:MOST_SELECTIONS]]
        if subject.listing.rows >= MANY:
            threes = [(*pair, one) for pair in pairs for one in alone if all(fit(two, one) for two in pair)]
            rng.shuffle(threes)
            found += [Selection(subject, three) for three in threes[:MOST_SELECTIONS]]
        rng.shuffle(alone)
        found += [Selection(subject, (one,)) for one in alone[: MOST_SELECTIONS // 4]]
    rng.shuffle(found)
    # Two conditions first: one is asked for where there is nothing better.
    return sorted(found, key=lambda one: len(one.conditions) < 2)[: 2 * MOST_SELECTIONS]


def fit(one: Condition, two: Condition) -> bool:
    """Two conditions that somebody would put together."""
    if one.kind == "untied" and two.kind in ("tied", "part"):
        return False
    if two.kind == "untied":
        return one.kind == "tied" and one.bond is two.bond
    if {one.kind, two.kind} <= {"over", "under"}:
        return False  # two thresholds at once are a puzzle, no question
    if all(condition.facet is not None and condition.facet.noun in PLACES for condition in (one, two)):
        return False  # a region says nothing of what lies in a subregion
    return one.key != two.key and (one.name != two.name or not one.name)


def _family(ground: Ground, goal: Goal, seed: int) -> IntentFamily | None:
    """The family of a goal; None where no tool shows what it needs, or the database has too few such cases."""
    needs = [one for one in goal.needs if one]
    shown = {
        *goal.about.subject.listing.fields,
        *(goal.about.subject.lookup.fields if goal.about.subject.lookup else ()),
    }
    if not set(needs) <= shown:
        return None
    shape = " ".join([goal.what, goal.selection.where()])
    sets = _sets(ground, goal, stream(seed, "sets", shape))
    if len(sets) < LEAST_SETS:
        return None
    programs = [_program(goal, needs, plain=plain) for plain in (False, True)]
    programs = [one for one in programs if not _endless(ground, one)] if not _endless(ground, programs[0]) else []
    if not programs:
        return None
    mentions: dict[str, Mention] = dict(goal.mentions)
    references: dict[str, Reference] = {}
    for one in goal.selection.conditions:
        mentions |= one.mentions
        references |= one.references
    clauses = list(goal.about.conditions)
    target = tuple(dict.fromkeys(phrase(goal.about, order) for order in (clauses, clauses[::-1])))
    family = IntentFamily(
        id=_identifier(goal, shape),
        kind="question",
        title=goal.title,
        parameter_sets=_values(sets),
        mentions=mentions,
        references=references,
        target=goal.target,
        sizes=goal.sizes,
        answer=dict(goal.answer),
        computes=goal.computes,
        gold=programs[0],
        alternatives=tuple(one for one in programs[1:] if one != programs[0]),
        wording=banks(goal.ask, target),
    )
    return None if family_problems(family) else family


def _endless(ground: Ground, program: str) -> bool:
    """It lists a long table whole: nobody would wait for that."""
    return any(one.rows > LONGEST and f'pages("{one.tool}")' in program for one in ground.listings)


def _program(goal: Goal, needs: Sequence[str], *, plain: bool) -> str:
    body = Body(goal.about, needs, plain=plain)
    ending = goal.ending(body)
    return "\n".join([*body.lines, *ending]) + "\n"


def _sets(ground: Ground, goal: Goal, rng: Random) -> list[dict[str, Any]]:
    """Values that make a goal: not too few rows and not too many, and every condition leaves some out."""
    named = [one for one in goal.selection.conditions if one.name]
    choices = [list(one.values(ground, goal.selection.subject.table)) for one in named]
    extra = [list(values) for values in goal.extra.values()]
    tried = list(product(*choices, *extra))
    rng.shuffle(tried)
    names = [*(one.name for one in named), *goal.extra]
    found: list[dict[str, Any]] = []
    for number, values in enumerate(tried[:MOST_TRIED]):
        if number >= USELESS and not found:
            break
        given = dict(zip(names, values, strict=True))
        if _sound(ground, goal, given):
            found.append(given)
        if len(found) >= MOST_SETS:
            break
    return found


def _sound(ground: Ground, goal: Goal, given: Mapping[str, Any]) -> bool:
    def one(sql: str) -> Any:
        return ground.keys.rows(sql, given)[0][0]

    tied = [given[c.name] for c in goal.selection.conditions if c.bond is not None and c.name]
    count = one(goal.about.rows("count(*)"))
    least, most = goal.sizes
    if len(set(tied)) < len(tied) or not least <= count <= most:
        return False
    for condition in goal.about.conditions:
        wider = one(goal.about.rows("count(*)", condition))
        if wider <= count:
            return False
    looked_up = _looked_up(goal.about, goal.needs)
    if looked_up is not None and one(looked_up.rows("count(*)")) > MOST_LOOKED_UP:
        return False
    distinct = one(goal.about.rows(f'count(DISTINCT lower(r."{goal.selection.subject.title}"))'))
    return distinct == count and all(one(check) for check in goal.checks)


def _looked_up(about: Selection, needs: Sequence[str]) -> Selection | None:
    """The rows of which a program may look at each: what no list shows cannot sift them before. None: lists do."""
    shown = set(about.subject.listing.fields)
    tied = [one for one in about.conditions if one.bond is not None and one.kind != "untied"]
    told = [
        one
        for one in about.conditions
        if one.bond is not None or column_of(one) in shown or column_of(one) == about.subject.within
    ]
    if not tied and len(told) == len(about.conditions) and set(needs) - {""} <= shown:
        return None
    return Selection(about.subject, tuple(tied or told))


def _identifier(goal: Goal, shape: str) -> str:
    words = [goal.what, goal.selection.subject.plural]
    words += [
        (one.facet.noun if one.facet else one.bond.words if one.bond else "") for one in goal.selection.conditions
    ]
    slug = re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-")
    return f"program-{slug}-{hashlib.sha256(shape.encode()).hexdigest()[:6]}"


def _values(sets: Sequence[Mapping[str, Any]]) -> str:
    """The sets as a SELECT."""
    rows = [", ".join(f'{_sql(value)} AS "{name}"' for name, value in one.items()) or "1 AS only" for one in sets]
    return " UNION ALL ".join(f"SELECT {row}" for row in rows)


def _sql(value: Any) -> str:
    return sql_text(value) if isinstance(value, str) else literal(value)
