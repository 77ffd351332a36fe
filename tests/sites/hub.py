"""A hub on loopback: repositories, commits, tags and large files as the Hub's API has them, and faults on demand."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any
from urllib.parse import unquote, urlsplit

from huggingface_hub import HfApi

from envforge.publish.hub import Hub, HubCalls

TOKEN = "hf_loopbackloopbackloopback"
_LARGE = (".parquet", ".png")
_ROUTES: list[tuple[str, re.Pattern[str], str]] = [
    ("POST", re.compile(r"/api/repos/create"), "create"),
    ("POST", re.compile(r"/api/validate-yaml"), "validate"),
    ("GET", re.compile(r"/api/datasets/(\w+/[\w.-]+)/revision/(.+)"), "info"),
    ("GET", re.compile(r"/api/datasets/(\w+/[\w.-]+)/tree/([^/]+)/?"), "tree"),
    ("POST", re.compile(r"/api/datasets/(\w+/[\w.-]+)/preupload/(.+)"), "preupload"),
    ("POST", re.compile(r"/api/datasets/(\w+/[\w.-]+)/commit/(.+)"), "commit"),
    ("POST", re.compile(r"/api/datasets/(\w+/[\w.-]+)/tag/(.+)"), "tag"),
    ("POST", re.compile(r"/datasets/(\w+/[\w.-]+)\.git/info/lfs/objects/batch"), "batch"),
    ("PUT", re.compile(r"/large/(\w+)"), "put"),
    ("GET", re.compile(r"/datasets/(\w+/[\w.-]+)/resolve/([^/]+)/(.+)"), "file"),
    ("HEAD", re.compile(r"/datasets/(\w+/[\w.-]+)/resolve/([^/]+)/(.+)"), "file"),
]


@dataclass
class Repository:
    """Commits by id, and what names them."""

    private: bool
    commits: dict[str, dict[str, bytes]] = field(default_factory=dict[str, dict[str, bytes]])
    names: dict[str, str] = field(default_factory=dict[str, str])

    def files(self, revision: str) -> tuple[str, dict[str, bytes]]:
        commit = self.names.get(revision, revision)
        return commit, self.commits[commit]

    def add(self, branch: str, files: dict[str, bytes]) -> str:
        commit = hashlib.sha1(f"{len(self.commits)} {sorted(files)}".encode()).hexdigest()
        self.commits[commit] = files
        self.names[branch] = commit
        return commit


class LoopbackHub:
    """The server. `faults`: what is done → statuses that it answers with, one call after the other."""

    def __init__(self) -> None:
        self.lock = Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.reset()

    def reset(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self.large: dict[str, bytes] = {}
        self.faults: dict[str, list[int]] = {}
        self.sent: list[str] = []
        """Paths whose bytes came in a commit or a large upload, in order."""
        self.got: list[str] = []

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def environment(self, token: str = TOKEN) -> dict[str, str]:
        """Environment variables that lead the package here."""
        return {"HF_ENDPOINT": self.url, "HF_HUB_DISABLE_XET": "1", "HF_TOKEN": token, "HF_HUB_OFFLINE": "0"}

    def client(self, repo: str, token: str = TOKEN) -> Hub:
        """A client in this process."""
        api: Any = HfApi(endpoint=self.url, token=token)
        return Hub(repo, HubCalls(api.create_repo, api.upload_folder, api.create_tag, api.snapshot_download))

    def main(self, repo: str) -> dict[str, bytes]:
        return self.repositories[repo].files("main")[1]

    def tags(self, repo: str) -> list[str]:
        return sorted(set(self.repositories[repo].names) - {"main"})

    def fault(self, name: str) -> int:
        """The status that this call is to have; 0: none."""
        with self.lock:
            waiting = self.faults.get(name, [])
            return waiting.pop(0) if waiting else 0

    def create(self, body: dict[str, Any]) -> tuple[int, Any]:
        repo = f"{body['organization']}/{body['name']}" if body.get("organization") else f"someone/{body['name']}"
        if repo in self.repositories:
            return 409, {"error": "You already created this dataset repo"}
        made = self.repositories[repo] = Repository(body.get("visibility") == "private")
        made.add("main", {".gitattributes": b"*.parquet filter=lfs\n"})
        return 200, {"url": f"{self.url}/datasets/{repo}", "id": repo}

    def info(self, repo: str, revision: str) -> tuple[int, Any]:
        commit, files = self.repositories[repo].files(revision)
        return 200, {"id": repo, "sha": commit, "private": False, "tags": [], "siblings": [
            {"rfilename": path} for path in files
        ]}  # fmt: skip

    def tree(self, repo: str, revision: str) -> tuple[int, Any]:
        _, files = self.repositories[repo].files(revision)
        return 200, [
            {"type": "file", "path": path, "size": len(data), **oids(path, data)} for path, data in files.items()
        ]

    def preupload(self, repo: str, revision: str, body: dict[str, Any]) -> tuple[int, Any]:
        files = self.main(repo)
        told: list[dict[str, Any]] = []
        for one in body["files"]:
            path = one["path"]
            known = {"oid": oid(path, files[path])} if path in files else {}
            mode = "lfs" if path.endswith(_LARGE) else "regular"
            told.append({"path": path, "uploadMode": mode, "shouldIgnore": False, **known})
        return 200, {"files": told}

    def commit(self, repo: str, revision: str, lines: list[dict[str, Any]]) -> tuple[int, Any]:
        files = dict(self.main(repo))
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
                self.sent.append(value["path"])
            elif line["key"] == "lfsFile":
                files[value["path"]] = self.large[value["oid"]]
            elif line["key"] == "deletedFile":
                files.pop(value["path"])
        made = self.repositories[repo].add(revision, files)
        return 200, {"success": True, "commitOid": made, "commitUrl": f"{self.url}/datasets/{repo}/commit/{made}"}

    def tag(self, repo: str, revision: str, body: dict[str, Any]) -> tuple[int, Any]:
        names = self.repositories[repo].names
        if body["tag"] in names:
            return 409, {"error": "Tag exists"}
        names[body["tag"]] = names.get(revision, revision)
        return 200, {}

    def batch(self, repo: str, body: dict[str, Any]) -> tuple[int, Any]:
        objects: list[dict[str, Any]] = []
        for one in body["objects"]:
            told: dict[str, Any] = {"oid": one["oid"], "size": one["size"], "authenticated": True}
            if one["oid"] not in self.large:
                told["actions"] = {"upload": {"href": f"{self.url}/large/{one['oid']}", "header": {}}}
            objects.append(told)
        return 200, {"transfer": "basic", "objects": objects}


def oid(path: str, data: bytes) -> str:
    if path.endswith(_LARGE):
        return hashlib.sha256(data).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def oids(path: str, data: bytes) -> dict[str, Any]:
    large = {"lfs": {"oid": oid(path, data), "size": len(data), "pointerSize": 134}} if path.endswith(_LARGE) else {}
    return {"oid": hashlib.sha1(data).hexdigest(), **large}


def _handler(hub: LoopbackHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Nobody reads it."""

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path = unquote(urlsplit(self.path).path)
            for method, pattern, name in _ROUTES:
                if self.command == method and (found := pattern.fullmatch(path)):
                    return self._answer(name, found.groups(), body)
            return self._send(404, {"error": f"no such route: {self.command} {path}"})

        def _answer(self, name: str, parts: tuple[str, ...], body: bytes) -> None:
            if status := hub.fault(name):
                if status < 0:
                    self.close_connection = True
                    return self.connection.close()
                return self._send(status, {"error": f"fault {status}"})
            if name == "put":
                hub.large[parts[0]] = body
                hub.sent.append(parts[0])
                return self._send(200, {})
            if (self.headers.get("Authorization") or "") != f"Bearer {TOKEN}":
                return self._send(401, {"error": "Invalid credentials in Authorization header"})
            if parts and parts[0] not in hub.repositories:
                return self._send(404, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"})
            revisions = hub.repositories[parts[0]] if parts else None
            if (
                name in ("info", "tree", "file")
                and revisions is not None
                and not (parts[1] in revisions.names or parts[1] in revisions.commits)
            ):
                return self._send(404, {"error": "Invalid rev id"}, {"X-Error-Code": "RevisionNotFound"})
            if name == "file":
                return self._file(*parts)
            if name == "validate":
                return self._send(200, {"errors": [], "warnings": []})
            return self._send(*self._done(name, parts, body))

        def _done(self, name: str, parts: tuple[str, ...], body: bytes) -> tuple[int, Any]:
            given: list[Any] = [json.loads(body)] if body and name != "commit" else []
            if name == "commit":
                given = [[json.loads(line) for line in body.decode().splitlines()]]
            act: Callable[..., tuple[int, Any]] = getattr(hub, name)
            with hub.lock:
                return act(*parts, *given)

        def _file(self, repo: str, revision: str, path: str) -> None:
            commit, files = hub.repositories[repo].files(revision)
            if path not in files:
                return self._send(404, {"error": "Entry not found"}, {"X-Error-Code": "EntryNotFound"})
            if self.command == "GET":
                hub.got.append(path)
            headers = {"X-Repo-Commit": commit, "ETag": f'"{oid(path, files[path])}"'}
            return self._bytes(200, files[path], "application/octet-stream", headers)

        def _send(self, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
            more: dict[str, str] = {"X-Error-Message": value["error"]} if status >= 400 else {}
            self._bytes(status, json.dumps(value).encode(), "application/json", {**more, **(headers or {})})

        def _bytes(self, status: int, data: bytes, kind: str, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

    for verb in ("GET", "HEAD", "POST", "PUT"):
        setattr(Handler, f"do_{verb}", Handler._serve)  # pyright: ignore[reportPrivateUsage]
    return Handler
