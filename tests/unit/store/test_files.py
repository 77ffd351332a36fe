import errno
import os
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import StoreError
from envforge.store.files import read_json, read_jsonl, staged_folder, write_json, write_jsonl, write_text


def test_json_round_trip_is_sorted_and_ends_with_newline(tmp_path: Path) -> None:
    write_json(tmp_path / "a" / "x.json", {"b": 1, "a": "é"})
    assert (tmp_path / "a" / "x.json").read_text(encoding="utf-8") == '{\n  "a": "é",\n  "b": 1\n}\n'
    assert read_json(tmp_path / "a" / "x.json") == {"a": "é", "b": 1}


def test_jsonl_round_trip(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "x.jsonl", [{"a": 1}, {"b": [1, 2]}])
    assert read_jsonl(tmp_path / "x.jsonl") == [{"a": 1}, {"b": [1, 2]}]


def test_broken_json_names_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{\n "a": ,\n}')
    with pytest.raises(StoreError, match=r"x\.json.*line 2"):
        read_json(tmp_path / "x.json")


def test_full_disk_keeps_the_old_file_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "x.txt"
    write_text(target, "old")
    real = os.fdopen

    def full(handle: int, mode: str) -> Any:
        stream = real(handle, mode)

        class Full:
            def __enter__(self) -> "Full":
                return self

            def __exit__(self, *_: object) -> None:
                stream.close()

            def write(self, data: bytes) -> int:
                raise OSError(errno.ENOSPC, "No space left on device")

        return Full()

    monkeypatch.setattr(os, "fdopen", full)
    with pytest.raises(StoreError, match="No space left"):
        write_text(target, "new")
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["x.txt"]


def test_staged_folder_replaces_only_when_complete(tmp_path: Path) -> None:
    final = tmp_path / "env"
    with staged_folder(final) as scratch:
        (scratch / "a").write_text("1")
    with pytest.raises(RuntimeError), staged_folder(final) as scratch:
        (scratch / "a").write_text("2")
        raise RuntimeError
    assert (final / "a").read_text() == "1"
    assert [path.name for path in tmp_path.iterdir()] == ["env"]


def test_staged_folder_survives_ctrl_c(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), staged_folder(tmp_path / "env"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_line_separators_inside_json_do_not_end_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write_jsonl(path, [{"text": "one\u2028two\x85three"}, {"n": 1}])
    assert read_jsonl(path) == [{"text": "one\u2028two\x85three"}, {"n": 1}]
    write_jsonl(path, [])
    assert read_jsonl(path) == []


@pytest.mark.parametrize(
    "text", ["[" * 100_000 + "]" * 100_000, '["\\ud800"]', "9" * 5000], ids=["deep", "half", "digits"]
)
def test_json_that_no_reader_takes_is_named(tmp_path: Path, text: str) -> None:
    for name, read in (("a.json", read_json), ("a.jsonl", read_jsonl)):
        (tmp_path / name).write_text(text + "\n", encoding="utf-8")
        with pytest.raises(StoreError, match=f"{name}: not JSON"):
            read(tmp_path / name)


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.json")
    with pytest.raises(StoreError, match="no regular file"):
        read_json(tmp_path / "a.json")


@pytest.mark.parametrize(
    ("levels", "text"),
    [
        (0, '{"a":[{"b":1},[]],"é":{}}\n'),
        (1, '{\n  "a": [{"b":1},[]],\n  "é": {}\n}\n'),
        (2, '{\n  "a": [\n    {"b":1},\n    []\n  ],\n  "é": {}\n}\n'),
    ],
)
def test_what_lies_deep_stands_on_one_line(levels: int, text: str, tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"é": {}, "a": [{"b": 1}, []]}, levels=levels)
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == text
