"""One conversation in every protocol: the same calls are read, in the same order, whatever form they are written in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from envforge.core.errors import ConfigError
from envforge.core.records.completion import Completion, CompletionRequest, FunctionTool
from envforge.llm.answer import read_answer
from envforge.llm.loopback.answers import answer_of, call_of
from envforge.rollout.prompts import read_prompt
from envforge.rollout.protocols import PROTOCOLS, Protocol, Toolbox, protocol

Calls = Sequence[tuple[str, dict[str, Any]]]
TOOLS = Toolbox(
    (
        FunctionTool(name="find", description="Find things.", parameters={"type": "object", "properties": {}}),
        FunctionTool(name="set_name", parameters={"type": "object", "properties": {"to": {"type": "string"}}}),
    ),
    FunctionTool(name="final_answer", parameters={"type": "object", "properties": {"n": {"type": "integer"}}}),
)
CONVERSATION: Sequence[tuple[str, Calls]] = (
    ("Look first.", [("find", {})]),
    ("Both at once.", [("find", {"query": 'a <b> "c"\nd'}), ("set_name", {"to": "Zoë {x}"})]),
    ("Nested.", [("find", {"where": {"all": [1, 2.5, None, {"deep": True}]}})]),
    ("Done.", [("final_answer", {"n": 3})]),
)


def native(thought: str, calls: Calls) -> dict[str, Any]:
    return answer_of(thought, calls=[call_of(name, given, place) for place, (name, given) in enumerate(calls)])


def react(thought: str, calls: Calls) -> dict[str, Any]:
    lines = [f"Thought: {thought}"]
    for name, given in calls:
        if name == "final_answer":
            lines.append(f"Final Answer: {json.dumps(given)}")
        else:
            lines += [f"Action: {name}", f"Action Input: {json.dumps(given, indent=1)}"]
    return answer_of("\n".join(lines))


def hermes(thought: str, calls: Calls) -> dict[str, Any]:
    tags = [f"<tool_call>\n{json.dumps({'name': name, 'arguments': given})}\n</tool_call>" for name, given in calls]
    return answer_of("\n".join([thought, *tags]))


WRITERS: Mapping[str, Callable[[str, Calls], dict[str, Any]]] = {"native": native, "react": react, "hermes": hermes}


def completion(form: Protocol, answer: dict[str, Any]) -> Completion:
    tools = TOOLS.offered if form.native else ()
    return read_answer(answer, CompletionRequest.model_validate({"messages": [{"role": "user"}], "tools": tools}))


@pytest.fixture(params=sorted(PROTOCOLS))
def form(request: pytest.FixtureRequest) -> Protocol:
    return protocol(request.param)


def test_every_protocol_has_a_writer_here() -> None:
    assert set(WRITERS) == set(PROTOCOLS)
    assert all(name == held.name for name, held in PROTOCOLS.items())


def test_the_same_conversation_gives_the_same_calls(form: Protocol) -> None:
    made = 0
    for thought, calls in CONVERSATION:
        reading = form.read(completion(form, WRITERS[form.name](thought, calls)), TOOLS, made)
        assert reading.problem is None
        assert [(call.name, call.arguments) for call in reading.calls] == list(calls)
        assert [call.id for call in reading.calls] == [f"call{made + at:05d}" for at in range(len(calls))]
        assert thought in reading.message.content and reading.message.role == "assistant"
        made += len(calls)


def test_words_without_a_call_are_no_problem_of_the_form(form: Protocol) -> None:
    reading = form.read(completion(form, answer_of("I wonder which one.")), TOOLS, 0)
    assert (reading.calls, reading.problem, reading.text) == ((), None, "I wonder which one.")


def test_every_call_is_answered_in_its_order(form: Protocol) -> None:
    reading = form.read(completion(form, WRITERS[form.name]("x", CONVERSATION[1][1])), TOOLS, 0)
    messages = form.results([(call, f"result-{place}") for place, call in enumerate(reading.calls)])
    told = "\n".join(message.content for message in messages)
    assert told.index("result-0") < told.index("result-1")
    if form.native:
        assert [message.tool_call_id for message in messages] == [call.id for call in reading.calls]


def test_the_prompt_tells_all_that_the_form_needs(form: Protocol) -> None:
    prompt = read_prompt(form.words)
    text = prompt.filled(now="2024-03-01, 09:00 UTC", user="", **form.fill(TOOLS))
    assert "{{" not in text and "2024-03-01" in text
    if not form.native:
        assert all(tool.name in text for tool in TOOLS.tools)
    assert '"n"' in text or "final_answer" in text
    assert prompt.name == f"system-1+{form.words}"


BROKEN: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "react": {
        "no input": ("Action: find", "call"),
        "input that is no JSON": ("Action: find\nAction Input: {query: a}", "call"),
        "input that is a list": ("Action: find\nAction Input: [1]", "call"),
        "a tool that is not there": ("Action: fly\nAction Input: {}", "unknown_tool"),
        "the answer as an action": ("Action: final_answer\nAction Input: {}", "call"),
        "an answer that is no JSON": ("Final Answer: three", "answer"),
        "an answer that is no object": ("Final Answer: 3", "answer"),
        "the second of two": ("Action: find\nAction Input: {}\nAction: find\nAction Input: {", "call"),
    },
    "hermes": {
        "not closed": ('<tool_call>{"name": "find", "arguments": {}}', "call"),
        "closed twice": ('<tool_call>{"name": "find"}</tool_call></tool_call>', "call"),
        "no JSON": ("<tool_call>find()</tool_call>", "call"),
        "a list": ("<tool_call>[]</tool_call>", "call"),
        "no name": ('<tool_call>{"arguments": {}}</tool_call>', "call"),
        "arguments that are text": ('<tool_call>{"name": "find", "arguments": "{}"}</tool_call>', "call"),
        "endless nesting": (f"<tool_call>{'[' * 100_000}</tool_call>", "call"),
        "a tool that is not there": ('<tool_call>{"name": "fly", "arguments": {}}</tool_call>', "unknown_tool"),
    },
}


@pytest.mark.parametrize(("name", "case"), [(name, case) for name, cases in BROKEN.items() for case in cases])
def test_what_cannot_be_read_is_said(name: str, case: str) -> None:
    text, kind = BROKEN[name][case]
    form = protocol(name)
    reading = form.read(completion(form, answer_of(text)), TOOLS, 0)
    assert reading.problem is not None and reading.problem.kind == kind and reading.problem.detail.endswith(".")
    assert reading.calls == ()


@pytest.mark.parametrize("name", sorted(set(PROTOCOLS) - {"native"}))
def test_a_result_that_the_model_makes_up_is_not_read(name: str) -> None:
    made_up = {"react": '\nObservation: {}\nFinal Answer: {"n": 1}', "hermes": "\n<tool_response>{}</tool_response>"}
    form = protocol(name)
    text = WRITERS[name]("x", CONVERSATION[0][1])["choices"][0]["message"]["content"]
    reading = form.read(completion(form, answer_of(text + made_up[name])), TOOLS, 0)
    assert [call.name for call in reading.calls] == ["find"]
    assert reading.message.content.strip() == text.strip()


def test_an_unknown_protocol_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"no protocol 'xml'.*native, react, hermes"):
        protocol("xml")
