"""What the tests deliver: the guestbook with an image of theirs, and programs that misbehave."""

from pathlib import Path

from tests.cluster.harness.git_pod import PublishedRepository
from tests.e2e.harness.pulumi_stack import ROOT

PUBLIC_IMAGE = "gcr.io/google-samples/gb-frontend:v5"

_PROJECT = "name: {}\nruntime: python\n"

NOTE = """\
import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap

name = pulumi.Config().require("name")
ConfigMap("note", metadata={"name": name}, data={"text": "first"})
"""

# All at once in one process, and bit by bit in several.
GREEDY = """\
greed = b"x" * (64 << 30)
"""
GREEDY_TOGETHER = """\
import subprocess, sys, time

take = "import time; kept = []\\nfor _ in range(12): kept.append(b'x' * (20 << 20)); time.sleep(.1)"
children = [subprocess.Popen([sys.executable, "-c", take + "\\ntime.sleep(60)"]) for _ in range(8)]
for child in children:
    child.wait()
"""
MISBEHAVING = {"greedy": GREEDY, "greedy-together": GREEDY_TOGETHER}


def commit_all(repository: PublishedRepository, *, image: str) -> str:
    """Commit every program, with the SDKs of the plugin's image.

    The cluster may have no way out of its network, so nothing is installed from a lock file.
    """
    repository.copy(ROOT / "examples" / "guestbook-python", "guestbook")
    program = repository.folder / "guestbook" / "__main__.py"
    program.write_text(program.read_text().replace(PUBLIC_IMAGE, image))
    for name, text in {"note": NOTE, **MISBEHAVING}.items():
        _write(repository.folder / name, name, text)
    return repository.commit("programs", {"guestbook/requirements.txt": None})


def _write(folder: Path, name: str, program: str) -> None:
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text(_PROJECT.format(name))
    (folder / "Pulumi.dev.yaml").write_text("config: {}\n")
    (folder / "__main__.py").write_text(program)
