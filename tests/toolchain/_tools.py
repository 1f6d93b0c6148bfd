"""The table of real parts: where each comes from. Versions are those of `modules/`."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.toolchain import _present
from tests.toolchain._errors import ToolchainError
from tests.toolchain._present import Present

MODULES = Path(__file__).parent / "modules"
_OF_THE_IMAGE = "../../../plugin_image/build"
"""From there, what the image itself is built from."""

_PARTS = "parts"
"""The module of all programs that share most of their packages.

With one version of each package for all of them, two fifths less is compiled. The Kubernetes
provider has a module of its own, with the same versions of all but Pulumi's own packages, which
it needs older ones of.
"""

PROVIDER_VERSION = (MODULES / "pulumi-resource-kubernetes" / "version").read_text().strip()
"""Of the Kubernetes provider; the SDK of the same version asks for it."""


@dataclass(frozen=True)
class ModuleFile:
    """A file or folder that comes with a Go module."""

    locked_in: str
    """The folder of `modules/` whose go.mod says which version."""
    module: str
    path: str
    change: Callable[[bytes], bytes] = bytes
    """What happens to a file's content on the way."""


@dataclass(frozen=True)
class Tool:
    """One real part."""

    name: str
    seconds: int
    """How long building takes on two cores when Go has compiled nothing yet."""
    packages: tuple[str, ...] = ()
    """Debian packages that it is unpacked from; Go then has no part in it."""
    locked_in: str = ""
    """The folder, from `modules/`, with its go.mod and, where there is one, our main.go."""
    package: str | None = None
    """The program to build; None for a part that is nothing but files."""
    built_as: str = ""
    """What Go calls the program, where that is not the part's name."""
    present: Present = _present.nothing
    static: bool = False
    """Built without C, as in the image."""
    sources: Mapping[str, ModuleFile] = field(default_factory=dict)
    """Files that have to lie in the module before it is built, by path."""
    files: Mapping[str, ModuleFile] = field(default_factory=dict)
    """Files that have to lie beside the program, by name; they are made executable."""


def _set_version(schema: bytes) -> bytes:
    return json.dumps({**json.loads(schema), "version": PROVIDER_VERSION}).encode()


_SDK = "github.com/pulumi/pulumi/sdk/v3"
_ARGOCD = "github.com/argoproj/argo-cd/v3"
_PROVIDER = "github.com/pulumi/pulumi-kubernetes/provider/v4"

KPT_FUNCTIONS = ("apply-replacements-v0.1.1", "apply-setters-v0.2.0", "set-namespace-v0.4.1")
"""Those of kpt's catalogue that can be had as Go modules, and need neither network nor shell."""

_pulumi = _present.with_version("pulumi", "version", at_least=(3, 259), below=(4, 0))

