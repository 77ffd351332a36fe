"""Episodes for an environment that has none recorded: made of the calls that its unit tests make."""

from __future__ import annotations

from collections.abc import Sequence

from envforge.core.ids import canonical_json
from envforge.core.records.episode import Episode, EpisodeCall
from envforge.core.seeds import stream
from envforge.gates.calls import TestCall, literal_calls

CALLS_OF_A_TOOL = 8
CALLS_OF_AN_EPISODE = 6


def episodes_of(
    tests: str,
    environment_hash: str,
    *,
    seed: int = 0,
    calls_of_a_tool: int = CALLS_OF_A_TOOL,
    calls_of_an_episode: int = CALLS_OF_AN_EPISODE,
) -> list[Episode]:
    """Seeded episodes that touch every tool which the test module `tests` calls with literal arguments.

    Of every tool up to `calls_of_a_tool` different calls, half of them such as are meant to fail, mixed over all
    episodes: in most of them calls of several tools read, write and fail one after the other.
    """
    by_tool: dict[str, list[TestCall]] = {}
    for call in literal_calls(tests):
        by_tool.setdefault(call.tool, []).append(call)
    chosen: list[EpisodeCall] = []
    for tool in sorted(by_tool):
        kept = _some(by_tool[tool], calls_of_a_tool, seed)
        chosen += [EpisodeCall(tool=tool, arguments=call.arguments) for call in kept]
    stream(seed, "episodes").shuffle(chosen)
    parts = [chosen[at : at + calls_of_an_episode] for at in range(0, len(chosen), calls_of_an_episode)]
    return [
        Episode(environment_hash=environment_hash, seed=number, calls=tuple(part)) for number, part in enumerate(parts)
    ]


def _some(calls: Sequence[TestCall], most: int, seed: int) -> list[TestCall]:
    """At most `most` different calls of one tool: as many that fail as that succeed, as far as there are."""
    different = list({canonical_json(call.arguments): call for call in calls}.values())
    stream(seed, "calls", calls[0].tool).shuffle(different)
    failing = [call for call in different if call.raises]
    succeeding = [call for call in different if not call.raises]
    half = max(most // 2, most - len(failing))
    kept = succeeding[:half]
    return [*kept, *failing[: most - len(kept)]]
