"""What is kept serves every render, and is bounded by number and memory."""

import subprocess
import sys
from pathlib import Path

SERVER = """
import json, os, select, sys, time
from contextlib import suppress
from plugin_image.renderer import forking, processes
from plugin_image.renderer.keepers import Keepers
from plugin_image.renderer.keeping import Keepable

class Container:
    limit = 100
    used = 10
    def uses_more_than(self, amount):
        return self.used > amount

container = Container()
keepers = Keepers(container)
processes.adopt_orphans()

def want(*numbers, in_the_end=0):
    for number in numbers:
        # It never says that it is ready, which it need not to be kept.
        what = Keepable(
            "forked", ("/bin/sleep", str(number)), {}, "/", False, bytes_in_the_end=in_the_end
        )
        keepers._ask.send(json.dumps(what).encode())
        keepers.tend(keepers.files()[:1])

def kept():
    found = []
    for keeper in processes.children(os.getpid()):
        for pid in processes.children(keeper):
            # It may end meanwhile.
            with suppress(OSError):
                name, _, number = open(f"/proc/{pid}/cmdline").read().partition(chr(0))
                # Before that it is about to be started.
                found += [int(number.partition(chr(0))[0])] if name == "/bin/sleep" else []
    return sorted(found)

def until(numbers):
    end = time.monotonic() + 60
    while kept() != sorted(numbers):
        assert time.monotonic() < end, (kept(), numbers)
        ready, _, _ = select.select(keepers.files(), [], [], 0.05)
        keepers.tend(ready)
"""


def served(code: str) -> None:
    """Run code as a server does, which has keepers."""
    done = subprocess.run(
        [sys.executable, "-c", SERVER + code],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_as_many_are_kept_as_may_be_and_the_least_recently_used_goes() -> None:
    served(
        "want(*range(600, 616)); until(range(600, 616))\n"
        "want(600, 616); until([600, *range(602, 617)])\n"
    )


def test_none_is_started_and_one_after_the_other_ends_while_memory_is_short() -> None:
    served(
        "want(600, 601); until([600, 601])\n"
        "container.used = 60; want(602, 600); until([600])\n"
        "container.used = 10; want(602); until([600, 602])\n"
    )


def test_what_may_be_of_use_later_is_started_where_nothing_has_to_make_room_for_it() -> None:
    served("want(1, in_the_end=41); want(2, in_the_end=40); until([2])")


def test_all_end_at_once_where_renders_would_be_stopped_for_want_of_memory() -> None:
    served(
        "want(*range(600, 610)); until(range(600, 610))\n"
        "container.used = 85\n"
        "while keepers.files()[1:]:\n"
        "    assert len(keepers.files()) == 11, 'one after the other'\n"
        "    time.sleep(0.05); keepers.tend([])\n"
        "until([])\n"
    )


def test_all_end_with_the_server_however_it_ends() -> None:
    served(
        "import signal\n"
        "server = os.fork()\n"
        "if server == 0:\n"
        "    want(600, 601); until([600, 601]); os.kill(os.getpid(), signal.SIGKILL)\n"
        # This process is as a render is, which has nothing that keeps them.
        "keepers.for_render()\n"
        "end = time.monotonic() + 60\n"
        "try:\n"
        "    while time.monotonic() < end:\n"
        "        os.waitpid(-1, os.WNOHANG)\n"
        "        time.sleep(0.05)\n"
        "    sys.exit('something is left')\n"
        "except ChildProcessError:\n"
        "    pass\n"
    )


LENDS = """
import socket
from plugin_image.renderer import keeper
from plugin_image.renderer.keeping import NotLentError
from plugin_image.renderer.stock import Ready

class Lends:
    def __init__(self, what): pass
    def files(self): return []
    def prepare(self): pass
    def soon(self): return 0
    def children(self): return []
    def strangers(self, lent): return []
    def take(self): return Ready(os.getpid(), socket.socketpair()[0], stays=True)

keeper.KINDS["lends"] = Lends
what = Keepable("lends", (), {}, "/", False)
"""


def test_a_render_is_lent_what_was_not_there_when_it_began() -> None:
    served(
        LENDS + "render = os.fork()\n"
        "if render == 0:\n"
        "    kept = keepers.for_render()\n"
        "    try:\n"
        "        kept.lend(what)\n"
        "        os._exit(3)\n"
        "    except NotLentError:\n"
        "        kept.want(what)\n"
        "    while True:\n"
        "        with suppress(NotLentError):\n"
        "            os._exit(kept.lend(what).pid in (0, os.getpid(), os.getppid()))\n"
        "end = time.monotonic() + 60\n"
        "while (ended := os.waitpid(render, os.WNOHANG)) == (0, 0):\n"
        "    assert time.monotonic() < end\n"
        "    ready, _, _ = select.select(keepers.files(), [], [], 0.05)\n"
        "    keepers.tend(ready)\n"
        "sys.exit(os.waitstatus_to_exitcode(ended[1]))\n"
    )
