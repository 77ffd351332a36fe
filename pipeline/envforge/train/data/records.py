"""The records of a training set. They stand in `core`, where the store makes their JSON Schemas from."""

from __future__ import annotations

from envforge.core.records.training import (
    SPLITS,
    Demonstrator,
    FamilyTools,
    SftExample,
    Split,
    TrainingEnvironment,
    TrainingRow,
    TrainingSet,
    as_chat,
    leaks,
)

__all__ = [
    "SPLITS",
    "Demonstrator",
    "FamilyTools",
    "SftExample",
    "Split",
    "TrainingEnvironment",
    "TrainingRow",
    "TrainingSet",
    "as_chat",
    "leaks",
]
