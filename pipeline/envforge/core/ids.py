"""Content hashes and identifiers. The same content always has the same id."""

from __future__ import annotations

import hashlib
import json
import uuid
from typing import Any


def canonical_json(value: Any) -> str:
    """JSON with sorted keys, no spaces and no ASCII escapes: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def sha256_text(text: str) -> str:
    """Hex SHA-256 of the UTF-8 bytes of `text`."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def sha256_bytes(data: bytes) -> str:
    """Hex SHA-256 of `data`."""
    return hashlib.sha256(data).hexdigest()


def content_id(prefix: str, value: Any) -> str:
    """`prefix-` plus 16 hex digits of the canonical JSON's SHA-256."""
    return f"{prefix}-{sha256_text(canonical_json(value))[:16]}"


def seeded_uuid(*parts: str | int) -> str:
    """A version-4 shaped UUID that depends on `parts` only."""
    digest = bytearray(hashlib.sha256("\x1f".join(str(part) for part in parts).encode()).digest()[:16])
    digest[6] = (digest[6] & 0x0F) | 0x40
    digest[8] = (digest[8] & 0x3F) | 0x80
    return str(uuid.UUID(bytes=bytes(digest)))
