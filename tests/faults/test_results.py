"""A program that nothing has changed for is not run again, and what is kept is never wrong."""

import shutil
import threading
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from tests.faults.results import NOT_KEPT, ResultsContainer, warm_container
from tests.faults.test_warm_yaml import CONFIG_MAP
from tests.faults.warm import Container, config_map, wait_until
from tests.faults.warm_nodejs import config_map as config_map_of_nodejs

SECRET: Final = "unlike-any-other"


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResultsContainer]:
    with warm_container(tmp_path_factory.mktemp("c")) as made:
        yield made


CHART = {
    "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
    "chart/templates/found.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: found}\n",
}
YAML_READS: Final = {
    "a file": "{data: {key: {fn::readFile: ./data.txt}}}",
    "a function that is spelt otherwise": '{data: {key: {"fn::read\\u0046ile": ./data.txt}}}',
    "where it is": "{data: {key: '${pulumi.cwd}'}}",
    "where it is by another name": "{data: {key: {fn::toBase64: '${place.cwd}'}}}\n"
    "variables: {place: '${pulumi}'}",
}


KEPT: Final[dict[str, dict[str, str]]] = {
    "Python": {"__main__.py": "import pulumi_kubernetes as k8s\n" + config_map("1")},
    "files of the project": {
        "__main__.py": "import pathlib\nimport pulumi_kubernetes as k8s\n"
        + config_map("pathlib.Path(__file__).with_name('data.txt').read_text()"),
        "data.txt": "value",
    },
    "dates that are given": {
        "__main__.py": "import datetime\nimport pulumi_kubernetes as k8s\n"
        + config_map("datetime.date(2020, 1, 2) + datetime.timedelta(days=1)"),
    },
    "a chart of the project": {
        "__main__.py": "import pulumi_kubernetes as k8s\n"
        "k8s.helm.v4.Chart('chart', chart='./chart', namespace='default')\n",
        **CHART,
    },
    "YAML": {"Pulumi.yaml": CONFIG_MAP.format(properties="{data: {key: value}}")},
    "YAML with functions of its own text": {
        "Pulumi.yaml": CONFIG_MAP.format(
            properties="{data: {key: {fn::toBase64: '${pulumi.project}'}}}"
        )
    },
    "JavaScript": {
        "Pulumi.yaml": "name: odd\nruntime: nodejs\n",
        "package.json": "{}",
        "index.js": 'const k8s = require("@pulumi/kubernetes");\nconst fs = require("fs");\n'
        + config_map_of_nodejs("fs.readFileSync(__filename).length"),
    },
    "folders told from files": {
        "Pulumi.yaml": "name: odd\nruntime: nodejs\n",
        "package.json": "{}",
        "index.js": 'const k8s = require("@pulumi/kubernetes");\nconst fs = require("fs");\n'
        'const path = require("path");\n'
        + config_map_of_nodejs('fs.statSync(path.join(".", "index.js")).isDirectory()'),
    },
    "TypeScript": {
        "Pulumi.yaml": "name: odd\nruntime: nodejs\n",
        "package.json": '{"main": "index.ts"}',
        "index.ts": 'import * as k8s from "@pulumi/kubernetes";\n' + config_map_of_nodejs("1"),
    },
    "ES modules": {
        "Pulumi.yaml": "name: odd\nruntime: nodejs\n",
        "package.json": '{"type": "module", "main": "index.js"}',
        "index.js": 'import * as k8s from "@pulumi/kubernetes";\n'
        'import { readFileSync } from "node:fs";\nimport process from "node:process";\n'
        'import settings from "./settings.json" with { type: "json" };\n'
        'const { size } = await import("./lib/size.mjs");\n'
        "const { HOME } = process.env;\n"
        + config_map_of_nodejs("settings.a + size(readFileSync) + typeof HOME"),
        "lib/size.mjs": "export const size = (read) => read(new URL(import.meta.url)).length;\n",
        "settings.json": '{"a": 1}',
    },
    "ES modules in TypeScript": {
        "Pulumi.yaml": "name: odd\nruntime: nodejs\n",
        "package.json": '{"type": "module", "main": "index.ts"}',
        "index.ts": 'import * as k8s from "@pulumi/kubernetes";\n'
        'import { value } from "./lib/value.ts";\n' + config_map_of_nodejs("value as number"),
        "lib/value.ts": "export const value: number = 1;\n",
    },
}
"""Programs of which everything is known that they depend on."""


