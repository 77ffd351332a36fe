"""What a browsing run leaves beside its WARC: how it was set up, what its pages asked for, what was denied."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from envforge.core.records.base import Record

SHA256 = r"^[0-9a-f]{64}$"


class BrowseLimits(Record):
    """What a browsing run may cost: `validators/web/browse.json`. Over a limit there is a typed error or a note."""

    body_bytes: int = Field(default=64 << 20, gt=0, description="of one response, unpacked; a download is one")
    total_bytes: int = Field(default=512 << 20, gt=0, description="of all that comes through the proxy in a run")
    body_seconds: float = Field(default=30, gt=0, description="for one response, from its head to its last byte")
    dial_seconds: float = Field(default=15, gt=0, description="for one connection")
    idle_seconds: float = Field(default=60, gt=0, description="of a connection on which nothing moves")
    open_seconds: float = Field(default=90, gt=0, description="until a page can be read, waits for robots.txt included")
    settle_seconds: float = Field(default=8, gt=0, description="a page may go on loading, then it is shown as it is")
    quiet_seconds: float = Field(default=0.4, gt=0, description="a page that asked for nothing for so long has settled")
    act_seconds: float = Field(default=5, gt=0, description="for one click; twice of it for reading a page")
    wait_seconds: float = Field(default=30, gt=0, description="the longest `wait`")
    view_chars: int = Field(default=8000, ge=500, description="of one part of a page; `more` shows the next one")
    page_chars: int = Field(default=400_000, ge=500, description="of a whole page; what is beyond is not read")
    tabs: int = Field(default=8, ge=1, description="open at a time")
    frames: int = Field(default=20, ge=0, description="of a page that are read, besides the page itself")
    connections: int = Field(default=256, ge=1, description="of the browser at a time")
    screenshots: int = Field(default=500, ge=0, description="of a run")


class BrowseRun(Record):
    """`browse.json`: what has to be the same again when a run is replayed."""

    started_at: str = Field(description="UTC ISO 8601; pages of a replay see this as the time of their start")
    seed: int = Field(description="of Math.random in every page")
    agent: str = Field(default="", description="what stands behind the browser's own user agent: who reads")
    width: int
    height: int
    sandboxed: bool = Field(description="False where the browser ran without its own sandbox (as root)")


class PageRequest(Record):
    """A line of `requests.jsonl`: one request of a page, and what became of it."""

    method: str
    url: str = Field(description="without its fragment; secrets in it are replaced by stars")
    kind: str = Field(description="what asked for it: Document, Script, Stylesheet, XHR, Fetch, Image …")
    body_sha256: str = Field(default="", description="of what was sent with it; empty when nothing was")
    outcome: Literal["answered", "refused", "failed"]
    rule: str = Field(default="", description="refused: the rule; failed: the browser's or the proxy's word for it")
    reason: str = Field(default="", description="the message, for people")
    retrieved_at: str = Field(description="UTC ISO 8601")
    status: int | None = None
    mime: str = ""
    sha256: str = Field(default="", description="of the body as the page got it, unpacked")
    bytes: int = Field(default=0, ge=0)
    offset: int = Field(default=0, ge=0, lt=1 << 60, description="of the gzip member in the WARC")
    length: int = Field(default=0, ge=0, lt=1 << 30, description="of the gzip member; 0 when there is none")


class ProxyDecision(Record):
    """A line of `proxy.jsonl`: what the proxy did with a connection of the browser."""

    verdict: Literal["allowed", "challenged", "denied", "failed"]
    rule: str = Field(default="", description="why not: unasked, secret, method, request, limit, dial, time")
    method: str
    host: str
    port: int
    at: str = Field(description="UTC ISO 8601")
