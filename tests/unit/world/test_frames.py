"""Frames hold JSON, and nothing that only looks like it."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from envforge.world.sandbox import frames

BAD = {
    "not a number": '{"x": NaN}',
    "infinite": '{"x": -Infinity}',
    "half a pair": '{"x": "\\ud800"}',
    "half a pair as a name": '{"\\uDFFF": 1}',
    "cut": '{"x": ',
    "deep": "[" * 100_000,
}

TEXTS: list[Any] = [{"x": ["é😀", 1.5, None, True, {}]}, [], {"1": {"2": [3]}}, "é", 7]


@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(frames.FrameError):
        frames.read_frame(io.BytesIO(frames.pack(text)).read, 1 << 20)


@pytest.mark.parametrize("value", [{"x": "😀"}, {"x": "\\ud800 as text"}, [1.5, None, True], {}], ids=str)
def test_values_come_back(value: object) -> None:
    packed = frames.pack_json(value, b"blob")
    assert frames.read_frame(io.BytesIO(packed).read, 1 << 20) == (value, b"blob")


def test_a_frame_over_its_bound_is_not_read() -> None:
    with pytest.raises(frames.FrameError, match="limit"):
        frames.read_frame(io.BytesIO(frames.pack("{}" + " " * 100)).read, 50)


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("value", TEXTS, ids=str)
def test_texts_are_those_of_the_library(value: object, ascii_only: bool) -> None:
    encode = frames.text_encoder(ensure_ascii=ascii_only, separators=(",", ":"))
    assert encode(value) == json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":"))


def test_what_no_text_can_say_is_refused_also_the_second_time() -> None:
    encode = frames.text_encoder(ensure_ascii=False)
    itself: dict[str, Any] = {}
    itself["itself"] = itself
    for _ in range(2):
        with pytest.raises(ValueError, match="Circular"):
            encode(itself)
        with pytest.raises(ValueError, match="JSON"):
            encode({"x": float("nan")})
        with pytest.raises(TypeError):
            encode({"x": {1, 2}})
    assert encode({"x": 1}) == '{"x": 1}'