@pytest.mark.parametrize("name", KEPT)
def test_a_program_that_nothing_has_changed_for_is_not_run_again(
    container: ResultsContainer, name: str
) -> None:
    folder = project(container, KEPT[name])
    first = container.rendered(folder)
    assert first.status == 0, first.stderr
    wait_until(lambda: container.rendered(folder).path == "kept")
    moved = folder.rename(folder.with_name(f"{folder.name}-moved"))
    assert container.rendered(moved, ARGOCD_APP_REVISION="another") == first._replace(path="kept")
    assert container.rendered(moved, **NOT_KEPT) == first._replace(path="warm")


@pytest.mark.parametrize("name", ["Python", "TypeScript", "YAML"])
def test_a_result_is_kept_whatever_comes_and_goes_beside_the_repository(
    container: ResultsContainer, name: str
) -> None:
    """As where many Applications are rendered at once."""
    folder = project(container, KEPT[name])
    ended = threading.Event()

    def come_and_go() -> None:
        while not ended.wait(0.001):
            beside = folder.with_name("beside")
            beside.touch()
            beside.unlink()

    others = threading.Thread(target=come_and_go)
    others.start()
    try:
        wait_until(lambda: container.rendered(folder).path == "kept")
    finally:
        ended.set()
        others.join()


def project(container: Container, files: dict[str, str]) -> Path:
    folder = container.project("", "", **{"Pulumi.yaml": "name: odd\nruntime: python\n"})
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)
    if not any(name.startswith("__main__") for name in files):
        (folder / "__main__.py").unlink()
    return folder


