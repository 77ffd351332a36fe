"""Limits and manners of fetching from the live web: validators/web/fetch.json."""

from __future__ import annotations

from pydantic import Field

from envforge.core.records.base import Record

_MEBI = 1 << 20


class FetchSettings(Record):
    """What one fetch may cost, and how politely it is done. Changed in the file; a workspace's own file wins."""

    contact: str = Field(
        default="",
        pattern=r"^[!-~]{0,200}$",
        description="URL or address at which the owner of a site reaches who runs this; told in the user agent",
    )
    connect_seconds: float = Field(default=10, gt=0, description="for address, connection and handshake, each")
    idle_seconds: float = Field(default=20, gt=0, description="without a single byte")
    total_seconds: float = Field(default=120, gt=0, description="for one answer, from the connection to its last byte")
    redirects: int = Field(default=5, ge=0, description="followed for one URL; each is judged like the first")
    body_bytes: int = Field(default=64 * _MEBI, gt=0, description="of an answer as it is sent")
    unpacked_bytes: int = Field(default=256 * _MEBI, gt=0, description="of an answer after its compression is undone")
    ratio: int = Field(
        default=200, gt=0, description="unpacked to sent bytes, from `ratio_floor_bytes` unpacked bytes on"
    )
    ratio_floor_bytes: int = Field(default=_MEBI, gt=0, description="up to here any ratio is fine")
    error_bytes: int = Field(default=65_536, gt=0, description="kept of the page that comes with an error status")
    robots_bytes: int = Field(default=524_288, gt=0, description="read of a robots.txt; the rest is ignored")
    delay_seconds: float = Field(default=1.0, ge=0, description="between two requests to one host, at least")
    longest_delay_seconds: float = Field(
        default=60, ge=0, description="a site whose robots.txt asks for a longer delay is not fetched"
    )
    tries: int = Field(default=3, ge=1, description="of one request, after 429, 502, 503 and 504")
    longest_wait_seconds: float = Field(default=120, ge=0, description="a longer Retry-After is an error instead")
    mimes: tuple[str, ...] = Field(
        default=(
            *("text/*", "application/json", "application/*+json", "application/x-ndjson", "application/jsonl"),
            *("application/xml", "application/*+xml", "application/yaml", "application/x-yaml", "application/csv"),
            *("application/pdf", "application/sql", "application/graphql", "application/typescript"),
            *("application/javascript", "application/vnd.ms-excel", "application/vnd.apache.parquet"),
            *("application/vnd.openxmlformats-officedocument.*", "application/vnd.sqlite3", "application/x-sqlite3"),
            *("application/zip", "application/x-zip-compressed", "application/gzip", "application/x-gzip"),
        ),
        description="media types that are taken; bytes without a type only if the URL's ending says what they are",
    )
