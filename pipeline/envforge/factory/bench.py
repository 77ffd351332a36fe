"""Candidates are judged in processes beside this one; verdicts come back in the order of the candidates."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Generic, TypeVar

from envforge.core.contracts import TaskCandidate
from envforge.core.errors import EnvforgeError, SandboxError
from envforge.factory.judging import Desk, Judgement, JudgeSetup
from envforge.synth.author import Proposal

AHEAD = 4
"""Candidates in the making per process."""
Item = TypeVar("Item")

_desks: list[Desk] = []


def _sit_down(setup: JudgeSetup, lifeline: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to all; the host decides what it means
    threading.Thread(target=_leave_with_host, args=(lifeline,), daemon=True).start()
    _desks[:] = [Desk(setup)]


def _leave_with_host(lifeline: Connection) -> None:
    """Nothing is ever sent: the line ends when the host hangs up, or when it dies."""
    with contextlib.suppress(EOFError, OSError):
        lifeline.recv_bytes()
    os._exit(0)


def _judge(proposal: Proposal) -> Judgement:
    return _desks[0].judge(proposal)


class Bench(Generic[Item]):
    """Judges what holds proposals on several processes. Use it as a context manager.

    `known` answers for candidates that were judged before (a resumed run); they are not judged again.
    """

    def __init__(self, setup: JudgeSetup, processes: int, known: Callable[[TaskCandidate], Judgement | None]) -> None:
        self._known = known
        self._processes = processes
        context = multiprocessing.get_context("spawn")
        theirs, self._lifeline = context.Pipe(duplex=False)
        self._theirs = theirs
        self._pool = ProcessPoolExecutor(processes, context, _sit_down, (setup, theirs))

    def verdicts(
        self, items: Iterator[Item], proposal_of: Callable[[Item], Proposal | None]
    ) -> Iterator[tuple[Item, Judgement | None]]:
        """Each item with the verdict on its proposal, in order; None where there is nothing to judge.

        A few are judged ahead. Raises what judging raises, SandboxError when a process dies.
        """
        waiting: deque[tuple[Item, Judgement | Future[Judgement] | None]] = deque()
        judging = 0
        for item in items:
            proposal = proposal_of(item)
            found = self._asked(proposal) if proposal is not None else None
            judging += isinstance(found, Future)
            waiting.append((item, found))
            while waiting and (judging >= AHEAD * self._processes or not isinstance(waiting[0][1], Future)):
                judging -= isinstance(waiting[0][1], Future)
                yield self._settled(*waiting.popleft())
        while waiting:
            yield self._settled(*waiting.popleft())

    def _asked(self, proposal: Proposal) -> Judgement | Future[Judgement]:
        known = self._known(proposal.candidate)
        if known is not None:
            return known
        try:
            return self._pool.submit(_judge, proposal)
        except BrokenProcessPool as error:
            raise self._died() from error

    def _settled(self, item: Item, found: Judgement | Future[Judgement] | None) -> tuple[Item, Judgement | None]:
        try:
            return item, found.result() if isinstance(found, Future) else found
        except BrokenProcessPool as error:
            raise self._died() from error

    def _died(self) -> EnvforgeError:
        remedy = "was it out of memory? give fewer --processes; the same command goes on where this one stopped"
        return SandboxError("a judging process died", where="synth-tasks", remedy=remedy, retryable=True)

    def __enter__(self) -> Bench[Item]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End the processes, also those at work: nobody waits for their verdicts any more."""
        self._lifeline.close()
        # It waits for the thread that looks after the pool: left running, that may fail while Python itself ends.
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._theirs.close()
