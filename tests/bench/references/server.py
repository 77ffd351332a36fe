"""The server of one instance: JSON over HTTP, a SQLite file behind it. Run as a script with the file's path."""

from __future__ import annotations

import http.server
import json
import sqlite3
import sys
from typing import Any

SELECT = "SELECT id, title, author, published, copies, note FROM books WHERE id = ?"


class Tools:
    """The tools of the instance."""

    def __init__(self, path: str) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self.connection.execute("PRAGMA synchronous = OFF")

    def touch(self, key: int) -> dict[str, Any]:
        """Select a book, add one to its copies."""
        self.connection.execute("BEGIN")
        cursor = self.connection.execute(SELECT, (key,))
        names = [column[0] for column in cursor.description]
        row = dict(zip(names, cursor.fetchone(), strict=True))
        self.connection.execute("UPDATE books SET copies = copies + 1 WHERE id = ?", (key,))
        self.connection.execute("COMMIT")
        return row

    def add(self, row: dict[str, Any]) -> dict[str, Any]:
        """Insert a book."""
        self.connection.execute("INSERT INTO books VALUES (?, ?, ?, ?, ?, ?)", tuple(row.values()))
        return {}

    def drop(self, key: int) -> dict[str, Any]:
        """Delete a book."""
        self.connection.execute("DELETE FROM books WHERE id = ?", (key,))
        return {}


class Handler(http.server.BaseHTTPRequestHandler):
    """POST {"tool": …, "argument": …}; the connection stays open."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    tools: Tools

    def do_POST(self) -> None:
        """A call."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = json.dumps(getattr(self.tools, request["tool"])(request["argument"])).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(answer)}\r\n\r\n"
        self.wfile.write(head.encode() + answer)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Silence."""


def main() -> None:
    """Serve until killed."""
    Handler.tools = Tools(sys.argv[1])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
