"""What the official engine makes of each case, asked once for each state of case and engine."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

from tests import toolchain
from tests.render import official_engine
from tests.render.corpus import PLUGIN_IMAGE, ROOT, Case
from tests.render.objects import Object
from tests.toolchain import cache

_AT_ONCE = 2
_SOURCES = ("objects.py", "official_engine.py")


Answer = list[Object] | str
"""The objects, or what the engine said when it failed."""


def ask(cases: Iterable[Case]) -> Mapping[Case, Answer]:
    """The official engine's answer to each case."""
    cases = list(cases)
    languages = dict.fromkeys(case.runtime for case in cases)
    tools = toolchain.ensure(part for name in languages for part in official_engine.parts(name))
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        answers = pool.map(lambda case: _answer(case, tools), cases)
        return dict(zip(cases, answers, strict=True))


def _answer(case: Case, tools: Mapping[str, Path]) -> Answer:
    file = cache.folder() / "oracle" / f"{cache.key(case.name, _made_from(case, tools))}.json"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_suffix(f".{os.getpid()}")
        module = [sys.executable, "-m", official_engine.__name__]
        subprocess.run([*module, case.name, str(unfinished)], cwd=ROOT, check=True)
        unfinished.rename(file)
    answer: Answer = json.loads(file.read_text())
    return answer


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
