"""Words of the goals that ship: a hint asks somebody for something."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

THEMES = Path(__file__).parents[2] / "themes"
INTENTS = sorted((THEMES / "intents").glob("*.yaml")) + sorted((THEMES / "links").glob("*.yaml"))
_ASKS_NOBODY = re.compile(
    r"\b(we (should|ought to|had better|have to|need to|will have to)|it would be best to|it is time to) "
    r"(\{change|go through|check|look|gather|collect|add up|see what|find out)"
)


def hints(path: Path) -> list[tuple[str, str]]:
    """(family, template) of every text in the register that only hints."""
    families = yaml.safe_load(path.read_text(encoding="utf-8"))["intents"]
    return [
        (family["id"], template)
        for family in families
        for bank in ("text/implicit", "change/implicit")
        for template in family["wording"].get(bank, ())
    ]


@pytest.mark.parametrize("path", INTENTS, ids=lambda path: path.stem)
def test_a_hint_asks_somebody(path: Path) -> None:
    assert [one for one in hints(path) if _ASKS_NOBODY.search(one[1])] == []


def test_what_asks_nobody_is_found() -> None:
    assert _ASKS_NOBODY.search("{situation} we should {change}. {report}")
    assert _ASKS_NOBODY.search("{situation} it would be best to {change}. {report}")
    assert not _ASKS_NOBODY.search("{situation} it would be good if you could {change}. {report}")
    assert not _ASKS_NOBODY.search("{situation} we have to do without {owner}. please {change}.")
