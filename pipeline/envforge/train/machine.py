"""Whether this machine has what a run needs."""

from __future__ import annotations

import socket
from typing import Any
from urllib.parse import urlsplit

from envforge.core.errors import ConfigError
from envforge.core.records.train_config import TrainConfig
from envforge.train.installed import NEEDED, OPTIONAL, found, library, problems
from envforge.train.processes import processes

PROBLEM = "PROBLEM"
_PORTS = {"vLLM server": 8000, "its weights": 51216, "processes of one machine": 29500}


def gpus() -> list[tuple[str, float]]:
    """Name and gigabytes of every GPU that torch sees."""
    torch: Any = library("torch")
    if not torch.cuda.is_available():
        return []
    held = [torch.cuda.get_device_properties(number) for number in range(torch.cuda.device_count())]
    return [(one.name, one.total_memory / 2**30) for one in held]


def refuse_machine(config: TrainConfig) -> None:
    """Raises ConfigError for want of GPUs or of a server, and for more or fewer processes than there should be."""
    wanted = config.hardware
    if wanted.device == "gpu":
        _refuse_gpus(config, gpus())
    # Batches are counted for these: in other numbers a step would be another one.
    if processes() != max(1, wanted.gpus):
        message = f"it takes {max(1, wanted.gpus)} processes, one for each GPU; there are {processes()}"
        remedy = "start it as envforge train --dry-run prints it"
        raise ConfigError(message, where=f"settings {config.name}", remedy=remedy)
    if config.serving.engine == "vllm-server" and not answers(config.serving.url):
        remedy = "start it first: envforge train --dry-run prints the command"
        raise ConfigError("no vLLM server answers", where=config.serving.url, remedy=remedy)


def _refuse_gpus(config: TrainConfig, there: list[tuple[str, float]]) -> None:
    wanted = config.hardware
    if len(there) < wanted.gpus:
        remedy = "use --preset cpu-smoke here, see the plan with --dry-run, or run it where there are GPUs"
        message = f"{wanted.gpus} GPUs are needed, torch sees {len(there)}"
        raise ConfigError(message, where=f"settings {config.name}", remedy=remedy)
    small = [size for _, size in there[: wanted.gpus] if size < 0.9 * wanted.gigabytes]
    if small:
        message = f"GPUs of {wanted.gigabytes:.0f} GB are needed, one has {min(small):.0f}"
        remedy = "make batch and trajectories smaller, and say so in hardware.gigabytes"
        raise ConfigError(message, where=f"settings {config.name}", remedy=remedy)
    if len(there) > wanted.gpus == 1:
        message = f"one GPU is wanted, torch sees {len(there)}: its trainer would spread every batch over all of them"
        remedy = "CUDA_VISIBLE_DEVICES=0 shows it the first only"
        raise ConfigError(message, where=f"settings {config.name}", remedy=remedy)


def answers(url: str, seconds: float = 2.0) -> bool:
    """Somebody listens there."""
    parts = urlsplit(url)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=seconds):
            return True
    except OSError:
        return False


def training_facts() -> dict[str, str]:
    """What training needs, and what of it is here, in words."""
    wrong = problems()
    facts = {name: _said(name, wanted, wrong) for name, wanted in NEEDED.items()}
    for name, wanted in OPTIONAL.items():
        here = found(name)
        facts[name] = f"{here} (optional)" if here else f"none (optional{wanted and f', {wanted}'})"
    facts["GPUs"] = "torch is not there to look for them"
    if "torch" not in wrong:
        facts["GPUs"] = "; ".join(f"{name}, {size:.0f} GB" for name, size in gpus()) or "none: CPU presets only"
    for use, port in _PORTS.items():
        facts[f"port {port}"] = f"{'free' if not answers(f'http://127.0.0.1:{port}', 0.5) else 'TAKEN'} ({use})"
    return facts


def _said(name: str, wanted: str, wrong: dict[str, str]) -> str:
    return f"{PROBLEM}: {wrong[name]}" if name in wrong else f"{found(name)} (wanted {wanted})"
