"""What Kubernetes or Pulumi's provider does not change in place."""

from tests.e2e.lifecycle.pair import Pair

_CLAIM = """
    k8s.core.v1.PersistentVolumeClaim(
        "data",
        metadata={{"name": "data"}},
        spec={{
            "accessModes": ["{mode}"],
            "storageClassName": "fast",
            "resources": {{"requests": {{"storage": "1Gi"}}}},
        }},
    )
"""
_STATEFUL = """
    k8s.apps.v1.StatefulSet(
        "db", metadata={{"name": "db"}}, spec={{**app(), "serviceName": "{service}"}}
    )
"""
_BINDING = """
    k8s.rbac.v1.RoleBinding(
        "reads",
        metadata={{"name": "reads"}},
        role_ref={{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "{role}"}},
        subjects=[{{"kind": "ServiceAccount", "name": "default", "namespace": here}}],
    )
"""
_SERVICE = """
    spec = {{"ports": [{{"port": 80}}], {more}}}
    k8s.core.v1.Service("web", metadata={{"name": "web"}}, spec=spec)
"""
_POD = """
    containers = [{{"name": "app", "image": "app:1", "args": ["{word}"]}}]
    k8s.core.v1.Pod("once", metadata={{"name": "once"}}, spec={{"containers": containers}})
"""
_SELECTED = """
    spec = app()
    spec["selector"] = {{"matchLabels": {{"app": "app", **{more}}}}}
    spec["template"]["metadata"]["labels"] = spec["selector"]["matchLabels"]
    Deployment("web", metadata={{"name": "web"}}, spec=spec)
"""
_FIXED = """
    data = {{"n": "{n}"}}
    ConfigMap("settings", metadata={{"name": "settings"}}, data=data, immutable=True)
"""

PAIRS = (
    Pair(
        "a-job-with-a-name-changes",
        before="""Job("once", metadata={"name": "once"}, spec=task("app:1"))""",
        after="""Job("once", metadata={"name": "once"}, spec=task("app:2"))""",
        fails=True,
    ),
    Pair(
        "a-pod-with-a-name-changes",
        before=_POD.format(word="one"),
        after=_POD.format(word="two"),
        fails=True,
    ),
    Pair(
        "a-claim-changes-its-access-mode",
        before=_CLAIM.format(mode="ReadWriteOnce"),
        after=_CLAIM.format(mode="ReadWriteMany"),
        fails=True,
    ),
    Pair(
        "a-stateful-set-changes-its-service",
        before=_STATEFUL.format(service="db"),
        after=_STATEFUL.format(service="database"),
        fails=True,
    ),
    Pair(
        "a-binding-changes-its-role",
        before=_BINDING.format(role="reader"),
        after=_BINDING.format(role="viewer"),
    ),
    Pair(
        "a-service-becomes-headless",
        before=_SERVICE.format(more=""),
        after=_SERVICE.format(more='"clusterIP": "None"'),
        fails=True,
    ),
    Pair(
        "a-deployment-changes-its-selector",
        before=_SELECTED.format(more="{}"),
        after=_SELECTED.format(more='{"tier": "web"}'),
        fails=True,
    ),
    Pair(
        "an-immutable-config-map-changes",
        before=_FIXED.format(n=1),
        after=_FIXED.format(n=2),
        fails=True,
    ),
    Pair(
        "a-change-that-replaces-by-the-programs-own-word",
        before="""
            options = Opts(replace_on_changes=["metadata.labels"])
            ConfigMap("settings", metadata={"name": "settings"}, data={}, opts=options)
        """,
        after="""
            options = Opts(replace_on_changes=["metadata.labels"])
            metadata = {"name": "settings", "labels": {"tier": "web"}}
            ConfigMap("settings", metadata=metadata, data={}, opts=options)
        """,
    ),
    Pair(
        "an-object-is-deleted-before-it-is-replaced",
        before="""
            options = Opts(delete_before_replace=True)
            ConfigMap("settings", metadata={"name": "settings"}, data={"n": "1"}, opts=options)
        """,
        after="""
            options = Opts(delete_before_replace=True)
            ConfigMap("settings", metadata={"name": "settings"}, data={"n": "2"}, opts=options)
        """,
    ),
)
