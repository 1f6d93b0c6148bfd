"""Charts, YAML and kustomizations: nothing is lost on the way, and nothing made up is delivered."""

import gzip
import io
import tarfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.faults import harness
from tests.faults.harness import Content, Fault, javascript, python, yaml_program

V4 = 'k8s.helm.v4.Chart("web", chart="./web", namespace="shop"{})\n'
V3 = 'k8s.helm.v3.Chart("web", k8s.helm.v3.LocalChartOpts(path="./web", namespace="shop"{}))\n'
NODE_V4 = 'new k8s.helm.v4.Chart("web", {chart: "./web", namespace: "shop"});'
NODE_V3 = 'new k8s.helm.v3.Chart("web", {path: "./web", namespace: "shop"});'
YAML_V4 = "web:\n  type: kubernetes:helm.sh/v4:Chart\n  properties: {chart: ./web, namespace: shop}"
GROUP = 'k8s.yaml.v2.ConfigGroup("all", files=["k/*.yaml"])\n'
FILE = 'k8s.yaml.v2.ConfigFile("all", file="all.yaml")\n'
FILE_V1 = 'k8s.yaml.ConfigFile("all", file="all.yaml")\n'
GROUP_V1 = 'k8s.yaml.ConfigGroup("all", files=["all.yaml"])\n'
DIRECTORY = 'new k8s.kustomize.v2.Directory("all", {directory: "./base", namespace: "shop"});'


def config_map(name: str = "a", data: str = "{x: one}", metadata: str = "") -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}{metadata}}}\ndata: {data}\n"


def chart(
    *templates: str,
    values: str = "{}",
    name: str = "web",
    files: Mapping[str, Content] | None = None,
) -> dict[str, Content]:
    """A chart in a folder of its name; files are named by path below it."""
    return {
        f"{name}/Chart.yaml": f"apiVersion: v2\nname: {name.rpartition('/')[2]}\nversion: 1.0.0\n",
        f"{name}/values.yaml": values,
        **{
            f"{name}/templates/{n}.yaml": text for n, text in zip("abcdef", templates, strict=False)
        },
        **{f"{name}/{path}": content for path, content in (files or {}).items()},
    }