_TABLE = (
    Tool(
        "etcd",
        locked_in=_PARTS,
        package="go.etcd.io/etcd/server/v3",
        built_as="server",
        present=_present.in_kubebuilder_assets("etcd"),
        seconds=20,
    ),
    Tool(
        "kube-apiserver",
        locked_in=_PARTS,
        package="k8s.io/kubernetes/cmd/kube-apiserver",
        present=_present.in_kubebuilder_assets("kube-apiserver"),
        seconds=190,
    ),
    Tool(
        "argocd",
        locked_in=_PARTS,
        package=f"{_ARGOCD}/cmd",
        built_as="cmd",
        present=_present.with_version(
            "argocd", "version", "--client", "--short", at_least=(3, 2), below=(4, 0)
        ),
        seconds=240,
    ),
    Tool(
        "argocd-manifests",
        locked_in=_PARTS,
        files={
            name: ModuleFile(_PARTS, _ARGOCD, f"manifests/{name}")
            for name in ("crds", "namespace-install.yaml")
        },
        seconds=5,
    ),
    Tool(
        "argocd-image-scripts",
        locked_in=_PARTS,
        files={
            name: ModuleFile(_PARTS, _ARGOCD, f"hack/{name}")
            for name in ("gpg-wrapper.sh", "git-verify-wrapper.sh")
        },
        seconds=5,
    ),
    # Argo CD's own reading of what a plugin prints.
    Tool("argocd-reader", locked_in="argocd-reader", package=".", seconds=60),
    Tool(
        "redis",
        locked_in=_PARTS,
        package="./redis",
        present=_present.on_path("redis-server"),
        seconds=10,
    ),
    Tool(
        "pulumi",
        locked_in=_PARTS,
        package="github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
        present=_pulumi,
        seconds=220,
    ),
    Tool(
        "pulumi-resource-kubernetes",
        locked_in="pulumi-resource-kubernetes",
        package=".",
        present=_present.pulumi_plugin(_pulumi, "pulumi-resource-kubernetes", PROVIDER_VERSION),
        sources={
            "schema.json": ModuleFile(
                "pulumi-resource-kubernetes",
                _PROVIDER,
                "cmd/pulumi-resource-kubernetes/schema.json",
                change=_set_version,
            )
        },
        seconds=600,
    ),
    Tool(
        "pulumi-language-python",
        locked_in="pulumi-language-python",
        package=f"{_SDK}/python/cmd/pulumi-language-python",
        present=_present.beside(_pulumi, "pulumi-language-python"),
        files={
            "pulumi-language-python-exec": ModuleFile(
                _PARTS, _SDK, "python/cmd/pulumi-language-python-exec"
            )
        },
        seconds=20,
    ),
    Tool(
        "pulumi-language-nodejs",
        locked_in="pulumi-language-nodejs-go",
        package=f"{_SDK}/nodejs/cmd/pulumi-language-nodejs",
        present=_present.beside(_pulumi, "pulumi-language-nodejs"),
        seconds=20,
    ),
    Tool(
        "pulumi-language-go",
        locked_in="pulumi-language-nodejs-go",
        package=f"{_SDK}/go/pulumi-language-go",
        present=_present.beside(_pulumi, "pulumi-language-go"),
        seconds=15,
    ),
    Tool(
        "pulumi-language-yaml",
        locked_in="pulumi-language-yaml",
        package="github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
        present=_present.beside(_pulumi, "pulumi-language-yaml"),
        seconds=30,
    ),
    Tool(
        "haproxy",
        # What else it needs, Debian's own base has.
        packages=("haproxy", "liblua5.3-0", "libopentracing-c-wrapper0", "libopentracing1"),
        present=_present.on_path("haproxy"),
        seconds=5,
    ),
    Tool(
        "argocd-operator-crds",
        locked_in="argocd-operator",
        files={
            "argocds.yaml": ModuleFile(
                "argocd-operator",
                "github.com/argoproj-labs/argocd-operator",
                "config/crd/bases/argoproj.io_argocds.yaml",
            )
        },
        seconds=10,
    ),
    Tool(
        "manifest-work-crds",
        locked_in="manifest-work",
        files={
            "manifestworks.yaml": ModuleFile(
                "manifest-work",
                "open-cluster-management.io/api",
                "work/v1/0000_00_work.open-cluster-management.io_manifestworks.crd.yaml",
            )
        },
        seconds=5,
    ),
    # What Argo CD runs for each render. It wants the renderer's command in Python beside it.
    Tool("client", locked_in=f"{_OF_THE_IMAGE}/client", package=".", static=True, seconds=10),
    Tool("kpt", locked_in=f"{_OF_THE_IMAGE}/kpt/kpt", package=".", static=True, seconds=70),
    *(
        # `tool` is the one that go.mod names.
        Tool(
            name,
            locked_in=f"{_OF_THE_IMAGE}/kpt/functions/{name}",
            package="tool",
            static=True,
            seconds=15,
        )
        for name in KPT_FUNCTIONS
    ),
    *(
        Tool(
            name,
            locked_in=f"{_OF_THE_IMAGE}/charts/{name}",
            package="tool",
            static=True,
            seconds=seconds,
        )
        for name, seconds in (("helm", 70), ("kustomize", 20))
    ),
    Tool(
        "kubelet",
        locked_in=_PARTS,
        package="k8s.io/kubernetes/cmd/kubelet",
        seconds=150,
    ),
    Tool(
        "kube-controller-manager",
        locked_in=_PARTS,
        package="k8s.io/kubernetes/cmd/kube-controller-manager",
        seconds=90,
    ),
    Tool(
        "kube-scheduler",
        locked_in=_PARTS,
        package="k8s.io/kubernetes/cmd/kube-scheduler",
        seconds=60,
    ),
    Tool(
        "kube-proxy",
        locked_in=_PARTS,
        package="k8s.io/kubernetes/cmd/kube-proxy",
        seconds=60,
    ),
    Tool("coredns", locked_in="coredns", package=".", seconds=85),
    Tool("pause", locked_in="pause", package=".", seconds=5),
    Tool(
        "buildkitd",
        locked_in="buildkit",
        package="github.com/moby/buildkit/cmd/buildkitd",
        seconds=50,
    ),
    Tool("buildx", locked_in="buildx", package="github.com/docker/buildx/cmd/buildx", seconds=160),
)

TOOLS = {tool.name: tool for tool in _TABLE}
"""Every real part by name."""

DEFAULT = (
    "client",
    "pulumi-language-python",
    "pulumi-language-yaml",
    "etcd",
    "kube-apiserver",
    "redis",
    "argocd-manifests",
    "argocd",
    "pulumi",
    "pulumi-resource-kubernetes",
)
"""What delivers a program, in the order in which it is needed; what is quickly built on its own
comes first, while the sources of the rest are downloaded."""

_PROGRAMS = ("argocd-reader", "helm", "kustomize", "kpt", *KPT_FUNCTIONS, "haproxy")
_CRDS = ("argocd-operator-crds", "manifest-work-crds")
_ORACLE = ("pulumi-language-nodejs", "pulumi-language-go")
_NODE = ("kubelet", "kube-controller-manager", "kube-scheduler", "kube-proxy", "coredns", "pause")

SETS: Mapping[str, Sequence[str]] = {
    "demo": DEFAULT,
    "test": (*DEFAULT, *_PROGRAMS, *_CRDS),
    "test-all": (*DEFAULT, *_PROGRAMS, *_CRDS, *_ORACLE),
    "test-cluster": (*DEFAULT, *_PROGRAMS, *_CRDS, *_NODE, "argocd-image-scripts"),
}
"""The parts that targets of the Makefile need."""


def tool(name: str) -> Tool:
    """Look a part up. Raises ToolchainError."""
    try:
        return TOOLS[name]
    except KeyError:
        raise ToolchainError(f"there is no part {name}; there are {', '.join(TOOLS)}") from None
