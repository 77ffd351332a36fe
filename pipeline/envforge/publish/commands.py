"""The commands that made an environment and its tasks, from what their records say of the options."""

from __future__ import annotations

from envforge.core.records.environment import EnvironmentManifest
from envforge.core.records.task import TaskSetCertificate

_LEVELS = (1, 2, 3, 4, 5)


def mining(manifest: EnvironmentManifest) -> list[str]:
    """The words of `envforge mine`; `statistics` holds the options (factory.assemble writes them there)."""
    stated = manifest.statistics
    linked: list[str] = list(stated.get("linked", ()))
    words = ["envforge", "mine", "--theme", linked[0] if linked else manifest.theme]
    words += ["--link", linked[1]] if len(linked) > 1 else []
    words += ["--new"] if stated.get("new") else []
    for name in ("source", "keep", "set"):
        words += [word for value in stated.get(name, ()) for word in (f"--{name}", str(value))]
    for name in ("rounds", "max_tools", "max_tables", "seed"):
        words += [f"--{name.replace('_', '-')}", str(stated[name])] if name in stated else []
    words += ["--documents"] if "documents" in stated else []
    words += ["--database-seeds", str(manifest.database_seed)] if manifest.database_seed else []
    return words


def synthesis(environment: str, asked: TaskSetCertificate | None) -> list[str]:
    """The words of `envforge synth-tasks`, as often and as hard as was asked for."""
    words = ["envforge", "synth-tasks", "--env", environment]
    if asked is None:
        return words
    words += ["--count", str(asked.wanted)]
    words += ["--seed", str(asked.seed)] if asked.seed else []
    if tuple(asked.levels) != _LEVELS:
        words += ["--difficulty", ",".join(str(level) for level in asked.levels)]
    if asked.mix:
        words += ["--mix", ",".join(f"{kind}={share:g}" for kind, share in sorted(asked.mix.items()))]
    return words
