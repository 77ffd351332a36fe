"""How the card begins: what this is, in one table."""

from __future__ import annotations

from collections import Counter

from envforge.publish.card.facts import GROUNDINGS, facts_of
from envforge.publish.card.markdown import plain, table
from envforge.publish.published import Published

_GROUNDED = {
    "mined": "at least half of the rows come from sources",
    "mixed": "a tenth to a half of the rows come from sources",
    "spec": "fewer than a tenth of the rows come from sources: the others are simulated",
}


def opening(published: Published) -> str:
    """Title, what an environment and a task are, and one row for each environment."""
    found = facts_of(published)
    tasks, tools = (
        sum(len(part) for part in parts) for parts in ([f.tasks for f in found], [f.one.tools for f in found])
    )
    classes = Counter(facts.one.manifest.grounding for facts in found)
    told = [f"{classes[name]} {name} ({_GROUNDED[name]})" for name in GROUNDINGS if classes[name]]
    rows = [
        (
            f"**{plain(facts.id)}**",
            plain(facts.one.manifest.title),
            facts.one.split.replace("_", " "),
            facts.one.manifest.grounding,
            facts.tables,
            facts.rows,
            len(facts.one.tools),
            len(facts.tasks),
        )
        for facts in found
    ]
    columns = ("environment", "what it is", "split", "grounding", "tables", "rows", "tools", "tasks")
    return "\n\n".join([
        f"# {plain(published.repo.rpartition('/')[2])}",
        f"{_count(len(found), 'environment')} for agents that use tools, with {_count(tools, 'tool')} and "
        f"{_count(tasks, 'task')}. Version {published.version}.",
        "An *environment* is a relational database, tools over it (Python, with JSON Schemas), unit tests of the "
        "tools, and a certificate of the gates that it passed. A *task* is a request in plain words; what an "
        "agent did is judged by executed checks on the final state of the database and on its answer, never by a "
        "text it resembles. Time and ids come from the environment, so the same calls give the same bytes.",
        table(columns, rows, numbers=columns[4:]),
        f"Grounding: {'; '.join(told)}.",
        f"> Canary GUID `{published.canary}`. It stands here and in every row of `tasks`, `trajectories` and "
        "`nemo/`. Keep texts that hold it out of corpora for pre-training: who trains on the tasks as text cannot be "
        "measured on them.",
    ])  # fmt: skip


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
