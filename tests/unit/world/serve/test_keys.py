from __future__ import annotations

from envforge.world.serve.keys import KeyRing, Token, new_key, new_token


def test_keys_and_tokens_are_long_and_never_the_same() -> None:
    made = {new_key() for _ in range(500)} | {new_token() for _ in range(500)}
    assert len(made) == 1000
    # 6 bits a character: at least 128 bits.
    assert min(len(key) for key in made) * 6 >= 128


def test_a_ring_opens_with_the_very_key_only() -> None:
    ring: KeyRing[int] = KeyRing()
    key = new_key()
    ring.add(key, 7)
    assert ring.get(key) == 7
    for wrong in ("", key[:-1], key + "A", key.swapcase(), "ключ", "\ud800"):
        assert ring.get(wrong) is None
    ring.remove(key)
    ring.remove(key)
    assert ring.get(key) is None and len(ring) == 0


def test_no_key_lies_in_the_ring() -> None:
    ring: KeyRing[int] = KeyRing()
    key = new_key()
    ring.add(key, 7)
    assert key.encode() not in repr(ring.__dict__).encode()


def test_a_token_fits_itself_only() -> None:
    token = Token("correct horse battery")
    assert token.fits("correct horse battery")
    assert not token.fits("correct horse batterY")
    assert not token.fits("")
