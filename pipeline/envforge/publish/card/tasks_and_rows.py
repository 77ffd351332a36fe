"""What the tasks are like, and where the rows come from, with pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median

from envforge.publish.card.charts import STEPS, histogram, stacked_bars
from envforge.publish.card.facts import ORIGINS, Facts, facts_of
from envforge.publish.card.markdown import Picture, code, plain, share, table
from envforge.publish.published import Published

_EDGES = (1, 2, 3, 5, 8, 13, 21, 41)
ORIGINS_OF_ROWS = Picture(file="rows.png", shows="Rows of each environment by origin: mined, derived, synthetic")
LEVELS = Picture(file="levels.png", shows="Tasks of each environment by level of difficulty, 1 to 5")
CALLS = Picture(file="calls.png", shows="Tasks by the fewest calls that the shortest known solution makes")


def pictures(published: Published) -> Mapping[str, bytes]:
    """File → PNG."""
    found = facts_of(published)
    origins = {facts.id: facts.origins for facts in found if facts.rows}
    drawn: dict[str, bytes] = {}
    if origins:
        drawn[ORIGINS_OF_ROWS.file] = stacked_bars("Where the rows come from", origins, names=ORIGINS, as_shares=True)
    with_tasks = [facts for facts in found if facts.tasks]
    if with_tasks:
        names = [f"level {level}" for level in range(1, 6)]
        levels = {facts.id: {f"level {level}": n for level, n in facts.levels.items()} for facts in with_tasks}
        drawn[LEVELS.file] = stacked_bars("Tasks by level of difficulty", levels, names=names, colours=STEPS)
        calls = {facts.id: [task.difficulty.minimal_calls for task in facts.tasks] for facts in with_tasks}
        drawn[CALLS.file] = histogram(
            "How long the tasks are", _at_most_five(calls), edges=_EDGES, label="calls of the shortest known solution"
        )
    return drawn


def _at_most_five(values: Mapping[str, Sequence[int]]) -> Mapping[str, Sequence[int]]:
    """There are five colours: with more environments, the tasks of all are one."""
    return values if len(values) <= 5 else {"all": [number for numbers in values.values() for number in numbers]}


def tasks_and_rows(published: Published) -> str:
    """The sections on tasks and on rows."""
    found = facts_of(published)
    parts = ["## Tasks"]
    with_tasks = [facts for facts in found if facts.tasks]
    parts += _tasks(with_tasks) if with_tasks else ["There are none in this version."]
    parts += ["## Rows", *_rows(found)]
    return "\n\n".join(parts)


def _tasks(found: Sequence[Facts]) -> list[str]:
    columns = (
        "environment",
        "tasks",
        "program tasks",
        "that change something",
        "kinds of goal",
        "median calls",
        "most calls",
    )
    rows = [
        (
            code(facts.id),
            len(facts.tasks),
            sum(task.kind == "program" for task in facts.tasks),
            sum(task.difficulty.writes > 0 for task in facts.tasks),
            len({task.intent.family for task in facts.tasks}),
            f"{median(task.difficulty.minimal_calls for task in facts.tasks):g}",
            max(task.difficulty.minimal_calls for task in facts.tasks),
        )
        for facts in found
    ]
    registers = Counter(task.register_of_speech for facts in found for task in facts.tasks)
    told = ", ".join(f"{name} {count}" for name, count in sorted(registers.items()))
    return [
        table(columns, rows, numbers=columns[1:]),
        f"Ways of speaking: {told}. A *program* task needs loops, conditions or arithmetic and brings a verifier "
        "script; the others are told by their calls. In `gold` and `gold_answer`, `$3.items[0].id` is that value of "
        "the third call's result. Levels count what a solution needs (calls, dependent look-ups, branches, candidates "
        "to tell apart); they are not success rates.",
        _example(found),
        str(LEVELS),
        str(CALLS),
    ]


def _example(found: Sequence[Facts]) -> str:
    """The median task by length of its text, of the first environment: neither the shortest nor the longest."""
    first = found[0]
    ordered = sorted(first.tasks, key=lambda task: (len(task.instruction), task.id))
    task = ordered[len(ordered) // 2]
    return (
        f"An example, of {code(first.id)} (level {task.difficulty.level}, {task.difficulty.minimal_calls} calls, "
        f"{len(task.checks)} checks):\n\n> {plain(task.instruction)}"
    )


def _rows(found: Sequence[Facts]) -> list[str]:
    columns = ("environment", "rows", "mined", "derived", "synthetic", "made by")
    rows = [
        (code(f.id), f.rows, *(share(f.origins[name] / f.rows if f.rows else None) for name in ORIGINS), _authors(f))
        for f in found
    ]
    return [
        table(columns, rows, numbers=columns[1:5]),
        "*Mined* rows stand in a source as they are here. *Derived* rows are computed from mined ones. "
        "*Synthetic* rows were simulated, event by event, with a seed; people in them are invented. "
        "`provenance.jsonl` of each environment names the source of every row. *Made by* is who proposed "
        "database, tools, tests and tasks: `compiled` is a program without any model, anything else names the "
        "model.",
        str(ORIGINS_OF_ROWS),
    ]


def _authors(facts: Facts) -> str:
    authors = dict(facts.one.manifest.authors)
    if facts.one.tasks is not None:
        authors["tasks"] = facts.one.tasks.certificate.author
    if len(set(authors.values())) == 1:
        return code(next(iter(authors.values())))
    return ", ".join(f"{plain(part)}: {code(author)}" for part, author in sorted(authors.items()))
