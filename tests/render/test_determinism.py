"""The same input gives the same bytes: Argo CD would take every difference for a change.

Each program that renders is rendered 20 times, in processes of their own with a random
hash seed, as many at once as there are processors. Those for Node.js are rendered 5 times:
each has its types checked anew, which takes seconds.
"""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from plugin_image.contract import RendererEnv
from tests.render.corpus import CASES, PLUGIN_IMAGE, Case

TIMES = {"nodejs": 5}
TIMES_OF_OTHERS = 20
RENDERER = [sys.executable, str(PLUGIN_IMAGE / "bin" / "renderer"), "pulumi", "render", "."]
RENDERED = [
    case for case in CASES if case.expected("expected.yaml") is not None and not case.pending
]


@pytest.mark.parametrize("case", RENDERED, ids=str)
def test_a_program_gives_the_same_bytes_in_every_process(case: Case, tmp_path: Path) -> None:
    def digest(number: int) -> str:
        program = case.copy_to(tmp_path / str(number))
        env = _environment(case, cache=tmp_path / "cache")
        command = [*RENDERER, *_arguments(case)]
        done = subprocess.run(command, cwd=program, env=env, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        return hashlib.sha256(done.stdout).hexdigest()

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        digests = Counter(pool.map(digest, range(TIMES.get(case.runtime, TIMES_OF_OTHERS))))
    assert len(digests) == 1, f"{case.name} renders in {len(digests)} ways: {digests}"


def _environment(case: Case, *, cache: Path) -> Mapping[str, str]:
    passphrase = case.given.get("passphrase")
    return {
        **os.environ,
        "PYTHONHASHSEED": "random",
        RendererEnv.CACHE_DIR.value: str(cache),
        RendererEnv.CONCURRENCY.value: str(os.cpu_count()),
        **({"PULUMI_CONFIG_PASSPHRASE": passphrase} if passphrase else {}),
    }


def _arguments(case: Case) -> list[str]:
    options = case.options()
    flags = {
        "--allow-empty": options.allow_empty,
        "--allow-plaintext-secrets": options.allow_plaintext_secrets,
        "--ignore-foreign": options.ignore_foreign,
        "--sync-waves": options.sync_waves,
    }
    config = [f"--config={key}={value}" for key, value in options.config.items()]
    given = [flag for flag, on in flags.items() if on]
    return [f"--stack={options.stack}", f"--namespace={options.namespace}", *config, *given]
