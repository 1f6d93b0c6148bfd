"""Helm releases: what Helm would install is rendered, or refused by name."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from plugin_image.renderer import kinds
from tests import toolchain
from tests.faults import chart_repository, harness
from tests.faults.charts import archive, chart, config_map, names
from tests.faults.harness import CANARY, Content, Fault, javascript, python, yaml_program

RELEASE = 'r = k8s.helm.v3.Release("web", chart="./web", namespace="shop"{})\n'
VALUES = config_map("values", "{all: {{ .Values | toJson | quote }}}")
HOOK = (
    "apiVersion: batch/v1\nkind: Job\nmetadata: {name: %s, annotations: {helm.sh/hook: '%s'}}\n"
    "spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}\n"
)
DEFINITION = (
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
    "metadata: {name: widgets.example.com}\nspec:\n  group: example.com\n  scope: Cluster\n"
    "  names: {kind: Widget, plural: widgets}\n  versions: []\n"
)
WIDGET = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n"
SYNC_OPTIONS = "argocd.argoproj.io/sync-options"
KEPT = "Prune=false,Delete=false"


def change(path: Path) -> None:
    path.write_text("#!/bin/sh\nsed s/one/two/\n")
    path.chmod(0o755)


Objects = Sequence[Mapping[str, Any]]


def options_of(objects: Objects) -> dict[str, str]:
    """The sync options of each object, by its name."""
    metadata = [object_["metadata"] for object_ in objects]
    return {m["name"]: (m.get("annotations") or {}).get(SYNC_OPTIONS, "") for m in metadata}


def waves_of(objects: Objects) -> dict[str, str]:
    metadata = [object_["metadata"] for object_ in objects]
    wave = "argocd.argoproj.io/sync-wave"
    return {m["name"]: (m.get("annotations") or {}).get(wave, "") for m in metadata}


# --- The same objects as Helm's -------------------------------------------------------

SUBCHARTS: Mapping[str, Content] = {
    **chart(VALUES, values="{on: true, n: 1, s: s, gone: 1, a: {x: 1, d: 3}, empty: 2}"),
    **chart(
        config_map("sub", "{all: {{ .Values | toJson | quote }}}"),
        name="web/charts/sub",
        values="{own: 1, on: {a: 1}}",
    ),
    "web/charts/packed.tgz": archive(chart(config_map("packed"), name="packed")),
    "web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n"
    "- {name: sub, version: 1.0.0, condition: sub.enabled}\n- {name: packed, version: 1.0.0}\n",
}
ONE = "a: {b: 1, c: [1, 2]}\ngone: null\nempty:\nbig: 12345678\nsub: {own: 2}\n"
TWO = "a: {b: 2, d: null}\ntext: 'yes'\nno: off\n"
LIKE_HELM: Mapping[str, tuple[str, Mapping[str, Content], Sequence[str]]] = {
    "values of files": (
        ', value_yaml_files=[pulumi.FileAsset("one.yaml"), pulumi.FileAsset("two.yaml")]',
        SUBCHARTS,
        ["--values=one.yaml", "--values=two.yaml"],
    ),
    "values of a file and inline": (
        ', value_yaml_files=[pulumi.FileAsset("one.yaml"), pulumi.StringAsset("t: 1")], values={'
        '"a": {"c": []}, "on": False, "n": 0, "s": "", "x": 1.5, "sub": {"enabled": False}}',
        SUBCHARTS,
        [
            "--values=one.yaml",
            "--set-json=t=1,a.c=[],on=false,n=0,x=1.5,sub.enabled=false",
            "--set-string=s=",
        ],
    ),
    "definitions, hooks, and no tests": (
        ', name="other"',
        chart(
            WIDGET,
            config_map(
                "{{ .Release.Name }}",
                "{r: {{ .Release | toJson | quote }}, k: {{ .Capabilities.KubeVersion.Version }}}",
            ),
            HOOK % ("before", "pre-install,pre-upgrade"),
            HOOK % ("after", "post-delete"),
            HOOK % ("test", "test"),
            files={"crds/w.yaml": DEFINITION},
        ),
        ["--include-crds"],
    ),
    "no definitions": (
        ", skip_crds=True",
        chart(config_map(), files={"crds/w.yaml": DEFINITION}),
        [],
    ),
}


@pytest.mark.parametrize("name", LIKE_HELM)
def test_a_release_has_the_objects_that_helm_makes_of_its_chart(name: str, tmp_path: Path) -> None:
    inputs, files, arguments = LIKE_HELM[name]
    files = {**files, "one.yaml": ONE, "two.yaml": TWO}
    fault = Fault(name, python(RELEASE.format(inputs), **files), renders=lambda _objects: True)
    found = harness.check(fault, tmp_path)
    ours = [_without_options(o) for o in yaml.safe_load_all(found.stdout) if o]
    release = "other" if "other" in inputs else "web"
    theirs = _helm_template(release, found.folder, arguments)
    assert _by_identity(ours) == _by_identity(theirs)


def _helm_template(release: str, folder: Path, arguments: Sequence[str]) -> list[dict[str, Any]]:
    helm = toolchain.ensure(["helm"])["helm"]
    text = subprocess.check_output(
        [
            *(helm, "template", release, "./web", "--namespace=shop", "--skip-tests"),
            *("--kube-version=1.34.0", *arguments),
        ],
        cwd=folder,
        text=True,
    )
    found = [object_ for object_ in yaml.safe_load_all(text) if object_]
    for object_ in found:
        # Helm says it to the API server instead.
        if (
            kinds.is_namespaced(object_["apiVersion"], object_["kind"])
            and object_["kind"] != "Widget"
        ):
            object_["metadata"].setdefault("namespace", "shop")
    return found


def _by_identity(objects: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], Any]:
    assert objects
    return {(o["kind"], o["metadata"]["name"]): o for o in objects}


def _without_options(object_: dict[str, Any]) -> dict[str, Any]:
    metadata = object_["metadata"]
    if (metadata.get("annotations") or {}).pop(SYNC_OPTIONS, None) and not metadata["annotations"]:
        del metadata["annotations"]
    return object_


# --- What of its inputs and options -----------------------------------------------------

INPUTS = [
    Fault(
        "a post-renderer of a release",
        python(
            RELEASE.format(', postrender="./change"'),
            **chart(config_map()),
            change=change,
        ),
        renders=lambda objects: objects[0]["data"] == {"x": "two"},
    ),
    Fault(
        "a release without hooks",
        python(
            RELEASE.format(", disable_webhooks=True"),
            **chart(config_map(), HOOK % ("h", "pre-install")),
        ),
        renders=names("a"),
    ),
    Fault(
        "what a program sees of a release",
        python(
            RELEASE.format("") + 'k8s.core.v1.ConfigMap("seen", metadata={"name": "seen"}, data={\n'
            '  "all": pulumi.Output.json_dumps([r.name, r.namespace, r.version, r.resource_names,\n'
            "    r.status.name, r.status.namespace, r.status.version, r.status.chart,\n"
            "    r.status.app_version, r.status.status, r.id])})\n",
            **chart(config_map(), HOOK % ("h", "pre-install"), files={"crds/w.yaml": DEFINITION}),
        ),
        renders=lambda objects: (
            yaml.safe_load(objects[-2]["data"]["all"])
            == [
                *("web", "shop", "1.0.0", {"ConfigMap/v1": ["a"]}),
                *("web", "shop", "1.0.0", "web", "", "deployed", "shop/web"),
            ]
        ),
    ),
    Fault(
        "the revision of a release",
        python(
            RELEASE.format("")
            + 'k8s.core.v1.ConfigMap("b", data={"b": r.status.revision.apply(str)})\n',
            **chart(config_map()),
        ),
        refused=r"ConfigMap 'b' .* needs in data.b the value of status.revision of "
        r"Release 'web' \(__main__.py:3\), which only the cluster knows",
    ),
]


@pytest.mark.parametrize("fault", INPUTS, ids=str)
def test_an_input_of_a_release_counts_or_is_refused(fault: Fault, tmp_path: Path) -> None:
    harness.check(fault, tmp_path)


# --- What becomes of its objects --------------------------------------------------------

NAMESPACE = 'k8s.core.v1.Namespace("n", metadata={"name": "shop", "labels": {"a": "b"}})\n'
SECOND = RELEASE.format(", create_namespace=True").replace('"web", c', '"two", c')
CREATES = RELEASE.format(", create_namespace=True")
OBJECTS = [
    Fault(
        "a namespace that the program makes as well",
        python(CREATES + NAMESPACE, **chart(config_map())),
        renders=lambda objects: (
            len(objects) == 2
            and objects[0]["metadata"]["labels"] == {"a": "b"}
            and options_of(objects) == {"shop": "", "a": ""}
        ),
    ),
    Fault(
        "what Helm leaves when a release goes",
        python(
            RELEASE.format(""),
            **chart(
                WIDGET,
                config_map(metadata=", annotations: {helm.sh/resource-policy: keep}"),
                DEFINITION.replace("widgets", "gadgets"),
                files={"crds/w.yaml": DEFINITION},
            ),
        ),
        renders=lambda objects: (
            options_of(objects)
            == {"widgets.example.com": KEPT, "gadgets.example.com": "", "w": "", "a": KEPT}
            and "namespace" not in objects[2]["metadata"]
        ),
    ),
    Fault(
        "what comes after a release, and before it",
        python(
            'first = k8s.core.v1.Pod("first", metadata={"name": "first"}, spec={})\n'
            + RELEASE.format(", opts=pulumi.ResourceOptions(depends_on=[first])")
            + 'k8s.core.v1.ConfigMap("last", metadata={"name": "last"}, data={},\n'
            "  opts=pulumi.ResourceOptions(depends_on=[r]))\n",
            **chart(HOOK.replace("helm.sh/hook", "a") % ("job", "b"), config_map()),
        ),
        arguments=["--sync-waves", "dependsOn"],
        renders=lambda objects: (
            waves_of(objects) == {"first": "", "job": "1", "a": "1", "last": "2"}
        ),
    ),
    Fault(
        "a transform, which sees the release and none of its objects",
        python(
            "def change(args):\n"
            '    if args.type_ == "kubernetes:helm.sh/v3:Release":\n'
            '        props = {**args.props, "values": {"x": "two"}}\n'
            "        return pulumi.ResourceTransformResult(props, args.opts)\n"
            '    if args.type_ == "kubernetes:core/v1:ConfigMap": raise Exception("seen")\n'
            "pulumi.runtime.register_resource_transform(change)\n" + RELEASE.format(""),
            **chart(config_map(data="{x: {{ .Values.x }}}")),
        ),
        renders=lambda objects: objects[0]["data"] == {"x": "two"},
    ),
    Fault(
        "a hook that is called as an object of the release",
        python(
            RELEASE.format(""),
            **chart(
                config_map(), config_map(metadata=", annotations: {helm.sh/hook: pre-install}")
            ),
        ),
        refused="web/templates/a.yaml and a hook are the same object, ConfigMap 'a'",
    ),
    Fault(
        "a hook that draws",
        python(
            RELEASE.format(""),
            **chart(HOOK % ("h-{{ randAlpha 5 | lower }}", "pre-install")),
        ),
        refused="Job .*of .*Release 'web' .* differs from render to render, in metadata.name",
    ),
    Fault(
        "a release without its dependencies",
        python(
            RELEASE.format(""),
            **{**chart(config_map()), "web/Chart.yaml": SUBCHARTS["web/Chart.yaml"]},
        ),
        refused="has no chart that can be rendered: .*missing in charts/ directory: sub, packed",
    ),
    Fault(
        "a value that only the cluster knows, in a release",
        python(
            's = k8s.core.v1.Service("s", spec={})\n'
            + RELEASE.format(', values={"ip": s.spec.cluster_ip}'),
            **chart(config_map(data="{x: {{ .Values.ip }}}")),
        ),
        refused=r"of helm.sh/v3:Release 'web' .* needs in data.x the value of spec.clusterIP",
    ),
    Fault(
        "a secret of a release outside of a Secret",
        python(
            RELEASE.format(f', values={{"p": pulumi.Output.secret("{CANARY}")}}'),
            **chart(config_map(data="{x: 'a {{ .Values.p }}'}")),
        ),
        refused="of helm.sh/v3:Release 'web' .* has a secret value in data.x",
    ),
]


@pytest.mark.parametrize("fault", OBJECTS, ids=str)
def test_an_object_of_a_release_is_delivered_or_refused(fault: Fault, tmp_path: Path) -> None:
    harness.check(fault, tmp_path)


def test_the_log_says_in_one_line_what_is_otherwise_than_with_helm(tmp_path: Path) -> None:
    fault = Fault(
        "a release of everything",
        python(
            RELEASE.format(
                ", atomic=True, timeout=5, cleanup_on_fail=False, create_namespace=True"
            ),
            **chart(
                config_map(data='{x: {{ lookup "v1" "Secret" "a" "b" | toJson | quote }}}'),
                "{{/* lookup */}}" + config_map("b"),
                HOOK % ("h", "pre-install, post-upgrade"),
            ),
        ),
        renders=names("shop", "a", "b", "h"),
    )
    found = harness.check(fault, tmp_path)
    assert found.stderr.splitlines() == [
        "Release 'web' (__main__.py:3) is rendered as a chart: Argo CD keeps its history; "
        "without effect: atomic, timeout; lookup finds nothing in templates/a.yaml; "
        "hooks of each sync: Job 'h' (pre-install, post-upgrade)"
    ]


# --- Charts from elsewhere --------------------------------------------------------------


def test_charts_of_one_name_come_each_from_its_own_repository(tmp_path: Path) -> None:
    one = RELEASE.replace("./web", "web").format(
        ', version=">=0.1", repository_opts={"repo": "%s"}'
    )
    two = one.replace('"web", c', '"two", c').replace("shop", "two")
    place = tmp_path / "place"
    place.mkdir()
    with (
        chart_repository.serving(tmp_path / "one") as first,
        chart_repository.serving(tmp_path / "two") as second,
    ):
        first.publish("1.0.0", "first")
        second.publish("1.0.0", "second")
        fault = Fault(
            "a chart of one name and version in two repositories, beside a folder of that name",
            python(one % first.address + two % second.address, **chart(config_map("local"))),
            renders=lambda objects: (
                sorted((o["metadata"]["namespace"], o["data"]["x"]) for o in objects)
                == [("shop", "first"), ("two", "second")]
            ),
        )
        harness.check(fault, place)


OTHERS = [
    Fault(
        "a release of a JavaScript program, with files of values and nulls",
        javascript(
            'const r = new k8s.helm.v3.Release("web", {chart: "./web", namespace: "shop",'
            ' valueYamlFiles: [new pulumi.asset.FileAsset("v.yaml")], values: {gone: null}});\n'
            'new k8s.core.v1.ConfigMap("seen", {metadata: {name: r.status.name}});\n',
            **chart(VALUES, values="{gone: 1}"),
            **{"v.yaml": "a: 1\n"},
        ),
        renders=lambda objects: (
            objects[1]["data"] == {"all": '{"a":1}'} and objects[0]["metadata"]["name"] == "web"
        ),
    ),
    Fault(
        "a release of a YAML program, with a file of values",
        yaml_program(
            "web:\n  type: kubernetes:helm.sh/v3:Release\n  properties:\n    chart: ./web\n"
            "    namespace: shop\n    valueYamlFiles: [{fn::fileAsset: ./v.yaml}]\n"
            "seen:\n  type: kubernetes:core/v1:ConfigMap\n"
            "  properties: {metadata: {name: '${web.status.name}'}}",
            **chart(VALUES),
            **{"v.yaml": "a: 1\n"},
        ),
        renders=lambda objects: (
            objects[1]["data"] == {"all": '{"a":1}'} and objects[0]["metadata"]["name"] == "web"
        ),
    ),
]


@pytest.mark.thorough
@pytest.mark.parametrize("fault", OTHERS, ids=str)
def test_programs_in_other_languages_have_releases(fault: Fault, tmp_path: Path) -> None:
    harness.check(fault, tmp_path)
