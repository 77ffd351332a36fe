"""From two mined themes and a link to one filled database."""

from __future__ import annotations

from dataclasses import dataclass, replace

from envforge.core.contracts import Database, Progress
from envforge.core.errors import BuildError
from envforge.core.records.link import Link
from envforge.core.records.source import Theme
from envforge.core.seeds import derive_seed
from envforge.mine.archetypes.bind import bind
from envforge.mine.archetypes.match import ArchetypeMatch
from envforge.mine.complexify import complexify, derive, document
from envforge.mine.facts import without_prose
from envforge.mine.links.catalogue import link_between
from envforge.mine.links.epochs import at_epoch
from envforge.mine.links.joining import joined
from envforge.mine.links.renaming import told_apart
from envforge.mine.links.roles import link_match
from envforge.mine.miner import Mined, matched, played, populate, row_seed_of, without_empty
from envforge.mine.scenario import simulate


@dataclass(frozen=True)
class LinkedMined:
    """What the sources of two themes state, and the links at hand."""

    theme: Theme
    """The theme that the two make together."""
    host: Mined
    tracked: Mined
    links: tuple[Link, ...]

    @property
    def stated_operations(self) -> int:
        """How many operations the sources of both state."""
        return self.host.stated_operations + self.tracked.stated_operations


@dataclass(frozen=True)
class _Half:
    """One of the two themes on its way: its tables and rows, and the archetype that it plays."""

    base: Database
    match: ArchetypeMatch


def populate_any(
    mined: Mined | LinkedMined, *, rounds: int, seed: int, database_seed: int, progress: Progress
) -> Database:
    """The filled database of a theme, or of two that are linked. Raises BuildError, ConfigError."""
    if isinstance(mined, LinkedMined):
        return populate_linked(mined, rounds=rounds, seed=row_seed_of(seed, database_seed), progress=progress)
    return populate(mined, rounds=rounds, seed=seed, database_seed=database_seed, progress=progress)


def populate_linked(mined: LinkedMined, *, rounds: int, seed: int, progress: Progress) -> Database:
    """Both themes, filled each by its archetype under one clock, joined, and related by their link.

    Raises ConfigError for a pair that no link joins, BuildError where the two cannot be one.
    """
    host, tracked = (_half(one, rounds=rounds, seed=seed, progress=progress) for one in (mined.host, mined.tracked))
    link = link_between(host.match.archetype.id, tracked.match.archetype.id, mined.links)
    clock = _clock(mined, host, tracked)
    apart = told_apart(mined.host, mined.tracked, _bound(host), _bound(tracked), link)
    if apart != (mined.host, mined.tracked):
        host, tracked = (_half(one, rounds=rounds, seed=seed, progress=progress) for one in apart)
    host, tracked = (_Half(replace(one.base, clock=clock), at_epoch(one.match, clock)) for one in (host, tracked))
    ours, theirs = (
        _played(half, theme, rounds=rounds, seed=seed, progress=progress)
        for half, theme in zip((host, tracked), apart, strict=True)
    )
    both = joined(ours, theirs, link, theme=mined.theme.slug, title=mined.theme.title)
    related = _related(both, link, host.match, tracked.match, rounds=rounds, seed=seed, progress=progress)
    for half, made in ((host, ours), (tracked, theirs)):
        related = _derived(related, made, half.match, seed=seed, progress=progress)
    return document(related, progress=progress)


def _half(mined: Mined, *, rounds: int, seed: int, progress: Progress) -> _Half:
    base, match = matched(mined, rounds=rounds, seed=seed, progress=progress)
    if match is None:
        raise BuildError(
            "no archetype knows it, so nothing says what could be tracked",
            where=mined.theme.slug,
            remedy="link themes that an archetype fits, or add one to themes/archetypes",
        )
    return _Half(base, match)


def _played(half: _Half, theme: Mined, *, rounds: int, seed: int, progress: Progress) -> Database:
    made = without_empty(played(half.base, half.match, rounds=rounds, seed=seed, progress=progress))
    return replace(made, domain=without_prose(made.domain, theme.prose)) if theme.prose else made


def _bound(half: _Half) -> Database:
    return bind(half.base, half.match)


def _clock(mined: LinkedMined, host: _Half, tracked: _Half) -> str:
    """When the World begins: where a theme fixes it, else as for a side with mined rows alone, tracked first."""
    fixed = [one.clock for one in (mined.tracked, mined.host) if one.clock is not None]
    if len(set(fixed)) > 1:
        raise BuildError(
            f"the World of the one begins at {fixed[1]}, that of the other at {fixed[0]}",
            where=mined.theme.slug,
            remedy="link a theme whose rows fix the clock with one whose rows are made",
        )
    if fixed:
        return fixed[0]
    return tracked.base.clock if mined.tracked.rows or not mined.host.rows else host.base.clock


def _related(
    both: Database,
    link: Link,
    host: ArchetypeMatch,
    tracked: ArchetypeMatch,
    *,
    rounds: int,
    seed: int,
    progress: Progress,
) -> Database:
    """The joined database with what the link adds: tables, rows, tools, hard cases and goals."""
    there = {table.name for table in both.domain.tables} & {table.name for table in link.tables}
    if there:
        raise BuildError(
            f"the table {min(there)} is there already",
            where=f"link {link.id}",
            remedy="call it differently in the link",
        )
    match = link_match(link, both, host, tracked)
    bound = bind(both, match)
    progress("link", 0, None)
    # A seed of its own: new rows of a table must not get the ids that its own archetype has drawn.
    seed = derive_seed(seed, "link", link.id)
    filled = simulate(bound, match, seed=seed)
    # The operators run for the link alone: the hard cases of both sides were planted by their own archetypes.
    own = bound.plants[len(both.plants) :]
    done = complexify(replace(filled, plants=own), match, rounds=rounds, seed=seed, progress=progress)
    return replace(done, plants=(*both.plants, *done.plants))


def _derived(database: Database, side: Database, match: ArchetypeMatch, *, seed: int, progress: Progress) -> Database:
    """The database with the histories and figures of one side filled: the link may have added to what they follow."""
    only = replace(database, histories=side.histories, figures=side.figures)
    done = derive(only, source=match.source, seed=seed, progress=progress)
    return replace(done, histories=database.histories, figures=database.figures)
