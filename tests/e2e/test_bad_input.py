"""Input that cannot be used: exit code 2, one line that names file, place and remedy, and nothing half-built."""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
import subprocess
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
FIXTURES = Path(__file__).parents[1] / "fixtures"
SPEC = json.loads((FIXTURES / "sources" / "boathouse.json").read_text(encoding="utf-8"))


def _refused(done: subprocess.CompletedProcess[str], workspace: Path, *words: str) -> None:
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("error (") and len(done.stderr.strip().splitlines()) == 1, done.stderr
    for word in words:
        assert word in done.stderr, done.stderr
    assert not any((workspace / "environments").glob("*")), "something was left under environments/"


@pytest.fixture
def mine(envforge: Run, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """mine(path of a source) → the finished command."""

    def run(source: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        spec = source if ":" in source else f"file:{source}"
        return envforge("mine", "--theme", "piers", "--new", "--source", spec, cwd=tmp_path, env=env, timeout=120)

    return run


BROKEN = {
    "broken JSON": ("api.json", json.dumps(SPEC, indent=1)[:900].encode(), ["api.json", "broken JSON", "line"]),
    "broken YAML": ("api.yaml", b"openapi: 3.0.3\ninfo:\n  title: [Piers\npaths: {}\n", ["api.yaml:", "broken YAML"]),
    "YAML alias bomb": (
        "api.yaml",
        b"openapi: 3.0.3\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        + b"".join(b"a%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 10)) for n in range(1, 10)),
        ["api.yaml", "alias"],
    ),
    "deep nesting": ("deep.json", b'{"a":' * 5000 + b"1" + b"}" * 5000, ["deep.json", "deeper"]),
    "ragged rows": (
        "piers.csv",
        b"id,name,length\n1,West,80\n2,East\n3,North,44\n",
        ["piers.csv:3", "2 fields", "header has 3"],
    ),
    "an open quote": ("piers.csv", b'id,name\n1,"West\n2,East\n', ["piers.csv", "quote"]),
    "Latin-1": ("piers.csv", "id,name\n1,West\n2,Kåfjord\n".encode("latin-1"), ["piers.csv:3", "not UTF-8", "iconv"]),
    "UTF-16": ("piers.csv", "id,name\n1,West\n".encode("utf-16"), ["piers.csv", "UTF-16", "iconv"]),
    "an empty file": ("piers.csv", b"", ["piers.csv"]),
    "a header without rows": ("piers.csv", b"id,name\n", ["piers", "no table"]),
    "a broken archive": ("piers.csv.gz", gzip.compress(b"id,name\n1,West\n" * 50, mtime=0)[:-20], ["piers.csv.gz"]),
    "a file of an unknown kind": ("piers.bin", b"\x00\x01\x02" * 40, ["piers.bin", "OpenAPI"]),
}


