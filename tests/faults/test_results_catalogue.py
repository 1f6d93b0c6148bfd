"""kpt packages and ManifestWorks of which nothing has changed are not rendered again."""

import base64
import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from plugin_image.contract import RendererEnv
from tests.faults.results import NOT_KEPT_OF, CatalogueContainer, Rendered
from tests.faults.warm import COLD, wait_until

SECRET: Final = "unlike-any-other"
KPTFILE: Final = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: %s}\n"
PIPELINE: Final = "pipeline: {mutators: [%s]}\n"
NAMESPACE: Final = "{image: gcr.io/kpt-fn/set-namespace:v0.4.1, configMap: {namespace: shop}}"
CONFIG_MAP: Final = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata: {key: value}\n"
PLACED: Final = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: shop}\n"
SETTERS: Final = "{image: apply-setters:v0.2.0, configPath: setters.yaml}"
PACKAGE: Final = {
    "Kptfile": KPTFILE % "app" + PIPELINE % SETTERS,
    "setters.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: setters\n  annotations:\n"
    '    config.kubernetes.io/local-config: "true"\ndata:\n  colour: red\n',
    "settings.yaml": CONFIG_MAP % "settings" + "---\n" + CONFIG_MAP % "more",
    "coloured.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: coloured\n"
    "data:\n  colour: none # kpt-set: ${colour}\n",
    "below/Kptfile": KPTFILE % "below" + PIPELINE % NAMESPACE,
    "leaf/Kptfile": KPTFILE % "leaf" + PIPELINE % "{image: builtins/gen-pkg-context}",
    "below/deep/more.yaml": CONFIG_MAP % "deep",
    ".krmignore": "ignored.yaml\n",
    "ignored.yaml": CONFIG_MAP % "ignored",
}
FOLDER: Final = {
    "maps.yaml": PLACED % "a" + "---\n" + PLACED % "b",
    "below/map.json": '{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}',
}
CHART: Final = {
    "Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
    "values.yaml": "colour: red # as the keys and values of now\n",
    "templates/map.yaml": CONFIG_MAP % "{{ .Release.Name }}"
    + "---\n"
    + PLACED % "colour"
    + "data: {colour: '{{ .Values.colour }}'}\n",
}
IN_NAMESPACE: Final = {"ARGOCD_ENV_MANIFEST_WORK_NAMESPACE": "shop"}
WORK: Final = "manifest-work"


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CatalogueContainer]:
    made = CatalogueContainer(tmp_path_factory.mktemp("c"))
    folder = folder_of(made, FOLDER)
    wait_until(lambda: made.rendered(folder, WORK, **NOT_KEPT_OF[WORK]).path == "warm")
    yield made
    made.close()


@pytest.fixture(autouse=True)
def nothing_kept(container: CatalogueContainer) -> None:
    """Equal folders have one result, wherever they are."""
    shutil.rmtree(container.results, ignore_errors=True)


def folder_of(container: CatalogueContainer, files: Mapping[str, str]) -> Path:
    """A folder of a repository of its own."""
    root = container.project("", "")
    shutil.rmtree(root)
    folder = root / "app"
    write(folder, files)
    (root / ".git").mkdir()
    return folder


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)


