"""What is offered, and what is told."""

from __future__ import annotations

from envforge.train.data.conversation import conversation_key, family_tools, opening
from envforge.train.data.supply import Supply


def test_the_final_answer_is_offered_last_under_a_name_that_is_free(browsers: Supply) -> None:
    specs = browsers.environment.tools
    offered = family_tools("web", specs)
    assert [tool.name for tool in offered.tools] == [*(spec.name for spec in specs), "final_answer"]
    assert offered.tools[0].parameters == specs[0].parameters
    taken = specs[0].model_copy(update={"name": "final_answer"})
    assert family_tools("web", (taken,)).final == "final_answer_"
    assert offered.chat()[-1]["function"]["parameters"]["required"] == ["answer"]


def test_the_time_and_the_schema_of_the_answer_are_told(browsers: Supply) -> None:
    task = browsers.tasks.tasks[0]
    system, user = opening(task, "final_answer")
    assert task.now[:10] in system.content and "{{" not in system.content
    assert all(field in user.content for field in task.answer_schema["properties"])
    assert conversation_key((system, user)) != conversation_key((user, system))
