"""What an endpoint can, tried with small requests: the suite behind `envforge models check`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from envforge.core.contracts import Model
from envforge.core.errors import ModelError
from envforge.core.model_errors import AnswerError, BadRequestError, BudgetError, EndpointError, TruncatedAnswerError
from envforge.core.records.completion import Completion, CompletionRequest, FunctionTool, Message
from envforge.llm.structured import structured

Verdict = Literal["yes", "no", "failed"]
_STAGE = "models check"
_SHOWN = 60
_WEATHER = FunctionTool(
    name="get_weather",
    description="Tells the weather of one city.",
    parameters={
        "type": "object",
        "properties": {"city": {"type": "string", "description": "Name of the city."}},
        "required": ["city"],
        "additionalProperties": False,
    },
)
_TIME = _WEATHER.model_copy(update={"name": "get_time", "description": "Tells the local time of one city."})
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "year": {"type": "integer"},
        "colour": {"type": "string", "enum": ["red", "green", "blue"]},
    },
    "required": ["name", "year", "colour"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Finding:
    """What came of one check: `detail` says how it shows, or what went wrong."""

    check: str
    verdict: Verdict
    detail: str
    needed: bool

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {"check": self.check, "verdict": self.verdict, "detail": self.detail, "needed": self.needed}


@dataclass(frozen=True)
class Check:
    """One ability. `needed`: without it agents cannot work with the endpoint."""

    name: str
    run: Callable[[Model], Awaitable[str]]
    needed: bool = False


class NotAbleError(Exception):
    """The endpoint answered, and not as one would that is able to."""


def _ask(text: str, **wish: Any) -> CompletionRequest:
    request = CompletionRequest(messages=(Message(role="user", content=text),), max_tokens=200, stage=_STAGE)
    return request.model_copy(update=wish)


def _begin(text: str) -> str:
    """The beginning of an answer, quoted and on one line."""
    return repr(" ".join(text.split())[:_SHOWN])


async def _chat(model: Model) -> str:
    answer = await model.complete(_ask("Say good morning."))
    counted = "tokens are estimated: the server does not count them" if answer.usage.estimated else "tokens counted"
    return f"{_begin(answer.text)}, {counted}"


async def _system(model: Model) -> str:
    system = Message(role="system", content="You answer each question with yes or no.")
    request = _ask("Yes or no: is the sky blue?")
    answer = await model.complete(request.model_copy(update={"messages": (system, *request.messages)}))
    return _begin(answer.text)


async def _schema(model: Model) -> str:
    request = _ask("Name a painting, the year it was made, and its main colour (red, green or blue), as JSON.")
    answer = await model.complete(request.model_copy(update={"json_schema": _SCHEMA}))
    return _begin(answer.text)


async def _schema_by_repair(model: Model) -> str:
    request = _ask("Name a painting, the year it was made, and its main colour (red, green or blue).")
    got = await structured(model, request, _SCHEMA, native=False)
    return f"in {got.tries} {'try' if got.tries == 1 else 'tries'}"


async def _tools(model: Model) -> str:
    request = _ask("What is the weather in Oslo? Use the tool.", tools=(_WEATHER,))
    answer = await model.complete(request)
    return _called(answer, ["get_weather"])


def _called(answer: Completion, names: list[str]) -> str:
    """Raises NotAbleError unless these tools were called, in any order."""
    made = sorted(call.name for call in answer.tool_calls)
    if made != sorted(names):
        raise NotAbleError(f"called {made or 'nothing'}; said {_begin(answer.text)}")
    return ", ".join(f"{call.name}({' '.join(call.raw_arguments.split())})" for call in answer.tool_calls)


async def _tool_result(model: Model) -> str:
    request = _ask("What is the weather in Oslo? Use the tool.", tools=(_WEATHER,))
    answer = await model.complete(request)
    _called(answer, ["get_weather"])
    said = Message(role="assistant", content=answer.text, tool_calls=answer.tool_calls)
    result = Message(role="tool", content='{"weather": "snow"}', tool_call_id=answer.tool_calls[0].id)
    after = await model.complete(request.model_copy(update={"messages": (*request.messages, said, result)}))
    if after.tool_calls:
        raise NotAbleError("called again instead of answering")
    return _begin(after.text)


async def _parallel(model: Model) -> str:
    text = "What is the weather in Oslo and in Lima? Call the tool for both cities at once."
    return _called(await model.complete(_ask(text, tools=(_WEATHER,))), ["get_weather"] * 2)


async def _choice_none(model: Model) -> str:
    wish = {"tools": (_WEATHER,), "tool_choice": "none"}
    answer = await model.complete(_ask("What is the weather in Oslo?", **wish))
    if "get_weather" in answer.text:
        raise NotAbleError(f"wrote the call as text: {_begin(answer.text)}")
    return _begin(answer.text)


async def _choice_required(model: Model) -> str:
    wish = {"tools": (_WEATHER, _TIME), "tool_choice": "required"}
    answer = await model.complete(_ask("Good morning.", **wish))
    return ", ".join(call.name for call in answer.tool_calls)


async def _choice_named(model: Model) -> str:
    wish = {"tools": (_WEATHER, _TIME), "tool_choice": "get_time"}
    answer = await model.complete(_ask("What is the weather in Oslo?", **wish))
    return ", ".join(call.name for call in answer.tool_calls)


async def _seeds(model: Model) -> str:
    request = _ask("Write ten random words.", temperature=1.0, seed=7, max_tokens=60)
    first, again = [await _words(model, request) for _ in range(2)]
    if first != again:
        raise NotAbleError("one seed gave two texts")
    others = [await _words(model, request.model_copy(update={"seed": seed})) for seed in (8, 9)]
    if all(other == first for other in others):
        raise NotAbleError("three seeds gave one text")
    return "equal for equal seeds, different for others"


async def _words(model: Model, request: CompletionRequest) -> str:
    try:
        return (await model.complete(request)).text
    except AnswerError as error:
        if not error.text:
            raise
        # Cut at the limit: what is there can be compared all the same.
        return error.text


async def _logprobs(model: Model) -> str:
    request = _ask("Yes or no: is the sky blue? Answer with one word.", top_logprobs=3)
    answer = await model.complete(request)
    first = answer.logprobs[0]
    return f"{first.token!r} {first.logprob:.2f}, {len(first.top)} alternatives"


async def _stream(model: Model) -> str:
    answer = await model.complete(_ask("Say good morning.", stream=True))
    return f"{_begin(answer.text)}, {'no count of tokens' if answer.usage.estimated else 'tokens counted'}"


async def _stream_tools(model: Model) -> str:
    request = _ask("What is the weather in Oslo? Use the tool.", tools=(_WEATHER,), stream=True)
    return _called(await model.complete(request), ["get_weather"])


async def _truncation(model: Model) -> str:
    try:
        answer = await model.complete(_ask("Write ten random words.", temperature=1.0, seed=1, max_tokens=3))
    except TruncatedAnswerError as error:
        return f"cut after {_begin(error.text)}"
    raise NotAbleError(f"3 tokens at most were asked for, {answer.usage.completion_tokens} came as a whole answer")


CHECKS = (
    Check("chat", _chat, needed=True),
    Check("system message", _system, needed=True),
    Check("cut answers told", _truncation, needed=True),
    Check("schema, native", _schema),
    Check("schema, by repair", _schema_by_repair),
    Check("tools", _tools, needed=True),
    Check("tool results", _tool_result, needed=True),
    Check("parallel tools", _parallel),
    Check("tool choice none", _choice_none),
    Check("tool choice required", _choice_required),
    Check("tool choice named", _choice_named),
    Check("seeds", _seeds),
    Check("log-probabilities", _logprobs),
    Check("streaming", _stream),
    Check("streaming tools", _stream_tools),
)
"""A new check is one new function and its line here."""


async def check_model(model: Model, *, progress: Callable[[str, int, int | None], None]) -> list[Finding]:
    """Every check. Raises the EndpointError of the first, when there is no endpoint to speak of, and BudgetError."""
    findings: list[Finding] = []
    for place, check in enumerate(CHECKS):
        progress(check.name, place, len(CHECKS))
        findings.append(await _found(model, check))
    return findings


async def _found(model: Model, check: Check) -> Finding:
    try:
        return Finding(check.name, "yes", await check.run(model), check.needed)
    except NotAbleError as error:
        return Finding(check.name, "no", str(error), check.needed)
    except BudgetError:
        raise
    except EndpointError as error:
        if check is CHECKS[0]:
            raise
        verdict: Verdict = "no" if isinstance(error, BadRequestError) else "failed"
        return Finding(check.name, verdict, f"{type(error).__name__}: {error.message}", check.needed)
    except ModelError as error:
        return Finding(check.name, "no", f"{type(error).__name__}: {error.message}", check.needed)


def usable(findings: list[Finding]) -> bool:
    """True when all that agents need works, and a schema can be had one way or the other."""
    schema = any(finding.verdict == "yes" for finding in findings if finding.check.startswith("schema"))
    return schema and all(finding.verdict == "yes" for finding in findings if finding.needed)
