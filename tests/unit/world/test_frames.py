"""Frames hold JSON, and nothing that only looks like it."""

from __future__ import annotations

import io

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
