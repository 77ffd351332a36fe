"""What was judged so far, line by line, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import envforge
from envforge.core.contracts import TaskCandidate
from envforge.core.ids import canonical_json, sha256_text
from envforge.core.records.environment import GateResult
from envforge.core.records.task import Difficulty, GoldCall
from envforge.factory.judging import Judgement
from envforge.store.files import parse_json, read_text, write_text
from envforge.store.log import append_record


class JudgementLog:
    """runs/<run>/judgements.jsonl. A line that cannot be read is as one that was never written."""

    def __init__(self, path: Path) -> None:
        """Raises StoreError."""
        self._path = path
        self._held: dict[str, Judgement] = {}
        if path.is_file():
            lines = read_text(path).split("\n")
            whole = [line for line in lines if self._read(line)]
            if len(whole) < len(lines) - 1 or lines[-1]:
                write_text(path, "".join(f"{line}\n" for line in whole))

    def known(self, candidate: TaskCandidate) -> Judgement | None:
        """The verdicts on this very candidate, if it was judged before."""
        return self._held.get(_key(candidate))

    def add(self, candidate: TaskCandidate, judgement: Judgement) -> None:
        """Keep verdicts. Raises StoreError."""
        key = _key(candidate)
        if key in self._held:
            return
        self._held[key] = judgement
        append_record(
            self._path,
            {
                "key": key,
                "gates": [gate.to_json() for gate in judgement.gates],
                "difficulty": judgement.difficulty.model_dump() if judgement.difficulty else None,
                "gold": [call.to_json() for call in judgement.gold],
                "answer": judgement.answer,
                "baselines": judgement.baselines,
                "program": judgement.program,
            },
            sort_keys=False,
        )

    def _read(self, line: str) -> bool:
        try:
            value = parse_json(line)
            self._held[value["key"]] = _judgement(value)
        except (ValueError, KeyError, TypeError):
            return False
        return True


@cache
def code_digest() -> str:
    """Changes when any line of this package does: verdicts of other code are not taken for ours."""
    digest = hashlib.sha256()
    for path in sorted(Path(envforge.__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _key(candidate: TaskCandidate) -> str:
    """Changes with anything that the gates look at."""
    parts = [candidate.id, candidate.kind, candidate.instruction, candidate.program, candidate.verifier]
    parts += [*candidate.alternatives, canonical_json([check.to_json() for check in candidate.checks])]
    return sha256_text(canonical_json([*parts, dict(candidate.answer_schema), candidate.intent.to_json()]))


def _judgement(value: Mapping[str, Any]) -> Judgement:
    measured = value["difficulty"]
    return Judgement(
        tuple(GateResult.model_validate(gate) for gate in value["gates"]),
        Difficulty.model_validate(measured) if measured else None,
        tuple(GoldCall.model_validate(call) for call in value["gold"]),
        value["answer"],
        value["baselines"],
        value["program"],
    )
