"""A program is complete by its runner's word, at the runner's own end, and by nothing else."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.faults import harness
from tests.faults.harness import Fault, javascript, python

_EARLY = "the program ended before all of its registrations were made"
_ANOTHER_PROCESS = r"'lost'.* is made in another process.* To fix it: make resources in the program"
_GOES_ON = (
    r"another (?:process|thread), which .* uses the Pulumi SDK, was still running.* To fix it: wait"
)
_RUNNING = r"was still running in another thread when the program ended.* To fix it: join"


def _names(*names: str) -> Callable[[list[dict[str, Any]]], bool]:
    """Whether the objects are those of these names."""
    return lambda objects: sorted(entry["metadata"]["name"] for entry in objects) == sorted(names)


def _python(program: str, **files: harness.Content) -> dict[str, harness.Content]:
    """A program that makes `kept`, can `make` others, and goes on with `program`."""
    head = "def make(name='lost'):\n    k8s.core.v1.ConfigMap(name, data={})\n\n"
    return python(f"{head}make('kept')\n{program}", **files)


_AFTER_THE_END = """
import sys, threading, time

def after_the_end():
    main = threading.main_thread().ident
    while True:
        frame = sys._current_frames()[main]
        while frame:
            code, frame = frame.f_code, frame.f_back
            if code.co_filename.endswith("python_leftovers.py") and code.co_name == "error":
                return
        time.sleep(0.01)

"""
"""Code of a program: waits in a thread until the main thread looks for leftovers."""

_LIBRARY = """
def make():
    import pulumi_kubernetes
    pulumi_kubernetes.core.v1.ConfigMap('lost')