def archive(files: Mapping[str, Content]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as members:
        for path, content in files.items():
            data = content if isinstance(content, bytes) else str(content).encode()
            member = tarfile.TarInfo(path)
            member.size = len(data)
            members.addfile(member, io.BytesIO(data))
    return gzip.compress(packed.getvalue(), mtime=0)


def names(*expected: str) -> Any:
    return lambda objects: sorted(o["metadata"]["name"] for o in objects) == sorted(expected)


TWICE = "are the same object, ConfigMap 'a'"
LOST = [
    Fault(
        "one object in two templates of a chart",
        python(V4.format(""), **chart(config_map(), config_map(data="{x: two}"))),
        refused=r"Chart 'web' \(__main__.py:3\), web/templates/a.yaml and web/templates/b.yaml "
        + TWICE,
    ),
    Fault(
        "one object in a chart and in its subchart",
        python(
            V4.format(""),
            **chart(config_map()),
            **chart(config_map(), name="web/charts/sub"),
        ),
        refused=TWICE,
    ),
    Fault(
        "one object in a chart, once with the release's namespace",
        python(V4.format(""), **chart(config_map(), config_map(metadata=", namespace: shop"))),
        refused=TWICE,
    ),
    Fault(
        "one object in a list of a chart",
        python(
            V4.format(""),
            **chart(
                config_map(),
                "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n"
                "  metadata: {name: a}\n",
            ),
        ),
        refused=TWICE,
    ),
    Fault(
        "one object in a folder crds and in a template",
        python(
            V4.format(""),
            **chart(config_map(), files={"crds/a.yaml": config_map(data="{x: two}")}),
        ),
        refused=TWICE,
    ),
    Fault(
        "one name in two namespaces of a chart",
        python(V4.format(""), **chart(config_map(), config_map(metadata=", namespace: other"))),
        renders=names("a", "a"),
    ),
    Fault(
        "a key twice in a template, with two values",
        python(V4.format(""), **chart(config_map(data="\n  x: one\n  x: two"))),
        refused=r"web/templates/a.yaml cannot be read: line \d+ has the key x again",
    ),
    Fault(
        "a key twice in a template of version 3, with two values",
        python(V3.format(""), **chart(config_map(data="\n  x: one\n  x: two"))),
        refused=r"web/templates/a.yaml cannot be read: line \d+ has the key x again",
    ),
    Fault(
        "a key twice in a template, with one value",
        python(V4.format(""), **chart(config_map(data="\n  x: one\n  x: one"))),
        renders=names("a"),
    ),
    Fault(
        "a document without kind in a chart of version 3",
        python(V3.format(""), **chart(config_map(), "apiVersion: v1\nmetadata: {name: b}\n")),
        refused="web/templates/b.yaml has no kind",
    ),
    Fault(
        "a document without apiVersion in a chart of version 3",
        python(V3.format(""), **chart(config_map(), "kind: ConfigMap\nmetadata: {name: b}\n")),
        refused="web/templates/b.yaml has no apiVersion",
    ),
    Fault(
        "a document without kind in a chart of version 4",
        python(V4.format(""), **chart(config_map(), "apiVersion: v1\nmetadata: {name: b}\n")),
        refused="web/templates/b.yaml has no kind",
    ),
    Fault(
        "empty documents and comments in a chart",
        python(
            V3.format("") + V4.format("").replace('"web", c', '"two", c').replace("shop", "two"),
            **chart(
                "# nothing\n---\n" + config_map() + "---\n---\n# end\n", "{{ if 0 }}x{{ end }}"
            ),
        ),
        renders=names("a", "a"),
    ),
    Fault(
        "a post-renderer of the program's own",
        python(
            V4.format(', post_renderer={"command": "sed", "args": ["s/one/two/"]}'),
            **chart(config_map()),
        ),
        renders=lambda objects: objects[0]["data"] == {"x": "two"},
    ),
    Fault(
        "a post-renderer that adds what is there",
        python(
            V4.format(', post_renderer={"command": "sh", "args": ["-c", "cat; echo ---; cat a"]}'),
            **chart(config_map()),
            a=config_map(),
        ),
        refused=TWICE,
    ),
    Fault(
        "a post-renderer that fails",
        python(V4.format(', post_renderer={"command": "false"}'), **chart(config_map())),
        refused="post render",
    ),
    Fault(
        "a chart of a program with a package called as ours",
        python(
            "import plugin_image.own\n" + V4.format(""),
            **chart(config_map()),
            **{"plugin_image/__init__.py": "", "plugin_image/own.py": ""},
        ),
        renders=names("a"),
    ),
    Fault("a chart without objects", python(V4.format(""), **chart("")), refused="no Kubernetes"),
    Fault(
        "one object in two files of a group",
        python(GROUP, **{"k/a.yaml": config_map(), "k/b.yaml": config_map(data="{x: two}")}),
        refused=r"ConfigGroup 'all' \(__main__.py:3\), k/a.yaml and k/b.yaml " + TWICE,
    ),
    Fault(
        "one object twice in a file",
        python(FILE, **{"all.yaml": f"{config_map()}---\n{config_map(data='{x: two}')}"}),
        refused="document 1 of all.yaml and document 2 of all.yaml " + TWICE,
    ),
    Fault(
        "one object in a text and in a file",
        python(
            'k8s.yaml.v2.ConfigGroup("all", files=["a.yaml"], yaml=open("a.yaml").read())\n',
            **{"a.yaml": config_map()},
        ),
        refused=TWICE,
    ),
    Fault(
        "one object twice among objects",
        python(
            'a = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}\n'
            'k8s.yaml.v2.ConfigGroup("all", objs=[a, a])\n'
        ),
        refused="item|document 1 of the objects .* " + TWICE,
    ),
    Fault(
        "one object twice, once in the default namespace",
        python(
            FILE,
            **{"all.yaml": config_map() + "---\n" + config_map(metadata=", namespace: shop")},
        ),
        arguments=["--namespace", "shop"],
        refused=TWICE,
    ),
    Fault(
        "one kind in two versions of a group",
        python(
            FILE,
            **{
                "all.yaml": "".join(
                    f"---\napiVersion: autoscaling/{v}\nkind: HorizontalPodAutoscaler\n"
                    "metadata: {name: a}\nspec: {maxReplicas: 2}\n"
                    for v in ("v1", "v2")
                )
            },
        ),
        refused="are the same object, HorizontalPodAutoscaler 'a'",
    ),
    Fault(
        "a key twice in a file",
        python(FILE, **{"all.yaml": config_map(data="\n  x: one\n  x: one")}),
        refused="all.yaml cannot be read: line 6 has the key x again",
    ),
    Fault(
        "a key twice in a file of version 1",
        python(FILE_V1, **{"all.yaml": config_map(data="\n  x: one\n  x: two")}),
        refused="cannot be read: line 6 has the key x again",
    ),
    Fault(
        "a document without kind in a file of version 1",
        python(FILE_V1, **{"all.yaml": config_map() + "---\napiVersion: v1\n"}),
        refused="document 2 of a YAML text of the program has no kind",
    ),
    Fault(
        "documents divided by a comment",
        python(FILE, **{"all.yaml": config_map() + "--- # second\n" + config_map("b")}),
        renders=names("a", "b"),
    ),
    Fault(
        "documents divided by a comment, in version 1",
        python(GROUP_V1, **{"all.yaml": config_map() + "--- # second\n" + config_map("b")}),
        renders=names("a", "b"),
    ),
    Fault(
        "documents divided by an end",
        python(FILE, **{"all.yaml": config_map() + "...\n---\n" + config_map("b")}),
        renders=names("a", "b"),
    ),
    Fault(
        "JSON beside YAML",
        python(
            GROUP,
            **{
                "k/a.yaml": '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}}',
                "k/b.yaml": config_map(),
            },
        ),
        renders=names("a", "b"),
    ),
    Fault(
        "a pattern that matches nothing beside a file",
        python(
            'k8s.yaml.v2.ConfigGroup("all", files=["all.yaml", "none/*.yaml"])\n',
            **{"all.yaml": config_map()},
        ),
        renders=names("a"),
    ),
    Fault(
        "a file that is not there",
        python(FILE),
        refused="all.yaml",
    ),
    Fault(
        "transforms that rename what a group has",
        python(
            "def rename(args):\n"
            '    if args.type_ != "kubernetes:core/v1:ConfigMap": return None\n'
            '    name = "z" + args.props["metadata"]["name"]\n'
            '    props = {**args.props, "metadata": {"name": name}}\n'
            "    return pulumi.ResourceTransformResult(props, args.opts)\n"
            "pulumi.runtime.register_resource_transform(rename)\n" + GROUP,
            **{"k/a.yaml": config_map(), "k/b.yaml": config_map("b")},
        ),
        renders=names("za", "zb"),
    ),
    Fault(
        "one object in two charts",
        python(
            V4.format("") + V4.format("").replace('"web", c', '"two", c'), **chart(config_map())
        ),
        refused=r"of helm.sh/v4:Chart 'web' \(__main__.py:3\) and ConfigMap 'two:shop/a' "
        r"of helm.sh/v4:Chart 'two' \(__main__.py:4\) are the same object, ConfigMap 'a'",
    ),
    Fault(
        "one object in a chart and in the program",
        python(
            V4.format("")
            + 'k8s.core.v1.ConfigMap("b", metadata={"name": "a", "namespace": "shop"})\n',
            **chart(config_map()),
        ),
        refused=r"of helm.sh/v4:Chart 'web' \(__main__.py:3\) and ConfigMap 'b' \(__main__.py:4\)",
    ),
]


@pytest.mark.parametrize("fault", LOST, ids=str)
def test_what_a_component_reads_is_all_registered_or_refused(fault: Fault, tmp_path: Path) -> None:
    harness.check(fault, tmp_path)


SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  password: %s\n"
RANDOM = SECRET % "{{ .Values.auth.password | default (randAlphaNum 12) | quote }}"
IF_ELSE = (
    "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n"
    "{{- if .Values.password }}\n  password: {{ .Values.password | quote }}\n"
    "{{- else }}\n  password: {{ randAlphaNum 10 | quote }}\n{{- end }}\n"
)
BY_RELEASE = config_map("{{ .Release.Name }}")
ANOTHER = r"Secret 's' .*differs from render to render, in stringData\.password"
VARIES = [
    Fault(
        "a chart that draws a password",
        python(V4.format(""), **chart(RANDOM, values="auth: {}")),
        refused=ANOTHER
        + r".*set auth.password of the chart's values .*randAlphaNum in templates/a.yaml:5"
        ".*`random` to allow",
    ),
    Fault(
        "a chart of version 3 that draws a password",
        python(V3.format(""), **chart(IF_ELSE)),
        refused=ANOTHER + ".*set password of the chart's values",
    ),
    Fault(
        "a chart that is given its password",
        python(
            V4.format(', values={"auth": {"password": "given"}}'),
            **chart(RANDOM, values="auth: {}"),
        ),
        renders=lambda objects: objects[0]["stringData"] == {"password": "given"},
    ),
    Fault(
        "a chart that is given its password, and names objects by its release",
        python(V4.format(', values={"password": "given"}'), **chart(IF_ELSE, BY_RELEASE)),
        renders=names("s", "web"),
    ),
    Fault(
        "a chart of version 3 that is given its password",
        python(V3.format(', values={"password": "given"}'), **chart(IF_ELSE)),
        renders=lambda objects: objects[0]["stringData"] == {"password": "given"},
    ),
    Fault(
        "a chart that draws where that is allowed",
        python(V4.format(""), **chart(RANDOM, values="auth: {}")),
        arguments=["--random", "allow"],
        renders=names("s"),
    ),
    Fault(
        "a chart of version 3 that draws where that is allowed",
        python(V3.format(""), **chart(IF_ELSE)),
        arguments=["--random", "allow"],
        renders=names("s"),
    ),
    Fault(
        "a chart that draws in a helper",
        python(
            V4.format(""),
            **chart(
                SECRET % '{{ include "pw" . | quote }}',
                files={"templates/_helpers.tpl": '{{- define "pw" }}{{ uuidv4 }}{{ end -}}'},
            ),
        ),
        refused=ANOTHER + ".*uuidv4 in templates/_helpers.tpl:1",
    ),
    Fault(
        "a chart whose packed subchart draws",
        python(
            V4.format(""),
            **chart(
                config_map(),
                files={
                    "charts/sub.tgz": archive(
                        chart(SECRET % "{{ randNumeric 9 | quote }}", name="sub")
                    )
                },
            ),
        ),
        refused=ANOTHER + ".*randNumeric in charts/sub/templates/a.yaml:5",
    ),
    Fault(
        "a packed chart that draws",
        python(
            'k8s.helm.v4.Chart("web", chart="./web.tgz")\n',
            **{"web.tgz": archive(chart(SECRET % "{{ randNumeric 9 | quote }}"))},
        ),
        refused=ANOTHER,
    ),
    Fault(
        "a chart that dates what it makes",
        python(V4.format(""), **chart(SECRET % '{{ now | date "2006-01-02" | quote }}')),
        refused=ANOTHER + ".*now in templates/a.yaml:5",
    ),
    Fault(
        "a chart of version 3 that takes the year for a label",
        python(V3.format(""), **chart(SECRET % "{{ now.Year | quote }}")),
        refused=ANOTHER + ".*now in templates/a.yaml:5",
    ),
    Fault(
        "a packed subchart that dates",
        python(
            V4.format(""),
            **chart(
                config_map(),
                files={
                    "charts/sub.tgz": archive(chart(SECRET % "{{ now.Year | quote }}", name="sub"))
                },
            ),
        ),
        refused=ANOTHER,
    ),
    Fault(
        "a chart that makes a certificate",
        python(
            V4.format(""),
            **chart(
                '{{- $ca := genCA "ca" 3 }}\n' + SECRET % "{{ $ca.Cert | b64enc | quote }}",
            ),
        ),
        refused=ANOTHER + ".*genCA",
    ),
    Fault(
        "a chart that draws an object's name",
        python(V4.format(""), **chart(config_map("a-{{ randAlpha 5 | lower }}"))),
        refused=r"ConfigMap \(web/templates/a.yaml\) of .* differs from .*, in metadata.name",
    ),
    Fault(
        "a chart that takes the keys of a map as they come",
        python(
            V4.format(""),
            **chart(
                SECRET % '{{ keys .Values.m | join "," | quote }}',
                values="m: {a: 1, b: 2, c: 3, d: 4, e: 5}",
            ),
        ),
        refused=ANOTHER + ".*keys in templates/a.yaml:5",
    ),
    Fault(
        "a chart that sorts the keys of a map",
        python(
            V4.format(""),
            **chart(
                SECRET % '{{ keys .Values.m | sortAlpha | join "," | quote }}',
                values="m: {a: 1, b: 2, c: 3, d: 4, e: 5}",
            ),
        ),
        renders=lambda objects: objects[0]["stringData"] == {"password": "a,b,c,d,e"},
    ),
    Fault(
        "a chart that renders a value which draws",
        python(
            V4.format(', values={"text": "{{ randAlpha 5 }}"}'),
            **chart(SECRET % "{{ tpl .Values.text . | quote }}"),
        ),
        refused=ANOTHER,
    ),
    Fault(
        "a chart that only speaks of drawing",
        python(
            V4.format(""),
            **chart(
                "# randAlphaNum is not used now\n{{/* genCA */}}\n"
                "{{- if .Values.draws }}{{ fail (randAlpha 3) }}{{ end }}\n"
                + config_map(data='{x: "{{ "now" }} {{ .Values.now }}"}'),
                values="now: later",
            ),
        ),
        renders=lambda objects: objects[0]["data"] == {"x": "now later"},
    ),
    Fault(
        "a chart that derives a password from its values",
        python(
            V4.format(""),
            **chart(SECRET % '{{ derivePassword 1 "long" "a" "b" "c" | quote }}'),
        ),
        renders=names("s"),
    ),
    Fault(
        "a chart that throws away what it draws",
        python(V4.format(""), **chart("{{- $_ := randAlphaNum 5 }}\n" + config_map())),
        renders=names("a"),
    ),
    Fault(
        "a chart that looks up the password before it draws one",
        python(
            V4.format(""),
            **chart(
                '{{- $s := lookup "v1" "Secret" "shop" "s" }}\n'
                + SECRET % "{{ if $s }}old{{ else }}{{ randAlphaNum 9 | quote }}{{ end }}"
            ),
        ),
        refused=ANOTHER,
    ),
    Fault(
        "a chart of which a hook draws, which version 4 leaves out",
        python(
            V4.format(""),
            **chart(
                config_map(),
                config_map(
                    "h-{{ randAlpha 5 | lower }}",
                    metadata=", annotations: {helm.sh/hook: pre-install}",
                ),
            ),
        ),
        renders=names("a"),
    ),
    Fault(
        "a chart of which a hook draws, which version 3 delivers",
        python(
            V3.format(""),
            **chart(
                config_map(),
                config_map(
                    "h",
                    data="{x: '{{ randAlpha 5 }}'}",
                    metadata=", annotations: {helm.sh/hook: pre-install}",
                ),
            ),
        ),
        refused="ConfigMap 'h' .* differs from render to render, in data.x",
    ),
]


@pytest.mark.parametrize("fault", VARIES, ids=str)
def test_a_chart_that_makes_something_up_is_refused(fault: Fault, tmp_path: Path) -> None:
    harness.check(fault, tmp_path)


LOOKUP = '{{{{ lookup "{}" "{}" "{}" "{}" | toJson | quote }}}}'
LOOKUPS = [
    ("example.com/v1", "Foo", "shop", "x"),
    ("example.com/v1", "Foo", "shop", ""),
    ("example.com/v1", "Foo", "", ""),
    ("apps/v1", "Deployment", "shop", "x"),
    ("apps/v1", "Deployment", "", ""),
    ("apps/v1", "Unheard", "shop", "x"),
    ("apps/v1", "Unheard", "", ""),
    ("v1", "Secret", "shop", "x"),
    ("v1", "Namespace", "", ""),
]


@pytest.mark.parametrize("program", [V3, V4], ids=["version 3", "version 4"])
@pytest.mark.parametrize("versions", ["", "v1,apps/v1,apps/v1/Deployment"])
def test_lookup_finds_nothing(program: str, versions: str, tmp_path: Path) -> None:
    data = "".join(f"\n  x{n}: {LOOKUP.format(*asked)}" for n, asked in enumerate(LOOKUPS))
    fault = Fault(
        "a chart that looks things up",
        python(program.format(""), **chart(config_map(data=data))),
        env={"KUBE_API_VERSIONS": versions},
        renders=lambda objects: set(objects[0]["data"].values()) == {"{}"},
    )
    harness.check(fault, tmp_path)


def test_a_kind_that_is_not_there_yet_is_no_capability(tmp_path: Path) -> None:
    foo = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: f}\n"
    gated = '{{ if .Capabilities.APIVersions.Has "example.com/v1" }}' + config_map() + "{{ end }}"
    fault = Fault(
        "a chart with a kind that the cluster lacks, and with what asks for it",
        python(V4.format(""), **chart(foo, gated)),
        renders=names("f"),
    )
    harness.check(fault, tmp_path)


