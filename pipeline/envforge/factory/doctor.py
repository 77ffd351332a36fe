"""What this machine can do for envforge: how it holds untrusted code, tried live, and what else is there."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envforge.core.errors import ConfigError, SandboxError
from envforge.world.engine import available_engines, chosen_engine
from envforge.world.sandbox import landlock
from envforge.world.sandbox.backends import BACKENDS, best_backend
from envforge.world.sandbox.features import Features, sandbox_features
from envforge.world.sandbox.probes import Finding, run_probes
from envforge.world.sandbox.remedies import BackendState, backend_states, remedy_without_sandbox

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
_SECONDS = 20.0
_KINDS = ("user", "mount", "net", "ipc", "uts", "pid")


@dataclass(frozen=True)
class Layer:
    """One layer of the sandbox: `holds` is None where the sandbox does without it on purpose."""

    name: str
    holds: bool | None
    told: str


@dataclass(frozen=True)
class DoctorReport:
    """The report. `backend` is "" when tool code would be refused; `problem` says why it is not safe, "" if it is."""

    backend: str
    problem: str
    remedy: str
    backends: tuple[BackendState, ...]
    layers: tuple[Layer, ...]
    probes: tuple[Finding, ...]
    machine: dict[str, str]

    @property
    def safe(self) -> bool:
        """True when code that nobody trusts can be run here."""
        return not self.problem

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "safe": self.safe,
            "backend": self.backend,
            "problem": self.problem,
            "remedy": self.remedy,
            "backends": [state.to_json() for state in self.backends],
            "layers": {layer.name: {"holds": layer.holds, "told": layer.told} for layer in self.layers},
            "probes": [finding.to_json() for finding in self.probes],
            "machine": self.machine,
        }


def examine(workspace: Path) -> DoctorReport:
    """Start a worker, try what it must not be able to do, look at the machine. Takes a second."""
    states = backend_states()
    machine = machine_facts(workspace)
    try:
        backend = best_backend()
        features = sandbox_features(backend)
        findings = run_probes(backend)
    except SandboxError as error:
        return DoctorReport("", error.message, remedy_without_sandbox(), states, (), (), machine)
    problem = problem_of(backend, findings)
    remedy = "" if not problem else remedy_without_sandbox()
    return DoctorReport(backend, problem, remedy, states, layers_of(features), findings, machine)


def problem_of(backend: str, findings: tuple[Finding, ...]) -> str:
    """Why untrusted code cannot be run here; "" when it can."""
    if not BACKENDS[backend].safe:
        return f"the sandbox in use is {backend!r}: the kernel does not hold tool code"
    broken = [finding.name for finding in findings if finding.held is False]
    if broken:
        return f"the sandbox {backend!r} does not hold: {', '.join(broken)}"
    untried = [finding.name for finding in findings if finding.held is None]
    return f"could not be tried: {', '.join(untried)}" if untried else ""


def layers_of(features: Features) -> tuple[Layer, ...]:
    """The layers of a worker, as the worker itself tells them."""
    lock = f"version {features.landlock}" if features.landlock else f"none; the kernel has {landlock.version()}"
    used = BACKENDS[features.backend]
    # What a safe sandbox leaves out it does without; what the unsafe one leaves out is missing.
    left_out = None if used.safe else False
    outside = left_out if "namespaces" not in used.layers else False
    return (
        *(_namespace(kind, features, outside) for kind in _KINDS),
        Layer("root file system", features.root.startswith("empty") or outside, features.root),
        Layer("Landlock", bool(features.landlock) or (left_out if "landlock" not in used.layers else False), lock),
        Layer("seccomp", features.seccomp, "system call allow-list" if features.seccomp else "none"),
        Layer("user", features.user not in ("", "uid 0"), features.user),
        Layer("no new privileges", features.no_new_privileges, "set" if features.no_new_privileges else "not set"),
        Layer("limits", bool(features.limits), ", ".join(features.limits)),
        Layer("Python", features.audit, "import allow-list, audit hook" if features.audit else "none"),
    )


def _namespace(kind: str, features: Features, outside: bool | None) -> Layer:
    name = f"{kind} namespace"
    if kind in features.namespaces:
        return Layer(name, True, "its own")
    if kind == "user" and features.namespaces:
        return Layer(name, None, "not needed: root left the others without one")
    return Layer(name, outside, "the host's")


def machine_facts(workspace: Path) -> dict[str, str]:
    """Versions, cores, memory, programs and devices, each in words; "none" where there is none."""
    return {
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "Python": platform.python_version(),
        "SQLite": sqlite3.sqlite_version,
        "apsw": _apsw(),
        "engine": _engine(),
        "cores": str(processors()),
        "memory": _memory(),
        "node": _version("node", "--version"),
        "npm": _version("npm", "--version"),
        "Chromium": next((found for found in map(shutil.which, _BROWSERS) if found), "none"),
        "GPU": _version("nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"),
        "workspace": _writable(workspace),
    }


def processors() -> int:
    """How many this process may use; where the system does not tell, how many there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _apsw() -> str:
    try:
        import apsw
    except ImportError:
        return "none"
    return f"{apsw.apsw_version()} (SQLite {apsw.sqlite_lib_version()})"


def _engine() -> str:
    try:
        return f"{chosen_engine()} (there are: {', '.join(available_engines())})"
    except ConfigError as error:
        return f"none: {error}"


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return "unknown"
    return f"{size / 2**30:.1f} GiB"


def _version(program: str, *arguments: str) -> str:
    """The first lines that a program says about itself; "none" when it is not there or fails."""
    found = shutil.which(program)
    if not found:
        return "none"
    try:
        done = subprocess.run([found, *arguments], capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"broken: {error}"
    said = "; ".join((done.stdout if done.returncode == 0 else done.stderr).strip().splitlines())
    return said if done.returncode == 0 else f"broken: {said[:200]}"


def _writable(workspace: Path) -> str:
    folder = workspace.resolve()
    place = next(parent for parent in (folder, *folder.parents) if parent.exists())
    try:
        with tempfile.TemporaryFile(dir=place):
            return f"{folder}: writable"
    except OSError as error:
        return f"{folder}: NOT writable ({error.strerror})"
