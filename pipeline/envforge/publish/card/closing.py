"""How the card ends: versions, and how to cite it."""

from __future__ import annotations

import re

from envforge.publish.card.markdown import block, plain
from envforge.publish.published import Published


def closing(published: Published) -> str:
    """The last sections."""
    owner, _, name = published.repo.partition("/")
    parts = ["## Versions"]
    for entry in published.changelog:
        parts.append(f"**{entry.version}**\n\n" + "\n".join(f"- {plain(change)}" for change in entry.changes))
    parts += [
        "## Citation",
        block("bibtex", "\n".join([
            f"@misc{{{_key(published.repo)},",
            f"  title        = {{{_safe(name)}: environments and tasks for tool-using agents}},",
            f"  author       = {{{_safe(owner)}}},",
            f"  howpublished = {{Hugging Face Hub, dataset {_safe(published.repo)}}},",
            f"  version      = {{{published.version}}},",
            "  note         = {made with envforge}",
            "}",
        ])),
        "Cite the sources of the environments you use as well: they are named above.",
    ]  # fmt: skip
    return "\n\n".join(parts)


def _key(repo: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", repo.lower()).strip("_")


def _safe(text: str) -> str:
    return re.sub(r"[{}\\]", "", text).replace("_", r"\_")
