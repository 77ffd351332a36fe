"""title@1 and hit@5 of the snapshot search: `python -m benchmarks.search.quality SNAPSHOT [--provider NAME]`."""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from envforge.core.contracts import SearchProvider
from envforge.core.records.search import Hit
from envforge.web.index import IndexEntry, read_index
from envforge.web.search.registry import SearchSettings, open_search

QUESTIONS = Path(__file__).with_name("questions.yaml")
_NUMBER = re.compile(r"^(?:(?:Chapter|Part|Appendix) )?(?:[A-Z]+|\d+)(?:\.\d+)*\. ")


def titles(search: SearchProvider, entries: Sequence[IndexEntry], *, bare: bool) -> list[str]:
    """Titles that do not lead to their document first; `bare`: without the numbers of chapters, in small letters.

    Where documents share a title, any of them will do; a title that is a file's name or none is asked like all others.
    """
    missed: list[str] = []

    def asked(title: str) -> str:
        return _NUMBER.sub("", title).lower() if bare else title

    urls: dict[str, set[str]] = {}
    for entry in entries:
        urls.setdefault(asked(entry.title), set()).add(entry.url)
    for entry in entries:
        hits = search.search(asked(entry.title)[:400], limit=1)
        if not hits or hits[0].url not in urls[asked(entry.title)]:
            missed.append(f"{asked(entry.title)} → {hits[0].title if hits else 'nothing'}")
    return missed


def questions(search: SearchProvider, entries: Sequence[IndexEntry]) -> list[tuple[str, int | None, tuple[Hit, ...]]]:
    """Per question: the rank of its page among the first ten, and the hits."""
    told: list[dict[str, Any]] = yaml.safe_load(QUESTIONS.read_text(encoding="utf-8"))
    out: list[tuple[str, int | None, tuple[Hit, ...]]] = []
    for one in told:
        right = [entry.url for entry in entries if entry.source_path.endswith(one["page"])]
        assert len(right) == 1, one
        hits = search.search(one["question"], limit=10)
        out.append((one["question"], next((hit.rank for hit in hits if hit.url == right[0]), None), hits))
    return out


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--provider", default="snapshot")
    given = parser.parse_args()
    entries = read_index(given.snapshot)
    with tempfile.TemporaryDirectory() as cache:
        search = open_search(SearchSettings(provider=given.provider, snapshot=given.snapshot, cache=Path(cache)))
        began = time.perf_counter()
        search.search("anything", limit=1)
        print(f"index of {len(entries)} documents: {time.perf_counter() - began:.1f} s")
        size = sum(path.stat().st_size for path in Path(cache).rglob("*") if path.is_file())
        print(f"its size: {size / 2**20:.1f} MiB")
        began = time.perf_counter()
        for bare in (False, True):
            missed = titles(search, entries, bare=bare)
            name = "title@1, bare" if bare else "title@1"
            print(f"{name}: {1 - len(missed) / len(entries):.3f} ({len(missed)} missed)")
            for miss in missed:
                print(f"  {miss}")
        print(f"a query: {(time.perf_counter() - began) / 2 / len(entries) * 1000:.1f} ms")
        ranks = questions(search, entries)
        for question, rank, hits in ranks:
            print(
                f"  {rank or '-':>2} {question}" + ("" if rank and rank <= 5 else f" → {[h.title for h in hits[:5]]}")
            )
        for least in (1, 5):
            print(f"hit@{least}: {sum(rank is not None and rank <= least for _, rank, _ in ranks)} of {len(ranks)}")


if __name__ == "__main__":
    main()
