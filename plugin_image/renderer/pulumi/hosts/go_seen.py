"""Tells what the result of a Go program may depend on, by its packages, as the program is built.

Of a program that runs as machine code nobody sees what it looks at, or makes up. So it may import
only what does neither: Pulumi's packages of resources, and those of Go's own that compute what they
are given. Its other packages are looked through alike, be they its own or others'.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

Package: TypeAlias = Mapping[str, Any]
"""One, as `go list -json` tells of it."""

ASKED: Final = (
    "ImportPath,Name,Dir,DepOnly,Standard,Module,Imports,CgoFiles,CFiles,CXXFiles,MFiles,FFiles,"
    "SFiles,SwigFiles,SwigCXXFiles,SysoFiles"
)
"""What has to be told of each, and of all that it imports."""
_HARMLESS: Final = frozenset(
    {"bytes", "cmp", "container/heap", "container/list", "container/ring", "crypto/hmac"}
    | {"crypto/md5", "crypto/sha1", "crypto/sha256", "crypto/sha512", "embed", "encoding/base32"}
    | {"encoding/base64", "encoding/binary", "encoding/csv", "encoding/hex", "encoding/json"}
    | {"encoding/pem", "encoding/xml", "errors", "fmt", "hash", "hash/adler32", "hash/crc32"}
    | {"hash/crc64", "hash/fnv", "html", "iter", "maps", "math", "math/big", "math/bits"}
    | {"net/netip", "net/url", "path", "reflect", "regexp", "slices", "sort", "strconv", "strings"}
    | {"text/tabwriter", "unicode", "unicode/utf16", "unicode/utf8"}
)
"""Of Go's own packages, those without clock, chance, files, variables, processes and addresses."""
_OF_PULUMI: Final = re.compile(
    r"github\.com/pulumi/(?:"
    r"pulumi/sdk/v3/go/pulumi(?:/config)?"
    r"|pulumi-random/sdk/v\d+/go/random"
    # Others read charts, folders and addresses in the program's own process.
    r"|pulumi-kubernetes/sdk/v\d+/go/kubernetes(?!/(?:helm/v[23]|kustomize|yaml)$)(?:/[\w./]+)?"
    r")"
)
_UNSEEN: Final = tuple(name for name in ASKED.split(",") if name.endswith("Files"))
"""What is compiled of a package and is not Go."""


def packages(listed: str) -> list[Package]:
    """What `go list -deps -json` says: one object after the other."""
    decoder, found, rest = json.JSONDecoder(), [], listed.strip()
    while rest:
        package, end = decoder.raw_decode(rest)
        found.append(package)
        rest = rest[end:].lstrip()
    return found


def own(listed: list[Package]) -> list[Package]:
    """Those that were asked for, and not only imported: the program's own."""
    return [package for package in listed if not package.get("DepOnly")]


def hindrances(listed: list[Package], modules: Path) -> Iterator[str]:
    """Why the results of a program cannot be kept, by its packages and all that they import.

    `modules` is the folder of Go's module cache: what is elsewhere anybody may have changed.
    """
    known = {package["ImportPath"]: package for package in listed}
    waiting = own(listed)
    seen: set[str] = set()
    while waiting:
        package = waiting.pop()
        path = package["ImportPath"]
        if any(package.get(name) for name in _UNSEEN):
            yield f"{path} is not in Go alone"
        for name in sorted({*package.get("Imports", ())} - seen):
            seen.add(name)
            imported = known.get(name, {})
            if imported.get("Standard") or not imported:
                if name not in _HARMLESS:
                    yield f"{path} imports {name}"
            elif not _is_of_pulumi(imported, modules):
                waiting.append(imported)


def _is_of_pulumi(package: Package, modules: Path) -> bool:
    """Whether it is what Pulumi has published."""
    is_published = "Replace" not in package.get("Module", {})
    is_known = bool(_OF_PULUMI.fullmatch(package["ImportPath"]))
    return is_known and is_published and Path(package.get("Dir", "")).is_relative_to(modules)
