"""Lets Go programs with an older Pulumi SDK say that they have come to their end.

From 3.182 on, SDKs say so by `SignalAndWaitForShutdown`. Before, what a program sends is the
same whether it has made all of its registrations or was ended by an `os.Exit(0)` in a callback,
or by an unchecked error of `pulumi.RunErr`. So such a program is built with an SDK that says so,
too. Source: pulumi/pulumi `sdk/go/pulumi/run.go`, 3.3.0 to 3.181.0.
"""

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Final

from ...errors import DeadlineError, DependencyError, ProgramError
from ..installer import Installer
from . import go_shipped
from .go_modules import Modules

MODULES: Final = "go-modules"
"""The name of Go's module cache among what installers download."""
_MODULE: Final = "github.com/pulumi/pulumi/sdk/v3"
_PACKAGE: Final = f"{_MODULE}/go/pulumi"
_OLDEST: Final = (3, 3)
"""The first that waits for callbacks before it ends."""
_OLDER_MODULE: Final = re.compile(r"\bgithub\.com/pulumi/pulumi/sdk(?:/v2)?\s+(v\S+)")
_KNOWS_UNKNOWN: Final = (3, 256)
_BUILT_WITH: Final = re.compile(rb"\tgithub\.com/pulumi/pulumi/sdk/v3\tv(\d+)\.(\d+)\.")
_END: Final = Path(__file__).with_name("go_end.go")
_SIGNAL: Final = "SignalAndWaitForShutdown("
_RUN: Final = "func RunWithContext(ctx *Context, body RunFunc) error {"
_LATE_FIX: Final = (
    "render again, which goes on after the last package that was done; where a package takes "
    "longer than that, raise the plugin's deadline together with Argo CD's repo-server timeout"
)
"""Go keeps each module and each package as soon as it has it."""
_COMPILED: Final = re.compile(
    r"^# .+\n(.+\.go:\d+:.+|.*function main is undeclared.*)", re.MULTILINE
)
"""How Go tells of a package that does not compile: its path, and below it what is wrong."""


@dataclass(frozen=True)
class Sdk:
    """The Pulumi SDK of a program."""

    version: str
    module: Path | None
    """The module's folder, unless the program's vendor folder has its packages."""
    package: Path
    """The folder of the package `pulumi`."""


def go(
    installer: Installer,
    arguments: Sequence[str | Path],
    folder: Path,
    workspace: Path | None = None,
    *,
    result: Path | None = None,
) -> None:
    """Run `go` in a folder, with a go.work or without any; the file `result` gets its output.

    Raises DependencyError when Go is missing or fails, ProgramError for what does not compile, and
    DeadlineError.
    """
    compiled = installer.cache.downloads("go-build")
    go_shipped.link_compiled(compiled)
    env = {
        **go_shipped.variables(installer.env),
        "GOCACHE": str(compiled),
        "GOMODCACHE": str(installer.cache.downloads(MODULES)),
        # One that does not have the program in it would bring modules that nobody looks at.
        "GOWORK": str(workspace or "off"),
    }
    try:
        installer.run([installer.tool("go"), *arguments], folder, env=env, result=result)
    except DeadlineError as error:
        raise DeadlineError(error.summary, fix=_LATE_FIX) from error
    except DependencyError as error:
        if wrong := _COMPILED.search(error.details):
            raise ProgramError(
                f"the program does not compile: {wrong[1]}",
                fix="correct it, or the version of what it imports",
                details=error.details,
            ) from error
        raise


def build_flags(modules: Modules, installer: Installer) -> list[str]:
    """What makes `go build` give the program an SDK that says when it has ended.

    Raises DependencyError for an SDK too old for that, and where modules cannot be downloaded.
    """
    root = modules.module
    sdk = _find(modules, installer)
    if sdk is None:
        if older := _OLDER_MODULE.search((root / "go.mod").read_text()):
            raise _too_old(older[1])
        return []
    run = (sdk.package / "run.go").read_text()
    if _SIGNAL in run:
        return []
    # Go takes no other go.mod in a workspace.
    if _is_too_old(sdk.version) or _RUN not in run or (modules.workspace and sdk.module):
        raise _too_old(sdk.version)
    folder = installer.scratch / "pulumi-sdk"
    folder.mkdir()
    flags: list[str] = []
    package = sdk.package
    if sdk.module:
        flags, package = _under_another_path(root, installer, sdk, sdk.module, folder)
    renamed = folder / "run.go"
    renamed.write_text(run.replace(_RUN, _RUN.replace("Run", "run", 1)))
    overlay = folder / "overlay.json"
    replaced = {str(package / "run.go"): str(renamed), str(package / "renderer_end.go"): str(_END)}
    overlay.write_text(json.dumps({"Replace": replaced}))
    return [*flags, f"-overlay={overlay}"]


def _find(modules: Modules, installer: Installer) -> Sdk | None:
    """The SDK that the program is built with; None where it asks for none."""
    found = installer.scratch / "pulumi-sdk.json"
    asked = ["list", "-e", "-find", "-json=Dir,Module", _PACKAGE]
    go(installer, asked, modules.module, modules.workspace, result=found)
    told = json.loads(found.read_text())
    if "Module" not in told or "Dir" not in told:
        return None
    module = told["Module"]
    source = module.get("Replace", module)
    folder = module.get("Dir")
    return Sdk(source.get("Version", module["Version"]), folder and Path(folder), Path(told["Dir"]))


def knows_unknown(binary: Path) -> bool:
    """Whether a program was built with an SDK that tells values that stay unknown from none."""
    return built_with(binary) >= _KNOWS_UNKNOWN


def built_with(binary: Path) -> tuple[int, ...]:
    """The first two numbers of the SDK's version that a program was built with; none if unknown.

    Source: debug/buildinfo, for the lines that name the modules of a binary.
    """
    with binary.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        version = _BUILT_WITH.search(content)
        return tuple(map(int, version.groups())) if version else ()


def _too_old(version: str) -> DependencyError:
    return DependencyError(
        f"the program's Pulumi SDK {version} is too old", fix=f"use {_MODULE} v3.182.0 or newer"
    )


def _is_too_old(version: str) -> bool:
    numbers = re.match(r"v(\d+)\.(\d+)\.", version)
    return numbers is not None and tuple(map(int, numbers.groups())) < _OLDEST


def _under_another_path(
    root: Path, installer: Installer, sdk: Sdk, module: Path, folder: Path
) -> tuple[list[str], Path]:
    """What lets Go find the SDK below `folder`, and its package there.

    Go does not overlay the files of its module cache.
    """
    link = folder / "module"
    link.symlink_to(module)
    for name in ("go.mod", "go.sum"):
        if (root / name).is_file():
            shutil.copyfile(root / name, folder / name)
    edit = ["mod", "edit", f"-replace={_MODULE}={link}", str(folder / "go.mod")]
    go(installer, edit, root)
    return [f"-modfile={folder / 'go.mod'}"], link / sdk.package.relative_to(module)
