"""The page of one trajectory: the conversation at the left, what each call changed at the right."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import groupby

from envforge.core.records.completion import Message
from envforge.core.records.trajectory import Malformed, ModelTurn, Trajectory, Turn
from envforge.studio.changes import changes
from envforge.studio.page import laid_out, page, text

_SIGNS = {"completed": "", "truncated": "warn", "error": "bad", "infrastructure": "bad"}


def replay_page(trajectory: Trajectory, instruction: str = "") -> str:
    """An HTML page. `instruction`: the task's, where the record holds no conversation that begins with it."""
    panels = "".join(_panel(number, turn) for number, turn in enumerate(trajectory.turns, start=1))
    nothing = "" if trajectory.turns else '<p class="soft">No call was made.</p>'
    body = (
        f"{_header(trajectory)}<main>"
        f'<section id="conversation" aria-label="conversation">{_conversation(trajectory, instruction)}</section>'
        '<section id="changes" aria-label="changes">'
        '<div class="steer"><button id="before">previous</button> <span id="place"></span> '
        '<button id="after">next</button></div>'
        f"{panels}{nothing}{_verdict(trajectory)}</section></main>"
    )
    return page(f"{trajectory.task_id}: {trajectory.agent}", body, "replay")


def _header(trajectory: Trajectory) -> str:
    reward = "not scored" if trajectory.reward is None else f"reward {trajectory.reward:g}"
    kind = "warn" if trajectory.reward is None else "good" if trajectory.reward == 1 else "bad"
    tokens = sum(turn.completion_tokens for turn in trajectory.model_turns)
    told = [f"{text(trajectory.environment_id)} {trajectory.environment_hash[:12]}", f"seed {trajectory.seed}"]
    told += [f"attempt {trajectory.attempt + 1}", f"{len(trajectory.turns)} calls"]
    if trajectory.model_turns:
        told.append(f"{len(trajectory.model_turns)} answers of the model, {tokens:,} tokens")
    if trajectory.settings is not None and trajectory.settings.protocol:
        told.append(f"protocol {text(trajectory.settings.protocol)}, prompt {text(trajectory.settings.prompt)}")
    return (
        f"<header><h1>{text(trajectory.task_id)} · {text(trajectory.agent)} "
        f'<span class="badge {kind}">{reward}</span> '
        f'<span class="badge {_SIGNS[trajectory.status]}">{trajectory.status}: '
        f'{trajectory.ending.replace("_", " ")}</span></h1><p class="soft">{" · ".join(told)}</p></header>'
    )


def _conversation(trajectory: Trajectory, instruction: str) -> str:
    numbered = list(enumerate(trajectory.turns, start=1))
    if not trajectory.messages:
        opening = _said("user", "task", text(instruction)) if instruction else ""
        return opening + "".join(_step(number, turn) for number, turn in numbered) + _answer(trajectory)
    by_message = {place: list(group) for place, group in groupby(numbered, key=lambda pair: pair[1].message)}
    made, turns = _made_calls(trajectory), {turn.message: turn for turn in trajectory.model_turns}
    unread: dict[int | None, list[Malformed]] = {}
    for one in trajectory.malformed:
        unread.setdefault(one.message, []).append(one)
    parts: list[str] = []
    for place, message in enumerate(trajectory.messages):
        if not _is_result(trajectory, place, by_message, made):
            parts.append(_message(place, message, turns.get(place), unread.get(place, ())))
        parts += [_step(number, turn) for number, turn in by_message.get(place, ())]
    return "".join(parts) + _answer(trajectory)


def _is_result(trajectory: Trajectory, place: int, asked: Container[int | None], made: Container[str]) -> bool:
    """A message that repeats what the calls show anyway; `made`: ids of the calls that have a turn."""
    message = trajectory.messages[place]
    if message.role == "tool":
        return message.tool_call_id in made
    told = trajectory.settings is not None and trajectory.settings.protocol not in ("", "native")
    return told and message.role == "user" and place - 1 in asked


def _made_calls(trajectory: Trajectory) -> set[str]:
    """Ids of the calls that have a turn: the first ones of their message."""
    counts: dict[int, int] = {}
    for turn in trajectory.turns:
        if turn.message is not None:
            counts[turn.message] = counts.get(turn.message, 0) + 1
    return {call.id for place, count in counts.items() for call in trajectory.messages[place].tool_calls[:count]}


