"""Calls: one operation as all sources together state it, and the words it is made of."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from envforge.core.records.extraction import ApiOperation, ApiParameter, Extraction, Shape, TypeExpr
from envforge.mine.infer.envelopes import Unwrapped, unwrap
from envforge.mine.infer.lexicon import FILLER_WORDS, HTTP_WORDS, ID_FIELDS, NATURAL_KEYS, VERB_WORDS, WRAPPERS
from envforge.mine.infer.names import plural, singular, snake, without_articles
from envforge.mine.infer.typeviews import Typed, Types, is_rich_text


@dataclass(frozen=True)
class Segment:
    """A piece of a path: a fixed word or a parameter."""

    kind: str
    text: str

    @property
    def noun(self) -> str:
        """The segment as a singular snake_case word."""
        return singular(snake(self.text))


@dataclass(frozen=True)
class CallParameter:
    """A parameter as the sources state it, its richest type first."""

    name: str
    location: str
    typed: Typed
    required: bool
    description: str
    alternatives: tuple[Typed, ...] = ()


@dataclass
class Call:
    """An operation merged over the sources that state it; `stated[0]` is the first source's."""

    languages: set[str] = field(default_factory=lambda: set[str]())
    """kinds of source (extractors) that state it"""
    stated: list[tuple[ApiOperation, Types, str]] = field(
        default_factory=lambda: list[tuple[ApiOperation, Types, str]]()
    )

    @property
    def first(self) -> ApiOperation:
        """The operation as the first source states it."""
        return self.stated[0][0]

    @property
    def method(self) -> str:
        """Lower-case HTTP method, empty if no source states one."""
        return next((op.method for op, _, _ in self.stated if op.method), "")

    @property
    def sources(self) -> tuple[str, ...]:
        """Ids of the sources that state the operation."""
        return tuple(dict.fromkeys(source for _, _, source in self.stated))

    def segments(self) -> tuple[Segment, ...]:
        """The path in pieces; made up from name and path parameters where no source states a path."""
        for op, _, _ in self.stated:
            if op.path:
                return path_segments(op.path)
        return _segments_from_name(self.first)

    def success(self) -> Unwrapped | None:
        """What the operation answers, by the source that says most about it."""
        best: tuple[int, Unwrapped] | None = None
        last = self.segments()[-1:]
        noun = last[0].noun if last and last[0].kind == "word" else ""
        for op, types, _ in self.stated:
            found = unwrap(Typed(op.success, types), noun) if op.success is not None else None
            if found is None:
                continue
            view = found.item.view()
            weight = len(view.fields) if view is not None else 0
            if best is None or weight > best[0]:
                best = (weight, found)
        return best[1] if best else None

    def parameters(self) -> tuple[CallParameter, ...]:
        """Path, query and body parameters of all sources, by name; headers are left out."""
        merged: dict[str, CallParameter] = {}
        for op, types, _ in self.stated:
            for one in _opened(op, types):
                typed = Typed(one.type, types)
                known = merged.get(one.name)
                # A body may have a field of a path's name (`/depots/{depot}` with a depot inside): the path says what.
                ranks = one.location == "path", known is not None and known.location == "path"
                if ranks == (False, True):
                    continue
                if known is None or ranks == (True, False):
                    merged[one.name] = CallParameter(
                        one.name, one.location, typed, one.required, one.description, (typed,)
                    )
                    continue
                best = typed if _detail(typed) > _detail(known.typed) else known.typed
                merged[one.name] = CallParameter(
                    known.name,
                    known.location,
                    best,
                    known.required,
                    known.description or one.description,
                    (*known.alternatives, typed),
                )
        return tuple(merged.values())

    def path_parameters(self) -> tuple[str, ...]:
        """Names of the path parameters in order."""
        return tuple(segment.text for segment in self.segments() if segment.kind == "param")

    def words(self) -> tuple[str, ...]:
        """Words of the name that say what is done (an HTTP method in front is dropped if words follow)."""
        return name_words(self.first.id)


def _opened(op: ApiOperation, types: Types) -> list[ApiParameter]:
    """Parameters without headers and empty bodies; a body that is only an envelope is opened."""
    kept = [one for one in op.parameters if one.location != "header"]
    body = [one for one in kept if one.location == "body"]
    if len(body) != 1:
        return kept
    only = body[0]
    view = types.view(only.type)
    if types.resolve(only.type).kind == "object" and view is None:
        return [one for one in kept if one is not only]
    if view is None or (snake(only.name) not in WRAPPERS and snake(only.name) != "body"):
        return kept
    inner = [
        ApiParameter(
            name=name, location="body", type=entry.type, required=entry.required, description=entry.description
        )
        for name, entry in view.fields.items()
        if not entry.read_only
    ]
    return [one for one in kept if one is not only] + inner


def merge_calls(extractions: Sequence[Extraction]) -> list[Call]:
    """All operations of all extractions, one Call for what several sources state alike."""
    calls: list[Call] = []
    index: dict[tuple[object, ...], Call] = {}
    for extraction in extractions:
        types = Types(_reachable(extraction, extractions))
        own: list[tuple[Call, list[tuple[object, ...]]]] = []
        for op in extraction.operations:
            keys = _keys(op)
            call = next((index[key] for key in keys if key in index and not _holds(index[key], extraction)), None)
            if call is None:
                call = Call()
                calls.append(call)
            call.stated.append((op, types, extraction.source_id))
            call.languages.add(extraction.extractor)
            own.append((call, keys))
        for call, keys in own:
            for key in keys:
                index.setdefault(key, call)
    return calls


