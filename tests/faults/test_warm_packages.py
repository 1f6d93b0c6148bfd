"""What a set of packages does when it is loaded reaches no other set, and outlives nothing."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from plugin_image.renderer import ancestry
from tests.faults.warm import (
    COLD,
    COMMAND_LINE,
    ZYGOTE,
    Container,
    config_map,
    pids,
    read,
    wait_until,
)
from tests.render import corpus

CANARY = "canary-of-another-render"
IN_ZYGOTE = f"import os, sys\nif {ZYGOTE!r} in open('/proc/self/cmdline').read():\n"

WHERE = config_map(COMMAND_LINE)


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    made = Container(tmp_path_factory.mktemp("container"))
    made.until_warm()
    yield made
    made.kill()


@pytest.mark.parametrize(
    "name",
    [
        "async-code-finishes",
        "autonaming-patterns-are-stable",
        "components-nest",
        "error-secret-in-a-configmap",
    ],
)
def test_programs_with_packages_render_alike_warm_and_cold(
    container: Container, name: str, tmp_path: Path
) -> None:
    folder = corpus.named(name).copy_to(tmp_path)
    (folder / "requirements.txt").write_text(container.requirements)
    cold = container.generate(folder, **COLD)
    assert container.generate(folder) == cold
    assert bool(cold[1]) != name.startswith("error")


def test_the_images_own_packages_are_kept_beside_those_of_programs(container: Container) -> None:
    container.until_warm("")
    assert len(container.zygotes()) == len(container.keepers()) == 2
    assert len(container.servers()) == 1


def test_a_set_that_cannot_be_kept_is_loaded_for_each_render_which_is_said_once(
    container: Container,
) -> None:
    leaving = "    import threading\n    threading.Timer(3600, print).start()\n"
    folder = container.project(WHERE, container.package("leaving", IN_ZYGOTE + leaving))
    said: list[str] = []

    def is_said() -> bool:
        status, stdout, stderr = container.generate(folder)
        said.append(stderr)
        assert (status, ZYGOTE in stdout) == (0, False)
        return bool(stderr)

    wait_until(is_said)
    is_said()
    assert [*filter(None, said)] == [
        "note: the program's packages are loaded again for each render: "
        "loading them leaves a thread behind\n"
    ]
    assert said[-1] == ""
    wait_until(container.is_quiet)


def test_packages_are_loaded_without_anything_of_an_application(container: Container) -> None:
    found = container.place / "environment"
    seen = "dict(os.environ), os.getcwd(), signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL"
    telling = f"json.dump([{seen}], open({str(found)!r}, 'w'))"
    loading = f"{IN_ZYGOTE}    import json, signal\n    {telling}\n"
    requirements = container.package("looking", loading)
    folder = container.project(WHERE, requirements)
    given = {"ARGOCD_ENV_OTHER": CANARY, "PULUMI_CONFIG_PASSPHRASE": CANARY, "TOKEN": CANARY}
    wait_until(lambda: ZYGOTE in container.generate(folder, **given)[1])
    environment, *others = json.loads(found.read_text())
    assert CANARY not in environment.values()
    assert not [name for name in environment if name.startswith(("ARGOCD_", "PULUMI_"))]
    assert (environment["HOME"], others) == ("/nonexistent", ["/", True])


STAYING = """
    import subprocess
    # A daemon.
    if not os.fork():
        os.setsid()
        if not os.fork():
            os.execlp("sleep", "sleep", "3601.25")
        os._exit(0)
    os.wait()
    # A process for each fork.
    os.register_at_fork(after_in_parent=lambda: subprocess.Popen(["sleep", "3602.25"]))
    # A run that does not end with its render.
    end = os._exit
    def stay(status):
        if "runner" in sys.modules["__main__"].__file__:
            end(status)
        os.execlp("sleep", "sleep", "3603.25")
    os._exit = stay
"""


def test_what_packages_start_ends_with_the_renders_that_use_them(container: Container) -> None:
    requirements = container.package("staying", IN_ZYGOTE + STAYING)
    # Until what is kept of each set is one process.
    container.until_warm(requirements)
    assert not [pid for pid in pids() if "sleep\x00360" in read(pid, "cmdline")]


ASKING = """
import array, socket
asking = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
asking.connect(PATH)
payload = os.memfd_create("environment")
os.write(payload, b"pulumi")
files = [payload, os.open(".", os.O_RDONLY), 0, os.memfd_create("stdout"), 1]
try:
    socket.send_fds(asking, [b"render"], files)
    answer = asking.recv(100)
except OSError:
    answer = b""
""" + config_map("answer")


def test_the_server_renders_for_no_program(container: Container) -> None:
    found = container.objects(ASKING.replace("PATH", repr(str(container.warm / "renderer"))))
    assert "b''" in found


def test_what_a_program_leaves_is_never_taken_for_the_server(container: Container) -> None:
    told = container.place / "left"
    program = (
        f"if not os.fork():\n    open({str(told)!r}, 'w').write(str(os.getpid()))\n"
        "    import time; time.sleep(600)\nimport time; time.sleep(600)\n"
    )
    with container.start(container.project(program)) as process:
        wait_until(lambda: told.exists() and told.read_text())
        left = int(told.read_text())
        # It is below a guard, and has a mark that does not depend on that.
        assert ancestry.is_foreign(left)
        assert ancestry.filters(left) > ancestry.filters(container.servers()[0])
        process.kill()
    wait_until(container.is_quiet)
    assert not any(map(ancestry.is_foreign, container.servers()))


def test_a_set_that_was_replaced_in_the_cache_is_loaded_again(container: Container) -> None:
    requirements = container.package("replaced")
    folder = container.project(WHERE, requirements)
    container.until_warm(requirements)
    before = container.generate(folder)
    venv = Path(before[1].partition('"')[2].partition("/venv/")[0])
    shutil.rmtree(venv)
    first = {*container.zygotes()}
    status, stdout, _ = container.generate(folder)
    assert (status, ZYGOTE in stdout) == (0, False)
    wait_until(lambda: container.generate(folder) == before)
    assert {*container.zygotes()} - first
