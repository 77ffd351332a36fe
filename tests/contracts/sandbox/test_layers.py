"""Each kernel layer alone holds what it is there for, so that one layer's fault is not the sandbox's."""

from __future__ import annotations

import pytest

from envforge.core.errors import SandboxError
from envforge.world.environment import Environment
from envforge.world.sandbox import backends
from envforge.world.sandbox.limits import Limits

from .arena import Arena
from .attacks.attack import KERNEL_LAYERS, Attack
from .attacks.registry import ATTACKS

OPENING = {"read_files", "list_folders", "write_outside", "links", "proc", "kernel_files", "devices", "huge_file"}
ALONE = {
    "namespaces": OPENING
    | {"who_exists", "change_the_canary", "sql_without_guard", "connect_tcp", "send_udp", "connect_unix", "mounts"},
    "landlock": OPENING | {"sql_without_guard", "connect_tcp"},
    "seccomp": {attack.name for attack in ATTACKS if attack.escaped and attack.layer in KERNEL_LAYERS},
}
CASES = [(layer, attack) for layer, names in ALONE.items() for attack in ATTACKS if attack.name in names]
LIMITS = Limits(call_seconds=20.0, memory_mb=320)


@pytest.mark.parametrize(("layer", "attack"), CASES, ids=[f"{layer}-{attack.name}" for layer, attack in CASES])
def test_a_layer_alone(
    layer: str, attack: Attack, hostile: Environment, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"{layer} alone"
    monkeypatch.setitem(backends.BACKENDS, name, backends.Backend(name, (layer,), "for this test", safe=False))
    if reason := backends.why_not(name):
        pytest.skip(f"this machine has no {layer}: {reason}")
    with hostile.start(backend=name, limits=LIMITS) as session, hostile.start(backend=name) as sibling:
        answer = session.call(attack.name, {"host": arena.facts(sibling.worker_pid)})
        assert answer.result is not None and answer.result["escaped"], answer
        assert not answer.result["got"]
        assert answer.result["refused"]
        assert not arena.traces()


def test_every_layer_of_a_backend_is_tried() -> None:
    used = {layer for backend in backends.BACKENDS.values() for layer in backend.layers}
    assert used == set(ALONE)
    found = {attack.name for attack in ATTACKS}
    assert all(names <= found for names in ALONE.values())


def test_the_weakest_backend_must_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(backends.UNSAFE_VARIABLE)
    with pytest.raises(SandboxError, match="--unsafe"):
        backends.checked_backend("unsafe")
