"""Makes what the bench needs: the toy's rows, envforge's environment of it, and a virtual environment per peer.

    python benchmarks/peers/prepare.py [PEER …] [--toy-only]

Everything lies under work/peers/. What is there already and unchanged is kept.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from benchmarks.peers.ledger import write_csv, write_sqlite  # noqa: E402
from benchmarks.peers.ledger_api import write_openapi  # noqa: E402

WORK = ROOT / "work" / "peers"
REQUIREMENTS = Path(__file__).parent / "requirements"
THEME = "stock-ledger"
PEERS = ("awm", "fastmcp", "mcp", "openenv", "verifiers")
_MADE_FROM = ("ledger.py", "ledger_api.py")


class NotPrepared(Exception):
    """A step of the preparation failed."""


def make_toy(work: Path = WORK) -> Path:
    """The rows as CSV and SQLite, and the certified environment that the pipeline mines from them. Its folder.

    Raises NotPrepared.
    """
    folder = work / "environments" / THEME
    mark = work / "toy.sha256"
    digest = hashlib.sha256(b"".join((Path(__file__).parent / name).read_bytes() for name in _MADE_FROM)).hexdigest()
    if folder.is_dir() and mark.is_file() and mark.read_text(encoding="ascii") == digest:
        return folder
    for name in ("environments", "runs"):
        shutil.rmtree(work / name, ignore_errors=True)
    write_csv(work / "ledger")
    write_openapi(work / "ledger" / "openapi.json")
    write_sqlite(work / "ledger.sqlite")
    mine = [sys.executable, "-m", "envforge.cli.main", "mine", "--theme", THEME, "--new", "--quiet"]
    _run([*mine, "--source", "file:ledger", "--workspace", str(work)])
    mark.write_text(digest, encoding="ascii")
    return folder


def make_environment(peer: str, work: Path = WORK) -> Path:
    """The virtual environment of a peer; its interpreter. Raises NotPrepared."""
    wanted = REQUIREMENTS / f"{peer}.txt"
    folder = work / "venvs" / peer
    mark = folder / "requirements.txt"
    if not (mark.is_file() and mark.read_bytes() == wanted.read_bytes()):
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        _run([str(interpreter(peer, work)), "-m", "pip", "install", "--quiet", "--requirement", str(wanted)])
        shutil.copyfile(wanted, mark)
    return interpreter(peer, work)


def interpreter(peer: str, work: Path = WORK) -> Path:
    """Where a peer's interpreter lies, or would."""
    return work / "venvs" / peer / "bin" / "python"


def _run(command: list[str]) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotPrepared(f"{' '.join(command)} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-3_000:]}")


def main(arguments: list[str] | None = None) -> int:
    """Prepare; 1 when something could not be."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("peers", nargs="*", metavar="PEER", help=f"of {', '.join(PEERS)} (default: all)")
    parser.add_argument("--toy-only", action="store_true", help="no virtual environments")
    given = parser.parse_args(arguments)
    unknown = sorted(set(given.peers) - set(PEERS))
    if unknown:
        parser.error(f"unknown peer {unknown[0]!r}: there are {', '.join(PEERS)}")
    failed = 0
    try:
        print(f"toy: {make_toy().relative_to(ROOT)}")
    except NotPrepared as error:
        print(f"toy: {error}", file=sys.stderr)
        return 1
    for peer in () if given.toy_only else given.peers or PEERS:
        try:
            print(f"{peer}: {make_environment(peer).relative_to(ROOT)}")
        except NotPrepared as error:
            print(f"{peer}: not installed: {error}", file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
