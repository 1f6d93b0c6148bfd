"""The plugin's image, built for real: what is in it, and that programs render in it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests import toolchain
from tests.cluster.conftest import BuildVariant
from tests.cluster.harness import image_files
from tests.cluster.harness.docker_engine import Build, DockerEngine
from tests.e2e.conftest import uncaptured
from tests.e2e.harness.pulumi_stack import ROOT

MEGABYTE = 1_000_000
BUDGETS = {"slim": 250, "python": 560, "full": 950}
"""Largest sizes, uncompressed, in megabytes."""

_SECONDS = "1200"
"""Compiling a Go program for the first time takes minutes, and any where the machine is busy."""

UNPRIVILEGED = (
    "--rm",
    "--read-only",
    "--user=999:999",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    "--network=none",
)


ANY_USER = "1000680000:0"
"""One without a name, and with the group that OpenShift gives such users."""


@pytest.fixture(scope="module", params=BUDGETS)
def variant(request: pytest.FixtureRequest) -> str:
    """Each variant whose size is limited; the others are between them."""
    return str(request.param)


@pytest.fixture
def image(variant: str, build_variant: BuildVariant) -> str:
    return build_variant(variant)


def inspect(engine: DockerEngine, tag: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = json.loads(engine.run("image", "inspect", tag))
    return found[0]


def in_container(engine: DockerEngine, tag: str, script: str, *options: str) -> str:
    """Run a shell script the way a hardened pod runs the image."""
    return engine.run("run", *UNPRIVILEGED, *options, tag, "sh", "-euc", script)


class TestTheImage:
    def test_fits_its_budget(self, engine: DockerEngine, image: str, variant: str) -> None:
        size = inspect(engine, image)["Size"] / MEGABYTE
        assert size <= BUDGETS[variant], f"{size:.0f} MB: `docker history {image}` says where"

    def test_runs_unprivileged_under_an_init(self, engine: DockerEngine, image: str) -> None:
        config = inspect(engine, image)["Config"]
        assert config["User"] == "999:999"
        assert config["Entrypoint"] == ["/usr/bin/tini", "--"]
        assert in_container(engine, image, "id -u; id -g; id -un; cat /proc/1/comm").split() == [
            "999",
            "999",
            "argocd",
            "tini",
        ]

    def test_runs_as_whoever_the_cluster_says(self, engine: DockerEngine, image: str) -> None:
        volumes = " ".join(inspect(engine, image)["Config"]["Volumes"])
        who = "import getpass, os; print(getpass.getuser(), os.path.expanduser('~'))"
        script = (
            f'for each in {volumes}; do touch $each/x; done; python3 -c "{who}"; '
            "cd /tmp; git init --quiet one; git clone --quiet one two 2>/dev/null; ls"
        )
        found = engine.run("run", *UNPRIVILEGED, f"--user={ANY_USER}", image, "sh", "-euc", script)
        assert found.split() == ["argocd", "/var/lib/argocd-plugin/home", "one", "two", "x"]

    def test_says_what_it_is(self, engine: DockerEngine, image: str) -> None:
        labels = inspect(engine, image)["Config"]["Labels"]
        names = ("title", "description", "licenses", "version", "revision")
        assert {f"org.opencontainers.image.{name}" for name in names} <= set(labels)

    def test_writes_to_its_declared_volumes_only(self, engine: DockerEngine, image: str) -> None:
        volumes = set(inspect(engine, image)["Config"]["Volumes"])
        assert volumes == {"/tmp", "/var/lib/argocd-plugin/home", "/var/lib/argocd-plugin/cache"}
        in_container(engine, image, f"for each in {' '.join(volumes)}; do touch $each/x; done")
        folders = "/ /opt/renderer /usr/local/bin /etc /var /home /run"
        tried = f"for each in {folders}; do touch $each/x 2>/dev/null && echo $each; done; true"
        assert in_container(engine, image, tried) == "", "these are writable and no volumes"

    def test_holds_nothing_that_gives_rights_or_installs_more(
        self, engine: DockerEngine, image: str, tmp_path: Path
    ) -> None:
        files = image_files.files(engine, image, tmp_path)
        assert not [name for name, file in files.items() if file.mode & 0o6000]
        forbidden = {"apt", "apt-get", "dpkg", "perl", "pip", "pip3", "su", "sudo", "mount", "curl"}
        programs = {Path(name).name for name in files if "bin/" in name}
        assert not forbidden & programs
        caches = (
            "var/cache/",
            "var/lib/apt/",
            "root/.cache",
            "root/.npm",
            "opt/pip",
            "usr/share/doc/",
        )
        assert not [name for name in files if name.startswith(caches)]

    def test_holds_every_library_that_its_programs_load(
        self, engine: DockerEngine, image: str
    ) -> None:
        script = (
            "find /usr /opt -xdev -type f \\( -name '*.so*' -o -perm /111 \\) "
            "-exec ldd {} + 2>/dev/null | grep -B5 'not found' || true"
        )
        assert in_container(engine, image, script) == ""

    def test_keeps_the_list_of_packages_for_scanners(
        self, engine: DockerEngine, image: str
    ) -> None:
        assert "Package: libc6" in in_container(engine, image, "cat /var/lib/dpkg/status")

    def test_has_a_bill_of_materials_of_its_python_packages(
        self, engine: DockerEngine, image: str
    ) -> None:
        found = in_container(engine, image, "cat /opt/renderer/sbom/python.cdx.json")
        listed = {each["name"].lower() for each in json.loads(found)["components"]}
        folders = "/opt/renderer/venv/lib/python3*/site-packages/*.dist-info/METADATA"
        names = in_container(engine, image, f"sed -sn 's/^Name: //p' {folders}").lower().split()
        assert listed == set(names)


@pytest.fixture(scope="class")
def from_scratch(plugin_build: Build) -> Build:
    """The same build, of which nothing is in the cache before the first test that builds it."""
    return replace(plugin_build, tag="plugin-tests/from-scratch:1").from_scratch()


class TestBuilding:
    def test_again_with_nothing_changed_gives_the_same_image_and_pushes_nothing(
        self, engine: DockerEngine, plugin_build: Build, registry: str
    ) -> None:
        # The largest takes most of a minute to compress.
        args = {**plugin_build.args, "VARIANT": "slim"}
        build = replace(plugin_build, tag=f"{registry}/plugin:1", args=args)
        first = engine.build(build)
        engine.run("push", build.tag)
        assert engine.build(build) == first
        pushed = engine.run("push", build.tag)
        assert ": Pushed" not in pushed, pushed

    @pytest.mark.thorough
    def test_from_scratch_gives_the_same_content_and_leaves_no_secret_anywhere(
        self, engine: DockerEngine, plugin_build: Build, from_scratch: Build, tmp_path: Path
    ) -> None:
        first = image_files.files(engine, engine.build(plugin_build), tmp_path)
        canary = "canary-of-the-build-e2b1c9"
        secrets = dict(plugin_build.secrets)
        for name, comment in {"pip": "# {}\n", "npmrc": "; {}\n"}.items():
            secrets[name] = tmp_path / name
            secrets[name].write_text(comment.format(canary))
        engine.build(replace(from_scratch, secrets=secrets))
        second = image_files.files(engine, from_scratch.tag, tmp_path)
        differing = {name for name, _ in set(first.items()) ^ set(second.items())}
        assert sorted(differing) == []
        assert not image_files.layers_contain(engine, from_scratch.tag, canary.encode(), tmp_path)
        known = b"org.opencontainers.image.title"
        assert image_files.layers_contain(engine, from_scratch.tag, known, tmp_path), (
            "searched in vain"
        )

    @pytest.mark.thorough
    def test_after_a_change_of_our_code_makes_one_layer_anew(
        self, engine: DockerEngine, from_scratch: Build, tmp_path: Path
    ) -> None:
        changed = tmp_path / "context"
        shutil.copytree(from_scratch.context, changed, ignore=shutil.ignore_patterns("__pycache__"))
        (changed / "renderer" / "added.py").write_text('"""Something new."""\n')
        layers = []
        for context in (from_scratch.context, changed):
            build = replace(from_scratch, context=context)
            engine.build(build)
            layers.append(inspect(engine, build.tag)["RootFS"]["Layers"])
        before, after = layers
        assert before[:-1] == after[:-1]
        assert before[-1] != after[-1]


@pytest.fixture(scope="module")
def programs_on_path(pytestconfig: pytest.Config) -> Iterator[None]:
    """The provider and the language host of the image on this machine's PATH, too."""
    with uncaptured(pytestconfig):
        folders = [str(path.parent) for path in toolchain.ensure(PROGRAMS).values()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", ":".join([*folders, os.environ["PATH"]]))
        yield


def renders_outside(example: Path, cache: Path) -> str:
    """What a developer gets on this machine."""
    done = subprocess.run(
        [
            sys.executable,
            ROOT / "plugin_image" / "bin" / "renderer",
            *("pulumi", "render", str(example), "--stack=dev"),
        ],
        env={
            **os.environ,
            "RENDERER_CACHE_DIR": str(cache),
            "RENDERER_DEADLINE_SECONDS": _SECONDS,
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


PROGRAMS = ("pulumi-resource-kubernetes", "pulumi-language-yaml")
EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/Pulumi.yaml"))
# Only the variant `go` holds Go modules, and none holds what Maven downloads.
_OTHERWISE = ("go.mod", "pom.xml")
WITHIN = [path for path in EXAMPLES if not any((path / name).exists() for name in _OTHERWISE)]
PACKAGES = ("requirements.txt", "package.json", "package-lock.json", "node_modules")


COMMAND_LINE = {
    "python": (
        "__main__.py",
        "import pulumi_kubernetes as k8s\n"
        "value = open('/proc/self/cmdline').read().replace(chr(0), ' ')\n"
        "k8s.core.v1.ConfigMap('found', data={'value': value})\n",
    ),
    "nodejs": (
        "index.js",
        'const k8s = require("@pulumi/kubernetes");\n'
        'const told = require("fs").readFileSync("/proc/self/cmdline", "utf8");\n'
        'const value = told.replaceAll("\\0", " ");\n'
        'new k8s.core.v1.ConfigMap("found", { data: { value } });\n',
    ),
}
"""Programs that say what process they run in."""


class TestRendering:
    @pytest.mark.parametrize("runtime", COMMAND_LINE)
    def test_comes_to_be_done_by_forks_of_what_has_loaded_the_sdk(
        self, engine: DockerEngine, build_variant: BuildVariant, runtime: str, tmp_path: Path
    ) -> None:
        name, program = COMMAND_LINE[runtime]
        files = {
            "Pulumi.yaml": f"name: odd\nruntime: {runtime}\n",
            "Pulumi.dev.yaml": "",
            name: program,
        }
        for path, content in files.items():
            (tmp_path / path).write_text(content)
        tmp_path.chmod(0o755)
        script = (
            "cd /src; for i in $(seq 100); do renderer pulumi generate > /tmp/rendered; "
            "if grep _zygote /tmp/rendered; then break; fi; sleep 0.2; done; cat /tmp/rendered"
        )
        options = (f"--volume={tmp_path}:/src:ro", "--env=ARGOCD_ENV_PULUMI_CACHE=false")
        given = (*options, "--env=ARGOCD_APP_NAME=app", "--env=ARGOCD_ENV_PULUMI_STACK=dev")
        found = in_container(engine, build_variant("full"), script, *given)
        assert f"{runtime}_zygote" in found

    @pytest.mark.usefixtures("programs_on_path")
    @pytest.mark.parametrize("example", WITHIN, ids=lambda path: path.name)
    def test_of_an_example_without_network_gives_the_bytes_it_gives_outside(
        self,
        engine: DockerEngine,
        build_variant: BuildVariant,
        example: Path,
        tmp_path: Path,
    ) -> None:
        # A program that asks for no packages runs with the SDKs of the image.
        inside = tmp_path / example.name
        shutil.copytree(example, inside, ignore=shutil.ignore_patterns(*PACKAGES))
        outside = tmp_path / "outside"
        shutil.copytree(example, outside, ignore=shutil.ignore_patterns("node_modules"))
        for path in (tmp_path, *tmp_path.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        expected = renders_outside(outside, tmp_path / "cache")
        script = "cp -r /src /tmp/app && renderer pulumi render /tmp/app --stack dev"
        found = in_container(engine, build_variant("full"), script, f"--volume={inside}:/src:ro")
        assert found == expected

    @pytest.mark.thorough
    def test_of_a_go_program_without_network_is_built_from_what_is_compiled_in_the_image(
        self, engine: DockerEngine, build_variant: BuildVariant, tmp_path: Path
    ) -> None:
        example = ROOT / "examples" / "guestbook-go"
        tag, cache = build_variant("go"), "/var/lib/argocd-plugin/cache"
        script = (
            "cp -r /src /tmp/app && renderer pulumi render /tmp/app --stack dev > /tmp/rendered; "
            f"find {cache}/tools/go-build -type f -size +1000k >&2; cat /tmp/rendered"
        )
        options = (f"--volume={example}:/src:ro", f"--env=RENDERER_DEADLINE_SECONDS={_SECONDS}")
        done = engine.attempt("run", *UNPRIVILEGED, *options, tag, "sh", "-euc", script)
        assert done.returncode == 0, done.stderr
        compiled = [line for line in done.stderr.splitlines() if line.startswith(cache)]
        assert len(compiled) == 1, "more than the package that `hosts/go_sdk` adds a file to"
        assert renders_outside(example, tmp_path / "cache") == done.stdout

    @pytest.mark.thorough
    def test_of_a_java_program_has_a_jdk_and_maven_that_run(
        self, engine: DockerEngine, build_variant: BuildVariant
    ) -> None:
        script = (
            "java -version 2>&1; javac -version; mvn --version; "
            # The virtual machine itself is loaded before they are. To find nothing is right.
            "find /usr/lib/jvm -name '*.so' -exec ldd {} + | grep -v libjvm | grep 'not found' "
            "|| true"
        )
        found = in_container(engine, build_variant("java"), script)
        assert all(word in found for word in ("openjdk version", "javac 17", "Apache Maven"))
        assert "not found" not in found

    def test_of_a_chart_in_the_variant_without_a_provider_is_refused_by_name(
        self, engine: DockerEngine, build_variant: BuildVariant, tmp_path: Path
    ) -> None:
        program = tmp_path / "chart"
        program.mkdir()
        (program / "Pulumi.yaml").write_text("name: chart\nruntime: python\n")
        (program / "Pulumi.dev.yaml").write_text("config: {}\n")
        (program / "__main__.py").write_text(
            "from pulumi_kubernetes.helm.v3 import Chart, LocalChartOpts\n"
            "Chart('web', LocalChartOpts(path='./web'))\n"
        )
        for path in (tmp_path, program):
            path.chmod(0o755)
        done = engine.attempt(
            *("run", *UNPRIVILEGED, f"--volume={program}:/src:ro", build_variant("slim")),
            *("renderer", "pulumi", "render", "/src", "--stack=dev"),
        )
        assert done.returncode != 0
        assert done.stdout == ""
        assert "provider" in done.stderr.splitlines()[0], done.stderr


class TestTheProbe:
    def test_of_a_socket_that_is_not_there_fails(
        self, engine: DockerEngine, build_variant: BuildVariant
    ) -> None:
        done = engine.attempt(
            *("run", *UNPRIVILEGED, build_variant("slim"), "renderer", "probe", "/tmp/none.sock")
        )
        assert done.returncode != 0
