"""Where the facts come from, under which licence, and how each environment was made."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from envforge.core.records.source import Source
from envforge.publish.card.facts import Facts, facts_of
from envforge.publish.card.markdown import block, code, plain, table
from envforge.publish.commands import mining, synthesis
from envforge.publish.published import Published

_WIDE = 70
_ON_THE_WEB = re.compile(
    r"https?://(?![^/?#]*\.(?:example|invalid|test)(?![^/?#:]))[A-Za-z0-9._~:/?#@!$&'*+,;=%-]+", re.IGNORECASE
)
"""What Markdown takes for one address, whatever it holds; not on a host that can be none (RFC 2606)."""


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
    yield block("console", "\n".join(_over_lines(words) for words in commands))
    yield f"`environment_hash` `{manifest.environment_hash}`; its clock starts at {plain(manifest.clock.epoch)}."


def _over_lines(words: Sequence[str]) -> str:
    """A command as a shell takes it; options that have no room on the line stand on the next one."""
    lines = [""]
    for word in map(shlex.quote, words):
        if word.startswith("--") and len(lines[-1]) > _WIDE:
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)


def _package(source: Source) -> str:
    """What it is called, with a link to where it is published, if that is on the web."""
    name = code(source.package or source.path)
    return f"[{name}]({source.url})" if _ON_THE_WEB.fullmatch(source.url) else name


def _licence(source: Source) -> str:
    licence = source.licence
    if licence.status == "unstated":
        return "none stated"
    told = plain(licence.spdx or "one that is not known here")
    return told if licence.status == "stated-open" else f"{told} (not open)"
