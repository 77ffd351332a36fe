"""The adapters there are. A new one is a new file and its line here."""

from __future__ import annotations

from envforge.build.adapters.spec import AdapterSpec

ADAPTERS: dict[str, AdapterSpec] = {}
