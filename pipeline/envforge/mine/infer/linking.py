"""Link operations: adding and removing members of a record (`addTag`, `PUT /teams/{a}/members/{b}`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from envforge.core.records.domain import BoundOperation, BoundParameter
from envforge.mine.infer.columns import TableDraft
from envforge.mine.infer.entities import Subject
from envforge.mine.infer.lexicon import VERB_WORDS
from envforge.mine.infer.links import Link
from envforge.mine.infer.names import label, safe_identifier, singular, snake
from envforge.mine.infer.toolnames import tool_name
from envforge.mine.infer.verbs import Doing, Refusal


def bind_link(
    subject: Subject, doing: Doing, drafts: Mapping[str, TableDraft], links: Sequence[Link]
) -> BoundOperation | Refusal:
    """The link that a call adds or removes, with the keys of both ends as parameters."""
    step = _holder(subject, doing, drafts)
    if step is None:
        return Refusal("no_link", "its path names no record to link to")
    holder, holder_parameter = step
    found = _find(subject, holder, links)
    if found is None:
        return Refusal("no_link", f"no relation of {label(holder)} to what it adds or removes is known")
    link, source_name, many, text = found
    parameters = (
        _key(holder, str(holder_parameter), link.holder_column, drafts, "parent", False, ""),
        _key(link.member, source_name, link.member_column, drafts, "key", many, text),
    )
    first = subject.call.first
    return BoundOperation(
        id=first.id,
        name=tool_name(subject.call, doing.verb, holder),
        verb=doing.verb,
        entity=holder,
        table=link.table.name,
        parent_entity=link.member,
        parameters=parameters,
        description=first.summary or first.description,
        source_id=subject.call.sources[0],
        locator=first.locator,
        evidence=f"{doing.evidence}; link table {link.table.name}",
    )


def _holder(subject: Subject, doing: Doing, drafts: Mapping[str, TableDraft]) -> tuple[str, str] | None:
    """The record that members are added to: the last of the path, or the one right before the member."""
    steps = [(noun, parameter) for noun, parameter in subject.path]
    if doing.action == "" and len(steps) > 1 and steps[-1][1] is not None:
        steps = steps[:-1]
        if steps[-1][0] == subject.path[-1][0]:
            return None
    elif steps and steps[-1][1] is None:
        steps = steps[:-1]
    if not steps:
        return None
    noun, parameter = steps[-1]
    return (noun, parameter) if parameter is not None and noun in drafts else None


def _find(subject: Subject, holder: str, links: Sequence[Link]) -> tuple[Link, str, bool, str] | None:
    """The link whose members the call names in its body or at the end of its path."""
    own = [link for link in links if link.holder == holder]
    for parameter in subject.call.parameters():
        if parameter.location == "path":
            continue
        noun = singular(snake(parameter.name)).removesuffix("_id").removesuffix("_gid")
        for link in own:
            if noun in {link.role, link.member}:
                many = parameter.typed.resolved().kind == "array"
                return link, parameter.name, many, parameter.description
    steps = [(noun, parameter) for noun, parameter in subject.path if parameter is not None]
    if len(steps) >= 2:
        noun, name = steps[-1]
        for link in own:
            if noun in {link.role, link.member}:
                return link, str(name), False, ""
    return None


def _key(
    entity: str,
    name: str,
    column: str,
    drafts: Mapping[str, TableDraft],
    meaning: str,
    many: bool,
    text: str,
) -> BoundParameter:
    one = {"type": "string"}
    key = safe_identifier(drafts[entity].entity.key)
    return BoundParameter(
        name=name if many else _id_name(name, column),
        source_name=name,
        meaning=meaning,
        json_type={"type": "array", "items": one} if many else one,
        required=True,
        description=text or f"Id of the {label(entity)}.",
        column=column,
        semantic=f"{entity}.{key}",
    )


def _id_name(name: str, column: str) -> str:
    plain = safe_identifier(name)
    return plain if plain.endswith(("_id", "_gid", "_key")) else column


def is_linking(doing: Doing) -> bool:
    """True for verbs that only relate two records."""
    return doing.verb in {"link", "unlink"} and VERB_WORDS.get(doing.action or "link") in {"link", "unlink", "delete"}
