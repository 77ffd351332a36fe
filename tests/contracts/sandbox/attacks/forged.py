"""Answers that a tool writes in the worker's name, and changesets that no worker wrote."""

from __future__ import annotations

import random
from collections.abc import Iterator

from envforge.world.sandbox import frames

from .attack import Attack

FORGE = Attack(
    "forge_answers",
    "pipe = k.worker().pipe\n"
    "for text in host['frames']:\n"
    "    pipe.send(bytes.fromhex(text))\n"
    "    pipe.receive()\n"
    "k.os._exit(0)",
    "host",
    ("killed",),
    escaped=True,
    lasting=True,
)
"""Takes the worker over: it answers one request after the other with `frames`, then ends."""

WRITE = Attack(
    "write_bytes",
    "data = bytes.fromhex(host['data'])\n"
    "while True:\n"
    "    for number in k.channels():\n"
    "        k.os.write(number, k.worker().pipe._token * host['marked'] + data)\n"
    "    if not host['again']:\n"
    "        break\n"
    "while True:\n"
    "    pass",
    "host",
    ("killed",),
    escaped=True,
    lasting=True,
)
"""Writes `data` to the host, past any frame; over and over when `again`; behind the request's mark when `marked`."""

FINE = frames.pack('{"now": "2013-01-15T12:00:00Z", "result": {}}')
TEXTS = {
    "list": "[]",
    "number": "3",
    "null": "null",
    "text": '"x"',
    "empty": "{}",
    "not_json": "{",
    "nothing": "",
    "not_a_number": '{"result": {"x": NaN}, "now": NaN}',
    "infinite": '{"result": {"x": 1e999}, "now": 1e999}',
    "result_number": '{"result": 5, "now": 5, "state": 5}',
    "result_list": '{"result": [1], "now": [], "state": []}',
    "result_null": '{"result": null, "now": null, "state": null}',
    "result_and_error": '{"result": {}, "error": "x"}',
    "error_null": '{"error": null}',
    "error_list": '{"error": [1, 2]}',
    "error_empty": '{"error": {}}',
    "error_parts": '{"error": {"code": [], "message": {}, "hint": 3, "kind": null}}',
    "error_kind": '{"error": {"code": "x", "message": "y", "hint": "", "kind": "host"}}',
    "failed": '{"failed": ["x"], "now": {}}',
    "failed_text": '{"failed": "x"}',
    "deep": '{"result": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "deep_objects": '{"a":' * 20_000 + "1" + "}" * 20_000,
    "giant_integer": '{"result": {"x": ' + "9" * 100_000 + "}}",
    "twice": '{"result": {}, "result": 7, "now": 1, "now": "x"}',
    "surrogate": '{"result": {"x": "\\ud800"}, "now": "\\ud800"}',
    "class": '{"result": {"__class__": "x"}, "now": "x", "py/object": "os.system"}',
}
BLOBS = {"no_changeset": b"no changeset", "zeros": bytes(4096), "cut": b"T\x05\x01\x00\x00\x00\x00loans", "head": b"T"}


def forged_frames() -> dict[str, bytes]:
    """Name → frame."""
    made = {name: frames.pack(text) for name, text in TEXTS.items()}
    made |= {f"blob_{name}": frames.pack('{"now": "x", "result": {}}', blob) for name, blob in BLOBS.items()}
    made["no_utf8"] = frames.HEAD.pack(4, 0) + b"\xff\xfe\x00\x80"
    return made


RAW: dict[str, tuple[bytes, bool, bool]] = {
    "garbage": (b"garbage!" * 4, False, False),
    "marked_garbage": (b"\xff" * 64, False, True),
    "one_gigabyte": (frames.HEAD.pack(1 << 30, 0), False, True),
    "four_gigabytes": (frames.HEAD.pack((1 << 32) - 1, (1 << 32) - 1), False, True),
    "half_a_frame": (frames.HEAD.pack(1 << 20, 0) + b"{", False, True),
    "half_a_head": (b"\x00\x00", False, True),
    "endless": (b"{" * 65536, True, False),
    "endless_within_a_frame": (frames.HEAD.pack(200 << 20, 0) + b" " * 65536, True, True),
    "trickle_within_a_frame": (frames.HEAD.pack(2, 200 << 20) + b"{}", True, True),
    "frame_after_frame": (FINE, True, True),
}
"""Name → (bytes, written over and over, behind the request's mark)."""


def spoilt(changeset: bytes, count: int, seed: int) -> Iterator[bytes]:
    """The changeset with some bytes changed, cut out or put in."""
    dice = random.Random(seed)
    for _ in range(count):
        data = bytearray(changeset)
        for _ in range(dice.randint(1, 4)):
            at = dice.randrange(len(data))
            match dice.randrange(4):
                case 0:
                    data[at] = dice.randrange(256)
                case 1:
                    data[at] ^= 1 << dice.randrange(8)
                case 2:
                    del data[at : at + dice.randint(1, 9)]
                case _:
                    data[at:at] = bytes(dice.randrange(256) for _ in range(dice.randint(1, 9)))
            if not data:
                break
        yield bytes(data)
