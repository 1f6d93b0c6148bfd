"""Every folder in `cases/` is an Application and what must come of it.

To see and accept what a change does to them: `UPDATE_CASES=1 pytest tests/catalogue`, then
`git diff`.
"""

import json
import os
import socket
import sys
from pathlib import Path
from subprocess import run

import pytest

from plugin_image.contract import DEFAULT_WORK_SIZE_LIMIT
from plugin_image.renderer.errors import DeadlineError, RenderError
from plugin_image.renderer.slots import slot
from plugin_image.renderer.supervise import Deadline
from tests.catalogue.manifest_work.corpus import CASES, RENDERING, Case
from tests.render.corpus import ROOT

RENDERER = (sys.executable, ROOT / "plugin_image" / "bin" / "renderer")
RENDERS = 20
PROCESSES = 3
HOME = "{name: a, namespace: b}"
MANIFEST = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {HOME}\n"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_folder_renders_to_what_its_case_says(case: Case, tmp_path: Path) -> None:
    case.require(*case.outcome(tmp_path))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_case_expects_either_a_stream_or_an_error(case: Case) -> None:
    assert (case.expected("expected.yaml") is None) != (case.expected("error.txt") is None)


@pytest.mark.long
@pytest.mark.parametrize("case", RENDERING, ids=str)
def test_twenty_renders_give_the_same_bytes(case: Case, tmp_path: Path) -> None:
    streams = {case.rendered(tmp_path) for _ in range(RENDERS)}
    assert streams == {case.expected("expected.yaml")}


@pytest.mark.parametrize("case", RENDERING[:1], ids=str)
def test_processes_with_other_hash_seeds_give_the_same_bytes(case: Case, tmp_path: Path) -> None:
    """By the command that plugin.yaml calls."""
    for seed in range(PROCESSES):
        done = run(
            [*RENDERER, "manifest-work", "generate"],
            cwd=case.folder / "input",
            env={
                **os.environ,
                **case.env(),
                "PYTHONHASHSEED": str(seed),
                "RENDERER_CACHE_DIR": str(tmp_path),
            },
            capture_output=True,
            text=True,
        )
        assert (done.stdout, done.stderr, done.returncode) == (
            case.expected("expected.yaml"),
            "",
            0,
        )


