"""How models write calls, by name. A new one is one new file, its line here and its case in the contract suite."""

from __future__ import annotations

from collections.abc import Mapping

from envforge.core.errors import ConfigError
from envforge.rollout.protocols.hermes import Hermes
from envforge.rollout.protocols.native import Native
from envforge.rollout.protocols.protocol import Problem, Protocol, Reading, Toolbox
from envforge.rollout.protocols.react import ReAct

__all__ = ["PROTOCOLS", "Problem", "Protocol", "Reading", "Toolbox", "protocol"]

PROTOCOLS: Mapping[str, Protocol] = {"native": Native(), "react": ReAct(), "hermes": Hermes()}


def protocol(name: str) -> Protocol:
    """The protocol of this name. Raises ConfigError."""
    if name not in PROTOCOLS:
        raise ConfigError(f"there is no protocol {name!r}", where="--protocol", remedy=f"one of {', '.join(PROTOCOLS)}")
    return PROTOCOLS[name]
