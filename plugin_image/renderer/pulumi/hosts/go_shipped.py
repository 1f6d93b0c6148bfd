"""What the image has for Go programs: Pulumi's SDKs, compiled and as modules.

Compiling the Kubernetes SDK takes minutes of processor time. `build/compile-go-sdks` has done so
for the versions in `build/go-sdks`; Go takes a compiled package wherever its sources, its imports,
the compiler and the flags are the same. What differs is compiled, and downloaded, as if nothing
were here.
"""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

FLAGS: Final = ("-trimpath", "-buildvcs=false", "-gcflags=all=-l -dwarf=false")
"""Of each build. The first makes packages independent of folders. The last leaves out inlining and
what debuggers read: a sixth of the time and a quarter of the room that compiled packages take."""

_FOLDER: Final = Path(__file__).resolve().parents[4] / "go-sdks"
_COMPILED: Final = _FOLDER / "compiled"
_MODULES: Final = _FOLDER / "modules"
_DEFAULT_PROXY: Final = "https://proxy.golang.org,direct"


def link_compiled(cache: Path) -> None:
    """Link what is compiled into the folder of Go's build cache, which Go has to write to.

    What is there already stays. Go removes what was not used for days, and that may be links.
    """
    for entry in _COMPILED.glob("*/*"):
        link = cache / entry.relative_to(_COMPILED)
        # It is there already, or the disk is full.
        with suppress(OSError):
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(entry)


def variables(env: Mapping[str, str]) -> Mapping[str, str]:
    """Where Go finds modules: here first, and then where the plugin's environment says."""
    if not _MODULES.is_dir():
        return {}
    return {"GOPROXY": f"{_MODULES.as_uri()},{env.get('GOPROXY') or _DEFAULT_PROXY}"}
