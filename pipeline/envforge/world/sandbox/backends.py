"""The sandboxes there are, from the strongest to none, and which one this machine gets.

A backend is a set of kernel layers; the Python layer (import allow-list, audit hook) and the limits are always on.
"""

from __future__ import annotations

import functools
import os
import sys
from dataclasses import dataclass

from envforge.core.errors import SandboxError

UNSAFE_VARIABLE = "ENVFORGE_UNSAFE"
"""Set to 1 (the option --unsafe does) it lets tool code run where the kernel cannot hold it."""
CHOICE_VARIABLE = "ENVFORGE_SANDBOX"
"""Names the backend to use instead of the best one."""
NEEDS_LINUX = "the sandbox needs Linux: run envforge in a container or in WSL 2"


@dataclass(frozen=True)
class Backend:
    """A named set of kernel layers."""

    name: str
    layers: tuple[str, ...]
    summary: str
    safe: bool = True


BACKENDS = {
    backend.name: backend
    for backend in (
        Backend("namespaces", ("namespaces", "landlock", "seccomp"), "own namespaces, empty root, Landlock, seccomp"),
        Backend("kernel", ("landlock", "seccomp"), "Landlock and seccomp, in the host's namespaces"),
        Backend("unsafe", (), "no kernel layer: for tool code that you trust", safe=False),
    )
}


def on_linux() -> bool:
    """Elsewhere not even `unsafe` is tried: also how a worker ends with its host is Linux's."""
    return sys.platform == "linux"


@functools.cache
def why_not(name: str) -> str:
    """Why this machine cannot carry the backend; "" when it can. Tried once, by starting it."""
    if not on_linux():
        return f"it needs Linux, this is {sys.platform}"
    from envforge.world.sandbox.zygote_client import ZygoteClient

    try:
        ZygoteClient.start(BACKENDS[name]).close()
    except SandboxError as error:
        return error.message
    return ""


def available_backends() -> tuple[str, ...]:
    """Names of the backends that this machine carries, best first."""
    return tuple(name for name in BACKENDS if not why_not(name))


def best_backend() -> str:
    """The backend to use. Raises SandboxError when tool code could not be held and --unsafe was not given."""
    chosen = os.environ.get(CHOICE_VARIABLE, "")
    if chosen:
        return checked_backend(chosen)
    for backend in BACKENDS.values():
        if backend.safe and not why_not(backend.name):
            return backend.name
    return checked_backend("unsafe")


def checked_backend(name: str) -> str:
    """`name`, if it is one and may be used. Raises SandboxError."""
    if not on_linux():
        raise SandboxError(f"tool code is not run on {sys.platform}", remedy=NEEDS_LINUX)
    if name not in BACKENDS:
        raise SandboxError(
            f"there is no sandbox {name!r}", where=CHOICE_VARIABLE, remedy=f"one of {', '.join(BACKENDS)}"
        )
    if not BACKENDS[name].safe and os.environ.get(UNSAFE_VARIABLE) != "1":
        reasons = {other.name: why_not(other.name) for other in BACKENDS.values() if other.safe}
        told = "; ".join(f"{other}: {reason}" for other, reason in reasons.items() if reason) or f"{name!r} was named"
        remedy = "see `envforge doctor`; --unsafe (ENVFORGE_UNSAFE=1) runs it all the same, for code that you trust"
        raise SandboxError(f"the kernel would not hold tool code ({told})", remedy=remedy)
    return name
