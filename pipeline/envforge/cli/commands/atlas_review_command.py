"""`envforge themes audit | review`: what people and models say of the wide catalogue."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import typer

from envforge.atlas import audit
from envforge.atlas.catalogue import Atlas
from envforge.atlas.classifier import load_classifier
from envforge.atlas.decisions import DECISIONS, agreement, read_decisions, reviewed_atlas
from envforge.atlas.embedding import MiniLm
from envforge.atlas.importing import Registry, absent_anchors, read_package_list
from envforge.atlas.proposals import LARGE, Part, Placement, parts, placements, undecided
from envforge.atlas.words import WordModel, text_of
from envforge.cli import render
from envforge.cli.commands.atlas_command import folders, record, tell_recorded
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError
from envforge.core.records.atlas import CatalogTheme, Reviewer, ThemeDecision

KEYS = "a accept · 1-3 that class · m move · r rename the class · s split · g merge · x reject · k skip · q quit"


def run_audit(
    *,
    count: int,
    seed: int,
    given: tuple[str, ...],
    npm_list: Path | None,
    pypi_list: Path | None,
    report: bool,
    reviewer: Reviewer,
    round_: int,
    shared: SharedOptions,
) -> None:
    """Rows to read, verdicts, or a report."""
    atlas = reviewed_atlas(folders(shared))
    if given:
        record(shared, audit.verdicts(given, atlas, reviewer, round_))
        tell_recorded(len(given), "verdicts recorded", shared)
    elif report:
        render.print_json(asdict(audit.report(_all_decisions(shared))))
    elif npm_list or pypi_list:
        _look_up(audit.sample(atlas, count, seed), npm_list, pypi_list, shared)
    else:
        _rows(audit.sample(atlas, count, seed), shared)


def _all_decisions(shared: SharedOptions) -> list[ThemeDecision]:
    return [one for folder in reversed(folders(shared)) for one in read_decisions(folder / DECISIONS)]


def _look_up(
    themes: Sequence[CatalogTheme], npm_list: Path | None, pypi_list: Path | None, shared: SharedOptions
) -> None:
    lists: dict[Registry, list[str]] = {}
    if npm_list:
        lists["npm"] = read_package_list(npm_list)
    if pypi_list:
        lists["pypi"] = read_package_list(pypi_list)
    absent = absent_anchors(themes, lists)
    if shared.json_output:
        render.print_json({"themes": len(themes), "absent": absent})
    else:
        render.table(f"{len(absent)} of {len(themes)} with absent anchors", ("theme", "anchors"), list(absent.items()))
    if absent:
        raise SystemExit(1)


def _rows(themes: Sequence[CatalogTheme], shared: SharedOptions) -> None:
    if shared.json_output:
        render.print_json([theme.to_json() for theme in themes])
        return
    rows = [
        (theme.slug, theme.title, theme.category, theme.gloss, " ".join(one.spec for one in theme.anchors))
        for theme in themes
    ]
    render.table("Rows to read (--verdict SLUG=VERDICT)", ("slug", "title", "class", "what", "anchors"), rows)


def run_review(
    *,
    category: str | None,
    every: bool,
    listing: bool,
    decisions: Path | None,
    agreement: bool,
    reviewer: Reviewer,
    round_: int,
    shared: SharedOptions,
) -> None:
    """Proposals, decisions from a file, or the agreement of two passes."""
    if agreement:
        _print_agreement(shared)
        return
    if decisions is not None:
        taken = _taken(decisions, reviewer)
        record(shared, taken)
        tell_recorded(len(taken), "decisions recorded", shared)
        return
    atlas = reviewed_atlas(folders(shared))
    if category is not None and category not in atlas.leaves:
        raise ConfigError(f"{category!r} is no second-level class", where="--class", remedy="see: themes coverage")
    proposed = _proposed(atlas, category, every, round_, shared)
    if listing:
        render.print_json([_plain(one) for one in proposed])
        return
    walk(proposed, Talk(ask=_asked, key=typer.getchar, say=typer.echo), reviewer, round_, shared)


def _asked(question: str) -> str:
    return str(typer.prompt(question))


def _taken(path: Path, reviewer: Reviewer) -> list[ThemeDecision]:
    if not path.is_file():
        raise ConfigError("no such file", where=str(path), remedy="give a JSONL file of decisions")
    taken = read_decisions(path)
    for number, one in enumerate(taken, 1):
        if one.reviewer != reviewer:
            where = f"{path}, line {number}"
            raise ConfigError(f"it is signed by a {one.reviewer}", where=where, remedy=f"--reviewer {one.reviewer}")
    return taken


def _print_agreement(shared: SharedOptions) -> None:
    found = agreement(_all_decisions(shared))
    render.print_json({"both": found.both, "same": found.same, "share": found.share, "differing": found.differing})


@dataclass(frozen=True)
class Proposal:
    """A theme to place, or a class that may be cut."""

    atlas: Atlas
    placement: Placement | None = None
    category: str = ""
    part: Part | None = None


def _proposed(
    atlas: Atlas, category: str | None, every: bool, round_: int, shared: SharedOptions
) -> Iterator[Proposal]:
    embedder = MiniLm()
    classifier = load_classifier(folders(shared), atlas, embedder)
    words = WordModel(atlas, atlas.themes.values())
    for name in [category] if category else atlas.leaves:
        inside = [theme for theme in atlas.themes.values() if theme.category == name]
        if len(inside) > LARGE:
            for part in parts(atlas, name, embedder.embed([text_of(theme) for theme in inside]), words):
                yield Proposal(atlas, category=name, part=part)
    waiting = [
        theme for theme in undecided(atlas, _all_decisions(shared), round_) if category in {None, theme.category}
    ]
    for placement in placements(waiting, classifier):
        if every or placement.disputed:
            yield Proposal(atlas, placement=placement)


def _plain(one: Proposal) -> dict[str, object]:
    if one.placement is not None:
        theme = one.placement.theme
        guesses = [asdict(guess) for guess in one.placement.guesses]
        return {"theme": theme.slug, "class": theme.category, "gloss": theme.gloss, "guesses": guesses}
    assert one.part is not None
    return {"class": one.category, "part": asdict(one.part)}


@dataclass(frozen=True)
class Talk:
    """How the reviewer is asked; tests answer in their place."""

    ask: Callable[[str], str]
    key: Callable[[], str]
    say: Callable[[str], object]


def walk(proposed: Iterator[Proposal], talk: Talk, reviewer: Reviewer, round_: int, shared: SharedOptions) -> None:
    """One proposal after the other; each decision is written at once, so a walk may end anywhere."""
    talk.say(KEYS)
    for one in proposed:
        talk.say(_question(one))
        while True:
            key = talk.key().lower()
            if key == "q":
                return
            if key == "k":
                break
            decision = _decided(one, key, talk, reviewer, round_)
            if decision is None:
                talk.say(KEYS)
                continue
            try:
                record(shared, [decision])
            except ConfigError as error:
                talk.say(str(error))
                continue
            talk.say(f"  {decision.action} {decision.subject} {decision.value}")
            break


def _question(one: Proposal) -> str:
    if one.placement is not None:
        theme, guesses = one.placement.theme, one.placement.guesses
        near = "   ".join(f"{n}: {g.category} {g.share:.2f}" for n, g in enumerate(guesses, 1))
        return f"\n{theme.title} ({theme.slug})\n  {theme.gloss}\n  stands in {theme.category}   {near}"
    assert one.part is not None
    named = ", ".join(one.part.words)
    return f"\n{one.category}: {len(one.part.members)} themes around {one.part.medoid} ({named}) may be a class"


def _decided(one: Proposal, key: str, talk: Talk, reviewer: Reviewer, round_: int) -> ThemeDecision | None:
    """What a key means for this proposal; None when nothing."""
    if one.placement is None:
        if key != "s" or one.part is None:
            return None
        value = talk.ask("new id and title, e.g. vector-databases Vector databases")
        return ThemeDecision(
            action="split", subject=one.category, value=value, members=one.part.members, reviewer=reviewer, round=round_
        )
    theme, guesses = one.placement.theme, one.placement.guesses
    if key == "a":
        return ThemeDecision(action="accept", subject=theme.slug, value=theme.category, reviewer=reviewer, round=round_)
    if key in {"1", "2", "3"} and int(key) <= len(guesses):
        value = guesses[int(key) - 1].category
        return ThemeDecision(action="move", subject=theme.slug, value=value, reviewer=reviewer, round=round_)
    if key == "m":
        value = talk.ask("id of the class")
        return ThemeDecision(action="move", subject=theme.slug, value=value, reviewer=reviewer, round=round_)
    if key == "r":
        value = talk.ask(f"new title of {theme.category}")
        return ThemeDecision(action="rename", subject=theme.category, value=value, reviewer=reviewer, round=round_)
    if key == "g":
        value = talk.ask("slug of the theme that stays")
        return ThemeDecision(action="merge", subject=theme.slug, value=value, reviewer=reviewer, round=round_)
    if key == "x":
        return ThemeDecision(action="reject", subject=theme.slug, reviewer=reviewer, round=round_)
    return None
