"""The first line tells why an installer failed, by what uv, npm and go say."""

import os
import shlex
from pathlib import Path

import pytest

from plugin_image.renderer.cache import Cache
from plugin_image.renderer.errors import DependencyError
from plugin_image.renderer.pulumi.installer import Installer
from plugin_image.renderer.supervise import Deadline

_SAID = {
    "Yarn gets another archive than the locked one": (
        "➤ YN0000: ┌ Fetch step\n➤ YN0018: │ ms@npm:2.1.3: The remote archive doesn't match the "
        "expected checksum\n➤ YN0000: Failed with errors in 0s 815ms\n",
        "ms@npm:2.1.3: The remote archive doesn't match the expected checksum",
    ),
    "Go is refused a module, beneath what it downloads": (
        "go: downloading github.com/pkg/errors v0.9.1\n"
        "go: downloading github.com/hashicorp/go-multierror v1.1.1\n"
        "main.go:4:2: github.com/acme/lib@v1.2.3: reading https://proxy/lib.zip: 403 Forbidden\n"
        "\tserver response: not for you\n",
        "main.go:4:2: github.com/acme/lib@v1.2.3: reading https://proxy/lib.zip: 403 Forbidden",
    ),
    "Go finds an error in a source": (
        "go: downloading github.com/pkg/errors v0.9.1\n# example.com/p\n"
        "./main.go:7:2: undefined: x",
        "./main.go:7:2: undefined: x",
    ),
    "Go says below what to do": (
        "main.go:4:2: missing go.sum entry for module providing package example.com/lib; to add:\n"
        "\tgo get example.com/lib@v1.2.3\n",
        "main.go:4:2: missing go.sum entry for module providing package example.com/lib; to add: "
        "go get example.com/lib@v1.2.3",
    ),
    "an install script throws": (
        "npm warn Unknown user config.\nnpm error code 1\n"
        "npm error path /c/node/1/node_modules/dep\n"
        "npm error command failed\nnpm error command sh -c node install.js\nnpm error starting\n"
        "npm error /c/node/1/node_modules/dep/install.js:1\n"
        'npm error console.log("starting"); throw new Error("no compiler")\n'
        "npm error                          ^\nnpm error\nnpm error Error: no compiler\n"
        "npm error     at Object.<anonymous> (/c/install.js:1:32)\n"
        "npm error A complete log of this run can be found in: /home/x.log\n",
        "the install script of dep failed (node install.js): Error: no compiler",
    ),
    "an install script names a command that is not there": (
        "npm error code 127\nnpm error path /c/node_modules/@acme/dep\nnpm error command failed\n"
        "npm error command sh -c node-gyp rebuild\nnpm error sh: 1: node-gyp: not found\n"
        "npm error A complete log of this run can be found in: /home/x.log\n",
        "the install script of @acme/dep failed (node-gyp rebuild): sh: 1: node-gyp: not found",
    ),
    "an install script says nothing of an error": (
        "npm error code 2\nnpm error path /c/node_modules/a/node_modules/dep\n"
        "npm error command failed\nnpm error command sh -c make\nnpm error gave up\n",
        "the install script of dep failed (make): gave up",
    ),
    "an install script says nothing": (
        "npm error code 2\nnpm error path /c/node_modules/dep\nnpm error command failed\n"
        "npm error command sh -c make\n",
        "the install script of dep failed (make): it said nothing",
    ),
    "npm finds no such version": (
        "npm error code ETARGET\n"
        "npm error notarget No matching version found for left-pad@99.0.0.\n",
        "No matching version found for left-pad@99.0.0",
    ),
    "uv finds no such version": (
        "error: Because there is no version of x==9\n  and you require x==9, you lose.\n",
        "error: Because there is no version of x==9 and you require x==9, you lose",
    ),
    "uv fails to build a package, beneath what the build prints": (
        "error: Failed to build `oldlib==1.2`\n  cause: The build backend returned an error\n"
        "  cause: Call to `setuptools.build_meta.build_wheel` failed (exit status: 1)\n\n"
        "         [stdout]\n         running egg_info\n\n"
        "         [stderr]\n         warning: an error may follow\n"
        "         Traceback (most recent call last):\n"
        '           File "<string>", line 14, in <module>\n'
        "         ModuleNotFoundError: No module named 'pkg_resources'\n\n"
        "hint: This error likely indicates that `oldlib@1.2` lacks something.\n",
        "oldlib==1.2 cannot be built from its source: "
        "ModuleNotFoundError: No module named 'pkg_resources'",
    ),
    "uv finds nothing to build a package with": (
        "error: Failed to build `oldlib==1.2`\n"
        "  cause: Failed to resolve requirements from `build-system.requires`\n",
        "error: Failed to build `oldlib==1.2` "
        "cause: Failed to resolve requirements from `build-system.requires`",
    ),
    "nothing is said": ("", "it gave no reason"),
}


@pytest.mark.parametrize(("said", "told"), _SAID.values(), ids=_SAID)
def test_the_reason_is_what_was_said_of_it(said: str, told: str, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", tmp_path, Deadline(600), most_bytes=1_000_000)
    installer = Installer(cache, os.environ, tmp_path, cache.deadline)
    with pytest.raises(DependencyError) as refused:
        installer.run(["sh", "-c", f"printf %s {shlex.quote(said)} >&2; exit 1"], tmp_path)
    shown = str(refused.value).partition(". To fix it: ")[0]
    assert shown == f"the program's dependencies cannot be installed: {told}"


def test_what_cannot_be_built_is_asked_for_in_another_version(tmp_path: Path) -> None:
    said = "error: Failed to build `oldlib==1.2`\n  cause: x\n\n    [stderr]\n    no compiler\n"
    cache = Cache(tmp_path / "cache", tmp_path, Deadline(600), most_bytes=1_000_000)
    installer = Installer(cache, os.environ, tmp_path, cache.deadline)
    with pytest.raises(DependencyError) as refused:
        installer.run(["sh", "-c", f"printf %s {shlex.quote(said)} >&2; exit 1"], tmp_path)
    assert refused.value.fix == (
        "ask for a version of it that has a wheel for this Python and platform"
    )
