"""A warm render gives what a cold one gives, keeps nothing of another, and survives its parts."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from plugin_image.renderer import processes
from tests.faults.warm import (
    COLD,
    WAIT_FOR,
    Container,
    config_map,
    read,
    wait_until,
)

CANARY = "canary-of-another-render"


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    made = Container(tmp_path_factory.mktemp("container"))
    made.until_warm()
    yield made
    made.kill()


ORDINARY = {
    "objects": config_map("1"),
    "what a program sees of its interpreter": config_map(
        "[sys.argv, sys.path[0], sys.flags, sys.stdin.read(), __name__, os.getcwd(), "
        "sorted(os.environ.items() - {(k, v) for k, v in os.environ.items() if 'render-' in v}), "
        "__import__('signal').getsignal(15), __import__('threading').active_count(), "
        "oct(os.umask(0o22)), sorted(map(int, os.listdir('/proc/self/fd')))[:3], "
        "__import__('resource').getrlimit(2), list({'a', 'b', 'c', 'd'}), "
        "__import__('time').tzname, sys.stdout.encoding, __import__('locale').getlocale()]"
    ),
    "an object made by an awaited task": (
        "async def later():\n    return k8s.core.v1.ConfigMap('a', metadata={'name': 'a'}).kind\n"
        "pulumi.export('kind', later())\n"
    ),
    "a program that fails": "raise ValueError('odd')\n",
    "a program that ends early": "sys.exit(0)\n",
    "a resource of a pool": (
        "from concurrent.futures import ProcessPoolExecutor\n"
        "def make(name):\n"
        "    k8s.core.v1.ConfigMap(name, metadata={'name': name})\n"
        "if __name__ == '__main__':\n"
        "    with ProcessPoolExecutor() as pool:\n"
        "        list(pool.map(make, ['a']))\n"
    ),
    "a thread that makes a resource": (
        "import threading\n"
        "def make():\n"
        "    k8s.core.v1.ConfigMap('a', metadata={'name': 'a'})\n"
        "threading.Thread(target=make).start()\n"
    ),
    "a process that goes on": (
        "import subprocess\nsubprocess.Popen(['sleep', '60'])\n" + config_map("1")
    ),
    "a module that hides one of the SDK's": config_map("__import__('yaml').__file__[-9:]"),
}
"""Programs whose outcome is the same, whether their process is warm or new."""


@pytest.mark.parametrize("name", ORDINARY)
def test_a_warm_render_ends_as_a_cold_one_does(container: Container, name: str) -> None:
    hiding = {"yaml.py": ""} if "hides" in name else {}
    folder = container.project(ORDINARY[name], **hiding)
    cold = container.generate(folder, **COLD)
    assert container.generate(folder) == cold


SPOILING = """
import asyncio, builtins, gc, locale, random, resource, tempfile, threading, warnings
pulumi.Output.from_input = None
k8s.core.v1.ConfigMap = None
sys.modules["json"] = None
builtins.str = int
os.environ["LEFT"] = "left"
os.umask(0o777)
os.chdir("/")
random.seed(1)
gc.disable()
sys.path.insert(0, "/nowhere")
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
open(tempfile.gettempdir() + "/left", "w").write("left")
"""


def test_what_a_program_does_to_its_process_reaches_no_other_render(container: Container) -> None:
    program = ORDINARY["what a program sees of its interpreter"]
    folder = container.project(program)
    before = container.generate(folder)
    container.generate(container.project(SPOILING))
    assert container.generate(folder) == before


SEARCHING = """
secret = "-".join(["canary", "of", "another", "render"]).encode()
found = []
for line in open("/proc/self/maps"):
    where, rights = line.split()[:2]
    if "r" in rights and "[v" not in line:
        start, end = (int(word, 16) for word in where.split("-"))
        with open("/proc/self/mem", "rb", 0) as memory:
            memory.seek(start)
            data = memory.read(end - start)
        # Once is this search itself.
        found += [line] * (data.count(secret) > 1)
