"""What a source's licence does not allow is not passed on, unless only facts were taken from it."""

from __future__ import annotations

from collections.abc import Iterator

from envforge.core.records.source import Source
from envforge.publish.refusal import Refusal
from envforge.publish.refusals.case import Case

RULE = "licence"


def licences_allow(case: Case) -> Iterator[Refusal]:
    """Refuse each source whose licence is unstated or not open, and each that has no record at all."""
    if case.manifest.facts_only:
        return
    file = case.told(str(case.environment / "sources.jsonl"))
    held = {source.id for source in case.sources}
    for name in case.manifest.sources:
        if name not in held:
            reason = f"no line holds the source {name} that environment.json names: nobody knows its licence"
            yield Refusal(rule=RULE, file=file, row=name, reason=reason, remedy=_remedy(case))
    for source in case.sources:
        if source.licence.status != "stated-open":
            yield Refusal(rule=RULE, file=file, row=source.id, reason=_reason(source), remedy=_remedy(case))


def _reason(source: Source) -> str:
    place = f"{source.path} of {source.package or source.url}"
    licence = source.licence
    if licence.status == "unstated":
        return f"{place} states no licence ({licence.evidence or 'nothing was found'})"
    return (
        f"{place} is under {licence.spdx or 'a licence not known here'}, which is none that lets it be passed on "
        + (f"({licence.evidence})" if licence.evidence else "(no evidence)")
    )


def _remedy(case: Case) -> str:
    return f"leave it out, or take only facts from it: {case.rebuild}"
