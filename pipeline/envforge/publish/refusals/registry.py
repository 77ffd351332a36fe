"""All rules on all environments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from envforge.core.errors import StoreError
from envforge.publish.refusal import Refusal
from envforge.publish.refusals.case import Case
from envforge.publish.refusals.certificates import certificates_fit
from envforge.publish.refusals.licences import licences_allow
from envforge.publish.refusals.paths import no_absolute_paths, paths_in
from envforge.publish.refusals.private import nothing_private, private_in
from envforge.publish.refusals.texts import text_of

Rule = Callable[[Case], Iterable[Refusal]]
RULES: tuple[Rule, ...] = (certificates_fit, licences_allow, nothing_private, no_absolute_paths)


def refusals_of(environments: Sequence[Path], tasks: Sequence[Path | None]) -> tuple[Refusal, ...]:
    """What keeps these folders from being published, in the order of the folders; `tasks` beside `environments`.

    A file that cannot be read is a refusal too: who publishes twenty environments is told of all that is wrong.
    """
    found: list[Refusal] = []
    for folder, beside in zip(environments, tasks, strict=True):
        case = Case(folder, beside)
        for rule in RULES:
            found += _judged(rule, case)
    return tuple(dict.fromkeys(found))


def refusals_of_file(path: Path) -> tuple[Refusal, ...]:
    """What keeps a file that goes along, such as recorded episodes, from being published."""
    try:
        text = text_of(path.name, path, {})
    except StoreError as error:
        return (Refusal(rule="unreadable", file=path.name, reason=error.message, remedy="leave it out"),)
    return tuple(dict.fromkeys((*private_in([text]), *paths_in([text], path))))


def _judged(rule: Rule, case: Case) -> Iterator[Refusal]:
    try:
        yield from rule(case)
    except StoreError as error:
        remedy = error.remedy or "restore the file, or build the environment again"
        yield Refusal(rule="unreadable", file=case.told(error.where), reason=error.message, remedy=remedy)
