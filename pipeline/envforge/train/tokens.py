"""Between conversations and token ids, as the trainer does it: prompts, results of tools, and what an answer calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from envforge.core.errors import ConfigError
from envforge.train.data.records import FamilyTools, SftExample
from envforge.train.installed import library

Chat = dict[str, Any]
_REMEDY = (
    "take a model whose template TRL knows: Qwen2.5, Qwen3, GLM-4, GPT-OSS, Nemotron 3, LFM2.5; "
    "docs/training.md has a table"
)


@dataclass(frozen=True)
class Template:
    """A tokenizer whose template can be trained with: its beginnings stay as they are when a conversation grows."""

    tokenizer: Any
    own: str
    """The model's own template, which is saved with it."""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the template is told beside messages and tools."""

    def prompt_ids(self, messages: Sequence[Chat], family: FamilyTools) -> list[int]:
        """What stands before the first answer."""
        return self._ids(messages, family, add_generation_prompt=True)

    def masked(self, example: SftExample, family: FamilyTools) -> tuple[list[int], list[int]]:
        """The tokens of an example, and for each 1 if it is the assistant's, which alone is trained on.

        Raises ConfigError where an example would teach answers that begin otherwise than those that are rewarded.
        """
        told = self.tokenizer.apply_chat_template(
            example.chat(),
            tools=family.chat(),
            tokenize=True,
            return_dict=True,
            return_assistant_tokens_mask=True,
            **self.settings,
        )
        ids: list[int] = list(told["input_ids"])
        first = next(place for place, message in enumerate(example.messages) if message.role == "assistant")
        prompt = self.prompt_ids(example.chat()[:first], family)
        if ids[: len(prompt)] != prompt:
            remedy = "model.thinking: false, or leave the stage `sft` out"
            raise ConfigError("begins an answer otherwise in an example", where="chat template", remedy=remedy)
        return ids, _own_words(ids, list(told["assistant_masks"]), self._header(), self.tokenizer.eos_token_id)

    def read(self, ids: Sequence[int], prefix: Sequence[int], family: FamilyTools) -> Chat:
        """An answer as a message. What cannot be read as calls is plain text, and ends the episode."""
        parse = library("trl.chat_template_utils").parse_response
        return cast("Chat", parse(self.tokenizer, list(ids), prefix=list(prefix), tools=family.chat()))

    def _header(self) -> list[int]:
        """What the template writes before each answer."""
        asks: list[Chat] = [{"role": "user", "content": "x"}]
        without, whole = (
            list(self.tokenizer.apply_chat_template(asks, add_generation_prompt=on, return_dict=False, **self.settings))
            for on in (False, True)
        )
        return whole[len(without) :]

    def _ids(self, messages: Sequence[Chat], family: FamilyTools, **more: Any) -> list[int]:
        told = self.tokenizer.apply_chat_template(
            list(messages), tools=family.chat(), tokenize=True, return_dict=True, **more, **self.settings
        )
        return list(told["input_ids"])


def _own_words(ids: list[int], mask: list[int], header: list[int], end: int) -> list[int]:
    """The mask without what the template writes around an answer: its header, and what follows the end of the turn.

    Templates for training count these in, in part; a model never gets to write them.
    """
    kept = list(mask)
    starts = [place for place, mine in enumerate(mask) if mine and (place == 0 or not mask[place - 1])]
    for start in starts:
        stop = next((place for place in range(start, len(mask)) if not mask[place]), len(mask))
        said = next((shift for shift in range(len(header) + 1) if _ends_with(ids, start + shift, header)), 0)
        ends = [place for place in range(start, stop) if ids[place] == end]
        for place in (*range(start, min(start + said, stop)), *range(ends[-1] + 1 if ends else stop, stop)):
            kept[place] = 0
    return kept


def _ends_with(ids: list[int], stop: int, header: list[int]) -> bool:
    return stop >= len(header) and ids[stop - len(header) : stop] == header


def template_of(tokenizer: Any, *, thinking: bool = False, where: str = "") -> Template:
    """The tokenizer made ready for training with tools.

    Raises ConfigError for a model without a chat template, without tools in it, or with one that TRL does not know.
    """
    own = getattr(tokenizer, "chat_template", None)
    if not own:
        raise ConfigError("the model has no chat template", where=where, remedy=_REMEDY)
    if not isinstance(own, str):
        raise ConfigError("the model has several chat templates", where=where, remedy="keep one that knows tools")
    utils = library("trl.chat_template_utils")
    if not utils.supports_tool_calling(tokenizer):
        raise ConfigError("the model's chat template knows no tools", where=where, remedy=_REMEDY)
    try:
        if getattr(tokenizer, "response_template", None) is None:
            tokenizer = utils.add_response_schema(tokenizer)
        trained = utils.get_training_chat_template(tokenizer)
    except ValueError as error:
        message = "TRL cannot read the calls that the model's chat template writes, or cannot train with it"
        raise ConfigError(message, where=where, remedy=_REMEDY) from error
    tokenizer.chat_template = trained or own
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    settings = {"enable_thinking": False} if "enable_thinking" in own and not thinking else {}
    return Template(tokenizer, own, settings)
