"""Counts what would be hidden in a snapshot: `python -m benchmarks.scrubbing.count SNAPSHOT [--show]`.

With --show it prints each finding with its surroundings, for a person to judge; do not pass that on.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

from envforge.web.scrubbing.bodies import hide_in_body
from envforge.web.snapshot import SnapshotFetcher


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    kinds: Counter[tuple[str, str]] = Counter()
    spent, size, files = 0.0, 0, 0
    for fetched in SnapshotFetcher(given.snapshot).each():
        began = time.process_time()
        found = hide_in_body(fetched.body, fetched.source.mime)
        spent += time.process_time() - began
        size += len(fetched.body)
        files += 1
        place = urlsplit(fetched.source.url).hostname or fetched.source.url
        for finding in found.findings:
            kinds[place, finding.kind] += 1
            if given.show:
                line = fetched.body.split(b"\n")[finding.line - 1]
                near = line[max(0, finding.column - 61) : finding.column + 80].decode("utf-8", "replace")
                print(f"{finding.kind} | {fetched.source.path}:{finding.line} | {near}")
    print(f"{files} files, {size / 1e6:.1f} MB, {spent:.1f} s of processor time: {size / 1e6 / spent:.1f} MB/s")
    for (place, kind), count in sorted(kinds.items()):
        print(f"{place}: {kind} {count}")


if __name__ == "__main__":
    main()
