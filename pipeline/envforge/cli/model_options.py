"""Options of a model, as several commands have them, and the settings that come of them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from envforge.cli.options import Command, SharedOptions, option
from envforge.core.errors import ConfigError

if TYPE_CHECKING:
    from envforge.llm.connect import ModelSettings

BaseUrl: TypeAlias = Annotated[
    str | None, typer.Option("--base-url", help="E.g. http://127.0.0.1:8000/v1.", show_default="OpenAI")
]
KeyVariable: TypeAlias = Annotated[
    str | None, typer.Option("--api-key-env", help="Environment variable with the key.", show_default="OPENAI_API_KEY")
]
CallSeconds: TypeAlias = Annotated[
    float, typer.Option("--timeout", min=0.1, max=86400, help="Seconds for one call of the model.")
]
BudgetTokens: TypeAlias = Annotated[
    int | None, typer.Option("--budget-tokens", min=1, help="Stop after so many tokens.")
]
BudgetUsd: TypeAlias = Annotated[
    float | None, typer.Option("--budget-usd", min=0, help="Stop after so many US dollars.")
]
_NAMED = typer.Option(
    "--model", help="Its name at the endpoint; with --provider local a GGUF file or ORG/NAME:FILE.gguf of the Hub."
)
OptionalModel: TypeAlias = Annotated[str | None, _NAMED]
RequiredModel: TypeAlias = Annotated[str, _NAMED]
Provider = Literal["openai", "local", "scripted"]
ProviderOption: TypeAlias = Annotated[
    Provider, typer.Option("--provider", help="An endpoint, a file, or a transcript.")
]
ChatTemplate: TypeAlias = Annotated[
    Path | None,
    typer.Option("--chat-template", help="With --provider local: a Jinja file.", show_default="the model's own"),
]
Extra: TypeAlias = Annotated[
    str | None,
    typer.Option("--extra", help="JSON object that goes into every request, e.g. a server's own settings."),
]
Protocol: TypeAlias = Annotated[
    Literal["native", "react", "hermes"], typer.Option("--protocol", help="How the model writes calls.")
]
Prompt: TypeAlias = Annotated[
    Path | None, typer.Option("--prompt", help="System prompt.", show_default="the one that ships")
]
OnMalformed: TypeAlias = Annotated[
    Literal["observe", "end"],
    typer.Option("--on-malformed", help="An answer that cannot be read: tell the model, or end."),
]
ContextTokens: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--context-tokens", min=256, help="Prompt and answer together.", show_default="what the endpoint takes"
    ),
]
OnOverflow: TypeAlias = Annotated[
    Literal["stop", "drop_oldest"],
    typer.Option("--on-overflow", help="What does not fit: end as truncated, or leave out the oldest results."),
]
TurnTokens: TypeAlias = Annotated[
    int | None, typer.Option("--turn-tokens", min=1, help="Of one answer.", show_default="1024")
]


@dataclass(frozen=True)
class ModelOptions:
    """What a command was told of a model."""

    model: str | None = None
    provider: Provider = "openai"
    base_url: str | None = None
    key_variable: str | None = None
    timeout: float = 300.0
    budget_tokens: int | None = None
    budget_usd: float | None = None
    chat_template: Path | None = None
    extra: str | None = None

    def settings(self, *, tries: int | None = None, at_once: int | None = None) -> ModelSettings:
        """The settings of a model that was named. Raises ConfigError for options that do not go together."""
        from envforge.cli.commands.json_option import json_object
        from envforge.llm.connect import ModelSettings
        from envforge.llm.retry import RetryPolicy

        if self.model is None:
            raise ConfigError("needs a model", where="--provider", remedy="name it with --model")
        if self.provider != "openai" and (self.base_url or self.extra):
            told = "--base-url and --extra go with an endpoint"
            raise ConfigError(told, where=f"--provider {self.provider}")
        given = {
            "base_url": self.base_url, "key_variable": self.key_variable, "budget_tokens": self.budget_tokens,
            "budget_usd": self.budget_usd, "chat_template": self.chat_template, "at_once": at_once,
            "retry": RetryPolicy(tries=tries) if tries is not None else None,
        }  # fmt: skip
        said: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        extra = json_object(self.extra)
        return ModelSettings(self.model, self.provider, timeout_seconds=self.timeout, extra=extra, **said)

    def author(self, author: str) -> ModelSettings | None:
        """The settings of a model that is an author; None for the compiled one. Raises ConfigError."""
        if author == "compiled":
            if self.model is not None:
                raise ConfigError("goes with --author mixed or agent", where="--model")
            return None
        if self.model is None:
            raise ConfigError("needs a model", where=f"--author {author}", remedy="name it with --model")
        return self.settings()


def with_model(*, required: bool = False) -> Callable[[Command], Command]:
    """A command with --model and what goes with it behind its own options; its argument `llm` has what was said."""
    kinds: dict[str, Any] = {
        "provider": ProviderOption, "base_url": BaseUrl, "key_variable": KeyVariable, "timeout": CallSeconds,
        "budget_tokens": BudgetTokens, "budget_usd": BudgetUsd, "chat_template": ChatTemplate, "extra": Extra,
    }  # fmt: skip

    def with_options(command: Command) -> Command:
        own = [one for one in inspect.signature(command, eval_str=True).parameters.values() if one.name != "llm"]
        named = option("model", RequiredModel) if required else option("model", OptionalModel, None)
        added = [named, *(option(name, kind, getattr(ModelOptions, name)) for name, kind in kinds.items())]

        @functools.wraps(command)
        def run(shared: SharedOptions, **given: Any) -> None:
            told = {name: given.pop(name) for name in ("model", *kinds)}
            command(shared, llm=ModelOptions(**told), **given)

        run.__dict__["__signature__"] = inspect.Signature([*own, *added])
        return run

    return with_options