def _reachable(extraction: Extraction, extractions: Sequence[Extraction]) -> Mapping[str, Shape]:
    """Shapes that a name of `extraction` may mean: its own first, then those of files in the same language.

    Declaration files of one package import each other's types, so a name may be declared in another file.
    """
    others = [one.shapes for one in extractions if one.extractor == extraction.extractor and one is not extraction]
    return ChainMap(extraction.shapes, *others)


def path_segments(path: str) -> tuple[Segment, ...]:
    """The pieces of a path template; version prefixes and `api` in front are dropped."""
    pieces = [piece for piece in path.partition("?")[0].split("/") if piece]
    segments: list[Segment] = []
    for piece in pieces:
        if piece.startswith(("{", ":")):
            segments.append(Segment("param", piece.strip("{}:").split("}")[0]))
        else:
            word = piece.split(".json")[0].split(":")[0]
            if not segments and (word.lower() in {"api", "rest", "public"} or _is_version(word)):
                continue
            segments.append(Segment("word", word))
    # A form of the answer that stands by itself (`/images/{name}/json`) says nothing of what is asked.
    return tuple(segments[:-1] if len(segments) > 1 and segments[-1].text in {"json", "xml"} else segments)


def name_words(name: str) -> tuple[str, ...]:
    """The words of an operation's name, articles dropped; groups before a slash or dot are kept last."""
    group, slash, own = name.rpartition("/")
    text = own if slash else name
    parts = [part for part in without_articles(text).split("_") if part]
    return tuple(parts) if parts else tuple(without_articles(group).split("_"))


def verb_word(parts: Iterable[str]) -> str | None:
    """The first word that is a verb of the lexicon."""
    return next((part for part in parts if part in VERB_WORDS), None)


def nouns(parts: Sequence[str]) -> frozenset[str]:
    """Singular words of a name without its leading method, verb and fillers; the last word always stays.

    After a method only a plain verb is left out: `patch-block-children` is about blocks, not about blocking.
    """
    rest = list(parts)
    after_method = len(rest) > 1 and rest[0] in HTTP_WORDS
    if after_method:
        rest.pop(0)
    if len(rest) > 1 and rest[0] in VERB_WORDS and not (after_method and VERB_WORDS[rest[0]] == "transition"):
        rest.pop(0)
    return frozenset(singular(part) for part in rest if part not in FILLER_WORDS)


def _keys(op: ApiOperation) -> list[tuple[object, ...]]:
    """Under which an operation is recognised in another source, surest first."""
    params = tuple(snake(one.name) for one in op.parameters if one.location == "path")
    if op.path:
        params = tuple(snake(segment.text) for segment in path_segments(op.path) if segment.kind == "param")
    keys: list[tuple[object, ...]] = []
    if op.path:
        shape = tuple("{}" if s.kind == "param" else s.text.lower() for s in path_segments(op.path))
        keys.append((op.method, "path", shape))
        in_path = frozenset(
            word
            for segment in path_segments(op.path)
            if segment.kind == "word" and not (segment.noun in VERB_WORDS and params)
            for word in segment.noun.split("_")
        )
        keys.append((op.method, params, in_path or frozenset(name_words(op.id)[-1:])))
    own = nouns(name_words(op.id))
    keys.append((op.method, params, own or frozenset(name_words(op.id)[-1:])))
    return keys


def _holds(call: Call, extraction: Extraction) -> bool:
    return extraction.source_id in call.sources


def _is_version(word: str) -> bool:
    return (word[:1] in "vV" and word[1:].replace(".", "").isdigit()) or word.replace(".", "").isdigit()


def _segments_from_name(op: ApiOperation) -> tuple[Segment, ...]:
    parts = name_words(op.id)
    action = verb_word(parts[:1])
    rest = [singular(part) for part in parts[1:]] if action else [singular(part) for part in parts]
    segments: list[Segment] = []
    for name in (one.name for one in op.parameters if one.location == "path"):
        noun = snake(name).removesuffix("_id")
        if noun in ID_FIELDS and rest:  # `update_issue(id)`: the name says whose id it is
            noun = "_".join(word for word in rest if word not in FILLER_WORDS) or noun
        elif set(noun.split("_")[:-1]) & set(rest) == set(noun.split("_")[:-1]) and noun.split("_")[-1] in NATURAL_KEYS:
            noun = noun.rpartition("_")[0] or noun  # `get_branch(branch_name)`
        segments += [Segment("word", plural(noun)), Segment("param", name)]
        for word in noun.split("_"):
            if word in rest:
                rest.remove(word)
    left = [word for word in rest if word not in FILLER_WORDS]
    if left:
        segments.append(Segment("word", plural("_".join(left))))
    if action is not None and VERB_WORDS[action] in {"transfer", "transition", "filter", "search"}:
        segments.append(Segment("word", action))
    return tuple(segments)


def _detail(typed: Typed) -> int:
    """How much a parameter's type says."""
    expr: TypeExpr = typed.resolved()
    if expr.kind == "any":
        return 0
    if expr.kind == "array":
        item = typed.item()
        return 2 + (_detail(item) if item is not None else 0) + (1 if is_rich_text(typed) else 0)
    if expr.kind in {"object", "union", "map"}:
        members = typed.members()
        return 1 + sum(len(member.expr.fields) for member in members) + (2 if expr.kind == "map" else 0)
    return 3
