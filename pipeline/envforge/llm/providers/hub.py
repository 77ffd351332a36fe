"""Where a local model's file is: on this disk, or on the Hugging Face Hub, through the package `huggingface_hub`.

The package keeps what it downloads in its own cache, takes a token from the environment, and says nothing of it here.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envforge.core.errors import ConfigError
from envforge.core.model_errors import ConnectionLostError
from envforge.core.scrub import scrub
from envforge.llm.permission import require_permission

PACKAGE = "huggingface_hub"
_THEIRS = (PACKAGE, "httpx", "httpx2")
"""Whose errors come out of it: its list of files lets those of its HTTP client through, which are no OSError."""
FORM = "ORG/NAME:FILE.gguf, or ORG/NAME where that has one such file; with @REVISION behind NAME if wanted"
_ID = re.compile(
    r"(?P<repo>[\w-][\w.-]*/[\w-][\w.-]*?)(?:@(?P<revision>[\w.-]+))?(?::(?P<file>[^:]+\.gguf))?", re.ASCII
)
_SPLIT_FILE = re.compile(r"-\d{5}-of-\d{5}\.gguf$")


@dataclass(frozen=True)
class HubClient:
    """The two functions of the package that are used; a test hands in its own."""

    download: Callable[..., str]
    files: Callable[..., list[str]]


def model_file(model: str, client: HubClient | None = None) -> Path:
    """The GGUF file that `model` names: a path, or an id on the Hub, from where it is downloaded if it is not there.

    Raises ConfigError for what is neither, is not there or needs leave, ConnectionLostError where the Hub cannot be
    reached.
    """
    found = _ID.fullmatch(model)
    if Path(model).exists() or found is None or found["repo"].endswith(".gguf"):
        return Path(model)
    require_permission("")
    client = client or _client(model)
    where = {"repo_id": found["repo"], "revision": found["revision"]}
    try:
        file = found["file"] or _only_file(client.files(**where), model)
        return Path(client.download(filename=file, **where))
    except OSError as error:
        raise _typed(error, model) from None
    except Exception as error:
        if type(error).__module__.split(".")[0] not in _THEIRS:
            raise
        raise _typed(error, model) from None


def _client(model: str) -> HubClient:
    if importlib.util.find_spec(PACKAGE) is None:
        remedy = "pip install 'envforge[local]', or give a GGUF file on this disk"
        raise ConfigError(f"no such file; an id on the Hub needs the package {PACKAGE}", where=model, remedy=remedy)
    hub: Any = importlib.import_module(PACKAGE)
    return HubClient(hub.hf_hub_download, hub.list_repo_files)


def _only_file(files: list[str], model: str) -> str:
    """The one model among the files. Raises ConfigError with those there are."""
    models = sorted(file for file in files if file.endswith(".gguf") and not _SPLIT_FILE.search(file))
    if len(models) == 1:
        return models[0]
    there = ", ".join(models[:12]) + (" …" if len(models) > 12 else "")
    told = f"has {len(models)} GGUF files" if models else "has no GGUF file in one piece"
    raise ConfigError(told, where=model, remedy=f"name one, {FORM}; there are: {there}" if models else "take another")


def _typed(error: Exception, model: str) -> ConfigError | ConnectionLostError:
    """What the package's error means to who named the model. It may hold a token: it is scrubbed, not chained."""
    name = type(error).__name__
    if name in ("RepositoryNotFoundError", "GatedRepoError", "DisabledRepoError"):
        remedy = "check the id; a private or gated model needs HF_TOKEN in the environment"
        return ConfigError("there is no such model on the Hub, or it may not be read", where=model, remedy=remedy)
    if name in ("RevisionNotFoundError", "EntryNotFoundError", "RemoteEntryNotFoundError", "HFValidationError"):
        return ConfigError("the Hub has no such file or revision of it", where=model, remedy=f"write {FORM}")
    told = f"could not be downloaded: {name} {scrub(' '.join(str(error).split()))[:160]}".rstrip()
    remedy = "is there a network? What was downloaded once is found offline when its file is named; or give a path"
    return ConnectionLostError(told, where=model, remedy=remedy, retryable=True)
