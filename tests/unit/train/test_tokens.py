"""Conversations as tokens: which of them are the assistant's, in every template that can be trained with."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.train.things import FAMILY, OWN, PROMPT, example

from envforge.core.errors import ConfigError
from envforge.train.own_model import own_tokenizer
from envforge.train.suffix import suffix_ids
from envforge.train.tokens import template_of

templates: Any = pytest.importorskip("trl.chat_template_utils", reason="the extra `train` is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
CHAT = [message.model_dump(include={"role", "content"}) for message in PROMPT]


def test_only_what_the_assistant_says_has_a_mask(template: Any) -> None:
    ids, mask = template.masked(example(), FAMILY)
    said = template.tokenizer.decode([token for token, mine in zip(ids, mask, strict=True) if mine])
    heard = template.tokenizer.decode([token for token, mine in zip(ids, mask, strict=True) if not mine])
    assert said.count("<tool_call>") == 2 and said.endswith("<|im_end|>Done.<|im_end|>") and "result" not in said
    assert '{"result":4}' in heard and "How many things" in heard


def test_a_prompt_is_the_beginning_of_its_example(template: Any) -> None:
    prompt = template.prompt_ids([message.model_dump(include={"role", "content"}) for message in PROMPT], FAMILY)
    ids, mask = template.masked(example(), FAMILY)
    assert ids[: len(prompt)] == prompt and not any(mask[: len(prompt)]) and mask[len(prompt)] == 1


def test_a_tool_is_one_token_of_the_vocabulary_that_is_made_for_it(template: Any) -> None:
    text = template.tokenizer.apply_chat_template(
        [{"role": "user", "content": "x"}], tools=FAMILY.chat(), tokenize=False
    )
    line = next(line for line in text.splitlines() if line.startswith('{"type"'))
    assert len(template.tokenizer(f"\n{line}")["input_ids"]) == 1


def test_results_are_told_as_the_template_writes_them(template: Any) -> None:
    from envforge.train.suffix import suffix_ids

    told = template.tokenizer.decode(suffix_ids(template, [{"role": "tool", "name": "find", "content": "four"}]))
    assert told == "\n<|im_start|>user\n<tool_response>\nfour\n</tool_response><|im_end|>\n<|im_start|>assistant\n"


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return own_tokenizer(OWN, [FAMILY], [example()])


KNOWN = {
    "qwen2_5": "</tool_call><|im_end|>",
    "qwen3": "</tool_call><|im_end|>",
    "qwen3_instruct_2507": "</tool_call><|im_end|>",
    "glm4moe": "</tool_call><|observation|>",
    "gptoss": "<|call|>",
    "nemotron_3_nano": "</tool_call>\n<|im_end|>",
    "lfm2_2_5": "<|tool_call_end|><|im_end|>",
}
"""What docs/training.md promises -> how a call ends."""


@pytest.mark.parametrize("name", KNOWN)
def test_imitation_and_rewards_train_on_the_same_places_of_a_conversation(name: str, tokenizer: Any) -> None:
    tokenizer.chat_template = getattr(templates, f"{name}_chat_template")
    template = template_of(tokenizer)
    ids, mask = template.masked(example(), FAMILY)
    prompt = template.prompt_ids(CHAT, FAMILY)
    assert ids[: len(prompt)] == prompt and mask[: len(prompt) + 1] == [*[0] * len(prompt), 1]
    told = suffix_ids(template, [{"role": "tool", "name": "find", "content": '{"result":4}'}])
    first, second, last = _said(tokenizer, ids, mask)
    for call in (first, second):
        assert call.endswith(KNOWN[name]) and "result" not in call and "think" not in call
    assert "find" in first and "final_answer" in second and "Done." in last
    if name != "gptoss":  # it writes the name of the call behind the result, where TRL has a stand-in
        start = mask.index(0, len(prompt))
        assert ids[start : start + len(told)] == told


def _said(tokenizer: Any, ids: list[int], mask: list[int]) -> list[str]:
    """Each run of tokens that is trained on."""
    starts = [place for place, mine in enumerate(mask) if mine and not mask[place - 1]]
    ends = [next((end for end in range(start, len(mask)) if not mask[end]), len(mask)) for start in starts]
    return [tokenizer.decode(ids[start:end]) for start, end in zip(starts, ends, strict=True)]


@pytest.mark.parametrize("name", ["llama3_1", "llama3_2", "gemma3", "phi3", "deepseekv3"])
def test_templates_that_trl_cannot_train_with_are_refused(name: str, tokenizer: Any) -> None:
    tokenizer.chat_template, tokenizer.response_template = getattr(templates, f"{name}_chat_template"), None
    with pytest.raises(ConfigError):
        template_of(tokenizer)


def test_an_example_that_begins_its_answers_otherwise_than_a_prompt_is_refused(tokenizer: Any) -> None:
    tokenizer.chat_template = templates.nemotron_3_nano_chat_template
    with pytest.raises(ConfigError, match="begins an answer otherwise") as error:
        template_of(tokenizer, thinking=True).masked(example(), FAMILY)
    assert "model.thinking" in error.value.remedy


@pytest.mark.parametrize(
    ("chat_template", "words"),
    [
        (None, "has no chat template"),
        ("{% for m in messages %}{{ m.content }}{% endfor %}", "knows no tools"),
        (
            "{% for m in messages %}{{ m.content }}{{ m.tool_calls }}{% endfor %}{{ tools }}",
            "TRL cannot read the calls",
        ),
    ],
)
def test_models_without_a_template_for_tools_are_refused(chat_template: str | None, words: str, template: Any) -> None:
    from envforge.train.own_model import own_tokenizer
    from envforge.train.tokens import template_of

    tokenizer = own_tokenizer(OWN, [FAMILY], [example()])
    tokenizer.chat_template = chat_template
    with pytest.raises(ConfigError, match=words) as error:
        template_of(tokenizer, where="some/model")
    assert error.value.where == "some/model" and "Qwen3" in error.value.remedy
