from __future__ import annotations

import json
from pathlib import Path

import pytest

from envforge.core.errors import ConfigError
from envforge.core.records.completion import Usage
from envforge.llm.prices import PRICES_FILE, Price, read_prices

ROOT = Path(__file__).parents[3]


def test_the_shipped_prices_are_readable_and_plausible() -> None:
    prices = read_prices(ROOT / PRICES_FILE)
    assert prices.models and prices.as_of >= "2026-01-01"
    assert prices.source.startswith("https://") and "was not read" in prices.note
    for price in prices.models.values():
        assert 0 < (price.cached_input or price.input) <= price.input < price.output


def test_a_call_costs_in_cached_and_out() -> None:
    usage = Usage(prompt_tokens=1_000_000, cached_prompt_tokens=400_000, completion_tokens=500_000)
    assert Price(input=1.0, output=4.0, cached_input=0.1).cost(usage) == pytest.approx(0.6 + 0.04 + 2.0)
    assert Price(input=1.0, output=4.0).cost(usage) == pytest.approx(3.0)


def test_a_dated_name_has_the_price_of_its_model_and_no_other() -> None:
    prices = read_prices(ROOT / PRICES_FILE)
    assert prices.of("gpt-4o-mini-2024-07-18") == prices.of("gpt-4o-mini") != prices.of("gpt-4o")
    assert prices.of("gpt-4o-min") is None


def test_a_wrong_file_names_its_field(tmp_path: Path) -> None:
    path = tmp_path / "models.json"
    path.write_text(json.dumps({"as_of": "2026-01-01", "source": "x", "models": {"m": {"input": -1, "output": 1}}}))
    with pytest.raises(ConfigError, match=r"models\.m\.input"):
        read_prices(path)
    path.write_text(json.dumps({"as_of": "2026-01-01", "source": ""}))
    with pytest.raises(ConfigError, match="source"):
        read_prices(path)