KEPT: Final[dict[str, tuple[str, Mapping[str, str], Mapping[str, str]]]] = {
    "a package": ("kpt", PACKAGE, {}),
    "a package without functions": (
        "kpt",
        {"Kptfile": KPTFILE % "app", "map.yaml": CONFIG_MAP % "a"},
        {},
    ),
    "a folder": (WORK, FOLDER, {}),
    "a wrapped package": (WORK, PACKAGE, IN_NAMESPACE),
    "a wrapped program": (
        WORK,
        {
            "Pulumi.yaml": "name: odd\nruntime: python\n",
            "__main__.py": "import pulumi_kubernetes as k8s\n"
            "k8s.core.v1.ConfigMap('a', metadata={'name': 'a', 'namespace': 'shop'})\n",
        },
        {},
    ),
    "a chart": (WORK, CHART, IN_NAMESPACE),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_nothing_has_changed_for_is_not_rendered_again(
    container: CatalogueContainer, name: str
) -> None:
    renderer, files, env = KEPT[name]
    folder = folder_of(container, files)
    first = container.rendered(folder, renderer, **env)
    assert (first.path, first.status) == ("warm", 0), first.stderr
    moved = folder.parent.rename(folder.parent.with_name(f"{folder.parent.name}-moved")) / "app"
    again = container.rendered(moved, renderer, **env, ARGOCD_APP_REVISION="another")
    assert again == first._replace(path="kept")
    for _ in range(2):
        made = container.rendered(moved, renderer, **env, **NOT_KEPT_OF[renderer])
        assert made == first, "an Application that wants no kept results got one"
    assert container.rendered(moved, renderer, **env, **COLD) == first._replace(path="cold")


CHANGES: Final[dict[str, dict[str, str]]] = {
    "kpt": {
        "settings.yaml": PACKAGE["settings.yaml"].replace("value", "valuf"),
        "setters.yaml": PACKAGE["setters.yaml"].replace("red", "blue"),
        "new.yaml": CONFIG_MAP % "new",
        ".krmignore": "ignored.yaml\nsettings.yaml\n",
        "below/Kptfile": PACKAGE["below/Kptfile"].replace("shop", "another"),
        "Kptfile": KPTFILE % "app" + PIPELINE % f"{SETTERS}, {NAMESPACE}",
    },
    WORK: {
        "maps.yaml": PLACED % "c",
        "below/map.json": FOLDER["below/map.json"].replace("shop", "other"),
        "below/new.yml": PLACED % "new",
    },
}


@pytest.mark.parametrize("renderer", CHANGES)
def test_whatever_changes_in_a_folder_is_rendered(
    container: CatalogueContainer, renderer: str
) -> None:
    folder = folder_of(container, PACKAGE if renderer == "kpt" else FOLDER)
    seen = [kept(container, folder, renderer)]
    for name, content in CHANGES[renderer].items():
        write(folder, {name: content})
        seen.append(kept(container, folder, renderer))
        assert seen[-1] not in seen[:-1], name


def kept(container: CatalogueContainer, folder: Path, renderer: str, **env: str) -> str:
    """What is made, then kept, and is what a render gives that nothing is kept of."""
    first, second = (container.rendered(folder, renderer, **env) for _ in range(2))
    right = container.rendered(folder, renderer, **env, **NOT_KEPT_OF[renderer])
    assert (first.path, second.path, right.path) == ("warm", "kept", "warm"), first.stderr
    assert first[1:] == second[1:] == right[1:]
    return first.stdout


SAID: Final = {
    "kpt": (
        {"ARGOCD_ENV_KPT_ANNOTATION_DOMAIN": "example.org", "ARGOCD_APP_NAME": "b"},
        {"TZ": "Asia/Tokyo"},
        {RendererEnv.PASS_ENV.value: "HOME"},
    ),
    WORK: (
        {"ARGOCD_ENV_MANIFEST_WORK_CLUSTERS": '["edge-1", "edge-2"]'},
        {"ARGOCD_APP_NAMESPACE": "cluster2"},
        {"ARGOCD_ENV_MANIFEST_WORK_SHARDS": "4"},
        {"ARGOCD_APP_NAME": "another"},
        {"ARGOCD_APP_PARAMETERS": '[{"name": "name", "string": "other"}]'},
        {"ARGOCD_ENV_MANIFEST_WORK_VALIDATE": "true"},
    ),
}


@pytest.mark.parametrize("renderer", SAID)
def test_a_result_is_for_what_was_said_alone(container: CatalogueContainer, renderer: str) -> None:
    folder = folder_of(container, PACKAGE if renderer == "kpt" else FOLDER)
    for env in ({}, *SAID[renderer]):
        kept(container, folder, renderer, **env)


def test_the_commit_counts_where_objects_tell_of_it(container: CatalogueContainer) -> None:
    env = {"ARGOCD_ENV_KPT_ANNOTATION_DOMAIN": "example.org"}
    folder = folder_of(container, PACKAGE)
    one, other, streamed = (
        kept(container, folder, "kpt", **env, ARGOCD_APP_REVISION=revision)
        for revision in ("1" * 40, "2" * 40, "streamed")
    )
    assert "1" * 40 in one
    assert "2" * 40 in other
    assert "example.org/revision" not in streamed


def own(text: str) -> str:
    return f"#!/bin/sh\n{text}\n"


def test_what_stands_for_a_function_counts(container: CatalogueContainer, tmp_path: Path) -> None:
    shutil.copytree(container.functions, tmp_path / "functions")
    env = {RendererEnv.KPT_FUNCTIONS_DIR.value: str(tmp_path / "functions")}
    folder, function = folder_of(container, PACKAGE), tmp_path / "functions/set-namespace-v0.4.1"
    kept(container, folder, "kpt", **env)
    shutil.copy(function, tmp_path / "copy")
    (tmp_path / "copy").rename(function)
    kept(container, folder, "kpt", **env)
    # A newer one that would be taken, were it asked for by the begin of its version.
    (tmp_path / "functions/set-namespace-v0.4.2").symlink_to(function.name)
    kept(container, folder, "kpt", **env)
    function.unlink()
    function.write_text(own("sed s/shop/own/"))
    function.chmod(0o755)
    found = [container.rendered(folder, "kpt", **env) for _ in range(3)]
    assert [(each.path, each.status) for each in found] == [("warm", 0)] * 3, found[0].stderr


def of(function: str) -> dict[str, str]:
    return {"Kptfile": KPTFILE % "a", "b/Kptfile": KPTFILE % "b" + PIPELINE % function, **FOLDER}


DIFFERING: Final[dict[str, tuple[str, Mapping[str, str], Mapping[str, str]]]] = {
    "a function that nobody knows": ("kpt", of("{image: label:v1.9.0}"), {}),
    "one by its name": ("kpt", of("{exec: label-v1.9.0}"), {}),
    "one in place of a known one": (
        "kpt",
        PACKAGE,
        {RendererEnv.KPT_FUNCTIONS.value: json.dumps({"set-namespace": "label-v1.9.0"})},
    ),
    "one that sees the environment": ("kpt", of("{image: list-environment}"), {}),
    "a wrapped package with one": (WORK, of("{image: label:v1.9.0}"), {}),
    "a chart that may draw": (
        WORK,
        {**CHART, "templates/_lib.tpl": "{{ define `a` }}{{ randAlpha 3 }}{{ end }}"},
        IN_NAMESPACE,
    ),
    "a chart that may ask for the time": (
        WORK,
        {**CHART, "templates/NOTES.txt": "{{ define `a` }}{{ now }}{{ end }}"},
        IN_NAMESPACE,
    ),
    "a chart that renders texts": (
        WORK,
        {
            **CHART,
            "values.yaml": "colour: red\nother: print\n",
            "templates/b.yaml": PLACED % "b"
            + "data: {a: '{{ tpl (printf \"{{ %s `a` }}\" .Values.other) . }}'}\n",
        },
        IN_NAMESPACE,
    ),
    "a chart that may make values up": (
        WORK,
        CHART,
        {**IN_NAMESPACE, "ARGOCD_ENV_MANIFEST_WORK_RANDOM": "allow"},
    ),
    "a kustomization": (WORK, {"kustomization.yaml": "resources: [maps.yaml]\n", **FOLDER}, {}),
}


@pytest.mark.parametrize("name", DIFFERING)
def test_what_may_differ_each_time_is_rendered_each_time(
    container: CatalogueContainer, name: str
) -> None:
    renderer, files, env = DIFFERING[name]
    assert container.paths(folder_of(container, files), renderer, **env) == ["warm"] * 3


@pytest.mark.parametrize("renderer", ["kpt", WORK])
def test_a_file_that_a_link_leads_to_out_of_the_folder_is_read_each_time(
    container: CatalogueContainer, renderer: str
) -> None:
    folder = folder_of(container, {"Kptfile": KPTFILE % "app"} if renderer == "kpt" else FOLDER)
    write(folder.parent, {"shared/map.yaml": PLACED % "shared"})
    (folder / "link.yaml").symlink_to("../shared/map.yaml")
    assert container.paths(folder, renderer) == ["warm"] * 3
    write(folder.parent, {"shared/map.yaml": PLACED % "changed"})
    assert "changed" in container.rendered(folder, renderer).stdout


def test_a_value_file_beside_the_chart_counts(container: CatalogueContainer) -> None:
    folder = folder_of(container, CHART)
    env = {**IN_NAMESPACE, "ARGOCD_ENV_MANIFEST_WORK_VALUE_FILES": '["../values.yaml"]'}
    write(folder.parent, {"values.yaml": "colour: green\n"})
    assert "green" in kept(container, folder, WORK, **env)
    write(folder.parent, {"values.yaml": "colour: black\n"})
    assert "black" in kept(container, folder, WORK, **env)


def test_no_secret_is_on_the_disk_in_clear(container: CatalogueContainer) -> None:
    encoded = base64.b64encode(SECRET.encode()).decode()
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: b}\n"
    secret += f"data: {{key: {encoded}}}\nstringData: {{plain: {SECRET}}}\n"
    allowed = {"ARGOCD_ENV_MANIFEST_WORK_ALLOW_SECRETS": "true"}
    package = {"Kptfile": KPTFILE % "app", "secret.yaml": secret}
    for renderer, files, env in (("kpt", package, {}), (WORK, {"s.yaml": secret}, allowed)):
        assert SECRET in kept(container, folder_of(container, files), renderer, **env)
    written = [path for path in container.cache.rglob("*") if path.is_file()]
    assert any(path.is_relative_to(container.results) for path in written)
    for path in written:
        content = path.read_bytes()
        assert SECRET.encode() not in content
        assert encoded.encode() not in content


def test_damaged_results_make_none_wrong(container: CatalogueContainer) -> None:
    folder = folder_of(container, PACKAGE)
    right = kept(container, folder, "kpt")
    (result,) = (path for path in container.results.iterdir() if path.suffix != ".lock")
    result.write_bytes(result.read_bytes()[:-1])
    assert container.rendered(folder, "kpt") == Rendered("warm", 0, right, "")
    assert container.rendered(folder, "kpt").path == "kept"
