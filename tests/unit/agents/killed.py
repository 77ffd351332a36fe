"""Kills an agent at moments all over its life, runs it on, and writes what came of it to told.json.

A script of its own, so that one process loads the graph library once and forks for each run.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from langgraph.checkpoint.sqlite import SqliteSaver
from tests.unit.agents.keeper import Note, assigned, step

from envforge.agents.asking import Asker
from envforge.agents.kernel import run_agent
from envforge.agents.tools.files import WriteFile
from envforge.core.records.agent import AgentLimits
from envforge.core.records.completion import CompletionRequest
from envforge.llm import cache
from envforge.llm.providers.scripted import ScriptedModel

ANSWERS = [step("write_file", file="a", text="first"), "nonsense", step("note_code"), "```python\nx = 1\n```",
           step("write_file", file="b", text="second"), step("finish")]  # fmt: skip


class Moments:
    def __init__(self, deadly: int) -> None:
        self.deadly, self.count = deadly, 0
        # Held from an answer until it is on disk. Before that it is lost with its process, and nobody can help that:
        # no moment of the threads in which the graph library writes some of its checkpoints may fall into that time.
        self.answering = Lock()

    def pass_by(self) -> None:
        with self.answering:
            self.count += 1
            if self.count == self.deadly:
                os.kill(os.getpid(), signal.SIGKILL)

    def around(self, owner: Any, name: str, *, keeps_answer: bool = False) -> Callable[[], None]:
        """Moments before and after each call of it; what is given back takes them away again."""
        inner: Callable[..., Any] = getattr(owner, name)

        def watched(*given: Any, **named: Any) -> Any:
            if not keeps_answer:
                self.pass_by()
            value = inner(*given, **named)
            if keeps_answer:
                self.answering.release()
            self.pass_by()
            return value

        setattr(owner, name, watched)
        return lambda: setattr(owner, name, inner)


def live(folder: Path, deadly: int) -> int:
    """One life: until its end or the deadly moment. What a call of the model cost stands in a file."""
    moments = Moments(deadly)
    watches = [
        moments.around(SqliteSaver, "put"),
        moments.around(SqliteSaver, "put_writes"),
        moments.around(WriteFile, "use"),
        moments.around(cache, "write_json", keeps_answer=True),
    ]
    paid = folder / "paid"
    paid.touch()

    def answer(request: CompletionRequest) -> str:
        moments.answering.acquire()
        number = len(paid.read_text().splitlines())
        with paid.open("a") as stream:
            stream.write(request.key("") + "\n")
        return ANSWERS[number]

    with Asker(ScriptedModel(answer), folder / "replies") as asker:
        run_agent(assigned(folder, [Note()], limits=AgentLimits(steps=9)), asker, folder / "run")
    for unwatch in watches:
        unwatch()
    return moments.count


def forked(folder: Path, deadly: int) -> bool:
    child = os.fork()
    if child == 0:
        try:
            live(folder, deadly)
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def left(folder: Path) -> Mapping[str, Any]:
    notes = {path.name: path.read_text() for path in sorted((folder / "notes").iterdir())}
    paid = (folder / "paid").read_text().splitlines()
    run = json.loads((folder / "run" / "agent.json").read_text())
    run.pop("permissions")  # it names the folder
    return {"run": run, "notes": notes, "calls": len(paid), "twice": len(paid) - len(set(paid))}


def main(folder: Path) -> None:
    (folder / "whole").mkdir()
    moments = live(folder / "whole", 0)
    killed: list[dict[str, Any]] = []
    for deadly in range(2, moments + 1, max(1, moments // 11)):
        place = folder / str(deadly)
        place.mkdir()
        died, went_on = not forked(place, deadly), forked(place, 0)
        killed.append({"moment": deadly, "died": died, "went_on": went_on, **left(place)})
    told = {"moments": moments, "whole": left(folder / "whole"), "killed": killed}
    (folder / "told.json").write_text(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
