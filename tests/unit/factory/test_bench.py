"""Judging processes end with their bench: nothing of it is left, and no other pool is waited for."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from envforge.core.contracts import TaskCandidate
from envforge.factory.bench import Bench
from envforge.factory.judging import JudgeSetup
from envforge.synth.author import Proposal


def unknown(candidate: TaskCandidate) -> None:
    """Nothing was judged before."""
    del candidate


def bench_of(folder: Path) -> Bench[int]:
    """One that was told of a folder without an environment: its processes start, and can judge nothing."""
    return Bench(JudgeSetup(folder, {}, folder, 0), 1, unknown)


def proposal_of(number: int) -> Proposal:
    return cast("Proposal", SimpleNamespace(candidate=number))


def one_and_no_more() -> Iterator[int]:
    yield 1
    raise LookupError("no more")


def test_what_fails_while_judges_are_at_work_leaves_nothing_behind(tmp_path: Path) -> None:
    threads, children = set(threading.enumerate()), set(multiprocessing.active_children())
    with pytest.raises(LookupError), bench_of(tmp_path) as bench:
        list(bench.verdicts(one_and_no_more(), proposal_of))
    assert set(threading.enumerate()) <= threads
    assert set(multiprocessing.active_children()) <= children


def test_a_pool_of_somebody_else_is_not_waited_for(tmp_path: Path) -> None:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as other:
        assert other.submit(os.getpid).result() != os.getpid()
        ending: Any = threading.Thread(target=bench_of(tmp_path).__exit__, args=(None, None, None), daemon=True)
        ending.start()
        ending.join(20)
        assert not ending.is_alive()
        assert other.submit(os.getpid).result() != os.getpid()
