"""Shipped YAML says the same to both readers: the C parser, which most installations have, and the one without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

THEMES = Path(__file__).parents[2] / "themes"
FILES = sorted(THEMES.rglob("*.yaml"))
_FAST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def both(text: str) -> tuple[Any, Any]:
    """What the two readers make of a text. Raises YAMLError."""
    slow, fast = yaml.load(text, Loader=yaml.SafeLoader), yaml.load(text, Loader=_FAST)
    return slow, fast


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(THEMES)))
def test_both_readers_agree(path: Path) -> None:
    slow, fast = both(path.read_text(encoding="utf-8"))
    assert slow == fast


def test_a_question_mark_without_quotes_is_found() -> None:
    with pytest.raises(yaml.YAMLError):
        both("{subject: Which one fits?, kind: a}")
