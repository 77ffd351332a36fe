"""Takes secrets out of text before it gets into a message or a record.

`scrub` is for messages, logs and transcripts: what might be a secret goes. Pages of documentation are full of what
might be one and is none; `web/scrubbing` judges by context what these patterns find there.
"""

from __future__ import annotations

import re

HIDDEN = "***"
ADDRESS_CREDENTIALS = re.compile(r"(://)[^\s/@'\"<>]+@")
"""user:password@ and token@ in an address. Without its scheme: to look for that first takes long on long words."""
ASSIGNED = re.compile(
    r"(?i)((?:_?auth(?:_?token)?|_?password|passwd|secret|api[_-]?key|access[_-]?token|token)"
    r"[\"']?\s*[=:]\s*)(?:\"[^\"]*\"|'[^']*'|[^\s&;,'\"]+)"
)
"""_authToken=…, _password=…, --token=…, ?access_token=…"""
AUTHORISATION = re.compile(r"(?i)\b((?:bearer|basic|authorization:\s*token)\s+)[A-Za-z0-9._~+/=-]{6,}")
"""Authorization: Bearer …"""
KNOWN_KEY = re.compile(
    r"\b(?:npm_[A-Za-z0-9]{20,}|pypi-[A-Za-z0-9_-]{20,}|gh[pousr]_[A-Za-z0-9]{20,}|glpat-[A-Za-z0-9_-]{20,}"
    r"|sk-[A-Za-z0-9]{20,}|sk-(?:proj|svcacct|or-v1|ant-[a-z]+\d+)-[A-Za-z0-9_-]{20,}"
    r"|hf_[A-Za-z0-9]{20,}|sk_(?:live|test)_[A-Za-z0-9]{16,}|AKIA[A-Z0-9]{16})"
)
"""Keys that say by their form what they are."""
_REPLACEMENTS = (
    (ADDRESS_CREDENTIALS, rf"\1{HIDDEN}@"),
    (ASSIGNED, rf"\1{HIDDEN}"),
    (AUTHORISATION, rf"\1{HIDDEN}"),
    (KNOWN_KEY, HIDDEN),
)


def scrub(text: str) -> str:
    """`text` with passwords, tokens and credentials in addresses replaced by stars."""
    for pattern, replacement in _REPLACEMENTS:
        text = pattern.sub(replacement, text)
    return text