"""
_IN_A_MODULE = """
import lib, tempfile
from multiprocessing import get_context
# Sockets have short names.
tempfile.tempdir = '/tmp'
p = get_context({!r}).Process(target=lib.make)
p.start()
p.join()
"""


PROCESSES = [
    Fault(
        "a process makes a resource, and nobody looks how it ends",
        _python(
            "import multiprocessing\np = multiprocessing.Process(target=make)\n"
            "p.start()\np.join()\n"
        ),
        refused=_ANOTHER_PROCESS,
    ),
    Fault(
        "a process that nobody joins makes a resource",
        _python("import multiprocessing\nmultiprocessing.Process(target=make).start()\n"),
        refused=_ANOTHER_PROCESS,
    ),
    *(
        Fault(
            f"a process of {method} makes a resource",
            _python(_IN_A_MODULE.format(method), **{"lib.py": _LIBRARY}),
            refused=_ANOTHER_PROCESS,
        )
        for method in ("fork", "spawn", "forkserver")
    ),
    Fault(
        "a spawned process does not find what it is to call",
        _python(
            "from multiprocessing import get_context\n"
            "p = get_context('spawn').Process(target=make)\np.start()\np.join()\n"
        ),
        refused="another process failed: AttributeError: .*To fix it: put what",
    ),
    Fault(
        "a pool makes resources, and nobody asks for the results",
        _python(
            "from concurrent.futures import ProcessPoolExecutor\n"
            "with ProcessPoolExecutor(2) as pool:\n    pool.submit(make)\n"
        ),
        refused=_ANOTHER_PROCESS,
    ),
    Fault(
        "a pool makes resources, and its error comes back",
        _python(
            "from multiprocessing import Pool\n"
            "with Pool(2) as pool:\n    pool.map(make, ['lost'])\n"
        ),
        refused=_ANOTHER_PROCESS,
    ),
    Fault(
        "a forked process makes a resource",
        _python(
            "import os\npid = os.fork()\nif not pid:\n    try:\n        make()\n"
            "    finally:\n        os._exit(0)\nos.waitpid(pid, 0)\n"
        ),
        refused=_ANOTHER_PROCESS,
    ),
    Fault(
        "a forked process makes a resource in a loop of its own",
        _python(
            "import asyncio, os\n\nasync def main():\n    make()\n\npid = os.fork()\nif not pid:\n"
            "    try:\n        asyncio.new_event_loop().run_until_complete(main())\n"
            "    finally:\n        os._exit(0)\nos.waitpid(pid, 0)\n"
        ),
        refused=_ANOTHER_PROCESS,
    ),
    Fault(
        "a forked process makes a resource and goes on to the end",
        _python(
            "import os\npid = os.fork()\nif not pid:\n    make()\nelse:\n    os.waitpid(pid, 0)\n"
        ),
        refused=_ANOTHER_PROCESS,
    ),
    Fault(
        "another program makes a resource",
        {
            **_python("import subprocess, sys\nsubprocess.run([sys.executable, 'other.py'])\n"),
            "other.py": "import pulumi_kubernetes\npulumi_kubernetes.core.v1.ConfigMap('lost')\n",
        },
        refused=_ANOTHER_PROCESS,
    ),
    Fault(
        "another program makes a resource after the end",
        {
            **_python("import subprocess, sys\nsubprocess.Popen([sys.executable, 'other.py'])\n"),
            "other.py": "import pulumi_kubernetes, time\ntime.sleep(0.3)\n"
            "pulumi_kubernetes.core.v1.ConfigMap('lost')\n",
        },
        # To load the SDK may take longer than what such a program is given.
        refused=f"{_ANOTHER_PROCESS}|{_GOES_ON}",
    ),
    Fault(
        "another program with the SDK goes on",
        {
            **_python("import subprocess, sys\nsubprocess.Popen([sys.executable, 'other.py'])\n"),
            "other.py": "import pulumi, time\ntime.sleep(600)\n",
        },
        refused=_GOES_ON,
    ),
    Fault(
        "a forked process goes on",
        _python("import os, time\nif not os.fork():\n    time.sleep(600)\n    make()\n"),
        refused=_GOES_ON,
    ),
    Fault(
        "another program without the SDK goes on",
        _python(
            "import subprocess, sys\n"
            "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        ),
        renders=_names("kept"),
    ),
    Fault(
        "a forked process ends before its parent, as if it were the program",
        _python("import os\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\n    os._exit(0)\n"),
        refused=_EARLY,
    ),
    Fault(
        "processes compute what goes into a resource",
        _python(
            "from multiprocessing import Pool\n"
            "with Pool(2) as pool:\n    k8s.core.v1.ConfigMap(pool.map(str.lower, ['OTHER'])[0])\n"
        ),
        renders=_names("kept", "other"),
    ),
    Fault(
        "a spawned process computes what goes into a resource",
        python(
            "from multiprocessing import get_context\n"
            "if __name__ == '__main__':\n"
            "    with get_context('spawn').Pool(1) as pool:\n"
            "        k8s.core.v1.ConfigMap(pool.map(str.lower, ['OTHER'])[0])\n"
        ),
        renders=_names("other"),
    ),
    Fault(
        "a forked process goes on to the end and makes nothing",
        _python("import os\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\n"),
        renders=_names("kept"),
    ),
    Fault(
        "another program fails, which is for the program to judge",
        _python("import subprocess, sys\nsubprocess.run([sys.executable, '-c', '1 / 0'])\n"),
        renders=_names("kept"),
    ),
]

THREADS = [
    Fault(
        "a daemon thread makes a resource after the end",
        _python(
            f"{_AFTER_THE_END}def later():\n    after_the_end()\n    make()\n\n"
            "threading.Thread(target=later, daemon=True).start()\n"
        ),
        refused="'lost' is made .*after the end of the program|'lost' is made in another thread",
    ),
    Fault(
        "a daemon thread goes on",
        _python(
            "import threading, time\n\ndef later():\n    time.sleep(600)\n    make()\n\n"
            "threading.Thread(target=later, daemon=True).start()\n"
        ),
        refused=_RUNNING,
    ),
    Fault(
        "a thread that is none of `threading` goes on",
        _python(
            "import _thread, time\n\ndef later():\n    time.sleep(600)\n    make()\n\n"
            "_thread.start_new_thread(later, ())\n"
        ),
        refused=_RUNNING,
    ),
    Fault(
        "a daemon thread asks the program's loop for a resource after the end",
        _python(
            f"import asyncio\n{_AFTER_THE_END}async def made():\n    make()\n\n"
            "def later(loop):\n    after_the_end()\n"
            "    asyncio.run_coroutine_threadsafe(made(), loop)\n\n"
            "threading.Thread(target=later, args=[asyncio.get_event_loop()], daemon=True).start()\n"
        ),
        refused="'lost' is made after the end of the program",
    ),
    Fault(
        "a daemon thread of a library serves on",
        _python(
            "import http.server, threading\n"
            "handler = http.server.BaseHTTPRequestHandler\n"
            "server = http.server.HTTPServer(('127.0.0.1', 0), handler)\n"
            "threading.Thread(target=server.serve_forever, daemon=True).start()\n"
        ),
        renders=_names("kept"),
    ),
    Fault(
        "a daemon thread ends soon and makes nothing",
        _python(f"{_AFTER_THE_END}threading.Thread(target=after_the_end, daemon=True).start()\n"),
        renders=_names("kept"),
    ),
]

_EXITS = {
    "in an exit handler": "import atexit, os\natexit.register(os._exit, 0)\n",
    "in a thread": "import os, threading\nthreading.Timer(0.1, os._exit, [0]).start()\n",
    "in a thread that ends with the program": (
        "import os, threading\n"
        "t = threading.main_thread()\n"
        "threading.Thread(target=lambda: (t.join(), os._exit(0))).start()\n"
    ),
    "in a signal handler": (
        "import os, signal\nsignal.signal(signal.SIGALRM, lambda *_: os._exit(0))\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.01)\nwhile True: pass\n"
    ),
    "in a signal handler at the end": (
        "import atexit, os, signal\nsignal.signal(signal.SIGUSR1, lambda *_: os._exit(0))\n"
        "atexit.register(os.kill, os.getpid(), signal.SIGUSR1)\n"
    ),
    "in a task": (
        "import asyncio, os\n\nasync def leave():\n    os._exit(0)\n\n"
        "asyncio.ensure_future(leave())\n"
    ),
    "in the loop": "import asyncio, os\nasyncio.get_event_loop().call_soon(os._exit, 0)\n",
    "while the last values are computed": (
        "import os\npulumi.export('a', pulumi.Output.from_input(1).apply(lambda _: os._exit(0)))\n"
    ),
    "by another program in its place": (
        "import atexit, os\natexit.register(os.execv, '/bin/true', ['true'])\n"
    ),
}
EXITS = [
    Fault(f"the process ends with success {when}", _python(program), refused=_EARLY)
    for when, program in _EXITS.items()
] + [
    Fault(
        "a real-time signal ends the program",
        _python("import os\nos.kill(os.getpid(), 40)\n"),
        refused="the program was ended by signal 40",
    ),
    Fault(
        "an exit handler that exits",
        _python("import atexit, sys\natexit.register(sys.exit, 0)\n"),
        renders=_names("kept"),
    ),
    Fault(
        "every file of the process is closed",
        _python("import os\nos.closerange(3, 256)\nmake('second')\n"),
        refused="the program",
    ),
]


def _javascript(program: str, **files: harness.Content) -> dict[str, harness.Content]:
    """A program that makes `kept`, can `make` others, and goes on with `program`."""
    head = "const make = (name = 'lost') => new k8s.core.v1.ConfigMap(name, {data: {}});\n"
    return javascript(f"{head}make('kept');\n{program}", **files)


_CHILD = 'new (require("@pulumi/kubernetes").core.v1.ConfigMap)("lost", {data: {}});\n'
_ANOTHER = "'lost'.* is registered in another process or thread"
_WORKER = (
    "const w = new (require('worker_threads').Worker)('./child.js');\n"
    "w.once('message', () => {{ {} }});\n"
)
_GOING_ON = (
    "require('@pulumi/pulumi');\nrequire('worker_threads').parentPort.postMessage('loaded');\n"
    "setTimeout(() => {}, 60000);\n"
)
_DETACHED = (
    "require('child_process')"
    ".spawn(process.execPath, [{}], {{detached: true, stdio: 'ignore'}}).unref();"
)
NODEJS = [
    Fault(
        "a forked Node.js makes a resource",
        _javascript(
            "require('child_process').fork('./child.js').on('exit', () => {});",
            **{"child.js": _CHILD},
        ),
        refused=_ANOTHER,
    ),
    Fault(
        "another Node.js makes a resource and is waited for",
        _javascript(
            "require('child_process').spawnSync('node', ['child.js']);", **{"child.js": _CHILD}
        ),
        refused=_ANOTHER,
    ),
    Fault(
        "a worker makes a resource",
        _javascript(
            "new (require('worker_threads').Worker)('./child.js');", **{"child.js": _CHILD}
        ),
        refused=_ANOTHER,
    ),
    Fault(
        "a worker with the SDK goes on",
        _javascript(_WORKER.format("w.unref()"), **{"child.js": _GOING_ON}),
        refused=_GOES_ON,
    ),
    Fault(
        "a worker with the SDK is terminated",
        _javascript(_WORKER.format("w.terminate()"), **{"child.js": _GOING_ON}),
        renders=_names("kept"),
    ),
    Fault(
        "a worker with the SDK ends",
        _javascript(
            _WORKER.format("0"),
            **{"child.js": _GOING_ON.replace("60000", "1")},
        ),
        renders=_names("kept"),
    ),
    Fault(
        "a worker of a cluster makes a resource",
        _javascript(
            "const cluster = require('cluster');\n"
            "if (cluster.isPrimary) cluster.fork(); else make();"
        ),
        refused="a worker of a cluster, started the program again. To fix it: start a module",
    ),
    Fault(
        "the program is started again, and nobody waits for it",
        _javascript(_DETACHED.format("process.argv[1]")),
        refused="another process, such as a worker of a cluster, started the program again",
    ),
    Fault(
        "another Node.js makes a resource after the end",
        _javascript(_DETACHED.format("'child.js'"), **{"child.js": _CHILD}),
        refused=f"{_ANOTHER}|{_GOES_ON}",
    ),
    Fault(
        "another Node.js with the SDK goes on",
        _javascript(
            _DETACHED.format("'child.js'"),
            **{"child.js": "require('@pulumi/pulumi'); setTimeout(() => {}, 60000);"},
        ),
        refused=_GOES_ON,
    ),
    Fault(
        "a worker computes what goes into a resource",
        _javascript(
            "new (require('worker_threads').Worker)('./child.js').on('message', make);",
            **{"child.js": "require('worker_threads').parentPort.postMessage('other');"},
        ),
        renders=_names("kept", "other"),
    ),
    Fault(
        "the program's last handler makes a resource",
        _javascript("process.once('beforeExit', () => make('other'));"),
        renders=_names("kept", "other"),
    ),
    Fault(
        "the program exits where nothing is left to do",
        _javascript(
            "process.once('beforeExit', () => { setTimeout(make, 500); "
            "setTimeout(() => process.exit(0), 100); });"
        ),
        refused=_EARLY,
    ),
    Fault(
        "the process ends by what `process.exit` itself calls",
        _javascript("process.once('beforeExit', () => process.reallyExit(0));"),
        refused=_EARLY,
    ),
    Fault(
        "a handler of `exit` makes a resource",
        _javascript("process.once('exit', () => make());"),
        refused="a resource is made after the end of the program",
    ),
    Fault(
        "a handler of `exit` exits",
        _javascript("process.once('exit', () => process.exit(0));"),
        renders=_names("kept"),
    ),
    Fault(
        "a source that is no JavaScript",
        _javascript("const = 3;"),
        refused=r"the program failed: SyntaxError: Unexpected token '=' \(index.js:5\)",
    ),
    Fault(
        "a text that is no JSON, in a callback",
        _javascript(
            "const parsed = pulumi.output('{').apply(JSON.parse);\n"
            "new k8s.core.v1.ConfigMap('lost', {data: {parsed}});"
        ),
        refused="the program failed: SyntaxError: .*JSON",
    ),
    Fault(
        "a module of the project that is not there",
        _javascript("require('./lib');"),
        refused=r"Cannot find module './lib' \(index.js:5\). To fix it: correct the path",
    ),
    Fault(
        "a package that is not there",
        _javascript("require('not-there');"),
        refused=r"Cannot find module 'not-there' .* To fix it: add the package to package.json",
    ),
]


@pytest.mark.parametrize("fault", PROCESSES + THREADS + EXITS + NODEJS, ids=str)
def test_what_is_not_told_by_the_runner_is_not_complete(fault: Fault, tmp_path: Path) -> None:
    harness.check(fault, tmp_path)
