"""What the official engine makes of each case, asked once for each state of case and engine."""

import functools
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

from tests import toolchain
from tests.render import official_engine
from tests.render.corpus import PLUGIN_IMAGE, ROOT, Case
from tests.render.objects import Object
from tests.toolchain import cache

_SOURCES = ("java_language_host.py", "objects.py", "official_engine.py")


Answer = list[Object] | str
"""The objects, or what the engine said when it failed."""


def ask(case: Case) -> Answer:
    """The official engine's answer to a case."""
    tools = _tools(case.runtime)
    file = cache.folder() / "oracle" / f"{cache.key(case.name, _made_from(case, tools))}.json"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_suffix(f".{os.getpid()}")
        module = [sys.executable, "-m", official_engine.__name__]
        subprocess.run([*module, case.name, str(unfinished)], cwd=ROOT, check=True)
        unfinished.rename(file)
    answer: Answer = json.loads(file.read_text())
    return answer


@functools.cache
def _tools(runtime: str) -> Mapping[str, Path]:
    return toolchain.ensure(official_engine.parts(runtime))


def _made_from(case: Case, tools: Mapping[str, Path]) -> Iterator[bytes | str]:
    """Everything that an answer depends on."""
    yield sys.version
    yield from (metadata.version(name) for name in ("pulumi", "pulumi_kubernetes"))
    yield from ((Path(__file__).parent / source).read_bytes() for source in _SOURCES)
    yield (PLUGIN_IMAGE / "package-lock.json").read_bytes()
    for part in official_engine.parts(case.runtime):
        state = tools[part].stat()
        yield f"{tools[part]} {state.st_size} {state.st_mtime_ns}"
    for file in case.program_files():
        yield str(file.relative_to(case.folder))
        yield file.read_bytes()