OTHERS = [
    Fault(
        "a JavaScript program whose chart has an object twice",
        javascript(NODE_V4, **chart(config_map(), config_map())),
        refused=r"Chart 'web' \(index.js:3\).* " + TWICE,
    ),
    Fault(
        "a JavaScript program whose chart of version 3 has no kind",
        javascript(NODE_V3, **chart(config_map(), "apiVersion: v1\nmetadata: {name: b}\n")),
        refused="web/templates/b.yaml has no kind",
    ),
    Fault(
        "a JavaScript program whose chart of version 3 draws",
        javascript(NODE_V3, **chart(IF_ELSE)),
        refused=ANOTHER,
    ),
    Fault(
        "objects of a kustomization with and without its namespace",
        javascript(
            DIRECTORY,
            **{
                "base/kustomization.yaml": "resources: [a.yaml, b.yaml]",
                "base/a.yaml": config_map(),
                "base/b.yaml": config_map(metadata=", namespace: shop"),
            },
        ),
        refused="has 2 objects, and Pulumi's Kubernetes provider makes 1",
    ),
    Fault(
        "a kustomization with and without a namespace",
        javascript(
            DIRECTORY,
            **{
                "base/kustomization.yaml": "resources: [a.yaml, b.yaml]",
                "base/a.yaml": config_map(),
                "base/b.yaml": config_map(metadata=", namespace: other"),
            },
        ),
        renders=names("a", "a"),
    ),
    Fault(
        "a YAML program whose chart has an object twice",
        yaml_program(YAML_V4, **chart(config_map(), config_map())),
        refused=TWICE,
    ),
    Fault(
        "a YAML program whose chart draws",
        yaml_program(YAML_V4, **chart(RANDOM, values="auth: {}")),
        refused=ANOTHER,
    ),
]