def _message(place: int, message: Message, turn: ModelTurn | None, unread: Sequence[Malformed]) -> str:
    if message.role == "system":
        inside = f"<details><summary>system prompt</summary><pre>{text(message.content)}</pre></details>"
        return f'<div class="said">{inside}</div>'
    return _said(message.role, _title(place, message, turn), text(message.content), _notes(turn, unread))


def _title(place: int, message: Message, turn: ModelTurn | None) -> str:
    if turn is None:
        return "task" if place == 1 and message.role == "user" else message.role
    about = " about" if turn.estimated else ""
    return f"{message.role} ·{about} {turn.prompt_tokens:,} tokens in, {turn.completion_tokens:,} out"


def _notes(turn: ModelTurn | None, unread: Sequence[Malformed]) -> str:
    notes = [f'<p><span class="badge bad">not readable</span> {text(one.detail)}</p>' for one in unread]
    if turn is not None and turn.reasoning:
        notes.insert(0, f"<details><summary>reasoning</summary><pre>{text(turn.reasoning)}</pre></details>")
    if turn is not None and turn.left_out:
        notes.append(f'<p class="soft">{len(turn.left_out)} earlier results were not shown to it any more</p>')
    return "".join(notes)


def _said(kind: str, title: str, inside: str, more: str = "") -> str:
    words = f"<pre>{inside}</pre>" if inside else ""
    return f'<div class="said {kind}"><b>{title}</b>{words}{more}</div>'


def _step(number: int, turn: Turn) -> str:
    refused = "" if turn.ok else " refused"
    given = ", ".join(f"{text(name)}={text(value)}" for name, value in turn.arguments.items())
    seen = turn.observation.get("result", turn.observation)
    mark = ' <span class="badge warn">changes</span>' if turn.changed else ""
    return (
        f'<div class="step{refused}" id="step-{number}"><b>call {number}</b>{mark}'
        f'<pre class="call">{text(turn.tool)}({given})</pre><pre class="seen">{text(seen)}</pre></div>'
    )


def _panel(number: int, turn: Turn) -> str:
    state = "answered" if turn.ok else "refused"
    return (
        f'<article class="panel" id="panel-{number}"><h2>Call {number}: {text(turn.tool)}, {state}</h2>'
        f"<h3>What it changed</h3>{changes(turn.changed)}"
        f"<h3>Arguments</h3><pre>{laid_out(turn.arguments)}</pre>"
        f"<h3>What was seen</h3><pre>{laid_out(turn.observation)}</pre></article>"
    )


def _answer(trajectory: Trajectory) -> str:
    parts: list[str] = []
    if trajectory.ending == "answered":
        parts.append(f"<h3>Final answer</h3><pre>{laid_out(trajectory.answer)}</pre>")
    else:
        parts.append(f"<h3>It ended: {trajectory.ending.replace('_', ' ')}</h3>")
    if trajectory.failure:
        parts.append(f"<pre>{text(' '.join([trajectory.failure_kind, trajectory.failure]).strip())}</pre>")
    return f'<div class="said">{"".join(parts)}</div>'


def _verdict(trajectory: Trajectory) -> str:
    verdict = trajectory.verdict
    if verdict is None:
        return ""
    rows = "".join(_checks(trajectory))
    reasons = "".join(f"<p>{text(reason)}</p>" for reason in verdict.reasons)
    share = "" if verdict.fraction is None else f", {verdict.fraction:.0%} of what was asked for"
    head = "not scored" if verdict.score is None else f"score {verdict.score:g}{share}"
    whole = f"<details><summary>all that the episode changed</summary>{changes(trajectory.state_diff)}</details>"
    return f'<article id="verdict"><h2>Verdict: {head}</h2>{reasons}<table>{rows}</table>{whole}</article>'


def _checks(trajectory: Trajectory) -> Iterator[str]:
    assert trajectory.verdict is not None
    for check in trajectory.verdict.checks:
        kind, word = ("good", "passed") if check.passed else ("bad", "failed")
        yield (
            f'<tr><td><span class="badge {kind}">{word}</span></td><td>{text(check.id)}</td>'
            f"<td>{text(check.detail)}</td></tr>"
        )
