"""Objects that are added, changed, dropped and named otherwise."""

from tests.e2e.lifecycle.pair import Pair

_DEFINITION = """
    group = f"{{here}}.example.com"
    spec = {{
        "type": "object",
        "description": "as long as those of real definitions are together " * 6_000,
        "properties": {{"{field}": {{"type": "string"}}, "colour": {{"type": "string"}}}},
    }}
    version = {{
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {{"openAPIV3Schema": {{"type": "object", "properties": {{"spec": spec}}}}}},
    }}
    names = {{"plural": "widgets", "singular": "widget", "kind": "Widget"}}
    definition = k8s.apiextensions.v1.CustomResourceDefinition(
        "widgets",
        metadata={{"name": f"widgets.{{group}}"}},
        spec={{"group": group, "scope": "Namespaced", "names": names, "versions": [version]}},
    )
    k8s.apiextensions.CustomResource(
        "widget",
        api_version=f"{{group}}/v1",
        kind="Widget",
        metadata={{"name": "widget"}},
        spec={{"{field}": "small"}},
        opts=Opts(depends_on=[definition]),
    )
"""

PAIRS = (
    Pair(
        "a-value-changes",
        before="""ConfigMap("settings", metadata={"name": "settings"}, data={"colour": "blue"})""",
        after="""ConfigMap("settings", metadata={"name": "settings"}, data={"colour": "red"})""",
    ),
    Pair(
        "a-secret-changes",
        before="""Secret("login", metadata={"name": "login"}, string_data={"password": "a"})""",
        after="""Secret("login", metadata={"name": "login"}, string_data={"password": "b"})""",
    ),
    Pair(
        "an-image-changes",
        before="""Deployment("web", metadata={"name": "web"}, spec=app("app:1"))""",
        after="""Deployment("web", metadata={"name": "web"}, spec=app("app:2"))""",
    ),
    Pair(
        "an-object-comes-and-one-goes",
        before="""
            ConfigMap("settings", metadata={"name": "settings"}, data={})
            ConfigMap("old", metadata={"name": "old"}, data={})
        """,
        after="""
            ConfigMap("settings", metadata={"name": "settings"}, data={})
            ConfigMap("new", metadata={"name": "new"}, data={})
        """,
    ),
    Pair(
        "a-resource-without-a-name-is-renamed",
        before="""Deployment("old", spec=app())""",
        after="""Deployment("new", spec=app())""",
    ),
    Pair(
        "a-resource-with-a-name-is-renamed-by-an-alias",
        before="""ConfigMap("old", metadata={"name": "settings"}, data={})""",
        after="""
            options = Opts(aliases=[pulumi.Alias(name="old")])
            ConfigMap("new", metadata={"name": "settings"}, data={}, opts=options)
        """,
    ),
    Pair(
        "labels-and-annotations-go",
        before="""
            metadata = {"name": "settings", "labels": {"tier": "web"}, "annotations": {"by": "me"}}
            ConfigMap("settings", metadata=metadata, data={})
        """,
        after="""ConfigMap("settings", metadata={"name": "settings"}, data={})""",
    ),
    Pair(
        "an-entry-of-a-list-goes",
        before="""
            ports = [{"name": "http", "port": 80}, {"name": "https", "port": 443}]
            k8s.core.v1.Service("web", metadata={"name": "web"}, spec={"ports": ports})
        """,
        after="""
            ports = [{"name": "http", "port": 80}]
            k8s.core.v1.Service("web", metadata={"name": "web"}, spec={"ports": ports})
        """,
    ),
    Pair(
        "an-object-goes-to-another-namespace",
        before="""
            other = k8s.core.v1.Namespace("other", metadata={"name": f"{here}-other"})
            ConfigMap("settings", metadata={"name": "settings"}, data={})
        """,
        after="""
            other = k8s.core.v1.Namespace("other", metadata={"name": f"{here}-other"})
            place = {"name": "settings", "namespace": other.metadata["name"]}
            ConfigMap("settings", metadata=place, data={})
        """,
    ),
    Pair(
        "a-kind-of-another-api-version",
        before="""
            target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
            k8s.autoscaling.v1.HorizontalPodAutoscaler(
                "web", metadata={"name": "web"}, spec={"maxReplicas": 3, "scaleTargetRef": target}
            )
        """,
        after="""
            target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
            k8s.autoscaling.v2.HorizontalPodAutoscaler(
                "web", metadata={"name": "web"}, spec={"maxReplicas": 4, "scaleTargetRef": target}
            )
        """,
    ),
    Pair(
        "a-large-definition-and-its-resource",
        before=_DEFINITION.format(field="size"),
        after=_DEFINITION.format(field="width"),
    ),
)
