"""Secrets of a server: the keys of its episodes, and the token of those who may start and end them."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Generic, TypeVar

T = TypeVar("T")
_KEY_BYTES = 24
"""192 random bits: nobody guesses one."""
_TOKEN_BYTES = 32
LEAST_TOKEN = 16
"""Characters of a token that somebody gives."""


def new_key() -> str:
    """A key of an episode, fit for a URL."""
    return secrets.token_urlsafe(_KEY_BYTES)


def new_token() -> str:
    """A token."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


class Token:
    """Compares what a request brings with the token, in a time that tells nothing of it."""

    def __init__(self, token: str) -> None:
        self._digest = hashlib.sha256(token.encode()).digest()

    def fits(self, given: str) -> bool:
        """True for the token itself."""
        return hmac.compare_digest(hashlib.sha256(given.encode()).digest(), self._digest)


class KeyRing(Generic[T]):
    """Values by key. Only digests under a secret of this process are held and compared.

    So neither the time of a look-up nor a picture of the memory of the table tells how near a guess came.
    """

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(32)
        self._values: dict[bytes, T] = {}

    def add(self, key: str, value: T) -> None:
        """A further key."""
        self._values[self._digest(key)] = value

    def get(self, key: str) -> T | None:
        """The value, None for a key that is not there."""
        return self._values.get(self._digest(key))

    def remove(self, key: str) -> None:
        """The key opens nothing any more."""
        self._values.pop(self._digest(key), None)

    def values(self) -> list[T]:
        """All values."""
        return list(self._values.values())

    def __len__(self) -> int:
        return len(self._values)

    def _digest(self, key: str) -> bytes:
        return hashlib.blake2b(key.encode("utf-8", "replace"), key=self._secret, digest_size=32).digest()
