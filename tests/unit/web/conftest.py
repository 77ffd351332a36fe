"""Small archives, a local package index and a loopback npm registry."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import os
import shutil
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

MakeArchive = Callable[..., Path]


@pytest.fixture
def make_tar(tmp_path: Path) -> MakeArchive:
    """make_tar(name, files, entries=[TarInfo…]) → path of a .tar.gz."""

    def make(name: str, files: Mapping[str, bytes], entries: list[tarfile.TarInfo] | None = None) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(path, "w:gz") as archive:
            for member, body in files.items():
                info = tarfile.TarInfo(member)
                info.size = len(body)
                archive.addfile(info, io.BytesIO(body))
            for info in entries or []:
                archive.addfile(info)
        return path

    return make


@pytest.fixture
def make_zip(tmp_path: Path) -> MakeArchive:
    """make_zip(name, files) → path of a zip file."""

    def make(name: str, files: Mapping[str, bytes]) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(zip_bytes(files))
        return path

    return make


def zip_bytes(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, body in files.items():
            archive.writestr(member, body)
    return out.getvalue()


@pytest.fixture
def packed() -> Callable[[Mapping[str, bytes]], bytes]:
    """The bytes of a zip file."""
    return zip_bytes


@pytest.fixture
def python_index(tmp_path: Path, make_tar: MakeArchive, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A local package index that pip is configured for; returns the folder where sources leave marks if they run.

    It holds `shelfdata`, which has only an sdist, and `wheeldata`, which has a wheel.
    """
    marks = tmp_path / "marks"
    marks.mkdir()
    setup = f"open({str(marks / 'setup-ran')!r}, 'w').write('x')\nfrom setuptools import setup\nsetup()\n"
    backend = f"open({str(marks / 'backend-ran')!r}, 'w').write('x')\n"
    pyproject = '[build-system]\nrequires = []\nbuild-backend = "hook"\nbackend-path = ["."]\n'
    top = "shelfdata-1.2.0"
    metadata = (
        "Metadata-Version: 2.1\nName: shelfdata\nVersion: 1.2.0\nLicense: CC0\n"
        "Home-page: https://code.example/someone/shelfdata\n"
    )
    sdist = make_tar(
        f"simple/shelfdata/{top}.tar.gz",
        {
            f"{top}/PKG-INFO": metadata.encode(),
            f"{top}/setup.py": setup.encode(),
            f"{top}/hook.py": backend.encode(),
            f"{top}/pyproject.toml": pyproject.encode(),
            f"{top}/shelfdata/__init__.py": backend.encode(),
            f"{top}/shelfdata/books.csv": b"id,title\n1,Tides\n",
            f"{top}/shelfdata/loans.csv.zip": zip_bytes({"loans.csv": b"id,book\n7,1\n"}),
            f"{top}/shelfdata/stock.json.gz": gzip.compress(b'{"1": 3}', mtime=0),
        },
    )
    wheel = tmp_path / "simple/wheeldata/wheeldata-0.4-py3-none-any.whl"
    wheel.parent.mkdir(parents=True)
    info = "wheeldata-0.4.dist-info"
    wheel.write_bytes(
        zip_bytes(
            {
                "wheeldata/rows.csv": b"a\n1\n",
                f"{info}/METADATA": b"Metadata-Version: 2.4\nName: wheeldata\nVersion: 0.4\nLicense-Expression: MIT\n",
                f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
                f"{info}/RECORD": b"",
            }
        )
    )
    for archive in (sdist, wheel):
        page = f'<!DOCTYPE html><html><body><a href="{archive.name}">{archive.name}</a></body></html>'
        (archive.parent / "index.html").write_text(page)
    for name in list(os.environ):
        if name.startswith("PIP_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "simple").as_uri())
    return marks


@pytest.fixture
def npm_registry(tmp_path: Path, make_tar: MakeArchive, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A loopback registry with the package `@lib/shelf`; returns the folder where its scripts leave marks."""
    if shutil.which("npm") is None:
        pytest.skip("there is no npm; `make system` installs it")
    marks = tmp_path / "marks"
    marks.mkdir()
    mark = f"node -e \"require('fs').writeFileSync('{marks}/ran','x')\""
    hooks = ("preinstall", "install", "postinstall", "prepack", "prepare", "postpack")
    manifest = {
        "name": "@lib/shelf",
        "version": "2.0.1",
        "license": "MIT",
        "repository": {"type": "git", "url": "git+https://tok3n@code.example/lib/shelf.git", "directory": "packages/a"},
        "scripts": dict.fromkeys(hooks, mark),
    }
    tarball = make_tar(
        "shelf.tgz",
        {
            "package/package.json": json.dumps(manifest).encode(),
            "package/data/books.json": b'[{"id": 1}]',
            "package/types/book.d.ts": b"export type Book = { id: number };\n",
            "package/index.js": b"module.exports = 1;\n",
        },
    ).read_bytes()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.lower().startswith("/@lib%2fshelf"):
                digest = base64.b64encode(hashlib.sha512(tarball).digest()).decode()
                dist = {"tarball": f"http://{self.headers['Host']}/shelf.tgz", "integrity": f"sha512-{digest}"}
                version = {**manifest, "dist": dist, "_hasShrinkwrap": False}
                body = {"name": "@lib/shelf", "dist-tags": {"latest": "2.0.1"}, "versions": {"2.0.1": version}}
                self.answer(200, json.dumps(body).encode())
            elif self.path == "/shelf.tgz":
                self.answer(200, tarball)
            else:
                self.answer(404, b'{"error": "not found"}')

        def answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    for name in list(os.environ):
        if name.lower().startswith("npm_config_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm-cache"))
    monkeypatch.setenv("npm_config_userconfig", str(tmp_path / "npmrc"))
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    yield marks
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def broken_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a loopback server that answers everything with 503."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(503)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
            return

    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/simple"
    server.shutdown()
    server.server_close()
    thread.join()
