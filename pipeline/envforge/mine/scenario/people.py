"""People as a scenario needs them: one dominant locale, and name, e-mail, phone and birth date that agree.

Names come from Faker's lists, weighted as they are there; the drawing is ours, so that it follows our seeds.
Addresses stand in domains and phone numbers in exchanges that are reserved for examples: they reach nobody.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

from faker import Faker

from envforge.core.errors import BuildError

MAIL_DOMAINS = ("example.com", "example.net", "example.org")
AREA_CODES = (
    ("201", "203", "206", "212", "213", "214", "215", "216", "240", "267", "301", "303", "305", "310", "312", "314")
    + ("315", "321", "347", "401", "404", "407", "410", "412", "415", "469", "480", "502", "503", "508", "512", "516")
    + ("518", "551", "585", "602", "603", "609", "610", "612", "614", "615", "617", "619", "631", "646", "651", "702")
    + ("703", "704", "713", "716", "718", "720", "732", "770", "773", "781", "802", "804", "813", "816", "832", "845")
    + ("856", "860", "901", "908", "914", "917", "919", "954", "972", "973")
)
# British and Irish exchanges that are kept for films and books; everywhere else the exchange 555 of an area stands.
_BRITISH = ("113-496-0", "114-496-0", "115-496-0", "116-496-0", "117-496-0", "118-496-0", "121-496-0", "131-496-0") + (
    "141-496-0",
    "151-496-0",
    "161-496-0",
    "191-498-0",
    "20-7946-0",
    "29-2018-0",
    "7700-900",
    "1632-960",
)
_SEPARATORS = (".", ".", ".", "", "_")


class NameList:
    """Names with weights, drawn by a given stream."""

    def __init__(self, names: Mapping[str, float] | Sequence[str]) -> None:
        self.names = list(names)
        weights = list(names.values()) if isinstance(names, Mapping) else [1.0] * len(self.names)
        self._cumulative = list(accumulate(weights))

    def draw(self, stream: random.Random) -> str:
        """One name."""
        return stream.choices(self.names, cum_weights=self._cumulative)[0]


@lru_cache(maxsize=8)
def name_lists(locale: str) -> tuple[NameList, NameList, NameList]:
    """Female first names, male first names and last names of a locale. Raises BuildError."""
    try:
        providers: list[Any] = list(Faker(locale).get_providers())
    except (AttributeError, ImportError) as error:
        raise BuildError(f"no names for the locale {locale!r}", where="archetype locale") from error
    for provider in providers:
        if hasattr(provider, "last_names") and hasattr(provider, "first_names"):
            female = getattr(provider, "first_names_female", provider.first_names)
            male = getattr(provider, "first_names_male", provider.first_names)
            return NameList(female), NameList(male), NameList(provider.last_names)
    raise BuildError(f"no names for the locale {locale!r}", where="archetype locale")


def _phone(locale: str, area: str, number: int) -> str:
    """A number that rings nowhere, of the country whose names people bear."""
    if locale == "en_IE":
        return f"+353-20-91{int(area) % 10}-{number:04d}"
    if locale == "en_GB":
        return f"+44-{_BRITISH[int(area) % len(_BRITISH)]}{number % 1000:03d}"
    return f"+1-{area}-555-{number:04d}"


class People:
    """Draws people without repeating a full name or an address, unless asked to."""

    def __init__(self, locale: str, taken_names: set[str], taken_emails: set[str]) -> None:
        self._locale = locale
        self._female, self._male, self._last = name_lists(locale)
        self._names = taken_names
        self._emails = taken_emails

    def draw(
        self,
        stream: random.Random,
        *,
        last_name: str | None = None,
        first_name: str | None = None,
        born: tuple[int, int] | Sequence[int] = (1948, 1999),
        domain: str | None = None,
    ) -> dict[str, Any]:
        """first_name, last_name, name, gender, email, phone and birth_date of one person."""
        gender, first, last = "", "", ""
        for _ in range(50):
            gender = "female" if stream.random() < 0.5 else "male"
            first = first_name or (self._female if gender == "female" else self._male).draw(stream)
            last = last_name or _spelled(self._last.draw(stream))
            if f"{first} {last}" not in self._names or (first_name and last_name):
                break
        self._names.add(f"{first} {last}")
        year, day = stream.randint(born[0], born[1]), stream.randint(1, 28)
        birth_date = f"{year}-{stream.randint(1, 12):02d}-{day:02d}"
        return {
            "first_name": first,
            "last_name": last,
            "name": f"{first} {last}",
            "gender": gender,
            "email": self._email(stream, first, last, year, domain),
            "phone": _phone(self._locale, stream.choice(AREA_CODES), stream.randint(0, 9999)),
            "birth_date": birth_date,
        }

    def _email(self, stream: random.Random, first: str, last: str, year: int, domain: str | None) -> str:
        first, last = plain(first), plain(last)
        if domain:
            forms = [f"{first}.{last}", f"{first[0]}{last}", f"{first}.{last[0]}"]
        else:
            separator = stream.choice(_SEPARATORS)
            forms = [f"{first}{separator}{last}", f"{first[0]}{separator}{last}", f"{last}{separator}{first}"]
            forms = stream.sample(forms, k=len(forms)) if stream.random() < 0.5 else forms
            if stream.random() < 0.35:
                forms.insert(0, f"{forms[0]}{stream.choice([year % 100, stream.randint(1, 99)]):02d}")
        chosen = domain or stream.choices(MAIL_DOMAINS, weights=(6, 3, 2))[0]
        number = 1
        while True:
            for form in forms:
                address = f"{form}{number if number > 1 else ''}@{chosen}"
                if address not in self._emails:
                    self._emails.add(address)
                    return address
            number += 1


def _spelled(name: str) -> str:
    """A last name as its bearers write it: the lists have `Mcconnell`."""
    return f"Mc{name[2:].capitalize()}" if name.startswith("Mc") and len(name) > 4 else name


def plain(name: str) -> str:
    """A name as it stands in an address: lower-case ASCII letters."""
    decomposed = unicodedata.normalize("NFKD", name.lower())
    return "".join(letter for letter in decomposed if letter.isascii() and letter.isalpha()) or "x"
