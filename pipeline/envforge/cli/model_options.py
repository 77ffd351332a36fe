"""Options of a model, as several commands have them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import typer

from envforge.core.errors import ConfigError

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
PlayingModel: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--model", help="Its name at the endpoint; with --provider local a GGUF file or ORG/NAME:FILE.gguf of the Hub."
    ),
]
PlayingProvider: TypeAlias = Annotated[
    Literal["openai", "local", "scripted"], typer.Option("--provider", help="An endpoint, a file, or a transcript.")
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


def model_given(model: str, provider: str, **settings: Any) -> dict[str, Any]:
    """What was said of a model's settings, and nothing else. Raises ConfigError for an address of what has none."""
    if provider != "openai" and settings.get("base_url"):
        raise ConfigError("goes with an endpoint", where=f"--base-url with --provider {provider}")
    given = {"model": model, "provider": provider, **settings}
    return {name: value for name, value in given.items() if value is not None}


def author_model(author: str, model: str | None, **settings: Any) -> dict[str, Any] | None:
    """The settings of a model that writes; None where nothing is written by one. Raises ConfigError."""
    if author == "compiled":
        if model is not None:
            raise ConfigError("goes with --author mixed or agent", where="--model")
        return None
    if model is None:
        raise ConfigError("needs a model", where=f"--author {author}", remedy="name it with --model")
    return model_given(model, **settings)
