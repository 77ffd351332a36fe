"""AWM-style: a reset copies a SQLite file and starts a new server process; calls are JSON over HTTP, kept open.

Only Python and the standard library are loaded: a server with a web framework and an ORM starts far slower.
"""

from __future__ import annotations

import http.client
import itertools
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.bench.references.workload import Changes, Instance, Row, Workload, compare_with, rows_of

_SERVER = Path(__file__).with_name("server.py")


class Served:
    """One server process and its file."""

    _numbers = itertools.count()

    def __init__(self, initial: Path, image: Path | None = None) -> None:
        self._initial = initial
        self._own = initial.with_name(f"served-{os.getpid()}-{next(self._numbers)}.sqlite")
        self._start(image or initial)

    def _start(self, image: Path) -> None:
        shutil.copyfile(image, self._own)
        command = [sys.executable, "-S", "-E", str(_SERVER), str(self._own)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        port = int(self._process.stdout.readline())
        self._http = http.client.HTTPConnection("127.0.0.1", port)
        self._http.connect()

    def _stop(self) -> None:
        self._http.close()
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def reset(self) -> None:
        self._stop()
        self._start(self._initial)

    def touch(self, key: int) -> Row:
        return self._call("touch", key)

    def add(self, row: Row) -> None:
        self._call("add", row)

    def drop(self, key: int) -> None:
        self._call("drop", key)

    def _call(self, tool: str, argument: Any) -> Row:
        self._http.request("POST", "/call", json.dumps({"tool": tool, "argument": argument}))
        response = self._http.getresponse()
        body = response.read()
        assert response.status == 200, body
        return json.loads(body)

    def changes(self) -> Changes:
        connection = sqlite3.connect(f"file:{self._own}", uri=True)
        try:
            return compare_with(connection, self._initial)
        finally:
            connection.close()

    def fork(self) -> Served:
        return Served(self._initial, self._own)

    def rows(self, table: str) -> list[Row]:
        return rows_of(self._own, table)

    def processes(self) -> list[int]:
        return [self._process.pid]

    def close(self) -> None:
        self._stop()
        self._own.unlink()


@contextmanager
def served(workload: Workload) -> Generator[Callable[[], Instance]]:
    """Instances from the file."""
    yield lambda: Served(workload.database)
