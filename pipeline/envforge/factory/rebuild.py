"""Build an environment a second time, in another process, while the gates look at the first one.

Another process has another hash seed and other memory: a build that depends on either is found out, and on a second
core the proof costs little time.
"""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from envforge.core.errors import BuildError, StoreError
from envforge.factory.assemble import Materials, write_environment
from envforge.mine.links.populating import LinkedMined, populate_any
from envforge.mine.miner import Mined


@dataclass(frozen=True)
class Order:
    """All that decides the bytes of one environment, and where to write it."""

    materials: Materials
    mined: Mined | LinkedMined
    database_seed: int
    folder: Path

    def build(self) -> str:
        """Fill a database, write the environment, return its hash."""
        config = self.materials.config
        database = populate_any(
            self.mined, rounds=config.rounds, seed=config.seed, database_seed=self.database_seed, progress=_silent
        )
        return write_environment(self.materials, database, self.database_seed, self.folder)


def _silent(label: str, done: int, total: int | None) -> None:
    del label, done, total


class SecondBuild:
    """Context manager: starts the child at once, `hash()` waits for it, leaving kills it and clears its folder.

    Entering raises StoreError when the temporary folder takes no more.
    """

    def __init__(self, order: Order) -> None:
        self._order = order
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> SecondBuild:
        shutil.rmtree(self._order.folder, ignore_errors=True)
        environment = {**os.environ, "PYTHONHASHSEED": "random"}
        with tempfile.TemporaryFile() as orders:
            try:
                pickle.dump(self._order, orders)
                orders.seek(0)
            except OSError as error:
                remedy = "check free disk space, or let TMPDIR name another folder"
                raise StoreError(
                    f"could not be written: {error.strerror}", where=tempfile.gettempdir(), remedy=remedy
                ) from error
            self._process = subprocess.Popen(
                [sys.executable, "-c", f"from {__name__} import child; child()"],
                stdin=orders,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                # Ctrl-C is for the parent, which ends the child when it leaves.
                start_new_session=True,
            )
        return self

    def hash(self) -> str:
        """The environment_hash of the second build. Raises BuildError when it failed."""
        assert self._process is not None
        out, error = self._process.communicate()
        if self._process.returncode != 0:
            text = error.decode(errors="replace").strip().splitlines()
            raise BuildError(
                f"the second build failed: {text[-1] if text else 'no message'}",
                where=self._order.materials.theme.slug,
                remedy="run the command again; if it fails again, please report it",
            )
        return out.decode().strip()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        process = self._process
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()
        shutil.rmtree(self._order.folder, ignore_errors=True)


def child() -> None:
    """What the second process does: read the order from standard input, answer with the hash."""
    order = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by our own parent into an unnamed file
    assert isinstance(order, Order)
    sys.stdout.write(order.build())