DIFFERING: Final = {
    "the time": "import time\n" + config_map("time.time()"),
    "the day": "from datetime import date\n" + config_map("date.today()"),
    "the day, under another name": "from datetime import datetime as d\nf = d.now\n"
    + config_map("f()"),
    "chance": "import random\n" + config_map("random.randint(0, 9)"),
    "a unique number": "import uuid\n" + config_map("uuid.uuid4()"),
    "a unique number of newer Pythons": "import uuid\n"
    + config_map("getattr(uuid, 'uuid7', str)()"),
    "the kernel's chance": config_map("os.urandom(4).hex()"),
    "a device": config_map("open('/dev/urandom', 'rb').read(4).hex()"),
    "the kernel's clock": config_map("open('/proc/uptime').read()"),
    "code in a text": config_map("eval('1')"),
    "a process": "import subprocess\n" + config_map("subprocess.check_output(['echo', '1'])"),
    "a shell": config_map("os.system('true')"),
    "the network": "import socket\n"
    "with socket.socket() as asking:\n    asking.connect_ex(('127.0.0.1', 9))\n" + config_map("1"),
    "a database": "import sqlite3\nsqlite3.connect(':memory:')\n" + config_map("1"),
    "a C library": "import ctypes\nctypes.CDLL(None)\n" + config_map("1"),
    "a folder that is open": "place = os.open('..', os.O_RDONLY)\n"
    "os.stat('tmp', dir_fd=place)\n" + config_map("1"),
    "where it is": config_map("os.getcwd()"),
    "the name of where it is": config_map("os.path.basename(os.getcwd())"),
    "a module of Python that reads the clock": "import gzip\n" + config_map("gzip.compress(b'')"),
    "a library": "import requests\n" + config_map("1"),
    "a channel": "import grpc\n" + config_map("1"),
    "when a file was made": config_map("os.path.getmtime('Pulumi.yaml')"),
    "an object without a text": config_map("object()"),
    "a name in a text": "import datetime\n" + config_map("getattr(datetime.date, 'today')()"),
    "all variables as a text": config_map("len(repr(os.environ))"),
    "a folder beside it": config_map("len(os.listdir('..'))"),
    "a file beside it": config_map("os.path.exists('../another')"),
    "a module beside it": "sys.path.insert(0, '..')\ntry:\n    import beside\n"
    "except ImportError:\n    pass\n" + config_map("1"),
    "a module that knows the time": "import clock\n" + config_map("clock.read()"),
    "a module in an archive": "import pathlib\n"
    "sys.path.insert(0, str(pathlib.Path(__file__).with_name('clocks.zip')))\nimport archived\n"
    + config_map("archived.read()"),
    "how it was started": config_map("len(open('/proc/self/environ').read())"),
    "the memory that it takes": config_map("open('/proc/self/statm').read()"),
    "the revision": config_map("os.environ.get('ARGOCD_APP_REVISION')"),
    "all variables": config_map("len(dict(os.environ))"),
    "the number of variables": config_map("len(os.environ)"),
    "the names of variables": config_map("sorted(os.environ)"),
    "the keys of the environment": config_map("sorted(os.environ.keys())"),
    "whether there are variables": config_map("bool(os.environ)"),
    "a copy of the variables": config_map("os.environ.copy().get('HOME', '')[:1]"),
    "whether a variable is there": config_map("'ARGOCD_APP_REVISION' in os.environ"),
    **{
        f"a module in {folder} that the path names for a while": (
            f"sys.path.insert(0, {folder!r})\ntry:\n    import beside\n"
            "except ImportError:\n    sys.path.pop(0)\n" + config_map("1")
        )
        for folder in ("../absent", "../../absent", "../absent.zip")
    },
    "a module of Python that another one may hide": "sys.path.insert(0, '../absent')\n"
    "import fractions\nsys.path.pop(0)\n" + config_map("fractions.Fraction(1)"),
    "a package with another folder": "import package\npackage.__path__.insert(0, '../absent')\n"
    "from package import part\npackage.__path__.pop(0)\n" + config_map("part.VALUE"),
    "a finder of modules": "[f.find_spec('beside', ['../absent']) for f in sys.meta_path[-1:]]\n"
    + config_map("1"),
}


def test_python_search_path_with_odd_entries_fails_no_render(container: ResultsContainer) -> None:
    odd = "sys.path[1:1] = [1, b'lib', None]\nimport fractions\n"
    folder = container.project(odd + config_map("fractions.Fraction(1)"), "")
    rendered = [container.rendered(folder) for _ in range(3)]
    assert [each.status for each in rendered] == [0, 0, 0], rendered


@pytest.mark.parametrize("name", DIFFERING)
def test_what_may_differ_each_time_is_rendered_each_time(
    container: ResultsContainer, name: str
) -> None:
    clock = {"clock.py": "import time\n\ndef read():\n    return time.monotonic()\n"}
    folder = container.project(DIFFERING[name], "", **clock)
    (folder / "package").mkdir()
    (folder / "package" / "__init__.py").touch()
    (folder / "package" / "part.py").write_text("VALUE = 1\n")
    with zipfile.ZipFile(folder / "clocks.zip", "w") as archive:
        archive.writestr("archived.py", clock["clock.py"])
    for revision in ("one", "two", "three"):
        rendered = container.rendered(folder, ARGOCD_APP_REVISION=revision)
        assert (rendered.path, rendered.status) == ("warm", 0), rendered.stderr


UNSET: Final = {
    "Python": {
        "__main__.py": "import os\nimport pulumi_kubernetes as k8s\n"
        "image = f\"nginx:{os.environ.get('TAG')}\"\n"
        "k8s.core.v1.Pod('web', spec={'containers': [{'name': 'web', 'image': image}]})\n"
    },
    "JavaScript": {
        "Pulumi.yaml": "name: odd\nruntime: nodejs\n",
        "package.json": "{}",
        "index.js": 'const k8s = require("@pulumi/kubernetes");\n'
        "const containers = [{ name: 'web', image: `nginx:${process.env.TAG}` }];\n"
        'new k8s.core.v1.Pod("web", { spec: { containers } });\n',
    },
}


