"""The exporters, by name."""

from __future__ import annotations

from envforge.publish.adapters.exporter import Exporter
from envforge.publish.adapters.nemo import NemoGym

EXPORTERS: tuple[Exporter, ...] = (NemoGym(),)