@pytest.mark.thorough
@pytest.mark.parametrize("fault", OTHERS, ids=str)
def test_programs_in_other_languages_are_held_to_the_same(fault: Fault, tmp_path: Path) -> None:
    harness.check(fault, tmp_path)


NAMED = 'k8s.core.v1.ConfigMap("a", metadata={"name": "a"}, data={"x": "1"})'
DRAWS = 'k8s.core.v1.ConfigMap("a", data={"x": str(%s)})\n'
CHECKED = [
    Fault(
        "a program that draws",
        python("import random\n" + DRAWS % "random.random()"),
        refused="renders differently each time: ConfigMap 'a' in data.x",
    ),
    Fault(
        "a program that goes through a set",
        python(DRAWS % 'list({"a", "b", "c", "d", "e", "f"})'),
        refused="renders differently each time: ConfigMap 'a' in data.x",
    ),
    Fault(
        "a program that dates",
        python("import datetime\n" + DRAWS % "datetime.date.today()"),
        refused="renders differently each time: ConfigMap 'a' in data.x",
    ),
    Fault(
        "a program that reads the clock",
        python("import time\n" + DRAWS % "int(time.time())"),
        refused="renders differently each time: ConfigMap 'a' in data.x",
    ),
    Fault(
        "a program that draws a name",
        python("import uuid\n" + 'k8s.core.v1.ConfigMap("a", metadata={"name": uuid.uuid4().hex})'),
        refused="is in one render only and 1 more",
    ),
    Fault("a program that is the same", python(NAMED), renders=names("a")),
]


@pytest.mark.parametrize("fault", CHECKED, ids=str)
def test_a_check_names_what_differs(fault: Fault, tmp_path: Path) -> None:
    harness.check(replace(fault, arguments=["--check"]), tmp_path)


FUNCTIONS = [
    Fault(
        "a function of another provider",
        python('\npulumi.runtime.invoke("aws:index/getRegion:getRegion", {})\n'),
        refused=r"aws:index/getRegion:getRegion of a provider is called.*\(__main__.py:4\)",
    ),
    Fault(
        "a function of another provider in JavaScript",
        javascript(
            "module.exports = async () => {\n"
            '  await pulumi.runtime.invoke("aws:index/getRegion:getRegion", {});\n};\n'
        ),
        refused="aws:index/getRegion:getRegion of a provider is called",
    ),
]


@pytest.mark.parametrize("fault", FUNCTIONS, ids=str)
def test_a_function_of_others_is_refused_with_its_place(fault: Fault, tmp_path: Path) -> None:
    harness.check(fault, tmp_path)