@pytest.mark.parametrize(("name", "body", "words"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file(
    mine: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, name: str, body: bytes, words: list[str]
) -> None:
    (tmp_path / name).write_bytes(body)
    _refused(mine(name), tmp_path, *words)


def _gzip_bomb() -> bytes:
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as stream:
        for _ in range(600):
            stream.write(b"0" * 2**20)
    return out.getvalue()


def _zip(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, body in files.items():
            archive.writestr(path, body)
    return out.getvalue()


ARCHIVES: dict[str, tuple[str, Callable[[], bytes], list[str]]] = {
    "a path out of the archive": (
        "piers.csv.zip",
        lambda: _zip({"../../piers.csv": b"id\n1\n"}),
        ["../", "piers.csv.zip"],
    ),
    "an absolute path": ("piers.csv.zip", lambda: _zip({"/etc/piers.csv": b"id\n1\n"}), ["/etc", "piers.csv.zip"]),
    "a zip bomb": (
        "piers.csv.zip",
        lambda: _zip({"piers.csv": b"0" * (600 * 2**20)}),
        ["piers.csv", "unpacks to more"],
    ),
    "a gzip bomb": ("piers.csv.gz", _gzip_bomb, ["piers.csv.gz", "unpacks to more"]),
}


@pytest.mark.parametrize(("name", "body", "words"), ARCHIVES.values(), ids=ARCHIVES.keys())
def test_an_archive_that_is_not_to_be_trusted(
    mine: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
    name: str,
    body: Callable[[], bytes],
    words: list[str],
) -> None:
    inside = tmp_path / "deep" / "work"
    inside.mkdir(parents=True)
    (tmp_path / name).write_bytes(body())
    before = sorted(p.name for p in tmp_path.iterdir())
    _refused(mine(name), tmp_path, *words)
    assert sorted(p.name for p in tmp_path.iterdir() if p.name != "runs") == before


def test_an_archive_of_a_package_with_a_path_outside(
    mine: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    home = tmp_path / "simple" / "pierdata"
    home.mkdir(parents=True)
    with tarfile.open(home / "pierdata-0.1.tar.gz", "w:gz") as archive:
        for path in ("pierdata-0.1/PKG-INFO", "pierdata-0.1/../../../piers.csv"):
            body = b"Metadata-Version: 2.1\nName: pierdata\nVersion: 0.1\n"
            member = tarfile.TarInfo(path)
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
    (home / "index.html").write_text(
        '<!DOCTYPE html><html><body><a href="pierdata-0.1.tar.gz">pierdata-0.1.tar.gz</a></body></html>'
    )
    env = {"PIP_INDEX_URL": (tmp_path / "simple").as_uri(), "PIP_NO_INDEX": "0"}
    _refused(mine("pypi:pierdata", env), tmp_path, "pierdata", "..")
    assert not (tmp_path / "piers.csv").exists()


def test_a_python_package_that_does_not_exist(
    mine: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "simple").mkdir()
    env = {"PIP_INDEX_URL": (tmp_path / "simple").as_uri(), "PIP_NO_INDEX": "0"}
    _refused(mine("pypi:piers-of-nowhere", env), tmp_path, "pypi:piers-of-nowhere")


@pytest.fixture
def empty_registry() -> Iterator[str]:
    """The address of a loopback npm registry that holds nothing."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b'{"error": "not found"}'
            self.send_response(404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.skipif(shutil.which("npm") is None, reason="there is no npm; `make system` installs it")
def test_an_npm_package_that_does_not_exist(
    mine: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, empty_registry: str
) -> None:
    env = {
        "npm_config_registry": empty_registry,
        "npm_config_cache": str(tmp_path / "npm-cache"),
        "npm_config_userconfig": str(tmp_path / "npmrc"),
        "npm_config_fetch_retries": "0",
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
    }
    _refused(mine("npm:piers-of-nowhere", env), tmp_path, "npm:piers-of-nowhere", "no such package")


def test_without_an_npm_client(envforge: Run, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    done = envforge("mine", "--theme", "notion", cwd=tmp_path, env={"PATH": str(tmp_path / "bin")})
    _refused(done, tmp_path, "npm", "install Node.js", "--snapshot")


def _spec_with(schemas: dict[str, object]) -> bytes:
    return json.dumps({**SPEC, "components": {"schemas": {**SPEC["components"]["schemas"], **schemas}}}).encode()


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


CIRCLES: dict[str, dict[str, object]] = {
    "a record in itself": {
        "Berth": {"type": "object", "properties": {"id": {"type": "string"}, "next": _ref("Berth")}}
    },
    "two records in each other": {
        "Berth": {"type": "object", "properties": {"id": {"type": "string"}, "pier": _ref("Pier")}},
        "Pier": {"type": "object", "properties": {"id": {"type": "string"}, "first": _ref("Berth")}},
    },
    "a name for itself": {"Berth": _ref("Berth")},
    "names in a ring": {"Berth": _ref("Pier"), "Pier": _ref("Quay"), "Quay": _ref("Berth")},
    "all of itself": {
        "Berth": {"allOf": [_ref("Berth"), {"type": "object", "properties": {"id": {"type": "string"}}}]}
    },
}


def _without_run(text: str) -> str:
    """A run is named after its inputs; nothing else may differ."""
    return re.sub(r"piers-[0-9a-f]{16}", "piers-…", text)


@pytest.fixture
def straight(once: Callable[..., Path], envforge: Run) -> str:
    """What is said of the same description without circles."""

    def make(folder: Path) -> None:
        (folder / "circular.json").write_text(json.dumps(SPEC), encoding="utf-8")
        done = envforge("mine", "--theme", "piers", "--new", "--source", "file:circular.json", cwd=folder, timeout=120)
        (folder / "said").write_text(done.stderr, encoding="utf-8")

    return (once("straight", make) / "said").read_text(encoding="utf-8")


@pytest.mark.parametrize("schemas", CIRCLES.values(), ids=CIRCLES.keys())
def test_circular_references_end(
    mine: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, straight: str, schemas: dict[str, object]
) -> None:
    """They are read (then the run ends as it would without them) or refused with the reason; they never hang."""
    (tmp_path / "circular.json").write_bytes(_spec_with(schemas))
    circular = mine("circular.json")
    assert "Traceback" not in circular.stderr
    if _without_run(circular.stderr) != _without_run(straight):
        _refused(circular, tmp_path, "circular.json")


def test_an_api_of_one_entity_is_a_source_of_data(
    mine: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "boathouse.json").write_text(json.dumps(SPEC), encoding="utf-8")
    _refused(mine("boathouse.json"), tmp_path, "data_source", "1 real entities (boat)", "add sources with rows")


CATALOGUE = {
    "no YAML": ("slug: [piers\n", ["piers.yaml", "YAML"]),
    "an unknown field": ("slug: piers\ntitle: P\nkind: domain\nanchorz: []\n", ["piers.yaml", "anchorz"]),
    "another slug": ("slug: quays\ntitle: P\nkind: domain\nanchors: [{spec: 'file:x'}]\n", ["piers.yaml", "slug"]),
    "a wrong kind": ("slug: piers\ntitle: P\nkind: service\nanchors: [{spec: 'file:x'}]\n", ["piers.yaml", "kind"]),
    "no anchors": ("slug: piers\ntitle: P\nkind: domain\n", ["piers.yaml", "anchors"]),
}


@pytest.mark.parametrize(("text", "words"), CATALOGUE.values(), ids=CATALOGUE.keys())
def test_a_wrong_catalogue_file_of_the_workspace(envforge: Run, tmp_path: Path, text: str, words: list[str]) -> None:
    folder = tmp_path / "themes" / "catalogue"
    folder.mkdir(parents=True)
    (folder / "piers.yaml").write_text(text, encoding="utf-8")
    _refused(envforge("mine", "--theme", "piers", cwd=tmp_path), tmp_path, *words)


THRESHOLDS = {
    "no JSON": ('{"mutation": ', ["environment.json", "JSON"]),
    "a list": ("[]", ["environment.json"]),
    "a gate left out": (
        '{"minimal_validity": {"tools": 1, "tables": 1, "verb_share": 1}}',
        ["environment.json", "realism"],
    ),
    "a word for a number": (
        '{"minimal_validity": {"tools": "ten", "tables": 4, "verb_share": 0.4}, "mutation": {"killed_share": 0.8, '
        '"most": 9}, "realism": {"title_distinct": 0.6, "owner_top_share": 0.5, "owner_minimum_rows": 60}}',
        ["environment.json", "minimal_validity.tools", "ten"],
    ),
}


@pytest.mark.parametrize(("text", "words"), THRESHOLDS.values(), ids=THRESHOLDS.keys())
def test_a_wrong_threshold_file_of_the_workspace(envforge: Run, tmp_path: Path, text: str, words: list[str]) -> None:
    folder = tmp_path / "validators" / "gates"
    folder.mkdir(parents=True)
    (folder / "environment.json").write_text(text, encoding="utf-8")
    source = f"file:{FIXTURES / 'lighthouses'}"
    done = envforge("mine", "--theme", "piers", "--new", "--source", source, cwd=tmp_path)
    _refused(done, tmp_path, *words)


def test_a_damaged_snapshot(envforge: Run, tmp_path: Path) -> None:
    (tmp_path / "snap").mkdir()
    (tmp_path / "snap" / "index.json").write_text("{", encoding="utf-8")
    done = envforge("mine", "--theme", "notion", "--snapshot", "snap", cwd=tmp_path)
    _refused(done, tmp_path, "index.json")


def test_a_workspace_that_cannot_be_written(envforge: Run, tmp_path: Path) -> None:
    # A file where the folder should be stops root too, whom permissions do not.
    (tmp_path / "runs").write_text("", encoding="utf-8")
    source = f"file:{FIXTURES / 'lighthouses'}"
    done = envforge("mine", "--theme", "piers", "--new", "--source", source, cwd=tmp_path)
    _refused(done, tmp_path, "runs")
