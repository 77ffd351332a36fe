"""The tokens of results of tools, as they follow the answer that asked for them."""

from __future__ import annotations

from typing import Any

from envforge.core.errors import ConfigError
from envforge.train.tokens import Chat, Template

_ASKS: Chat = {"role": "user", "content": "dummy"}
_CALLS: Chat = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"type": "function", "function": {"name": "dummy", "arguments": {}}}],
}


def suffix_ids(template: Template, results: list[Chat]) -> list[int]:
    """What the template adds behind an answer: the results, and the beginning of the next answer.

    Raises ConfigError where the template writes an answer otherwise once results follow it.
    """
    tokenizer: Any = template.tokenizer
    settings = dict(template.settings)
    before = [_ASKS, _CALLS]
    prefix = list(tokenizer.apply_chat_template(before, tokenize=True, return_dict=False, **settings))
    whole = tokenizer.apply_chat_template(
        [*before, *results], tokenize=True, return_dict=False, add_generation_prompt=True, **settings
    )
    ends = [place for place, token in enumerate(prefix) if token == tokenizer.eos_token_id]
    if ends:
        # Some templates write a line break behind the end of a turn, which the model itself never gets to write.
        prefix = prefix[: ends[-1] + 1]
    if list(whole[: len(prefix)]) != prefix:
        remedy = "take a model whose template TRL can train with; docs/training.md has a table"
        raise ConfigError("writes an answer otherwise once results follow it", where="chat template", remedy=remedy)
    return list(whole[len(prefix) :])
