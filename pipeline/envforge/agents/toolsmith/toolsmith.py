"""Ideas, then for each a function and its tests: fenced code, tried in the sandbox, repaired a few times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from envforge.agents.asking import Asker, code_of
from envforge.agents.prompts import agent_prompt
from envforge.core.model_errors import AnswerError
from envforge.core.prompt import Prompt
from envforge.core.records.added_tool import AddedTool, ToolTry
from envforge.core.records.completion import CompletionRequest, Message
from envforge.core.seeds import derive_seed

IDEA, CODE, TEST = (agent_prompt(f"tool-{name}-1") for name in ("idea", "code", "test"))
STAGE = "toolsmith"
TRIES = 3
_TEMPERATURE = 0.4
_SEED_BITS = 31
_TOKENS = 900
_SHOWN_PROBLEMS = 6


class Workbench(Protocol):
    """Tries what was written, in the sandbox; every answer is what is wrong, nothing: all is well."""

    @property
    def tables(self) -> str:
        """The tables in words, for a model."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """Tools that there are."""
        ...

    def rows(self, source: str) -> str:
        """A few rows of the tables that a tool names."""
        ...

    def of_code(self, name: str, source: str) -> Sequence[str]:
        """What is wrong with a function."""
        ...

    def of_tests(self, source: str, tests: str) -> Sequence[str]:
        """What is wrong with its tests, or with the function as they show it."""
        ...

    def keep(self, tool: AddedTool) -> None:
        """It is one of those that there are."""
        ...


@dataclass(frozen=True)
class Made:
    """What came of it all."""

    tools: tuple[AddedTool, ...]
    tries: tuple[ToolTry, ...]


class Toolsmith:
    """Writes tools with a model. The same model, seed and database give the same tools."""

    def __init__(self, asker: Asker, bench: Workbench, *, seed: int, tries: int = TRIES) -> None:
        self._asker, self._bench, self._seed, self._tries = asker, bench, seed, tries

    @property
    def identity(self) -> str:
        """Who writes, and how it is asked."""
        asked = " ".join(f"{prompt.name}@{prompt.sha256[:12]}" for prompt in (IDEA, CODE, TEST))
        return f"agent:{self._asker.identity} {asked}"

    def make(self, count: int, progress: Callable[[str, int, int | None], None]) -> Made:
        """Up to `count` tools. Raises ModelError for what is no answer of the model: the run goes on another time."""
        kept: list[AddedTool] = []
        tries: list[ToolTry] = []
        for number, (name, purpose) in enumerate(self._ideas(count, tries)):
            progress("tools of the model", number, count)
            tool, told = self._tool(name, purpose)
            tries.append(told)
            if tool is not None:
                self._bench.keep(tool)
                kept.append(tool)
        return Made(tuple(kept), tuple(tries))

    def _ideas(self, count: int, tries: list[ToolTry]) -> list[tuple[str, str]]:
        there = ", ".join(self._bench.names)
        said = f"TABLES\n{self._bench.tables}\n\nTOOLS THAT THERE ARE\n{there}\n\nPropose {count} other tools."
        request = self._request(IDEA, [Message(role="user", content=said)], "ideas", 1)
        try:
            found = self._asker.json(request, _schema(count)).value["tools"]
        except AnswerError as error:
            tries.append(ToolTry(name="", purpose="", kept=False, tries=1, stage="idea", reasons=(error.message,)))
            return []
        ideas: dict[str, str] = {}
        for one in found:
            if one["name"] in self._bench.names or one["name"] in ideas:
                reason = (f"there is a tool {one['name']} already",)
                tries.append(
                    ToolTry(name=one["name"], purpose=one["purpose"], kept=False, tries=0, stage="idea", reasons=reason)
                )
            else:
                ideas[one["name"]] = one["purpose"]
        return list(ideas.items())

    def _tool(self, name: str, purpose: str) -> tuple[AddedTool | None, ToolTry]:
        wanted = f"TABLES\n{self._bench.tables}\n\nTOOL\n{name}: {purpose}\n\nWrite the function {name}."
        source, used, wrong = self._written(CODE, wanted, name, lambda code: self._bench.of_code(name, code))
        if not source:
            return None, ToolTry(name=name, purpose=purpose, kept=False, tries=used, stage="code", reasons=wrong)
        wanted = f"ROWS\n{self._bench.rows(source)}\n\nTOOL\n```python\n{source}```\n\nWrite the tests of {name}."
        tests, more, wrong = self._written(TEST, wanted, name, lambda code: self._bench.of_tests(source, code))
        used += more
        if not tests:
            return None, ToolTry(name=name, purpose=purpose, kept=False, tries=used, stage="tests", reasons=wrong)
        tool = AddedTool(name=name, purpose=purpose, source=source, tests=tests, author=self.identity)
        return tool, ToolTry(name=name, purpose=purpose, kept=True, tries=used)

    def _written(
        self, prompt: Prompt, wanted: str, name: str, check: Callable[[str], Sequence[str]]
    ) -> tuple[str, int, tuple[str, ...]]:
        """Code that passes its check, or nothing with the last problems; how many texts that took."""
        asked = [Message(role="user", content=wanted)]
        wrong: tuple[str, ...] = ()
        for number in range(1, self._tries + 1):
            text = ""
            try:
                text = code_of(self._asker.text(self._request(prompt, asked, name, number)))
                wrong = tuple(check(text))[:_SHOWN_PROBLEMS]
            except AnswerError as error:
                wrong = (error.message,)
            if not wrong:
                return text, number, ()
            told = "That is not right yet:\n" + "\n".join(f"- {one[:300]}" for one in wrong)
            asked[1:] = [
                Message(role="assistant", content=f"```python\n{text}```" if text else "(nothing)"),
                Message(role="user", content=f"{told}\nWrite it again, whole, in one ```python block."),
            ]
        return "", self._tries, wrong

    def _request(self, prompt: Prompt, asked: Sequence[Message], name: str, number: int) -> CompletionRequest:
        seed = derive_seed(self._seed, STAGE, prompt.name, name, number) >> (64 - _SEED_BITS)
        system = Message(role="system", content=prompt.filled())
        warmth = _TEMPERATURE if number > 1 else 0.0
        return CompletionRequest(
            messages=(system, *asked), seed=seed, temperature=warmth, max_tokens=_TOKENS, stage=STAGE
        )


def _schema(count: int) -> dict[str, Any]:
    name = {"type": "string", "pattern": "^[a-z][a-z0-9_]{2,40}$"}
    properties = {"name": name, "purpose": {"type": "string", "minLength": 10, "maxLength": 300}}
    idea = {"type": "object", "properties": properties, "required": ["name", "purpose"], "additionalProperties": False}
    tools = {"type": "array", "items": idea, "minItems": 1, "maxItems": count}
    return {"type": "object", "properties": {"tools": tools}, "required": ["tools"], "additionalProperties": False}
