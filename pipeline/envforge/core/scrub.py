"""Takes secrets out of text before it gets into a message or a record."""

from __future__ import annotations

import re

_HIDDEN = "***"
_PATTERNS = (
    # user:password@ and token@ in an address
    (re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)[^\s/@'\"<>]+@"), rf"\1{_HIDDEN}@"),
    # _authToken=…, _password=…, --token …, Authorization: Bearer …, ?access_token=…
    (
        re.compile(
            r"(?i)((?:_?auth(?:_?token)?|_?password|passwd|secret|api[_-]?key|access[_-]?token|token)"
            r"[\"']?\s*[=:]\s*)(?:\"[^\"]*\"|'[^']*'|[^\s&;,'\"]+)"
        ),
        rf"\1{_HIDDEN}",
    ),
    (re.compile(r"(?i)\b((?:bearer|basic|authorization:\s*token)\s+)[A-Za-z0-9._~+/=-]{6,}"), rf"\1{_HIDDEN}"),
    (
        re.compile(
            r"\b(?:npm_[A-Za-z0-9]{20,}|pypi-[A-Za-z0-9_-]{20,}|gh[pousr]_[A-Za-z0-9]{20,}|glpat-[A-Za-z0-9_-]{20,}"
            r"|sk-[A-Za-z0-9]{20,}|sk-(?:proj|svcacct|or-v1|ant-[a-z]+\d+)-[A-Za-z0-9_-]{20,}"
            r"|hf_[A-Za-z0-9]{20,}|sk_(?:live|test)_[A-Za-z0-9]{16,}|AKIA[A-Z0-9]{16})"
        ),
        _HIDDEN,
    ),
)


def scrub(text: str) -> str:
    """`text` with passwords, tokens and credentials in addresses replaced by stars."""
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return text
