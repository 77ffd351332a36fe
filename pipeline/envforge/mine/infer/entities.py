"""Entities: which records an API is about, told by what its operations answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from envforge.core.records.extraction import ShapeField, TypeExpr
from envforge.mine.infer.calls import Call, CallParameter
from envforge.mine.infer.envelopes import Unwrapped
from envforge.mine.infer.lexicon import ID_FIELDS, OWN_LINKS
from envforge.mine.infer.names import plural, singular, snake
from envforge.mine.infer.naming import name_by_place
from envforge.mine.infer.typeviews import ObjectView, identity

_MIN_OWN_FIELDS = 3
_RESOURCE_NAME = re.compile(r"\bresource name\b", re.IGNORECASE)
"""What a `name` is called that is the address of a record: `yards/{yard}/reels/{reel}`."""
_OVERLAP = 0.85


@dataclass
class Entity:
    """A record of the API: its fullest view, the calls about it, and how it can be reached."""

    name: str
    view: ObjectView
    key: str
    calls: list[Call] = field(default_factory=lambda: list[Call]())
    sources: list[str] = field(default_factory=lambda: list[str]())
    listed: bool = False
    corroborated: bool = False

    @property
    def table(self) -> str:
        """Name of its table."""
        return plural(self.name)


@dataclass(frozen=True)
class Subject:
    """What a call is about: the entities it answers, best first, and the entities in its path."""

    call: Call
    answer: Unwrapped | None
    path: tuple[tuple[str, str | None], ...]
    """(noun, parameter that follows or None) along the path"""
    views: Mapping[str, ObjectView]
    """the records that the answer may hold, by identity"""

    @property
    def answered(self) -> tuple[str, ...]:
        """Names of the records that the answer may hold."""
        return tuple(name for name in self.views if name)

    @property
    def many(self) -> bool:
        """True if the answer is a list."""
        return self.answer is not None and self.answer.many


def subjects_of(calls: Sequence[Call]) -> list[Subject]:
    """Each call with what it answers and where it stands; two spellings of one record get one name."""
    name_by_place(calls)
    found: list[Subject] = []
    for call in calls:
        answer = call.success()
        members = answer.members() if answer is not None else {}
        path = _nouns_along(call)
        found.append(Subject(call, answer, path, {_named(name, view, path): view for name, view in members.items()}))
    found = _with_keys_of_paths(found)
    renamed = _doubles(_drafts(found))
    return [replace(subject, views=_renamed(subject.views, renamed)) for subject in found]


def _with_keys_of_paths(subjects: Sequence[Subject]) -> list[Subject]:
    """The subjects with an `id` in each record that states none, but its own address and a path to read it by.

    `/channels/{channel_id}` answers a channel with a `uri`: its id is the parameter, which the address holds.
    """
    keyed = _drafts(subjects).keys()
    told: dict[str, CallParameter] = {}
    for subject in subjects:
        single = subject.call.method == "get" and not subject.many and len(subject.answered) == 1
        name = subject.answered[0] if single else ""
        parameter = subject.path[-1][1] if single and subject.path else None
        if parameter is None or name in keyed or not _has_address(subject.views[name]):
            continue
        held = next((one for one in subject.call.parameters() if one.name == parameter), None)
        if held is not None and held.typed.resolved().kind in {"string", "integer", "number"}:
            told.setdefault(name, held)
    return [
        replace(subject, views={n: _keyed(v, told.get(n)) for n, v in subject.views.items()}) for subject in subjects
    ]


def _has_address(view: ObjectView) -> bool:
    return any(
        (snake(name) in OWN_LINKS or (name == "name" and _RESOURCE_NAME.search(one.description)))
        and _is_scalar(view, name)
        for name, one in view.fields.items()
    )


def _keyed(view: ObjectView, parameter: CallParameter | None) -> ObjectView:
    if parameter is None:
        return view
    kind = "string" if parameter.typed.resolved().kind == "string" else "integer"
    key = ShapeField(name="id", type=TypeExpr(kind=kind), required=True, description=parameter.description)
    return replace(view, fields={"id": key, **view.fields})


def _renamed(views: Mapping[str, ObjectView], names: Mapping[str, str]) -> dict[str, ObjectView]:
    made: dict[str, ObjectView] = {}
    for name, view in views.items():
        plain = names.get(name, name)
        if plain not in made or len(made[plain].fields) < len(view.fields):
            made[plain] = view
    return made


def find_entities(
    subjects: Sequence[Subject], *, drop: Collection[str], several_sources: bool, keep: Collection[str] = ()
) -> dict[str, Entity]:
    """The entities that can be told apart and reached, by name.

    With several kinds of source only what at least two of them know counts as part of the theme; with `keep`,
    only what it names.
    """
    drafts = _drafts(subjects)
    _mark_reached(drafts, subjects)
    corroborate = several_sources and any(draft.corroborated for draft in drafts.values())
    kept: dict[str, Entity] = {}
    for name, draft in drafts.items():
        if name in drop or draft.table in drop or (corroborate and not draft.corroborated):
            continue
        if keep and name not in keep and draft.table not in keep:
            continue
        if _own_fields(draft) >= _MIN_OWN_FIELDS and draft.listed:
            kept[name] = draft
    return kept


def all_records(subjects: Sequence[Subject]) -> dict[str, Entity]:
    """Every record with an id that some answer holds, entity or not."""
    return _drafts(subjects)


def _drafts(subjects: Sequence[Subject]) -> dict[str, Entity]:
    drafts: dict[str, Entity] = {}
    addressed = _addressed(subjects)
    for subject in subjects:
        for name, view in subject.views.items():
            key = id_field(view, name) or _path_key(view, subject, name, addressed)
            if not name or key is None:
                continue
            known = drafts.get(name)
            if known is None:
                known = drafts[name] = Entity(name, view, key)
            elif len(view.fields) > len(known.view.fields):
                known.view, known.key = view, key
            known.calls.append(subject.call)
            known.sources += [source for source in subject.call.sources if source not in known.sources]
            known.corroborated = known.corroborated or len(subject.call.languages) > 1
    return drafts


def _named(name: str, view: ObjectView, path: Sequence[tuple[str, str | None]]) -> str:
    """Identity, or the last noun of the path for a record that no schema names.

    A word for anything at all (`Item`) is a name only where the path says it too: a library lends `/items`.
    """
    last = path[-1][0] if path else ""
    if name and (name not in {"object", "item", "result", "response"} or name == last):
        return name
    return last if view.name is None else ""


def _doubles(drafts: Mapping[str, Entity]) -> dict[str, str]:
    """Compact spellings of an entity: nearly all their fields stand in a fuller one with a related name."""
    doubles: dict[str, str] = {}
    for name, draft in drafts.items():
        for other, fuller in drafts.items():
            if other == name or len(fuller.view.fields) < len(draft.view.fields) or other in doubles:
                continue
            related = name.endswith(f"_{other}") or name.startswith(f"{other}_") or other.startswith(name)
            shared = len(draft.view.fields.keys() & fuller.view.fields.keys())
            if related and shared >= _OVERLAP * len(draft.view.fields):
                doubles[name] = other
                break
    return doubles


def _mark_reached(drafts: dict[str, Entity], subjects: Sequence[Subject]) -> None:
    """A list or search answers it, or a record that is reached so names it."""
    for subject in subjects:
        if subject.many:
            for name in subject.answered:
                if name in drafts:
                    drafts[name].listed = True
    grown = True
    while grown:
        grown = False
        for draft in drafts.values():
            if not draft.listed:
                continue
            for target in _referred(draft.view):
                if target in drafts and not drafts[target].listed:
                    drafts[target].listed = grown = True


def _referred(view: ObjectView) -> set[str]:
    """Entities that a record names by an embedded object or a `<entity>_id`, parents in unions included."""
    found: set[str] = set()
    for name in view.fields:
        if snake(name).endswith("_id"):
            found.add(snake(name).removesuffix("_id"))
        for member in view.typed(name).members():
            inner = member.view()
            if inner is None:
                continue
            named = identity(inner)
            if named:
                found.add(named)
            found.update(snake(one).removesuffix("_id") for one in inner.fields if snake(one).endswith("_id"))
    return found


def id_field(view: ObjectView, entity: str) -> str | None:
    """The field that holds a record's stable id."""
    candidates = (*ID_FIELDS[:3], f"{entity}_id", *ID_FIELDS[3:])
    for name in candidates:
        if name in view.fields and view.typed(name).resolved().kind in {"string", "integer", "number", "union"}:
            return name
    told = {f"{entity}_id", *ID_FIELDS[:3]}
    return next((name for name in view.fields if snake(name) in told and _is_scalar(view, name)), None)


