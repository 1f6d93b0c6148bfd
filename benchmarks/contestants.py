"""The ways to a program's objects that are compared."""

import shutil
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from benchmarks.measure import Contestant
from benchmarks.workspace import ROOT, STACK, Program, Workspace

NATIVE = "native"
FLOOR = "floor"
PULUMI_UP = "pulumi up"
ORIGINAL = "original pipeline"
HELM = "helm template"
BARE_PYTHON = "bare Python"
KEY_DERIVATION = "key derivation"

DESCRIPTIONS = {
    NATIVE: "the renderer's command, from its start to its end",
    FLOOR: "the SDK's own runner alone, against a monitor that is up already and only echoes",
    PULUMI_UP: "the official engine: `stack init` and one `up` on an empty local backend",
    ORIGINAL: "login, stack select, down, up, cat, as the project began; no `npm ci`",
    HELM: "the same objects from a Helm chart",
    BARE_PYTHON: "a Python process that does nothing",
    KEY_DERIVATION: "what encrypted configuration adds to any of them: PBKDF2, 1,000,000 rounds",
}

_PIPELINES = ROOT / "benchmarks" / "pipelines"
_CONFIG_VARIABLE = '{"guestbook:replicas": "1", "many-objects:count": "2000"}'
_PASSPHRASE = "benchmark"  # noqa: S105 - of stacks that hold nothing
_DERIVE = "import hashlib; hashlib.pbkdf2_hmac('sha256', b'passphrase', b'saltsalt', 1_000_000)"


def of_program(program: Program, workspace: Workspace, *, monitor: str) -> Iterator[Contestant]:
    """Every way for a guestbook; `monitor` is the echo monitor's address."""
    yield native(program, workspace)
    yield floor(program, workspace, monitor=monitor)
    for name, script in ((PULUMI_UP, "pulumi-up.sh"), (ORIGINAL, "original.sh")):
        yield _official(name, script, program, workspace)


def for_scale(workspace: Workspace) -> Iterator[Contestant]:
    """What is no way to render a program, but a well-known amount of time."""
    home = workspace.folder / "scale"
    env = workspace.environment(home)
    chart = str(ROOT / "benchmarks" / "chart")
    commands = {
        HELM: [str(workspace.tools["helm"]), "template", "guestbook", chart],
        BARE_PYTHON: [sys.executable, "-I", "-S", "-c", "pass"],
        KEY_DERIVATION: [sys.executable, "-I", "-S", "-c", _DERIVE],
    }
    for name, command in commands.items():
        yield Contestant(name, command, home, env)


def native(program: Program, workspace: Workspace) -> Contestant:
    """The renderer, with dependencies in its cache."""
    folder = workspace.copy(program, "native")
    env = workspace.environment(workspace.folder / program.slug / "native-home")
    return Contestant(
        NATIVE,
        [sys.executable, str(workspace.renderer), "pulumi", "render", ".", "--stack", STACK],
        folder,
        {**env, "RENDERER_CACHE_DIR": str(workspace.cache)},
        _before(program, folder),
    )


def floor(program: Program, workspace: Workspace, *, monitor: str) -> Contestant:
    """The SDK's runner as its language host would start it."""
    folder = workspace.copy(program, "floor")
    start = _python_runner if program.runtime == "python" else _node_runner
    env = workspace.environment(workspace.folder / program.slug / "floor-home")
    return Contestant(
        FLOOR,
        start(program, workspace, folder, monitor),
        folder,
        {**env, "PULUMI_CONFIG": _CONFIG_VARIABLE, "PULUMI_NODEJS_TYPESCRIPT": "true"},
        _before(program, folder),
    )


def _python_runner(program: Program, workspace: Workspace, folder: Path, monitor: str) -> list[str]:
    runner = workspace.tools["pulumi-language-python"].with_name("pulumi-language-python-exec")
    arguments = {
        "monitor": monitor,
        "engine": monitor,
        "project": program.project,
        "stack": STACK,
        "organization": "organization",
        "root_directory": str(folder),
        "pwd": str(folder),
        "parallel": "4",
        "dry_run": "false",
    }
    options = [text for name, value in arguments.items() for text in (f"--{name}", value)]
    return [str(workspace.dependencies[program]), str(runner), *options, "."]


def _node_runner(program: Program, workspace: Workspace, folder: Path, monitor: str) -> list[str]:
    installed = workspace.dependencies[program]
    (folder / "node_modules").symlink_to(installed)
    node = str(workspace.node / "node")
    arguments = {
        "monitor": monitor,
        "engine": monitor,
        "project": program.project,
        "stack": STACK,
        "organization": "organization",
        "root-directory": str(folder),
        "pwd": str(folder),
        "parallel": "16",
    }
    options = [f"--{name}={value}" for name, value in arguments.items()]
    return [node, str(installed / "@pulumi" / "pulumi" / "cmd" / "run"), *options, "."]


def _official(name: str, script: str, program: Program, workspace: Workspace) -> Contestant:
    """A pipeline around the official engine, with a home and a backend of its own."""
    installed = workspace.dependencies[program]
    slug = name.replace(" ", "-")
    folder = workspace.copy(program, slug)
    home = workspace.folder / program.slug / f"{slug}-home"
    rendered = folder / "rendered"
    env = workspace.environment(home, workspace.with_pip)
    env |= {
        "RENDERED": str(rendered),
        "PULUMI_HOME": str(home / "pulumi"),
        "PULUMI_CONFIG_PASSPHRASE": _PASSPHRASE,
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
    }
    if installed.is_dir():
        (folder / "node_modules").symlink_to(installed)
    backend = home / "backend"
    if name == PULUMI_UP:
        env["PULUMI_BACKEND_URL"] = f"file://{backend}"
    stack_file = folder / f"Pulumi.{STACK}.yaml"
    directory = f"config:\n  kubernetes:renderYamlToDirectory: {rendered}\n"
    if name == ORIGINAL:
        stack_file.write_text(directory)
    change_sources = _before(program, folder)

    def before() -> None:
        change_sources()
        if name == PULUMI_UP:
            shutil.rmtree(backend, ignore_errors=True)
            shutil.rmtree(rendered, ignore_errors=True)
            backend.mkdir()
            stack_file.write_text(directory)

    return Contestant(name, ["sh", str(_PIPELINES / script)], folder, env, before)


def _before(program: Program, folder: Path) -> Callable[[], None]:
    """What makes a run see new sources, where the program is measured with new ones."""
    if not program.new_sources:
        return lambda: None
    source = folder / "index.ts"
    text = source.read_text()
    return lambda: _write(source, f"{text}// {uuid.uuid4()}\n")


def _write(path: Path, text: str) -> None:
    path.write_text(text)


def titles(results: Mapping[str, object]) -> list[str]:
    """The contestants among `results` in the order in which they are told."""
    return [name for name in DESCRIPTIONS if name in results]
