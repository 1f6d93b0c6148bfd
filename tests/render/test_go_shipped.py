"""What the image's build compiles ahead, Go takes for its own."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from plugin_image.renderer.cache import Cache
from plugin_image.renderer.pulumi.hosts import go_sdk, go_shipped
from plugin_image.renderer.pulumi.installer import Installer
from plugin_image.renderer.supervise import Deadline
from tests.render.corpus import PLUGIN_IMAGE

_SECONDS = 300


def _compile_ahead(folder: Path) -> Path:
    """What the script makes of a small SDK, without its files' times."""
    module = folder / "sources" / "sdk"
    module.mkdir(parents=True)
    (module / "go.mod").write_text("module example.com/sdk\n\ngo 1.24\n")
    (module / "sdk.go").write_text("package sdk\n\nfunc Two() int { return 2 }\n")
    script, made = PLUGIN_IMAGE / "build" / "compile-go-sdks", folder / "made"
    subprocess.run([script, module.parent, made], check=True, timeout=_SECONDS)
    return made


def _contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_a_package_that_was_compiled_ahead_is_not_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, program, found = _compile_ahead(tmp_path), tmp_path / "program", tmp_path / "found"
    shutil.copytree(tmp_path / "sources" / "sdk", program)
    monkeypatch.setattr(go_shipped, "_COMPILED", made / "compiled")
    cache = Cache(tmp_path / "cache", tmp_path, Deadline(_SECONDS), most_bytes=10**9)
    env = {"PATH": os.environ["PATH"], "CGO_ENABLED": "0"}
    installer = Installer(cache, env, tmp_path, cache.deadline)
    asked = ["list", "-export", "-f={{.Export}}", *go_shipped.FLAGS]
    go_sdk.go(installer, asked, program, result=found)
    assert Path(found.read_text().strip()).resolve().is_relative_to(made / "compiled")
    (program / "sdk.go").write_text("package sdk\n\nfunc Two() int { return 1 + 1 }\n")
    go_sdk.go(installer, asked, program, result=found)
    assert Path(found.read_text().strip()).resolve().is_relative_to(cache.folder), "it has changed"


def test_two_builds_compile_the_same_bytes_ahead(tmp_path: Path) -> None:
    made = [_contents(_compile_ahead(tmp_path / name)) for name in ("one", "two")]
    assert made[0] == made[1] != {}
