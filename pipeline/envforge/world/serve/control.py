"""Requests of those who hold the token: start episodes, end them, look at tasks and figures."""

from __future__ import annotations

from typing import Any

from envforge.core.errors import ConfigError, EnvforgeError, StoreError
from envforge.core.records.task import Task
from envforge.world.pool.failures import EpisodeGone, PoolFull
from envforge.world.serve.episodes import Episodes, LiveEpisode
from envforge.world.serve.exchange import Exchange, Gone, Refusal
from envforge.world.serve.recording import Outcome

RETRY_SECONDS = 5
_SEED_BITS = 63
_MOST_TTL = 30 * 24 * 3600.0


def no_episode() -> Refusal:
    """One and the same for a key that never was, one that is over and one that was closed."""
    return Refusal(404, "no_episode", "there is no such episode; it may have ended", remedy="start a new episode")


class Control:
    """Starts and ends episodes for HTTP clients."""

    def __init__(self, episodes: Episodes, *, idle_seconds: float | None) -> None:
        self._episodes = episodes
        self._idle_seconds = idle_seconds

    async def start(self, exchange: Exchange) -> None:
        """POST /episodes."""
        asked = _Fields(await exchange.json_object(), ("environment", "task", "seed", "ttl_seconds"))
        environment, task, seed, ttl = asked.text("environment"), asked.text("task"), asked.seed(), asked.ttl()
        with exchange.leaving() as left:
            episode = await refusing(self._episodes.start(environment, task, seed, ttl), unstored=400)
            if left.done():
                # Nobody learns its key.
                await self._episodes.discard(episode)
                raise Gone
        await exchange.answer(201, self._told(episode, exchange, ttl))

    def _told(self, episode: LiveEpisode, exchange: Exchange, ttl: float | None) -> dict[str, Any]:
        base = f"http://{exchange.header(b'host')}/e/{episode.key}"
        return {
            "episode": episode.key,
            "mcp_url": f"{base}/mcp",
            "call_url": f"{base}/call",
            **about(episode),
            "expires": {"idle_seconds": self._idle_seconds, "ttl_seconds": ttl},
        }

    async def discard(self, exchange: Exchange, key: str) -> None:
        """DELETE /episodes/<key>: nothing of it is recorded."""
        await exchange.body()
        await self._episodes.discard(self._find(key))
        await exchange.answer(200, {"closed": True})

    async def finish(self, exchange: Exchange, key: str) -> None:
        """POST /episodes/<key>/finish."""
        given = await exchange.json_object()
        asked = _Fields(given, ("answer", "agent"))
        agent = asked.text("agent") or "client"
        outcome = Outcome("gave_up", agent=agent, failure="it was finished without an answer")
        episode = self._find(key)
        handed_in = (given["answer"],) if "answer" in given else episode.answer
        if handed_in:
            outcome = Outcome("answered", handed_in[0], agent)
        recorded = await refusing(self._episodes.finish(episode, outcome), unstored=507)
        await exchange.answer(200, {"closed": True, "recorded": recorded})

    async def tasks(self, exchange: Exchange) -> None:
        """GET /tasks: which tasks may be asked for."""
        offers = [offer for offer in self._episodes.offers.values() if offer.find_task is not None]
        told = {offer.name: [_line(task) for task in offer.tasks.values()] for offer in offers}
        await exchange.answer(200, told)

    def _find(self, key: str) -> LiveEpisode:
        episode = self._episodes.find(key)
        if episode is None:
            raise no_episode()
        return episode


def about(episode: LiveEpisode) -> dict[str, Any]:
    """What an agent may know of its episode."""
    environment, task = episode.session.environment.manifest, episode.task
    told: dict[str, Any] = {
        "environment": environment.id,
        "environment_hash": environment.environment_hash,
        "seed": episode.session.seed,
        "now": task.now if task is not None else environment.clock.epoch,
    }
    if task is not None:
        told |= {"task": task.id, "instruction": task.instruction, "answer_schema": task.answer_schema}
    return told


def _line(task: Task) -> dict[str, Any]:
    return {"task": task.id, "level": task.difficulty.level, "instruction": task.instruction}


async def refusing(work: Any, *, unstored: int) -> Any:
    """The result, or the refusal that an error means for an HTTP client.

    `unstored`: the status of a StoreError: 400 where a name means no task, 507 where a disk takes no record.
    """
    try:
        return await work
    except PoolFull as error:
        headers = {"retry-after": str(RETRY_SECONDS)}
        remedy = "finish or delete episodes, or come back later"
        raise Refusal(429, "full", error.message, remedy=remedy, retryable=True, headers=headers) from error
    except EpisodeGone as error:
        raise no_episode() from error
    except ConfigError as error:
        raise _refusal(400, error) from error
    except StoreError as error:
        raise _refusal(unstored, error) from error
    except EnvforgeError as error:
        raise _refusal(503, error) from error


def _refusal(status: int, error: EnvforgeError) -> Refusal:
    # Of a request's field, not of a file: where this machine keeps its files is no business of a client.
    where = f"{error.where}: " if error.where and isinstance(error, ConfigError) else ""
    return Refusal(status, error.boundary, f"{where}{error.message}", remedy=error.remedy, retryable=status >= 500)


class _Fields:
    """Fields of a request's JSON. Raises Refusal for one of another type, and for one that is not known."""

    def __init__(self, given: dict[str, Any], known: tuple[str, ...]) -> None:
        self._given = given
        strange = sorted(set(given) - set(known))
        if strange:
            what = f"{strange[0][:100]!r} is no field of this request"
            raise Refusal(400, "malformed", what, remedy=f"fields are: {', '.join(known)}")

    def text(self, name: str) -> str | None:
        """A text or nothing."""
        value = self._given.get(name)
        if value is not None and not isinstance(value, str):
            raise Refusal(400, "malformed", f"{name} is no text")
        return value

    def seed(self) -> int:
        """The episode's seed."""
        value = self._given.get("seed", 0)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << _SEED_BITS:
            raise Refusal(400, "malformed", f"seed is no whole number from 0 to 2^{_SEED_BITS} - 1")
        return value

    def ttl(self) -> float | None:
        """How long it may live at most."""
        value = self._given.get("ttl_seconds")
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= _MOST_TTL:
            raise Refusal(400, "malformed", f"ttl_seconds is no number over 0 and up to {_MOST_TTL:g}")
        return float(value)