""" + config_map("found")


HAVING = """
import os
copies = [os.environ["ARGOCD_ENV_NO_SECRET"].encode() + b"%d" % number for number in range(1000)]
"""


def test_no_program_has_the_credentials_of_a_render_in_its_memory(container: Container) -> None:
    found = container.objects(SEARCHING, PULUMI_CONFIG_PASSPHRASE=CANARY)
    assert 'value: "[]"' in found
    # What it has, it would find.
    found = container.objects(HAVING + SEARCHING, ARGOCD_ENV_NO_SECRET=CANARY)
    assert 'value: "[]"' not in found


def test_every_render_is_random_in_its_own_way(container: Container) -> None:
    program = config_map("__import__('random').random()")
    assert container.objects(program) != container.objects(program)


@pytest.mark.parametrize("env", [{}, COLD], ids=["warm", "cold"])
def test_an_output_that_cannot_be_written_is_an_error_that_says_so(
    container: Container, env: dict[str, str]
) -> None:
    folder = container.project(config_map("1"))
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [container.command, "pulumi", "generate"],
            cwd=folder,
            env={**container.env, **env},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert "cannot be written: no space left on device. to fix it: " in done.stderr.lower()


@pytest.mark.parametrize("which", ["servers", "keepers", "zygotes", "kept"])
def test_a_render_outlives_what_it_was_forked_from(container: Container, which: str) -> None:
    ready, go_on = (container.place / f"{name} without {which}" for name in ("runs", "ends"))
    program = f"open({str(ready)!r}, 'w')\n" + WAIT_FOR.format(str(go_on)) + config_map("1")
    first = getattr(container, which)()
    with container.start(container.project(program)) as process:
        wait_until(ready.exists)
        # What one of them has started may end with it.
        processes.kill(first)
        go_on.touch()
        stdout, stderr = process.communicate(timeout=600)
    assert (process.returncode, "kind: ConfigMap" in stdout, stderr) == (0, True, "")
    # What was killed is started again, and nothing else is left.
    container.until_warm()
    assert first
    assert {*first}.isdisjoint(container.kept())
    assert len(container.kept()) == 3


def test_a_render_whose_fork_is_killed_is_done_in_a_new_process(container: Container) -> None:
    ready, go_on = (container.place / name for name in ("forked", "killed"))
    program = (
        f"open({str(ready)!r}, 'a').write(f'{{os.getppid()}} ')\n"
        + WAIT_FOR.format(str(go_on))
        + config_map("1")
    )
    with container.start(container.project(program)) as process:
        wait_until(lambda: ready.exists() and ready.read_text())
        os.kill(int(ready.read_text().split()[0]), signal.SIGKILL)
        go_on.touch()
        stdout, stderr = process.communicate(timeout=600)
    assert "kind: ConfigMap" in stdout, stderr
    assert len(ready.read_text().split()) == 2, "the program ran once"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_clients_end_is_that_of_the_render(container: Container, number: int) -> None:
    ready = container.place / f"runs until {number}"
    program = f"open({str(ready)!r}, 'w')\nimport time; time.sleep(600)\n"
    with container.start(container.project(program)) as process:
        wait_until(ready.exists)
        process.send_signal(number)
        process.wait(timeout=600)
    wait_until(container.is_quiet)
    assert [*(container.place / "tmp").iterdir()] == []


IMPOSTOR = """
import socket
import time
path = {path!r}
os.rename(path, path + ".away")
listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listening.bind(path)
listening.listen(8)
open({ready!r}, "w").close()
listening.settimeout(600)
connection, _ = listening.accept()
heard = connection.recv(100)
open({heard!r}, "wb").write(heard)
time.sleep(600)
"""


def test_no_render_is_given_to_what_a_program_puts_in_the_servers_place(
    container: Container,
) -> None:
    path, ready, heard = (container.place / name for name in ("warm/renderer", "put", "heard"))
    program = IMPOSTOR.format(path=str(path), ready=str(ready), heard=str(heard))
    with container.start(container.project(program)) as impostor:
        wait_until(ready.exists)
        assert "kind: ConfigMap" in container.objects(config_map("1"))
        impostor.kill()
    path.with_suffix(".away").rename(path)
    # A connection that nobody asks anything by gives nothing away.
    assert not heard.exists() or heard.read_bytes() == b""


def test_many_renders_leave_nothing(container: Container) -> None:
    folder = container.project(config_map("1"))
    wait_until(container.is_ready)

    def files() -> list[int]:
        return sorted(len([*Path(f"/proc/{pid}/fd").iterdir()]) for pid in container.kept())

    before = files()
    for _ in range(20):
        assert container.generate(folder)[0] == 0
    wait_until(container.is_ready)
    assert files() == before
    states = [read(pid, "stat").rpartition(")")[2].split()[:1] for pid in container.there()]
    assert ["Z"] not in states
    assert [*(container.place / "tmp").iterdir()] == []
