"""Runs the demo, with parts that cannot be had or that never come.

python -m tests.unit.demo.without_parts never|fail
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from tests import toolchain
from tests.toolchain.progress import Report


@contextmanager
def obtaining(names: Iterable[str] = (), *, report: Report) -> Iterator[toolchain.Parts]:
    parts = toolchain.Parts(list(names))
    if sys.argv[1] == "fail":
        error = toolchain.ToolchainError("etcd cannot be had: for the sake of a test")
        for future in parts.futures.values():
            future.set_exception(error)
    yield parts
    for future in parts.futures.values():
        future.cancel()


if __name__ == "__main__":
    toolchain.obtaining = obtaining
    # The default of a parameter is taken when it is imported.
    from tests.e2e.demo import display
    from tests.e2e.demo.__main__ import main

    # What is shown is then the same on a machine that is busy.
    display._LINE_SECONDS = 3600
    sys.exit(main())
