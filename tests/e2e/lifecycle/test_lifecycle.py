"""What `pulumi up` does with a changed program, a sync of Argo CD does with it, too.

Each pair of programs is deployed twice, one version after the other: by the official engine with
the real provider, and by Argo CD through the plugin. What became of each object, and what is in
it then, is the same on both sides, or listed in `differences`.

No controller runs on this API server. So nothing here becomes ready or healthy, runs or scales:
what Pulumi awaits and what Argo CD's waves wait for is not compared, nor is the order and the time
of what happens in a deployment. What is being deleted counts as deleted.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests import toolchain
from tests.e2e.conftest import uncaptured
from tests.e2e.harness import rollouts
from tests.e2e.harness.api_server import INSTALLER, ApiServer
from tests.e2e.harness.argocd import ArgoCD
from tests.e2e.harness.workspace import Workspace
from tests.e2e.installation import Installation, installed
from tests.e2e.lifecycle.comparison import Sides, deployed, differing
from tests.e2e.lifecycle.deployers import SUCCEEDS, WAITS, Engine, Plugin
from tests.e2e.lifecycle.differences import BY_PAIR
from tests.e2e.lifecycle.pair import Files, Pair, project
from tests.e2e.lifecycle.pairs import PAIRS
from tests.render import official_engine

TOGETHER = [pair for pair in PAIRS if not pair.alone]
SELECTED = {
    "a-chart-has-a-newer-version",
    "a-component-moves-under-another-parent-by-an-alias",
    "a-large-definition-and-its-resource",
    "a-retained-object-is-dropped",
    "a-secret-changes",
    "an-autoscaler-has-scaled-what-stays-the-same",
    "an-object-comes-and-one-goes",
    "without-a-name-a-config-map-changes",
    "without-a-name-a-job-changes",
    "without-a-name-a-resource-is-renamed-by-an-alias",
}
"""What `make test` deploys: of each kind of change one."""
GROUPS = [
    pytest.param(lambda pair: pair.name in SELECTED, id="selected"),
    pytest.param(lambda pair: pair.name not in SELECTED, id="rest", marks=pytest.mark.long),
]
ALONE = [
    pytest.param(pair, id=pair.name, marks=pytest.mark.thorough) for pair in PAIRS if pair.alone
]

Differing = Callable[[Sequence[Pair]], dict[str, dict[str, Sides]]]


@pytest.fixture(scope="module")
def installation(
    argocd: ArgoCD, api_server: ApiServer, workspace: Workspace, tools: Mapping[str, Path]
) -> Iterator[Installation]:
    with installed(argocd, api_server, workspace, tools, config={}, secrets={}) as installation:
        yield installation


@pytest.fixture
def plugin(argocd: ArgoCD, installation: Installation) -> Iterator[Callable[..., Plugin]]:
    """Makes Applications."""
    made: list[Plugin] = []

    def make(name: str, **arguments: Any) -> Plugin:
        made.append(Plugin(argocd, name, installation.plugin_name, **arguments))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def differences(
    plugin: Callable[..., Plugin],
    api_server: ApiServer,
    pytestconfig: pytest.Config,
    tmp_path: Path,
) -> Differing:
    """Deploys pairs on both sides at once, and says in what they differ."""

    def run(pairs: Sequence[Pair]) -> dict[str, dict[str, Sides]]:
        name = pairs[0].name if len(pairs) == 1 else f"{len(pairs)}-pairs"
        kubeconfig = api_server.kubeconfig(INSTALLER, contexts=("local", "east", "west"))
        with uncaptured(pytestconfig):
            tools = toolchain.ensure(official_engine.parts(pairs[0].runtime))
        engine = Engine(tmp_path, name, tools=tools, kubeconfig=kubeconfig)
        ours = plugin(
            name,
            parameters=pairs[0].applications,
            rolled_out=[f"{Plugin.side}-{pair.name}" for pair in pairs],
        )
        with ThreadPoolExecutor() as pool:
            results = pool.map(lambda one: deployed(pairs, one, api_server.admin), (engine, ours))
            official, own = results
        found = {pair.name: differing(official[pair.name], own[pair.name]) for pair in pairs}
        return {name: sides for name, sides in found.items() if sides}

    return run


def listed(pairs: Sequence[Pair]) -> dict[str, dict[str, Sides]]:
    return {pair.name: dict(BY_PAIR[pair.name].sides) for pair in pairs if pair.name in BY_PAIR}


def test_names_tell_pairs_apart() -> None:
    names = sorted(pair.name for pair in PAIRS)
    assert not [b for a, b in itertools.pairwise(names) if b.startswith(a)]
    assert set(names) >= BY_PAIR.keys() | SELECTED


@pytest.mark.parametrize("belongs", GROUPS)
def test_pairs_that_succeed_differ_as_listed(
    differences: Differing, belongs: Callable[[Pair], bool]
) -> None:
    """Many at once, as one program: an engine starts once for all of them."""
    pairs = [pair for pair in TOGETHER if belongs(pair)]
    assert differences(pairs) == listed(pairs)


@pytest.mark.parametrize("pair", ALONE)
def test_a_pair_by_itself_differs_as_listed(differences: Differing, pair: Pair) -> None:
    assert differences([pair]) == listed([pair])


Alone = Callable[..., tuple[Plugin, Callable[[str], Files]]]


@pytest.fixture
def alone(plugin: Callable[..., Plugin], api_server: ApiServer) -> Alone:
    """Makes an Application and its namespace, and projects of one program for it."""

    def make(name: str, **parameters: str) -> tuple[Plugin, Callable[[str], Files]]:
        namespace = {"metadata": {"name": f"{Plugin.side}-{name}"}}
        api_server.admin.apply({"apiVersion": "v1", "kind": "Namespace", **namespace})
        return plugin(name, parameters=[parameters]), lambda text: project(
            [Pair(name, text, "")], "before"
        )

    return make


class TestConfirmation:
    KEPT = 'ConfigMap("kept", metadata={"name": "kept"}, data={}, opts=Opts(protect=True))'
    OTHER = 'ConfigMap("other", metadata={"name": "other"}, data={})'

    def test_protected_objects_stay_until_somebody_confirms(
        self, alone: Alone, api_server: ApiServer
    ) -> None:
        """First what a commit drops, then what an Application had."""
        ours, program = alone("confirmed")
        api = api_server.admin

        def names() -> set[str]:
            found = api.list("v1", "ConfigMap", namespace="argocd-confirmed")
            return {obj["metadata"]["name"] for obj in found}

        both, other = program(f"{self.KEPT}\n{self.OTHER}"), program(self.OTHER)
        assert ours.deploy(both)[0] == SUCCEEDS
        ended, said = ours.deploy(other)
        assert (ended, said) == (WAITS, "Waiting for pruning confirmation of v1/ConfigMap/kept")
        assert names() == {"kept", "other"}
        ours.confirm()
        application = ours.applications[0]
        application.wait_until_synced()
        assert names() == {"other"}

        assert ours.deploy(both)[0] == SUCCEEDS
        finalizer = ["resources-finalizer.argocd.argoproj.io"]
        # A confirmation counts for all that begins in its second: there must be none left.
        approved = {"argocd.argoproj.io/deletion-approved": None}
        application.patch({"metadata": {"finalizers": finalizer, "annotations": approved}})
        application.ask_for_deletion()
        with pytest.raises(TimeoutError):
            api.wait_for(lambda: "kept" not in names(), message=str, timeout=10)
        assert names() == {"kept", "other"}, "what is not protected waits, too"
        ours.confirm()
        api.wait_for(lambda: names() == set(), message=lambda: f"{names()} are left")


class TestOrder:
    """What `syncWaves: dependsOn` brings about, and why it is not the default."""

    PROJECT = """
