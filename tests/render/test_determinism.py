"""Same input, same bytes: each program of the corpus, rendered twenty times.

Twenty processes, each with a random hash seed and temporary folders of its own, render the
whole corpus, as many at once as there are processors. A program that is refused has no
bytes; `test_cases.py` holds it to its message.
"""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.render import corpus, digests
from tests.render.corpus import CASES, ROOT, Case

RENDERS = 20
RENDERING = [case for case in CASES if case.expected("expected.yaml")]

Digests = Sequence[Mapping[str, str]]


@pytest.fixture(scope="module")
def renders(
    request: pytest.FixtureRequest,
    image_programs: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> Digests:
    """Of each of the processes, the digests by case."""
    names = [str(case) for case in corpus.asked_for(request.session, "renders")]
    cache = tmp_path_factory.mktemp("cache")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [*pool.map(lambda _: _render(names, cache), range(RENDERS))]


@pytest.mark.parametrize("case", [pytest.param(c, marks=c.marks) for c in RENDERING], ids=str)
def test_twenty_renders_give_the_same_bytes(case: Case, renders: Digests) -> None:
    stream = case.expected("expected.yaml")
    assert stream is not None
    found = [render[case.name] for render in renders]
    assert found == [digests.digest(stream)] * RENDERS, (
        f"{case.name}: not every render gave expected.yaml; compare two of them:"
        f" `renderer pulumi render {case.folder.relative_to(ROOT)} --stack dev`"
    )


def _render(names: list[str], cache: Path) -> Mapping[str, str]:
    """What a new process gives."""
    found: Mapping[str, str] = json.loads(
        subprocess.check_output(
            [sys.executable, "-m", digests.__name__, str(cache), *names],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": str(secrets.randbits(32))},
        )
    )
    return found
