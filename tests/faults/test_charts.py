"""Charts, YAML and kustomizations: nothing is lost on the way."""

from pathlib import Path

import pytest

from tests.faults import harness
from tests.faults.charts import (
    ANOTHER,
    DIRECTORY,
    FILE,
    FILE_V1,
    GROUP,
    GROUP_V1,
    IF_ELSE,
    NODE_V3,
    NODE_V4,
    RANDOM,
    V3,
    V4,
    YAML_V4,
    chart,
    config_map,
    names,
)
from tests.faults.harness import Fault, javascript, python, yaml_program

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


LIST = config_map(data="{x: [one]}")
IN_DATA = r"has a list in data\.x, where a string belongs"
HANGING = [
    Fault(
        "a list in the data of a ConfigMap of a chart of version 4",
        python(V4.format(""), **chart(LIST)),
        refused=rf"^ConfigMap 'a' of helm\.sh/v4:Chart 'web' \(__main__\.py:3\) {IN_DATA}",
    ),
    Fault(
        "a list in the data of a ConfigMap of a release",
        python('k8s.helm.v3.Release("web", chart="./web")\n', **chart(LIST)),
        refused=rf"^ConfigMap 'a' of helm\.sh/v3:Release 'web' \(__main__\.py:3\) {IN_DATA}",
    ),
    Fault(
        "a list in the data of a ConfigMap of a file",
        python('k8s.yaml.v2.ConfigFile("all", file="all.yaml")\n', **{"all.yaml": LIST}),
        refused=rf"^ConfigMap 'a' of yaml/v2:ConfigFile 'all' \(__main__\.py:3\) {IN_DATA}",
    ),
    Fault(
        "a list in the data of a ConfigMap of a kustomization of version 2",
        yaml_program(
            "all:\n  type: kubernetes:kustomize/v2:Directory\n  properties: {directory: ./base}",
            **{"base/kustomization.yaml": "resources: [all.yaml]\n", "base/all.yaml": LIST},
        ),
        refused=f"ConfigMap 'a' of the kustomization {IN_DATA}",
    ),
    Fault(
        "an object for a list of a Deployment of a group",
        python(
            'k8s.yaml.v2.ConfigGroup("all", objs=[{"apiVersion": "apps/v1", "kind": "Deployment", '
            '"metadata": {"name": "a"}, "spec": {"template": {"spec": {"containers": [{"env": '
            '{"a": "b"}}]}}}}])\n'
        ),
        refused=r"^Deployment 'a' of yaml/v2:ConfigGroup 'all' \(__main__\.py:3\) has an object in "
        r"spec\.template\.spec\.containers\[0\]\.env, where a list belongs",
    ),
    Fault(
        "a namespace that is a list",
        python(GROUP, **{"k/a.yaml": config_map(metadata=", namespace: [b]")}),
        refused=r"^k/a\.yaml has a metadata\.namespace that is not a string",
    ),
    Fault(
        "YAML that is not a text",
        python('k8s.yaml.v2.ConfigGroup("all", yaml=5)\n'),
        refused=r"^kubernetes:yaml/v2:ConfigGroup 'all' \(__main__\.py:3\) has yaml that is not a",
    ),
]


@pytest.mark.parametrize("fault", HANGING, ids=str)
def test_what_the_provider_would_wait_for_in_vain_is_refused_by_name(
    fault: Fault, tmp_path: Path
) -> None:
    harness.check(fault, tmp_path)


@pytest.mark.parametrize("fault", LOST, ids=str)
def test_what_a_component_reads_is_all_registered_or_refused(fault: Fault, tmp_path: Path) -> None:
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