def _addressed(subjects: Sequence[Subject]) -> dict[str, set[str]]:
    """For each word of a path the parameters that follow it, if they say whose id they are."""
    found: dict[str, set[str]] = {}
    for subject in subjects:
        for noun, parameter in subject.path:
            said = snake(parameter or "")
            if said.endswith("_id") and set(noun.split("_")) <= set(said.split("_")):
                found.setdefault(noun, set()).add(said)
    return found


def _path_key(view: ObjectView, subject: Subject, name: str, addressed: Mapping[str, set[str]]) -> str | None:
    """The field that the path addresses a single record by (`/items/{sku}` of a record with a `sku`).

    In a collection it is the id named after it, or the one that paths below it ask for: `userId` of the user accounts
    under `/users`, `deploymentEnvironmentId` of what `/environments` lists.
    """
    if not subject.path:
        return None
    noun, parameter = subject.path[-1]
    if subject.many or parameter is None:
        own = parameter is None and set(noun.split("_")) <= set(name.split("_"))
        wanted = {f"{noun}_id", *addressed.get(noun, ())} if own else set[str]()
    else:
        said = snake(parameter)
        wanted = {said, f"{noun}_{said}", said.removeprefix(f"{noun}_")}
    return next((one for one in view.fields if snake(one) in wanted and _is_scalar(view, one)), None)


def _is_scalar(view: ObjectView, name: str) -> bool:
    return view.typed(name).resolved().kind in {"string", "integer"}


def _own_fields(draft: Entity) -> int:
    skipped = {draft.key, "object", "type", "url", "self", "links", "_links"}
    return sum(1 for name in draft.view.fields if name not in skipped)


def _nouns_along(call: Call) -> tuple[tuple[str, str | None], ...]:
    along: list[tuple[str, str | None]] = []
    for segment in call.segments():
        if segment.kind == "word":
            along.append((segment.noun, None))
        elif along and along[-1][1] is None:
            along[-1] = (along[-1][0], segment.text)
        else:
            along.append((singular(snake(segment.text).removesuffix("_id")), segment.text))
    return tuple(along)
