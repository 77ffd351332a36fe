"""The head of the card, which the Hub reads: YAML between two lines of dashes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from envforge.publish.card.facts import facts_of
from envforge.publish.published import Published
from envforge.publish.tables.configs import configs

_NAMES = """
afl-3.0 agpl-3.0 apache-2.0 artistic-2.0 bsd-2-clause bsd-3-clause bsl-1.0 cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0
cc-by-sa-3.0 cc-by-sa-4.0 cc0-1.0 cdla-permissive-1.0 cdla-permissive-2.0 cdla-sharing-1.0 epl-1.0 epl-2.0 eupl-1.1
eupl-1.2 gpl-2.0 gpl-3.0 isc lgpl-2.1 lgpl-3.0 mit mpl-2.0 ms-pl ncsa odbl odc-by ofl-1.1 osl-3.0 pddl postgresql
unlicense wtfpl zlib
"""
_LICENCES = frozenset(_NAMES.split())
"""Names that the Hub knows, of licences that let content be passed on. Anything else is `other` there."""
_OTHER_NAMES = {"odbl-1.0": "odbl", "odc-by-1.0": "odc-by", "pddl-1.0": "pddl"}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def header(published: Published, folder: Path) -> str:
    """The head. The configs are those whose tables lie in `folder`."""
    tasks = sum(len(facts.tasks) for facts in facts_of(published))
    licences = _licences(published)
    value: dict[str, Any] = {
        "pretty_name": published.repo.rpartition("/")[2],
        "language": ["en"],
        "license": licences[0] if len(licences) == 1 else licences,
        **({"license_name": "see-sources-and-licences"} if licences == ["other"] else {}),
        "task_categories": ["reinforcement-learning"],
        "size_categories": [next((name for most, name in _SIZES if tasks < most), "n>1M")],
        "tags": ["agents", "tool-use", "rl-environments", "mcp", "verifiable-rewards", "envforge"],
    }
    if found := configs(folder):
        value["configs"] = found
    text = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=120)
    return f"---\n{text}---\n"


def _licences(published: Published) -> list[str]:
    """Those of the sources; `other` stands for what the Hub has no name for, or what its publisher does not state."""
    found: set[str] = set()
    for one in published.environments:
        for source in one.sources:
            stated = re.sub(r"\bWITH\s+\S+|[()]", " ", source.licence.spdx or "other")
            found.update(_hub_name(part) for part in stated.split() if part not in ("AND", "OR"))
    return sorted(found) or ["other"]


def _hub_name(spdx: str) -> str:
    name = spdx.lower().removesuffix("+").removesuffix("-only").removesuffix("-or-later")
    name = _OTHER_NAMES.get(name, name)
    return name if name in _LICENCES else "other"
