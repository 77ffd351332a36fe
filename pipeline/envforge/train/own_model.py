"""A model made here: a vocabulary learnt from tools and examples, and weights drawn by a seed.

A vocabulary of hundreds of thousands makes a tiny model slow, and long texts that stand in every prompt (the tools, the
rules) cost as much as the task. So it has few tokens, and each of those texts is one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from envforge.core.records.train_config import OwnModel
from envforge.train.data.records import FamilyTools, SftExample
from envforge.train.installed import library

_END, _PAD = "<|im_end|>", "<|endoftext|>"
_CONTROL = (_PAD, "<|im_start|>", _END, "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")
_LEAST = 24
"""Characters of a text that is worth a token of its own."""


def own_tokenizer(own: OwnModel, families: Sequence[FamilyTools], examples: Sequence[SftExample]) -> Any:
    """A tokenizer with the chat template of Qwen2.5, which knows tools and does not think aloud."""
    tokenizers, transformers = library("tokenizers"), library("transformers")
    model = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token=None, byte_fallback=False))
    model.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    model.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=own.vocabulary,
        special_tokens=list(_CONTROL),
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    model.train_from_iterator(_texts(families, examples), trainer)
    whole = [tokenizers.AddedToken(text, normalized=False, special=False) for text in _whole(families, examples)]
    model.add_tokens(whole)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=model, eos_token=_END, pad_token=_PAD, additional_special_tokens=["<|im_start|>"]
    )
    tokenizer.chat_template = library("trl.chat_template_utils").qwen2_5_chat_template
    return tokenizer


def own_weights(own: OwnModel, tokenizer: Any, seed: int) -> Any:
    """A model of Qwen3's architecture that has learnt nothing."""
    transformers = library("transformers")
    transformers.set_seed(seed)
    config = transformers.Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=own.hidden,
        num_hidden_layers=own.layers,
        num_attention_heads=own.heads,
        num_key_value_heads=own.key_value_heads,
        head_dim=own.head_size,
        intermediate_size=own.between,
        max_position_embeddings=own.context,
        tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
    )
    return transformers.Qwen3ForCausalLM(config)


def _texts(families: Sequence[FamilyTools], examples: Sequence[SftExample]) -> Iterator[str]:
    """What is talked about: conversations without their rules, and the names of tools and parameters."""
    for example in examples:
        for message in example.messages:
            if message.role != "system":
                yield message.content
            for call in message.tool_calls:
                yield json.dumps({"name": call.name, "arguments": call.arguments}, ensure_ascii=False)
    for family in families:
        for tool in family.tools:
            yield json.dumps({"name": tool.name, "arguments": dict.fromkeys(tool.parameters.get("properties", {}), "")})


def _whole(families: Sequence[FamilyTools], examples: Sequence[SftExample]) -> Iterator[str]:
    """Texts that are one token: each tool as the template writes it, the rules around the time, how a call begins."""
    known: set[str] = set()
    for text in _candidates(families, examples):
        if len(text) >= _LEAST and text not in known:
            known.add(text)
            yield text


def _candidates(families: Sequence[FamilyTools], examples: Sequence[SftExample]) -> Iterable[str]:
    for family in families:
        for told in family.chat():
            yield "\n" + json.dumps(told, ensure_ascii=False)
        for tool in family.tools:
            yield f'\n{{"name": "{tool.name}", "arguments": '
    yield from _TEMPLATE
    for example in examples:
        yield from _between_times(example.messages[0].content)
        yield from _fits(example.messages[1].content)


_TEMPLATE = (
    "\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>",
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
    '<tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n'
    "</tool_call>",
)
"""What the template writes around the tools; where it writes otherwise, these are tokens that never occur."""


def _between_times(rules: str) -> Iterator[str]:
    """The rules without the time that stands in them."""
    head, sign, rest = rules.partition("It is ")
    yield head + sign
    yield rest[rest.find(" UTC") :] if " UTC" in rest else rest


def _fits(asked: str) -> Iterator[str]:
    """The words between the task and the schema of its answer."""
    before, sign, _ = asked.partition("JSON Schema: ")
    yield before[before.rfind("\n\n") :] + sign if sign else ""
