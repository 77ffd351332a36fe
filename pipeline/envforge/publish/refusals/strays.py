"""No file goes along that nothing answers for."""

from __future__ import annotations

from collections.abc import Iterator

from envforge.publish.refusal import Refusal
from envforge.publish.refusals.case import Case
from envforge.store.tasks import CERTIFICATE, set_hashes

RULE = "stray"
_OF_ENVIRONMENT = frozenset({"environment.json", CERTIFICATE, "rejected.jsonl"})
"""Written beside what the environment hash covers."""
_OF_TASKS = frozenset({CERTIFICATE, "measured.jsonl"})


def nothing_astray(case: Case) -> Iterator[Refusal]:
    """Refuse files that neither a hash nor a format of envforge knows: notes, keys, editors' copies."""
    known = {str(case.environment / name) for name in (*case.hashes, *_OF_ENVIRONMENT)}
    if case.tasks is not None:
        known |= {str(case.tasks / name) for name in (*set_hashes(case.tasks), *_OF_TASKS)}
    for told, path in case.files():
        if str(path) not in known:
            reason = "is no file of an environment or of its tasks, and no certificate answers for it"
            yield Refusal(rule=RULE, file=told, reason=reason, remedy="move it somewhere else")
