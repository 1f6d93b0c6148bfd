"""Charts, files and components that make other objects than before; other languages."""

from tests.e2e.lifecycle.pair import Pair

_TWO = """
kind: ConfigMap
apiVersion: v1
metadata: {name: first}
data: {n: "1"}
---
kind: ConfigMap
apiVersion: v1
metadata: {name: second}
"""
_ONE = """
kind: ConfigMap
apiVersion: v1
metadata: {name: first}
data: {n: "2"}
"""
_LIST = """
kind: List
apiVersion: v1
items:
  - {kind: ConfigMap, apiVersion: v1, metadata: {name: first}}
"""
_FILE = 'k8s.yaml.v2.ConfigFile("settings", file="settings.yaml")'
_CHART = 'k8s.helm.v4.Chart("shop", chart="./shop")'
_TEMPLATE = """
kind: ConfigMap
apiVersion: v1
metadata: {{name: {name}}}
data: {{version: "{{{{ .Chart.Version }}}}"}}
"""


def _chart(version: str, *names: str) -> dict[str, str]:
    return {
        "program.py": _CHART,
        "shop/Chart.yaml": f"apiVersion: v2\nname: shop\nversion: {version}\n",
        **{f"shop/templates/{name}.yaml": _TEMPLATE.format(name=name) for name in names},
    }


_YAML = """
name: shop
runtime: yaml
resources:
  settings:
    type: kubernetes:core/v1:ConfigMap
    properties: {{metadata: {{name: settings}}, data: {{n: "{n}"}}}}
  {other}:
    type: kubernetes:core/v1:ConfigMap
    properties: {{metadata: {{name: {other}}}}}
"""

_TYPESCRIPT = """
import * as k8s from "@pulumi/kubernetes";

new k8s.core.v1.ConfigMap("settings", {{ metadata: {{ name: "settings" }}, data: {{ n: "{n}" }} }});
new k8s.core.v1.ConfigMap("{other}", {{ metadata: {{ name: "{other}" }} }});
"""


def _typescript(program: str) -> dict[str, str]:
    return {
        "Pulumi.yaml": "name: shop\nruntime: nodejs\n",
        "Pulumi.dev.yaml": "config: {}\n",
        "index.ts": program,
    }


_CLUSTERS = """
    for name in ("east", "west"):
        options = Opts(provider=k8s.Provider(name, context=name))
        place = f"{{here}}-{{name}}"
        k8s.core.v1.Namespace(name, metadata={{"name": place}}, opts=options)
        ConfigMap(
            f"in-{{name}}",
            metadata={{"name": "settings", "namespace": place}},
            data={{"n": "{n}"}},
            opts=options,
        )
        {more}
"""
_IN_THE_EAST = """if name == "east":
            ConfigMap("old", metadata={"name": "old", "namespace": place}, opts=options)"""

_MOVED = """
    team = pulumi.ComponentResource("shop:index:Team", "blue")
    squad = pulumi.ComponentResource("shop:index:Squad", "blue")
    options = Opts(parent={parent}, {aliases})
    web = pulumi.ComponentResource("shop:index:Part", "web", opts=options)
    ConfigMap("settings", metadata={{"name": "settings"}}, data={{}}, opts=Opts(parent=web))
"""

PAIRS = (
    Pair(
        "objects-are-in-two-clusters",
        before=_CLUSTERS.format(n=1, more=_IN_THE_EAST),
        after=_CLUSTERS.format(n=2, more=""),
        applications=[{"provider": "east"}, {"provider": "west"}],
    ),
    Pair(
        "a-config-group-has-less-objects",
        before=f"""k8s.yaml.v2.ConfigGroup("settings", yaml={_TWO!r})""",
        after=f"""k8s.yaml.v2.ConfigGroup("settings", yaml={_ONE!r})""",
    ),
    Pair(
        "a-config-file-has-less-objects",
        before={"program.py": _FILE, "settings.yaml": _TWO},
        after={"program.py": _FILE, "settings.yaml": _ONE},
    ),
    Pair(
        "objects-come-in-a-list",
        before=f"""k8s.yaml.v2.ConfigGroup("settings", yaml={_ONE!r})""",
        after=f"""k8s.yaml.v2.ConfigGroup("settings", yaml={_LIST!r})""",
    ),
    Pair(
        "a-chart-has-a-newer-version",
        before=_chart("1.0.0", "settings", "old"),
        after=_chart("1.1.0", "settings", "new"),
    ),
    Pair(
        "a-component-moves-under-another-parent-by-an-alias",
        before=_MOVED.format(parent="team", aliases=""),
        after=_MOVED.format(parent="squad", aliases="aliases=[pulumi.Alias(parent=team)]"),
    ),
    Pair(
        "a-component-moves-under-another-parent-without-one",
        before=_MOVED.format(parent="team", aliases=""),
        after=_MOVED.format(parent="squad", aliases=""),
    ),
    Pair(
        "a-program-in-yaml",
        before={"Pulumi.yaml": _YAML.format(n=1, other="old"), "Pulumi.dev.yaml": "config: {}\n"},
        after={"Pulumi.yaml": _YAML.format(n=2, other="new"), "Pulumi.dev.yaml": "config: {}\n"},
    ),
    Pair(
        "a-program-in-typescript",
        before=_typescript(_TYPESCRIPT.format(n=1, other="old")),
        after=_typescript(_TYPESCRIPT.format(n=2, other="new")),
    ),
)