name: shop
runtime: yaml
resources:
  database:
    type: kubernetes:apps/v1:Deployment
    properties:
      metadata: {{name: database}}
      spec:
        selector: {{matchLabels: {{app: database}}}}
        template:
          metadata: {{labels: {{app: database}}}}
          spec: {{containers: [{{name: database, image: "database:1"}}]}}
  after:
    type: kubernetes:core/v1:ConfigMap
    properties: {{metadata: {{name: after}}}}
    options: {{dependsOn: ["${{database}}"]}}
  other:
    type: kubernetes:core/v1:ConfigMap
    properties: {{metadata: {{name: other}}, data: {{n: {value}}}}}
"""

    def project(self, value: str) -> Files:
        return {
            "Pulumi.yaml": self.PROJECT.format(value=value),
            "Pulumi.dev.yaml": "config: {}\n",
        }

    def test_what_depends_on_an_object_waits_for_it_and_so_do_later_commits(
        self, alone: Alone, api_server: ApiServer
    ) -> None:
        ours, _ = alone("ordered", syncWaves="dependsOn")
        api, here = api_server.admin, "argocd-ordered"

        def values() -> dict[str, str]:
            found = api.list("v1", "ConfigMap", namespace=here)
            return {obj["metadata"]["name"]: obj.get("data", {}).get("n", "") for obj in found}

        ended, said = ours.deploy(self.project("first"))
        assert ended == WAITS
        assert "waiting for healthy state of" in said
        assert values() == {"other": "first"}
        ours.commit(self.project("second"))
        assert values() == {"other": "first"}, "a commit waits for the sync of the one before"
        rollouts.finish(api, here)
        ours.applications[0].wait_until_synced(revision=ours.revision)
        assert values() == {"other": "second", "after": ""}

    def test_without_it_everything_is_applied_at_once(self, alone: Alone) -> None:
        ours, _ = alone("unordered")
        assert ours.deploy(self.project("first"))[0] == SUCCEEDS
