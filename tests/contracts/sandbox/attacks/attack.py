"""What an attack is: the body of a hostile tool, and how it must end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import dedent
from typing import Literal

Ending = Literal["refused", "contained", "killed"]
"""`refused`: the call answers with an error. `contained`: it answers, and says that it achieved nothing.
`killed`: it costs the worker, and nothing else."""

Layer = Literal["python", "engine", "host", "limits", "files", "paths", "network", "processes", "privileges", "calls"]
"""What must hold: the Python layer, SQLite's guard, the host's side of the pipe, resource limits; then the kernel's:
files, names of files (who exists), network, other processes, privileges, system calls."""

KERNEL_LAYERS: frozenset[Layer] = frozenset({"files", "paths", "network", "processes", "privileges", "calls"})
HOLDS: dict[str, frozenset[Layer]] = {
    "namespaces": frozenset({"python", "engine", "host", "limits", *KERNEL_LAYERS}),
    "kernel": frozenset({"python", "engine", "host", "limits", *KERNEL_LAYERS - {"paths"}}),
    "unsafe": frozenset({"python", "engine", "host", "limits"}),
}
"""What each backend promises. A backend that is not listed here must hold everything."""

Bite = Literal["", "yes", "replaced"]
"""What the attack does in a process without any protection (as root): it achieves something; it is replaced by another
program; or "", it attacks what such a process does not have (the engine's guard, the host's pipe, the answer)."""


@dataclass(frozen=True)
class Attack:
    """A hostile tool.

    Args:
        name: also the name of the tool.
        body: Python; has `world`, `host` (facts about the outside) and, when escaped, `k` (the attacker's kit).
        layer: what must hold.
        ends: the endings that count as held; anything else is a breach.
        escaped: the Python layer is switched off first, so that the kernel must answer.
        says: what the refusal, or the reason of the worker's end, must hold.
        lasting: it may spoil its own session; that one is healthy after `restart()`.
        bite: what it does without protection.
    """

    name: str
    body: str
    layer: Layer
    ends: tuple[Ending, ...]
    escaped: bool = False
    says: str = ""
    lasting: bool = False
    bite: Bite = ""

    def held_by(self, backend: str) -> bool:
        """True when the backend promises to stop it."""
        return backend not in HOLDS or self.layer in HOLDS[backend]


def plain(name: str, layer: Layer, body: str, *, ends: Ending = "refused", says: str = "") -> Attack:
    """An attack in plain Python."""
    return Attack(name, dedent(body).strip("\n"), layer, (ends,), says=says)


def escaped(
    name: str, layer: Layer, body: str, *, ends: Iterable[Ending] = ("contained",), bite: Bite = "yes", says: str = ""
) -> Attack:
    """An attack that switches the Python layer off first; what it tries goes through `k.attempt`."""
    return Attack(name, dedent(body).strip("\n"), layer, tuple(ends), escaped=True, bite=bite, says=says)
