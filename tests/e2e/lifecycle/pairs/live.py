"""What somebody else has changed in the cluster meanwhile."""

from tests.e2e.lifecycle.pair import LiveChange, Pair

_SCALED = """
    options = Opts({options})
    spec = app("app:{image}", replicas=3)
    Deployment("web", metadata={{"name": "web"}}, spec=spec, opts=options)
    target = {{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}
    k8s.autoscaling.v2.HorizontalPodAutoscaler(
        "web", metadata={{"name": "web"}}, spec={{"maxReplicas": 9, "scaleTargetRef": target}}
    )
"""
_FIVE = [LiveChange("apps/v1", "Deployment", "web", {"spec": {"replicas": 5}})]

PAIRS = (
    Pair(
        "somebody-else-annotates-and-labels",
        before="""ConfigMap("settings", metadata={"name": "settings"}, data={"n": "1"})""",
        live=[
            LiveChange(
                "v1",
                "ConfigMap",
                "settings",
                {"metadata": {"annotations": {"by": "them"}, "labels": {"by": "them"}}},
            )
        ],
        after="""ConfigMap("settings", metadata={"name": "settings"}, data={"n": "2"})""",
    ),
    Pair(
        "somebody-else-changes-a-value",
        before="""
            ConfigMap("settings", metadata={"name": "settings"}, data={"a": "1", "b": "1"})
        """,
        live=[LiveChange("v1", "ConfigMap", "settings", {"data": {"b": "live"}})],
        after="""
            ConfigMap("settings", metadata={"name": "settings"}, data={"a": "2", "b": "1"})
        """,
    ),
    Pair(
        "an-ignored-value-is-changed",
        before="""
            options = Opts(ignore_changes=["data.b"])
            data = {"a": "1", "b": "1"}
            ConfigMap("settings", metadata={"name": "settings"}, data=data, opts=options)
        """,
        live=[LiveChange("v1", "ConfigMap", "settings", {"data": {"b": "live"}})],
        after="""
            options = Opts(ignore_changes=["data.b"])
            data = {"a": "2", "b": "2"}
            ConfigMap("settings", metadata={"name": "settings"}, data=data, opts=options)
        """,
    ),
    Pair(
        "an-autoscaler-has-scaled-what-changes",
        before=_SCALED.format(image=1, options=""),
        live=_FIVE,
        after=_SCALED.format(image=2, options=""),
        fails=True,
    ),
    Pair(
        "an-autoscaler-has-scaled-what-stays-the-same",
        before=_SCALED.format(image=1, options=""),
        live=_FIVE,
        after=_SCALED.format(image=1, options=""),
    ),
    Pair(
        "an-autoscaler-has-scaled-what-is-ignored",
        before=_SCALED.format(image=1, options='ignore_changes=["spec.replicas"]'),
        live=_FIVE,
        after=_SCALED.format(image=2, options='ignore_changes=["spec.replicas"]'),
    ),
)
