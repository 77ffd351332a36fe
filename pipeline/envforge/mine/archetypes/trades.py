"""Trades of an archetype: loaded, checked against its banks, and put in their place.

A trade may leave anything out: what it does not replace stays neutral. What it replaces has the shape of what was
there, so that the scenario works with either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from envforge.core.errors import ConfigError
from envforge.core.records.archetype import Archetype
from envforge.core.records.trade import NEUTRAL, Trade
from envforge.mine.archetypes.sayings import plain_words
from envforge.mine.declared import first_problem, load_folders, read_mapping
from envforge.mine.scenario.text import SLOT

_REMEDY = "docs/archetypes.md, Trades, says what a trade may replace"


def with_trades(archetype: Archetype, folders: Sequence[Path]) -> Archetype:
    """The archetype with the trades in `folders`/<its id>; an earlier folder wins. Raises ConfigError."""
    trades = load_folders([folder / archetype.id for folder in folders], lambda path: load_trade(path, archetype))
    return archetype.model_copy(update={"trades": tuple(trades)}) if trades else archetype


def refuse_strangers(folders: Sequence[Path], archetypes: Set[str]) -> None:
    """Raises ConfigError for trades of an archetype that there is not: nothing would ever read them."""
    for path in sorted(path for folder in folders for path in folder.glob("*/*.yaml")):
        if path.parent.name not in archetypes:
            remedy = f"name the folder after one: {', '.join(sorted(archetypes))}"
            raise ConfigError(f"{path.parent.name!r} is no archetype", where=str(path), remedy=remedy)


def load_trade(path: Path, archetype: Archetype) -> Trade:
    """One trade file, checked against its archetype. Raises ConfigError naming the file, the field and the remedy."""
    content = read_mapping(path, "start with id, title, about, words")
    try:
        trade = Trade.model_validate(content)
    except ValidationError as error:
        raise first_problem(error, path, _REMEDY) from error
    for place, problem in _problems(trade, archetype):
        raise ConfigError(problem, where=f"{path}: {place}", remedy=_REMEDY)
    return trade


def in_trade(archetype: Archetype, trade: Trade | None) -> Archetype:
    """The archetype as a firm of that trade; as it is for None."""
    if trade is None:
        return archetype
    return archetype.model_copy(
        update={
            "constants": {**archetype.constants, **trade.constants},
            "text": {**archetype.text, **trade.text},
            "reference_rows": {**archetype.reference_rows, **trade.reference_rows},
        }
    )


def _problems(trade: Trade, archetype: Archetype) -> Iterable[tuple[str, str]]:
    if trade.id == NEUTRAL:
        yield "id", f"{NEUTRAL!r} is what the archetype's own banks are called"
    looked_up: dict[str, str] = {}
    for word, weight in trade.words.items():
        if looked_up.setdefault(plain_words(word), word) != word:
            yield f"words.{word}", f"is looked up as {looked_up[plain_words(word)]!r} is, and would count twice"
        if not 1 <= weight <= 3:
            yield f"words.{word}", f"speaks for the trade by {weight}, not 1 to 3"
    for name, value in trade.constants.items():
        if not isinstance(archetype.constants.get(name), list | dict):
            yield f"constants.{name}", "is no list or mapping of the archetype"
        else:
            yield from _unlike(f"constants.{name}", value, archetype.constants[name])
    for table, rows in trade.reference_rows.items():
        if table not in archetype.reference_rows:
            yield f"reference_rows.{table}", "the archetype has no rows of that table"
        else:
            yield from _unlike(f"reference_rows.{table}", list(rows), list(archetype.reference_rows[table]))
    yield from _wrong_text(trade, archetype)


def _wrong_text(trade: Trade, archetype: Archetype) -> Iterable[tuple[str, str]]:
    """Banks that are empty, or name a slot that neither is a bank nor is filled by the scenario."""
    banks = {**archetype.text, **trade.text}
    given = {slot for slot in _slots(archetype.text.values()) if slot not in archetype.text}
    for bank, templates in trade.text.items():
        if not templates:
            yield f"text.{bank}", "the text bank is empty"
        for slot in sorted(_slots([templates])):
            if slot == bank:
                yield f"text.{bank}", "the text bank names itself"
            elif slot not in banks and slot not in given:
                yield f"text.{bank}", f"{{{slot}}} is neither a bank nor filled by the scenario"


def _slots(banks: Iterable[Sequence[str]]) -> set[str]:
    return {slot for templates in banks for template in templates for slot in SLOT.findall(template)}


def _unlike(place: str, value: Any, model: Any) -> Iterable[tuple[str, str]]:
    """Where `value` has another shape than `model`: a kind of value, or the keys of a mapping or of its items."""
    if _kind(value) != _kind(model):
        yield place, f"is {_kind(value)}, not {_kind(model)}"
    elif isinstance(model, dict):
        yield from _unlike_mapping(place, cast("dict[str, Any]", value), [cast("dict[str, Any]", model)])
    elif isinstance(model, list):
        yield from _unlike_items(place, cast("list[Any]", value), cast("list[Any]", model))


def _unlike_items(place: str, values: list[Any], models: list[Any]) -> Iterable[tuple[str, str]]:
    if not values and models and not isinstance(models[0], dict):
        yield place, "is empty"
    for number, value in enumerate(values if models else ()):
        if not isinstance(models[0], dict):
            yield from _unlike(f"{place}.{number}", value, models[0])
        elif not isinstance(value, dict):
            yield f"{place}.{number}", f"is {_kind(value)}, not a mapping"
        else:
            yield from _unlike_mapping(f"{place}.{number}", cast("dict[str, Any]", value), models)


def _unlike_mapping(
    place: str, value: Mapping[str, Any], models: Sequence[Mapping[str, Any]]
) -> Iterable[tuple[str, str]]:
    """`value` has the keys that every model has, and others only if some model has them, with values of its kind."""
    known = {key: example for model in models for key, example in model.items() if example is not None}
    needed = {key for key in models[0] if all(key in model for model in models)}
    for key in sorted(needed - value.keys()):
        yield place, f"lacks {key}"
    for key, item in value.items():
        if not any(key in model for model in models):
            yield f"{place}.{key}", "the archetype knows no such key"
        elif item is not None and key in known:
            yield from _unlike(f"{place}.{key}", item, known[key])


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "a list"
        case dict():
            return "a mapping"
        case _:
            return "nothing"
