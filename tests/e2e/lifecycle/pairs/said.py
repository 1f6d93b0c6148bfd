"""What a program says about the life of its objects."""

from tests.e2e.lifecycle.pair import Pair

_OTHER = """ConfigMap("other", metadata={"name": "other"}, data={})"""

PAIRS = (
    Pair(
        "a-retained-object-is-dropped",
        before=f"""
            {_OTHER}
            options = Opts(retain_on_delete=True)
            ConfigMap("kept", metadata={{"name": "kept"}}, data={{}}, opts=options)
        """,
        after=_OTHER,
    ),
    Pair(
        "a-child-of-a-retained-component-is-dropped",
        before=f"""
            {_OTHER}
            options = Opts(retain_on_delete=True)
            part = pulumi.ComponentResource("shop:index:Part", "web", opts=options)
            ConfigMap("kept", metadata={{"name": "kept"}}, data={{}}, opts=Opts(parent=part))
        """,
        after=_OTHER,
    ),
    Pair(
        "a-protected-object-is-dropped",
        before=f"""
            {_OTHER}
            ConfigMap("kept", metadata={{"name": "kept"}}, data={{}}, opts=Opts(protect=True))
            ConfigMap("dropped", metadata={{"name": "dropped"}}, data={{}})
        """,
        after=_OTHER,
        fails=True,
    ),
    Pair(
        "a-protected-object-is-changed-in-place",
        before="""
            options = Opts(protect=True)
            Deployment("web", metadata={"name": "web"}, spec=app("app:1"), opts=options)
        """,
        after="""
            options = Opts(protect=True)
            Deployment("web", metadata={"name": "web"}, spec=app("app:2"), opts=options)
        """,
    ),
    Pair(
        "a-protected-config-map-is-changed",
        before="""
            options = Opts(protect=True)
            ConfigMap("kept", metadata={"name": "kept"}, data={"n": "1"}, opts=options)
        """,
        after="""
            options = Opts(protect=True)
            ConfigMap("kept", metadata={"name": "kept"}, data={"n": "2"}, opts=options)
        """,
        fails=True,
    ),
    Pair(
        "an-object-goes-with-the-one-that-it-is-deleted-with",
        before=f"""
            {_OTHER}
            host = ConfigMap("host", metadata={{"name": "host"}}, data={{}})
            options = Opts(deleted_with=host)
            ConfigMap("guest", metadata={{"name": "guest"}}, data={{}}, opts=options)
        """,
        after=_OTHER,
    ),
)
