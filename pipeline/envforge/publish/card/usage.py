"""How to use the set: only what works, each way a test runs (tests/unit/publish/card/test_usage.py)."""

from __future__ import annotations

from envforge.publish.card.facts import Facts, facts_of
from envforge.publish.card.markdown import block, plain, table
from envforge.publish.published import Published


def usage(published: Published) -> str:
    """The section, with an environment of the set as the example."""
    found = facts_of(published)
    first = next((facts for facts in found if facts.tasks), found[0])
    parts = ["## How to use it", *_files(published, first), *_mcp(first), *_python(first)]
    if first.tasks:
        parts += [*_scored(first), *_measured(first), *_trained(first)]
    return "\n\n".join(parts)


def _files(published: Published, first: Facts) -> list[str]:
    repo, version = published.repo, published.version
    commands = f"envforge pull {repo}@{version}\nenvforge check {first.id}\nenvforge show {first.id}"
    load = f'tasks = load_dataset("{repo}", "tasks", split="{_split(published)}", revision="{version}")'
    rows = ["from datasets import load_dataset", "", load, 'print(tasks[0]["instruction"])']
    return [
        "With envforge (Python 3.11 or later, Linux) installed, this fetches the set into the current folder and "
        "verifies it; the rest of this section works on what it fetched:",
        block("console", commands),
        "The rows alone, without envforge:",
        block("python", "\n".join(rows)),
        _folders(),
    ]


def _folders() -> str:
    rows = (
        (
            "`tables/`",
            "what `load_dataset` reads: tasks, environments, tools, sources, and recorded episodes where there are any",
        ),
        ("`environments/`", "schema, rows, provenance, tools, their tests, certificate: a folder each"),
        ("`tasks/`", "for each environment: `tasks.jsonl`, programs, verifiers, what was rejected, certificate"),
        ("`nemo/`", "the tasks as NeMo Gym reads them, a line each"),
        ("`published.json`", "the hash of every file, and which environment is in which split"),
    )
    return table(("in this repository", "holds"), rows)


def _split(published: Published) -> str:
    """The split that most environments are in; `train` where it is one of them."""
    splits = {one.split for one in published.environments if one.tasks is not None}
    return "train" if "train" in splits or not splits else sorted(splits)[0]


def _mcp(first: Facts) -> list[str]:
    served = f"envforge serve {first.id} --stdio" + (" --task 1" if first.tasks else "")
    return [
        "### MCP",
        "One episode for a program that starts MCP servers (command and arguments for its configuration):",
        block("console", served),
        "Many episodes over HTTP, each at an address of its own, for any MCP client or framework that takes the "
        "URL of a server:",
        block("console", "\n".join([
            'python -c "import secrets; print(secrets.token_urlsafe())" > token.txt',
            f"envforge serve {first.id} --tasks --token-file token.txt",
        ])),
        block("python", "\n".join([
            "from envforge.world.client import EpisodeServer",
            "",
            'with EpisodeServer("http://127.0.0.1:8765", open("token.txt").read().strip()) as server:',
            f'    with server.start("{first.id}"' + (', task="1"' if first.tasks else "") + ", seed=7) as episode:",
            "        print(episode.mcp_url)",
        ])),
    ]  # fmt: skip


def _python(first: Facts) -> list[str]:
    call = _first_call(first)
    if call is None:
        return []
    return [
        "### Python",
        block("python", "\n".join([
            "from pathlib import Path",
            "from envforge.world.environment import Environment",
            "",
            f'with Environment.open(Path("environments/{first.id}")).start(seed=7) as session:',
            f"    print(session.call({call}).to_json())",
            "    print(session.diff().to_json())",
        ])),
    ]  # fmt: skip


def _first_call(first: Facts) -> str | None:
    """The call that a solution begins with (it refers to nothing yet), or a look that needs no argument."""
    gold = next((task.gold[0] for task in first.tasks if task.gold), None)
    if gold is not None:
        return f"{gold.tool!r}, {gold.arguments!r}"
    plain_tools = (t for t in first.one.tools if t.annotations.read_only and not t.parameters.get("required"))
    return next((f"{tool.name!r}, {{}}" for tool in plain_tools), None)


def _scored(first: Facts) -> list[str]:
    return [
        "### Scores",
        block("python", "\n".join([
            "from pathlib import Path",
            "from envforge.factory.opened_tasks import open_tasks",
            "from envforge.rollout.baselines import Stand",
            "from envforge.store.workspace import Workspace",
            "",
            f'opened = open_tasks(Workspace(Path(".")), "{plain(first.id)}")',
            "with Stand(opened.environment) as stand:",
            '    print(stand.measure(opened.assignment(opened.tasks.tasks[0]), ["gold", "noop"], episodes=1))',
        ])),
    ]  # fmt: skip


def _measured(first: Facts) -> list[str]:
    return [
        "A model behind any chat-completions endpoint:",
        block("console", f"envforge eval --env {first.id} --model NAME --base-url URL --k 4 --baselines"),
    ]


def _trained(first: Facts) -> list[str]:
    return [
        "### TRL",
        "A warm start on the written solutions, then GRPO in live environments, by TRL's own trainers (extra "
        "`train`); each family of environments is a class for `environment_factory`, with a method for each "
        "tool. The preset shows within minutes on a CPU that all parts fit together; others are for GPUs "
        "(`envforge train --help`).",
        block("console", "\n".join([
            f"envforge prepare --env {first.id} --sft gold --out runs/set",
            "envforge train --preset cpu-smoke --data runs/set --out runs/first",
        ])),
    ]  # fmt: skip
