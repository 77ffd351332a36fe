"""What one more instance takes in memory. A process of its own: `python -m … NAME FOLDER COUNT` prints bytes."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
from tests.bench.references.table import IMPLEMENTATIONS
from tests.bench.references.workload import Instance, Workload, five_writes


def bytes_per_instance(new: Callable[[], Instance], count: int) -> float:
    """Private memory (USS) of one more instance after five writes, in this process and in those of the instances."""
    instances = [new()]
    five_writes(instances[0])
    before = _private(instances)
    for _ in range(count):
        instances.append(new())
        five_writes(instances[-1])
    after = _private(instances)
    for instance in instances:
        instance.close()
    return (after - before) / count


def _private(instances: list[Instance]) -> int:
    gc.collect()
    pids = {os.getpid()}.union(*(instance.processes() for instance in instances))
    return sum(psutil.Process(pid).memory_full_info().uss for pid in pids)


def main() -> None:
    """Print the bytes."""
    name, folder, count = sys.argv[1:]
    with IMPLEMENTATIONS[name].open(Workload(Path(folder))) as new:
        sys.stdout.write(f"{bytes_per_instance(new, int(count))}\n")


if __name__ == "__main__":
    main()