@pytest.mark.parametrize("name", UNSET)
def test_a_variable_that_is_not_set_is_refused_where_a_result_may_be_kept_too(
    container: ResultsContainer, name: str
) -> None:
    folder = project(container, UNSET[name])
    found = [container.rendered(folder) for _ in range(3)]
    assert all(each.status and "not set: TAG" in each.stderr for each in found), found


@pytest.mark.parametrize("name", YAML_READS)
def test_what_a_yaml_program_reads_by_itself_is_read_each_time(
    container: ResultsContainer, name: str
) -> None:
    text = CONFIG_MAP.format(properties=YAML_READS[name])
    folder = project(container, {"Pulumi.yaml": text, "data.txt": "text"})
    assert container.paths(folder) == ["warm"] * 3


def test_what_is_no_code_and_what_nobody_could_name_fails_no_render(
    container: ResultsContainer,
) -> None:
    """A file that only ends as code does, a link to itself, a path with a NUL."""
    program = "os.path.exists('\\0')\nos.path.exists('../\\udcff')\n"
    program += config_map("len(open('data.py').read())")
    folder = container.project(program, "", **{"data.py": "print 1\n{{ not code"})
    (folder / "loop").symlink_to("loop")
    assert container.paths(folder) == ["warm"] * 3
    (folder / "loop").unlink()
    assert container.paths(folder) == ["warm"] * 3


@pytest.mark.parametrize(
    "env",
    [
        {"ARGOCD_APP_NAME": "another"},
        {"PULUMI_CONFIG_PASSPHRASE": "another"},
        {"ARGOCD_APP_PARAMETERS": '[{"name": "stack", "string": "dev"}]'},
        {"KUBE_VERSION": "1.35.0"},
    ],
    ids=lambda env: next(iter(env)),
)
def test_a_result_is_for_what_it_was_made_for_alone(
    container: ResultsContainer, env: dict[str, str]
) -> None:
    folder = project(container, KEPT["Python"])
    assert container.paths(folder)[1:] == ["kept", "kept"]
    assert container.paths(folder, **env) == ["warm", "kept", "kept"]


def test_what_programs_do_to_the_results_makes_none_wrong(container: ResultsContainer) -> None:
    folders = [container.project(config_map(f"'{SECRET} {n}'"), "") for n in range(2)]
    shutil.rmtree(container.results, ignore_errors=True)
    right = [container.rendered(folder) for folder in folders]
    one, other = (file for file in container.results.iterdir() if file.suffix != ".lock")
    contents = one.read_bytes(), other.read_bytes()
    assert SECRET.encode() not in contents[0] + contents[1]

    def swap() -> None:
        one.write_bytes(contents[1])
        other.write_bytes(contents[0])

    def replace_by_folder() -> None:
        one.unlink()
        one.mkdir()

    def replace_all() -> None:
        shutil.rmtree(container.results)
        container.results.touch()

    def cut(content: bytes) -> None:
        one.write_bytes(content)

    empty, short = partial(cut, b""), partial(cut, contents[0][:-1])
    damages: list[Callable[[], None]] = [swap, short, empty, replace_by_folder, replace_all]
    for damage in damages:
        damage()
        for folder, expected in zip(folders, right, strict=True):
            assert container.rendered(folder)[1:] == expected[1:]
    container.results.unlink()


def test_no_result_outlives_the_server(container: ResultsContainer, tmp_path: Path) -> None:
    folder = project(container, KEPT["Python"])
    assert container.paths(folder)[-1] == "kept"
    container.kill()
    assert container.rendered(folder).path == "cold"
    wait_until(lambda: container.rendered(folder).path == "kept")


def test_an_application_can_have_each_render_made(container: ResultsContainer) -> None:
    folder = project(container, KEPT["Python"])
    assert container.paths(folder, **NOT_KEPT) == ["warm"] * 3
