"""Why a better sandbox is not to be had, and what helps."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from envforge.world.sandbox import remedies
from envforge.world.sandbox.backends import BACKENDS, CHOICE_VARIABLE
from envforge.world.sandbox.remedies import backend_states, read_kernel_file, remedy_for, remedy_without_sandbox

ALL = BACKENDS["namespaces"].layers
UNSHARE = "the sandbox 'namespaces' cannot be had here: unshare: Operation not permitted"
FULL = "Name:\tx\nCapEff:\t000001ffffffffff\n"
DOCKER = "Name:\tx\nCapEff:\t00000000a80425fb\n"


def machine(**files: str) -> Callable[[str], str]:
    """A kernel with these files (by the last part of their path)."""
    return lambda path: files.get(path.rpartition("/")[2], "")


SWITCHED_OFF = {
    "max_user_namespaces": "user.max_user_namespaces=15000",
    "unprivileged_userns_clone": "kernel.unprivileged_userns_clone=1",
}


@pytest.mark.parametrize("name", SWITCHED_OFF)
def test_a_switch_of_the_kernel_is_named(name: str) -> None:
    assert SWITCHED_OFF[name] in remedy_for(ALL, UNSHARE, machine(**{name: "0"}, status=FULL))
    assert SWITCHED_OFF[name] not in remedy_for(ALL, UNSHARE, machine(**{name: "1"}, status=FULL))


def test_apparmor_is_named() -> None:
    told = remedy_for(ALL, UNSHARE, machine(apparmor_restrict_unprivileged_userns="1", status=FULL))
    assert "AppArmor" in told


def test_root_without_the_capability(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert "lacks CAP_SYS_ADMIN" in remedy_for(ALL, UNSHARE, machine(status=DOCKER))
    assert "lacks" not in remedy_for(ALL, UNSHARE, machine(status=FULL))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "lacks" not in remedy_for(ALL, UNSHARE, machine(status=DOCKER))


def test_root_that_must_stay_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    locked = machine(status="CapEff:\t0000000000000000\n")
    for name in ("namespaces", "kernel", "unsafe"):
        assert "ordinary user" in remedy_for(BACKENDS[name].layers, "[Errno 1] Operation not permitted", locked)


def test_a_kernel_without_landlock_or_seccomp() -> None:
    assert "5.13" in remedy_for(BACKENDS["kernel"].layers, "landlock: this kernel has none", machine())
    assert "CONFIG_SECCOMP_FILTER" in remedy_for(BACKENDS["kernel"].layers, "seccomp: Invalid argument", machine())


def test_another_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    assert "needs Linux" in remedy_for(ALL, "prctl: not here", machine())


def test_states_say_why_and_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    def why_not(name: str) -> str:
        return UNSHARE if name == "namespaces" else ""

    monkeypatch.setattr(remedies, "why_not", why_not)
    best, *others = backend_states()
    assert best.name == "namespaces" and best.why_not == "unshare: Operation not permitted" and best.remedy
    assert all(not state.why_not and not state.remedy for state in others)
    assert not others[-1].safe


def test_without_any_sandbox() -> None:
    assert "--unsafe" in remedy_without_sandbox({})
    assert f"{CHOICE_VARIABLE}=kernel" in remedy_without_sandbox({CHOICE_VARIABLE: "kernel"})


def test_a_file_that_is_not_there_is_empty() -> None:
    assert read_kernel_file("/proc/no/such/file") == ""
    assert "CapEff" in read_kernel_file("/proc/self/status")
