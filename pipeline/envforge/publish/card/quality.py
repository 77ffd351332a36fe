"""What was checked, and what agents without a mind reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from envforge.publish.card.charts import COLOURS, grouped_rates
from envforge.publish.card.facts import Facts, facts_of
from envforge.publish.card.markdown import Picture, code, plain, share, table
from envforge.publish.published import Published

BY_LEVEL = Picture(file="pass-rates.png", shows="Share of episodes that pass, by level of difficulty and agent")
_TOLD = {
    "gold": "the written solution",
    "noop": "does nothing, answers nothing",
    "noop-plausible": "does nothing, answers something that fits the schema",
    "random": "random calls with values that it has seen",
}
_DULL = frozenset(_TOLD)
"""Agents of whom nothing is to be seen in a picture: all or nothing, at every level."""


def pictures(published: Published) -> Mapping[str, bytes]:
    """File → PNG; none where no agent is between all and nothing."""
    rates = _by_level(facts_of(published))
    agents = list(dict.fromkeys(agent for found in rates.values() for agent in found))[: len(COLOURS)]
    if not agents:
        return {}
    return {BY_LEVEL.file: grouped_rates("Who passes what", rates, names=agents, label="level of difficulty")}


def _by_level(found: Sequence[Facts]) -> Mapping[str, Mapping[str, float]]:
    """Level → agent → share of episodes that passed: baselines by their certificates, the others as measured."""
    rates: dict[str, dict[str, list[float]]] = {}
    for facts in found:
        level = {task.id: str(task.difficulty.level) for task in facts.tasks}
        for task in facts.tasks:
            for agent, reached in task.certificate.baselines.items():
                if agent not in _DULL and "pass@1" in reached:
                    rates.setdefault(level[task.id], {}).setdefault(agent, []).append(reached["pass@1"])
        for one in facts.one.tasks.measured if facts.one.tasks is not None else ():
            if one.scored and one.agent not in _DULL:
                name = one.identity or one.agent
                rates.setdefault(level[one.task_id], {}).setdefault(name, []).append(one.passed / one.scored)
    return {
        name: {agent: sum(all_) / len(all_) for agent, all_ in sorted(rates[name].items())} for name in sorted(rates)
    }


def quality(published: Published) -> str:
    """Gates, mutants, baselines, measured pass rates."""
    found = facts_of(published)
    with_tasks = [facts for facts in found if facts.tasks]
    parts = [
        "## What was checked",
        "Every environment and every task here passed all of its gates; what failed one is told of in "
        "`rejected.jsonl` and is not here. Verdicts, thresholds and what was measured stand in the certificates, "
        "which are bound to the bytes by hashes: `envforge check NAME --tasks` runs all gates again.",
        *_environments(found),
    ]
    if with_tasks:
        parts += [*_tasks(with_tasks), *_baselines(with_tasks), *_measured(with_tasks)]
    return "\n\n".join(parts)


def _environments(found: Sequence[Facts]) -> list[str]:
    columns = ("environment", "gates", "unit tests", "planted faults", "found by the tests", "repeated calls")
    rows = [
        (
            code(facts.id),
            f"{sum(gate.passed for gate in facts.gates.values())}/{len(facts.gates)}",
            int(facts.measured("tests_pass").get("passed", 0)),
            int(facts.measured("mutation").get("mutants", 0)),
            share(facts.measured("mutation").get("share")),
            int(facts.measured("deterministic").get("calls", 0)),
        )
        for facts in found
    ]
    return [
        table(columns, rows, numbers=columns[1:]),
        "*Planted faults*: the tools were changed in one place (a condition dropped, two columns swapped, a "
        "write left out …), and the unit tests had to notice. *Repeated calls* gave the same bytes in a second "
        "process.",
    ]


def _tasks(found: Sequence[Facts]) -> list[str]:
    columns = ("environment", "tried", "admitted", "wrong episodes that had to fail", "other ways that had to pass")
    rows: list[tuple[str | int, ...]] = []
    for facts in found:
        tried = facts.one.tasks.certificate.tried if facts.one.tasks is not None else 0
        wrong, other = facts.summed("mutants_fail", "killed"), facts.summed("alternatives_pass", "accepted")
        rows.append((code(facts.id), tried, len(facts.tasks), wrong, other))
    return [
        "Of each task: the gold solution passes in a fresh World, uses tools only, and every value it needs is "
        "said or found; doing nothing fails; wrong episodes (calls skipped, doubled, changed, sent to a "
        "neighbour; answers perturbed) fail; independent solutions pass; scoring twice gives the same verdict.",
        table(columns, rows, numbers=columns[1:]),
    ]


def _agents(found: Sequence[Facts]) -> list[str]:
    known = {agent for facts in found for agent in facts.baseline_agents}
    first = [agent for agent in _TOLD if agent in known]
    return first + sorted(known - set(first))


def _baselines(found: Sequence[Facts]) -> list[str]:
    agents = _agents(found)
    if not agents:
        return ["### Baselines", "None were played."]
    columns = ("agent", *(code(facts.id) for facts in found))
    rows = [(f"{code(agent)}: {_what(agent)}", *(share(facts.baseline(agent)) for facts in found)) for agent in agents]
    return [
        "### Baselines",
        "Mean pass@1 over the tasks, no model.",
        table(columns, rows, numbers=columns[1:]),
        *([str(BY_LEVEL)] if _by_level(found) else []),
    ]


def _what(agent: str) -> str:
    if agent.startswith("scripted:"):
        return f"the written solution, each call right with a chance of {plain(agent.partition(':')[2])}"
    return _TOLD.get(agent, "")


def _measured(found: Sequence[Facts]) -> list[str]:
    """Agents that somebody measured on these very tasks."""
    rows: list[tuple[str | int, ...]] = []
    for facts in found:
        lines = facts.one.tasks.measured if facts.one.tasks is not None else ()
        for agent in sorted({(one.agent, one.identity) for one in lines}):
            mine = [one for one in lines if (one.agent, one.identity) == agent]
            scored, passed = sum(one.scored for one in mine), sum(one.passed for one in mine)
            named = code(agent[0]) + (f" ({plain(agent[1])})" if agent[1] else "")
            rows.append((named, code(facts.id), len(mine), scored, share(passed / scored if scored else None)))
    if not rows:
        return [
            "### Measured pass rates",
            "No other agent has been measured on these tasks yet (`envforge eval --to-tasks` does).",
        ]
    columns = ("agent", "environment", "tasks", "scored episodes", "passed")
    told = "What could not be scored is not counted. Column `measured` of the table `tasks` has each task's rate."
    return ["### Measured pass rates", table(columns, rows, numbers=columns[2:]), told]