def test_the_notes_of_a_wrapped_program_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text("name: notes\nruntime: python\n")
    (folder / "Pulumi.dev.yaml").touch()
    (folder / "__main__.py").write_text(
        "import os\nimport pulumi_kubernetes as k8s\n"
        "k8s.core.v1.Namespace(os.environ.get('TENANT', 'shop'))\n"
    )
    done = run(
        [*RENDERER, "manifest-work", "render", folder, "--cluster", "cluster1"],
        env={**os.environ, "RENDERER_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "TENANT" in done.stderr


def test_two_mebibytes_become_manifest_works_that_ocm_accepts(tmp_path: Path) -> None:
    folder = tmp_path / "input"
    folder.mkdir()
    for number in range(200):
        (folder / f"{number}.yaml").write_text(
            "apiVersion: v1\nkind: ConfigMap\n"
            f"metadata: {{name: map-{number}, namespace: shop}}\ndata: {{text: {'x' * 10_000}}}\n"
        )
    application = Case(tmp_path)
    with pytest.raises(RenderError, match="`shards` to 16") as caught:
        application.rendered(tmp_path)
    assert f"may hold {DEFAULT_WORK_SIZE_LIMIT}" in str(caught.value)
    (tmp_path / "env").write_text("ARGOCD_ENV_MANIFEST_WORK_SHARDS=16")
    stream = application.rendered(tmp_path)
    assert stream.count("\nkind: ManifestWork\n") == 16
    assert stream.count("        kind: ConfigMap\n") == 200


HINDRANCES = {
    "a-chart-is-wrapped": set(),
    "a-kpt-package-is-wrapped": set(),
    "a-kustomization-is-wrapped": {"nobody sees what kustomize looks at"},
    "lists-are-taken-apart": set(),
    "a-comment-of-a-chart-may-differ": {"it uses uuidv4 in templates/map.yaml:1"},
    "a-chart-only-speaks-of-the-clock": set(),
}


@pytest.mark.parametrize("name", HINDRANCES)
def test_it_is_told_what_keeps_a_result_from_being_kept(name: str, tmp_path: Path) -> None:
    (case,) = (case for case in RENDERING if case.folder.name == name)
    assert case.seen(tmp_path).hindrances == HINDRANCES[name]


def test_a_link_out_of_the_repository_is_refused(tmp_path: Path) -> None:
    """Committed, it would lie in the repository of this project, not of an Application."""
    (tmp_path / "secret.yaml").write_text("apiVersion: v1\nkind: A\nmetadata: {name: a}\n")
    folder = tmp_path / "input"
    folder.mkdir()
    (folder / "link.yaml").symlink_to("../secret.yaml")
    with pytest.raises(RenderError, match=r"^link\.yaml leads out of the repository"):
        Case(tmp_path).rendered(tmp_path)


def test_a_folder_of_manifests_waits_for_a_slot(tmp_path: Path) -> None:
    """As what programs make does: it takes memory and time, too."""
    folder = tmp_path / "input"
    folder.mkdir()
    (tmp_path / "env").write_text("RENDERER_DEADLINE_SECONDS=30\nRENDERER_CONCURRENCY=1\n")
    with (
        slot(tmp_path / "slots", 1, Deadline(600)),
        pytest.raises(DeadlineError, match="waited for one of 1 running renders"),
    ):
        Case(tmp_path).rendered(tmp_path)


OUTSIDE = [
    "resources: [../secret.yaml]",
    "resources: [../base]",
    "Resources: [../base]",
    "components: [../base]",
    "resources: [inner]",
    "resources: [/etc]",
    "configMapGenerator: [{name: a, files: [a=../secret.yaml]}]",
    "patches: [{path: ../secret.yaml}]",
]
REMOTE = [
    "resources: [{address}]",
    "resources: ['{address}?a: b']",
    "openapi: {{path: {address}}}",
    "patches: [{{path: {address}}}]",
    "configMapGenerator: [{{name: a, files: ['a={address}']}}]",
    "generators: ['{{apiVersion: builtin, kind: ConfigMapGenerator, envs: [{address}]}}']",
    "transformers: [transformer.yaml]",
]


@pytest.mark.parametrize("text", OUTSIDE)
def test_a_kustomization_stays_in_the_repository(text: str, tmp_path: Path) -> None:
    folder, inner, base = (tmp_path / name for name in ("input", "input/inner", "base"))
    for made in (base, inner):
        made.mkdir(parents=True)
    (tmp_path / "secret.yaml").write_text(MANIFEST)
    (base / "kustomization.yaml").write_text("namePrefix: a\n")
    (inner / "Kustomization").write_text("resources: [../../base]\n")
    (folder / "kustomization.yaml").write_text(f"{text}\n")
    with pytest.raises(RenderError, match=r"^\.\./.* leads out of the repository"):
        Case(tmp_path).rendered(tmp_path)


@pytest.mark.parametrize("text", REMOTE)
def test_a_kustomization_asks_no_server_not_even_of_this_machine(text: str, tmp_path: Path) -> None:
    folder = tmp_path / "input"
    folder.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/secret.yaml"
        (folder / "kustomization.yaml").write_text(f"{text.format(address=address)}\n")
        (folder / "transformer.yaml").write_text(
            f"apiVersion: builtin\nkind: PatchTransformer\nmetadata: {{name: a}}\npath: {address}\n"
        )
        with pytest.raises(RenderError, match=r"yaml names .*, and a render has no network"):
            Case(tmp_path).rendered(tmp_path)


def test_a_kustomization_may_use_bases_elsewhere_in_the_repository(tmp_path: Path) -> None:
    long = f"{{apiVersion: v1, kind: ConfigMap, metadata: {HOME}, data: {{x: {'x' * 5000}}}}}"
    app, base = tmp_path / "input" / "app", tmp_path / "input" / "base"
    for folder in (app, base):
        folder.mkdir(parents=True)
    (tmp_path / "env").write_text("ARGOCD_APP_SOURCE_PATH=app\n")
    (base / "map.yaml").write_text(MANIFEST)
    (base / "kustomization.yaml").write_text("resources: [map.yaml]\n")
    (app / "kustomization.yaml").write_text(
        "resources: [../base]\n"
        f"patchesStrategicMerge: ['{long}']\n"
        "patches: [{patch: '{kind: ConfigMap, metadata: {name: a}, data: {url: \"http://a\"}}', "
        "target: {name: a}}]\n"
        "configMapGenerator: [{name: b, namespace: b, literals: ['url=http://b']}]\n"
    )
    assert "url: http://a" in Case(tmp_path).rendered(tmp_path)


SPEC = "apiVersion: builtin\nkind: {}\nmetadata: {{name: p}}\n"
NAME_PREFIX = (
    SPEC.format("PrefixTransformer") + "prefix: x-\nfieldSpecs: [{path: /metadata/name}]\n"
)
CONFIG_MAP_GENERATOR = SPEC.format("ConfigMapGenerator") + "name: b\nnamespace: b\n"
NOT_YAML = "\x00builtin: [\n\tbuiltin: {\n"


@pytest.mark.parametrize(
    "text",
    [
        "configMapGenerator: [{name: b, namespace: b, files: [any], envs: []}]",
        "configMapGenerator: [{name: b, namespace: b, files: [key=any]}]",
        "secretGenerator: [{name: b, namespace: b, files: [any]}]",
        "transformers: [prefix.yaml]",
        f"transformers: [{json.dumps(NAME_PREFIX)}]",
        "transformers: [plugins]",
        f"generators: [{json.dumps(CONFIG_MAP_GENERATOR + 'files: [any]')}]",
        "generators: [generator.yaml]",
        "replacements: [{source: {kind: ConfigMap, fieldPath: metadata.name}, targets: "
        "[{select: {kind: ConfigMap}, fieldPaths: [data.path]}]}]",
        "labels: [{pairs: {a: b}, fields: [{path: /spec/labels, create: false}]}]",
        "configurations: [configuration.yaml]",
        "patches: [{target: {kind: ConfigMap}, path: patch.json}]",
    ],
)
def test_only_fields_of_a_kustomization_that_name_files_are_read_as_names(
    text: str, tmp_path: Path
) -> None:
    folder = tmp_path / "input"
    (folder / "plugins").mkdir(parents=True)
    (tmp_path / "env").write_text("ARGOCD_ENV_MANIFEST_WORK_ALLOW_SECRETS=true\n")
    for name, content in {
        "kustomization.yaml": f"resources: [map.yaml]\n{text}\n",
        "map.yaml": f"{MANIFEST}data: {{path: ../../../x, builtin: 'yes'}}\n",
        "any": NOT_YAML,
        "prefix.yaml": NAME_PREFIX,
        "generator.yaml": CONFIG_MAP_GENERATOR + "files: [any]\n",
        "plugins/kustomization.yaml": "resources: [prefix.yaml]\n",
        "plugins/prefix.yaml": NAME_PREFIX,
        "configuration.yaml": "namePrefix: [{path: /metadata/name}]\n",
        "patch.json": '[{"op": "add", "path": "/data/builtin", "value": "../../x"}]',
    }.items():
        (folder / name).write_text(content)
    assert "kind: ConfigMap" in Case(tmp_path).rendered(tmp_path)


@pytest.mark.parametrize(
    "generator",
    [
        "generators: [plugins]",
        "generators: [{inline}]",
        "validators: [plugins]",
        "transformers: [deep]",
    ],
)
def test_files_of_plugins_stay_in_the_repository(generator: str, tmp_path: Path) -> None:
    """Their paths begin at the kustomization that names the plugins, wherever these are."""
    folder = tmp_path / "input"
    plugin = f"{CONFIG_MAP_GENERATOR}files: [../secret.yaml]\n"
    for name, content in {
        "kustomization.yaml": generator.format(inline=json.dumps(plugin)) + "\n",
        "plugins/kustomization.yaml": "resources: [plugin.yaml]\n",
        "plugins/plugin.yaml": plugin,
        "deep/kustomization.yaml": "resources: [../plugins]\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    with pytest.raises(RenderError, match=r"^\.\./secret\.yaml leads out of the repository"):
        Case(tmp_path).rendered(tmp_path)


def test_a_link_of_a_chart_out_of_the_repository_is_refused(tmp_path: Path) -> None:
    templates = tmp_path / "input" / "templates"
    templates.mkdir(parents=True)
    (templates.parent / "Chart.yaml").write_text("apiVersion: v2\nname: a\nversion: 1.0.0\n")
    (templates / "hosts.yaml").symlink_to("/etc/hosts")
    (tmp_path / "env").write_text("ARGOCD_ENV_MANIFEST_WORK_NAMESPACE=shop\n")
    with pytest.raises(RenderError, match=r"^templates/hosts\.yaml leads out of the repository"):
        Case(tmp_path).rendered(tmp_path)
