"""Where the facts come from, under which licence, and how each environment was made."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from envforge.core.records.source import Source
from envforge.publish.card.facts import Facts, facts_of
from envforge.publish.card.markdown import block, code, plain, table
from envforge.publish.commands import mining, synthesis
from envforge.publish.published import Published


def sources(published: Published) -> str:
    """A table of sources for each environment, and the commands that make it again."""
    parts = [
        "## Sources and licences",
        "Each source keeps its licence. Version, address, hash and the place where it states its licence are in "
        "the table `sources` and in `sources.jsonl` of each environment.",
    ]
    for facts in facts_of(published):
        parts += _of_environment(facts)
    return "\n\n".join(parts)


def _of_environment(facts: Facts) -> Iterator[str]:
    manifest = facts.one.manifest
    yield f"### {plain(facts.id)}"
    if manifest.summary:
        yield plain(manifest.summary)
    taken = (
        "Only facts were taken: names, numbers, codes and dates are kept, texts of the sources are not."
        if manifest.facts_only
        else "Texts of the sources are kept as they were found."
    )
    yield f"Licence: {code(manifest.licence)}. {taken}"
    if facts.one.sources:
        rows = [(_package(source), code(source.path), _licence(source)) for source in facts.one.sources]
        yield table(("source", "file", "licence"), rows)
    else:
        yield "It has no sources: everything in it was simulated."
    asked = facts.one.tasks.certificate if facts.one.tasks is not None else None
    commands = [[*mining(manifest), *(["--facts-only"] if manifest.facts_only else [])]]
    commands += [synthesis(facts.id, asked)] if asked is not None else []
    yield "Made with (the same versions of the sources give the same bytes):"
    yield block("console", "\n".join(shlex.join(words) for words in commands))
    yield f"`environment_hash` `{manifest.environment_hash}`; its clock starts at {plain(manifest.clock.epoch)}."


def _package(source: Source) -> str:
    return code(source.package or source.url)


def _licence(source: Source) -> str:
    licence = source.licence
    if licence.status == "unstated":
        return "none stated"
    told = plain(licence.spdx or "one that is not known here")
    return told if licence.status == "stated-open" else f"{told} (not open)"
