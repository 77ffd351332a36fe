"""What training needs beside the core packages, and what of it is here."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from envforge.core.errors import ConfigError

NEEDED: Mapping[str, str] = {
    "torch": ">=2.13",
    "transformers": ">=5.17,<5.18",
    "trl": ">=1.16,<1.17",
    "accelerate": ">=1.15",
    "datasets": ">=5.2",
    "peft": ">=0.21.2",
}
"""TRL is pinned to one minor version: full schemas of tools go in through a private part of its trainer."""
OPTIONAL: Mapping[str, str] = {"vllm": ">=0.22,<0.32", "deepspeed": "", "trackio": "", "tensorboard": "", "wandb": ""}
REMEDY = "pip install 'envforge[train]'"


def found(package: str) -> str:
    """The version that is installed; nothing: none."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def problems(needed: Mapping[str, str] = NEEDED) -> dict[str, str]:
    """Package -> what is wrong with it."""
    wrong: dict[str, str] = {}
    for package, wanted in needed.items():
        here = found(package)
        if not here:
            wrong[package] = "is not installed"
        elif wanted and Version(here).release and not SpecifierSet(wanted).contains(here, prereleases=True):
            wrong[package] = f"{here} is installed, {wanted} is needed"
    return wrong


def require(*more: str) -> None:
    """Raises ConfigError where a package is missing or of a version that was never tried; `more`: optional ones."""
    wanted = {**NEEDED, **{name: OPTIONAL[name] for name in more}}
    wrong = problems(wanted)
    if wrong:
        told = "; ".join(f"{package} {what}" for package, what in wrong.items())
        raise ConfigError(f"cannot train: {told}", where="packages", remedy=REMEDY + (_too(more) if more else ""))


def _too(more: tuple[str, ...]) -> str:
    return f", and pip install {' '.join(more)} as docs/training.md says"


def quiet() -> None:
    """Their bars and remarks would stand among what the command prints; errors are raised all the same."""
    library("transformers").utils.logging.disable_progress_bar()
    library("transformers").utils.logging.set_verbosity_error()
    library("datasets").disable_progress_bars()


def library(name: str) -> Any:
    """A module of the training packages, imported when it is needed: they are large, and may not be there."""
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    return importlib.import_module(name)
