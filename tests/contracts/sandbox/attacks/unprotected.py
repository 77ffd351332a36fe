"""A program: run one attack as root with no sandbox at all, to see whether it would achieve anything.

Arguments: tools.py, name of the attack, facts as JSON. Prints what the attack says. It stands in a mount namespace of
its own in which only the folder of the facts can be written, so that the machine it proves this on stays as it is.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any

NEW_MOUNTS, NEW_IPC, NEW_UTS = 0x20000, 0x08000000, 0x04000000
BIND, REMOUNT, READ_ONLY, PRIVATE, RECURSIVE = 4096, 32, 1, 1 << 18, 16384


def stand_aside(folder: str) -> None:
    """A view of the file system that cannot be written but for `folder`; IPC and host name of its own."""
    libc = ctypes.CDLL(None, use_errno=True)

    def held(result: int, what: str) -> None:
        if result:
            raise OSError(ctypes.get_errno(), what)

    def mount(source: str, target: str, kind: str, flags: int) -> None:
        held(libc.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), None), target)

    held(libc.unshare(NEW_MOUNTS | NEW_IPC | NEW_UTS), "unshare")
    mount("none", "/", "", PRIVATE | RECURSIVE)
    mount(folder, folder, "", BIND)
    for place in ("/dev/shm", "/run"):
        if os.path.ismount(place):
            mount("tmpfs", place, "tmpfs", 0)
    mount("none", "/", "", REMOUNT | BIND | READ_ONLY)


def main() -> None:
    """Entry point."""
    tools, name, facts = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    source = Path(tools).read_text(encoding="utf-8")
    stand_aside(facts["folder"])
    output = os.dup(1)
    # What a careless host leaves open and lying around.
    left_open = [os.open(facts["folder"], os.O_RDONLY), os.open(facts["canary"], os.O_RDWR)]
    secrets: dict[str, Any] = {"key": os.environ.get("ENVFORGE_TEST_SECRET", ""), "open": left_open}
    namespace: dict[str, Any] = {"__name__": "tools"}
    exec(compile(source, "tools.py", "exec", dont_inherit=True), namespace)
    answer = namespace[name](None, facts)
    del secrets
    os.write(output, json.dumps(answer).encode())
    os._exit(0)


if __name__ == "__main__":
    main()
