from __future__ import annotations

import struct
import sys

import pytest

from envforge.core.errors import ConfigError
from envforge.publish.card.charts import grouped_rates, histogram, stacked_bars

ROWS = {"harbour": {"mined": 12, "synthetic": 3}, "tides": {"mined": 0, "synthetic": 9}}


def size(picture: bytes) -> tuple[int, int]:
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", picture[16:24])


def test_pictures_are_as_wide_as_a_page() -> None:
    names = ("mined", "synthetic")
    for picture in (
        stacked_bars("Rows", ROWS, names=names, as_shares=True),
        grouped_rates("Rates", {"1": {"a": 0.5}, "2": {}}, names=["a", "b"], label="level"),
        histogram("Calls", {"harbour": [1, 2, 2, 90]}, edges=(1, 2, 3, 5), label="calls"),
    ):
        wide, high = size(picture)
        assert wide == 1280 and 300 < high < 1000


def test_many_environments_are_one_picture_still() -> None:
    rows = {f"harbour-{number}": {"mined": number} for number in range(300)}
    assert size(stacked_bars("Rows", rows, names=("mined",)))[1] < 3000


def test_settings_of_the_user_change_no_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib

    before = stacked_bars("Rows", ROWS, names=("mined", "synthetic"))
    monkeypatch.setitem(matplotlib.rcParams, "font.size", 21)
    assert stacked_bars("Rows", ROWS, names=("mined", "synthetic")) == before


def test_without_the_library_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ConfigError, match="matplotlib") as caught:
        stacked_bars("Rows", ROWS, names=("mined",))
    assert "envforge[hub]" in caught.value.remedy
