"""Runs one case with the official engine, as `pulumi up` renders YAML, and writes down what came.

    python -m tests.render.official_engine NAME FILE

It is a process of its own because it ends everything that the program leaves running. The
engine has a backend, a home and an environment of this run only, and no cluster.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from plugin_image.renderer import supervise
from plugin_image.renderer.errors import DeadlineError
from plugin_image.renderer.pulumi.hosts import go_shipped
from tests import toolchain
from tests.render import corpus, java_language_host, objects
from tests.render.corpus import Case

LANGUAGES = ("python", "nodejs", "go", "yaml")

_SECONDS = 1800
"""Enough for Go to compile the Kubernetes SDK."""
_RENDERED = "rendered"
_GO_VARIABLES = ("GOCACHE", "GOFLAGS", "GOMODCACHE", "GOPATH", "GOPROXY", "GOSUMDB")
"""Where Go keeps and gets things; without a home folder it has to be told."""


def parts(runtime: str) -> list[str]:
    """The real parts that a program in this language needs."""
    language = [f"pulumi-language-{runtime}"] if runtime in LANGUAGES else []
    return ["pulumi", "pulumi-resource-kubernetes", *language]


def run(case: Case, scratch: Path) -> list[objects.Object] | str:
    """The objects that the engine writes for the case, or what it says when it fails."""
    program, backend, rendered = case.copy_to(scratch), scratch / "backend", scratch / _RENDERED
    backend.mkdir()
    if case.runtime == "nodejs" and not (program / "node_modules").exists():
        (program / "node_modules").symlink_to(corpus.image_modules())
    _make_packages_start(case, program)
    deadline = supervise.Deadline(case.given.get("deadline_seconds", _SECONDS))
    env = _environment(case, scratch, backend)
    for arguments in _commands(case, rendered):
        try:
            ended = supervise.run(
                ["pulumi", "--non-interactive", "--color=never", *arguments],
                doing=f"`pulumi {arguments[0]}` was running",
                cwd=program,
                env=env,
                deadline=deadline,
            )
        except DeadlineError as error:
            return str(error)
        if ended.status:
            return ended.output.replace(str(scratch), "…")
    return written(scratch)


def written(scratch: Path) -> list[objects.Object]:
    """The objects that the engine has written so far, or before it failed."""
    files = sorted((scratch / _RENDERED).rglob("*.yaml"))
    return [found for file in files for found in objects.read(file.read_text())]


_START = {
    "python": 'exec python3 "$(dirname "$0")" "$@"',
    "nodejs": 'exec node {modules}/@pulumi/pulumi/cmd/run-plugin "$(dirname "$0")" "$@"',
}
"""How component packages are started; the language hosts that can be built do not know it."""


def _make_packages_start(case: Case, program: Path) -> None:
    """Put a program into each component package, which the engine prefers to a language host.

    That of YAML knows how to start them.
    """
    for name, folder, runtime in case.packages():
        package = program / folder.relative_to(case.folder)
        start = package / f"pulumi-resource-{name}"
        if runtime == "go":
            build = ["go", "build", *go_shipped.FLAGS, "-o", start.name, "."]
            subprocess.run(build, cwd=package, check=True)
        elif runtime in _START:
            modules = corpus.image_modules() if runtime == "nodejs" else ""
            if modules and not (package / "node_modules").exists():
                (package / "node_modules").symlink_to(modules)
            start.write_text(f"#!/bin/sh\n{_START[runtime].format(modules=modules)}\n")
            start.chmod(0o755)


def _commands(case: Case, rendered: Path) -> Iterator[list[str]]:
    stack = case.given["stack"]
    selected = ["--stack", stack] if stack else []
    if stack:
        yield ["stack", "init", stack]
    config = {"kubernetes:renderYamlToDirectory": str(rendered), **case.options().config}
    if not _names_itself(case):
        config["pulumi:autonaming.mode"] = "verbatim"
    values = [argument for key, value in config.items() for argument in ("-c", f"{key}={value}")]
    yield ["up", "--yes", "--skip-preview", "--config-path", *selected, *values]


def _names_itself(case: Case) -> bool:
    """Whether the case sets Pulumi's naming of objects."""
    return any("pulumi:autonaming" in f.read_text() for f in case.folder.rglob("Pulumi.*.yaml"))


def _environment(case: Case, scratch: Path, backend: Path) -> Mapping[str, str]:
    tools = [str(path.parent) for path in toolchain.ensure(parts(case.runtime)).values()]
    if case.runtime == "java":
        tools.append(str(java_language_host.put_into(scratch / "bin")))
    return {
        **(_go() if case.runtime == "go" else {}),
        # The virtual environment first: the language host runs the first `python3`.
        "PATH": ":".join([str(Path(sys.executable).parent), *tools, os.environ["PATH"]]),
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "PULUMI_HOME": str(scratch / "home"),
        "PULUMI_BACKEND_URL": f"file://{backend}",
        "PULUMI_CONFIG_PASSPHRASE": case.given.get("passphrase", ""),
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": case.python_path,
    }


def _go() -> dict[str, str]:
    """Go's own settings, with the flags by which it finds what renders have compiled already."""
    corpus.compile_go_sdk()
    found: dict[str, str] = json.loads(
        subprocess.check_output(["go", "env", "-json", *_GO_VARIABLES])
    )
    return {**found, "GOFLAGS": f"{found['GOFLAGS']} {shlex.join(go_shipped.FLAGS)}".strip()}


def main(name: str, file: str) -> None:
    """Write the objects, or the error's text, as JSON."""
    with tempfile.TemporaryDirectory() as scratch:
        answer = run(corpus.named(name), Path(scratch))
    Path(file).write_text(json.dumps(answer, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
