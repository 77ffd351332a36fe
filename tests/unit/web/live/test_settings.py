import json
import re
from pathlib import Path

import pytest

from envforge.core.errors import ConfigError
from envforge.core.records.fetching import FetchSettings
from envforge.web.live.settings import load_settings

ROOT = Path(__file__).parents[4]


def test_what_ships_is_what_holds_without_a_file() -> None:
    path = ROOT / "validators/web/fetch.json"
    assert load_settings(path) == FetchSettings()
    assert set(json.loads(path.read_bytes())) == set(FetchSettings.model_fields)


def told_in(text: str) -> dict[str, str]:
    """Field → what the table of the page says that it is by default."""
    told: dict[str, str] = {}
    for names, values in re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| ([^|]+) \|", text, re.MULTILINE):
        told.update(zip(re.findall(r"\w+", names), values.split(", "), strict=False))
    return told


def test_every_limit_is_told_with_its_number() -> None:
    page = (ROOT / "docs/web.md").read_text(encoding="utf-8")
    told = told_in(page.partition("\n## Limits\n")[2].partition("\n## ")[0])
    assert (told["contact"], told["mimes"]) == ("empty", "see the file")
    for name, value in FetchSettings().model_dump().items():
        if name not in ("contact", "mimes"):
            assert float(told[name].split()[0]) == value, name


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('{"redirect": 3}', "redirect"),
        ('{"redirects": -1}', "redirects"),
        ('{"contact": "a\\r\\nX: 1"}', "contact"),
        ('{"total_seconds": 0}', "total_seconds"),
        ("[]", r"\(top\)"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, text: str, field: str) -> None:
    path = tmp_path / "fetch.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=field):
        load_settings(path)


def test_what_is_left_out_is_as_it_ships(tmp_path: Path) -> None:
    path = tmp_path / "fetch.json"
    path.write_text('{"delay_seconds": 5}')
    assert load_settings(path) == FetchSettings(delay_seconds=5)
