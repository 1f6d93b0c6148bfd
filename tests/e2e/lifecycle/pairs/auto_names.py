"""Objects that the program gives no name, which a change replaces by new ones."""

from tests.e2e.lifecycle.pair import Pair

_CONFIG = """
    settings = ConfigMap("settings", data={{"n": "{n}"}})
    source = {{"configMapRef": {{"name": settings.metadata["name"]}}}}
    containers = [{{"name": "app", "image": "app:1", "envFrom": [source]}}]
    Deployment("web", metadata={{"name": "web"}}, spec=app(containers=containers))
"""
_SECRET = """Secret("login", string_data={{"password": "{password}"}})"""
_JOB = """Job("once", spec=task("app:{n}"))"""
_POD = """
    containers = [{{"name": "app", "image": "app:1", "args": ["{word}"]}}]
    k8s.core.v1.Pod("once", spec={{"containers": containers}})
"""

PAIRS = (
    Pair(
        "without-a-name-a-config-map-changes",
        before=_CONFIG.format(n=1),
        after=_CONFIG.format(n=2),
    ),
    Pair(
        "without-a-name-a-config-map-stays-the-same",
        before=_CONFIG.format(n=1),
        after=_CONFIG.format(n=1)
        + """
    ConfigMap("other", metadata={{"name": "other"}}, data={{}})
""".format(),
    ),
    Pair(
        "without-a-name-a-secret-changes",
        before=_SECRET.format(password="a"),
        after=_SECRET.format(password="b"),
    ),
    Pair("without-a-name-a-job-changes", before=_JOB.format(n=1), after=_JOB.format(n=2)),
    Pair(
        "without-a-name-a-job-goes-back",
        before=_JOB.format(n=1),
        between=_JOB.format(n=2),
        after=_JOB.format(n=1),
    ),
    Pair(
        "without-a-name-a-pod-changes",
        before=_POD.format(word="one"),
        after=_POD.format(word="two"),
    ),
    Pair(
        "without-a-name-a-resource-is-renamed-by-an-alias",
        before="""Deployment("old", spec=app())""",
        after="""Deployment("new", spec=app(), opts=Opts(aliases=[pulumi.Alias(name="old")]))""",
    ),
)
