"""Argo CD delivers Pulumi programs by the installed plugin, and is never given a wrong set."""

import base64
import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from plugin_image import contract
from tests.e2e.harness.api_server import ARGOCD_CONTROLLER, OWN_USERS, ApiServer
from tests.e2e.harness.applications import Application
from tests.e2e.harness.argocd import ArgoCD
from tests.e2e.harness.containers import Container
from tests.e2e.harness.git_repository import GitRepository
from tests.e2e.harness.kubernetes_api import Object
from tests.e2e.harness.pulumi_stack import ROOT
from tests.e2e.harness.workspace import Workspace
from tests.e2e.installation import Installation, installed
from tests.render.corpus import share_go_caches
from tests.toolchain import cache

HEADER = "import pulumi\nimport pulumi_kubernetes as k8s\n\n"
TWO = (
    'k8s.core.v1.ConfigMap("one", data={"n": "1"})\nk8s.core.v1.ConfigMap("two", data={"n": "2"})\n'
)

TOKEN = "sidecar-token-59dc5d11"
PASSPHRASE = "correct-horse"
"""What the stack of the render case `encrypted-config-is-decrypted` is encrypted with."""
SIDECAR_ENV = {
    "AWS_ACCESS_KEY_ID": "AKIA-of-the-sidecar",
    "AWS_SECRET_ACCESS_KEY": "aws-of-the-sidecar",
    "KUBECONFIG": "/var/run/secrets/argocd-plugin/kubeconfig",
}

_BUILD_SECONDS = 900
_BUILD_AHEAD = """
set -e
cd "$(mktemp -d)"
echo {sources} | base64 -d | tar -xz
RENDERER_DEADLINE_SECONDS=890 renderer pulumi init
"""
"""As docs/troubleshooting.md has it."""

AUTOMATED = {"automated": {"prune": True, "selfHeal": True}}

_COLOUR = """
import os
colour = pulumi.Config("shop").require("colour")
sent = " ".join(sorted(os.listdir("..")))
k8s.core.v1.ConfigMap("colour", metadata={"name": "colour"}, data={"colour": colour, "sent": sent})
"""

BROKEN = {
    "syntax": ("if True\n", "the program failed: SyntaxError: expected ':' (__main__.py:4)"),
    "exception": (
        "raise ValueError('no such colour')\n",
        "the program failed: ValueError: no such colour (__main__.py:4)",
    ),
    "dependency": (
        "import not_there\n",
        "the program failed: ModuleNotFoundError: No module named 'not_there' (__main__.py:4)",
    ),
    "config": (
        "pulumi.Config().require('colour')\n",
        "the program failed: ConfigMissingError: Missing required configuration variable "
        "'shop:colour' (__main__.py:4)",
    ),
    "early-exit": (
        f"{TWO}import os\nos._exit(0)\n",
        "the program ended before all of its registrations were made, with exit status 0",
    ),
    "twice": (
        f"{TWO}k8s.core.v1.Service('three', metadata={{'name': 'one'}})\n"
        "k8s.core.v1.Service('one')\n",
        "Service 'three' (__main__.py:6) and Service 'one' (__main__.py:7) are the same object",
    ),
    "secret": (
        "k8s.core.v1.ConfigMap('one', data={'n': pulumi.Output.secret('hunter2-hunter2')})\n",
        "ConfigMap 'one' (__main__.py:4) has a secret value in data.n",
    ),
    "empty": ("", "the program registered no Kubernetes objects"),
}
"""Programs that replace a working one, and the words that must come first of all."""


@pytest.fixture(scope="module")
def intruder(api_server: ApiServer) -> tuple[str, str]:
    """A user who may do everything, and the kubeconfig that makes anyone this user."""
    anything = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]
    user = api_server.add_limited_user("intruder", namespace="default", rules=anything)
    return user, api_server.kubeconfig(user).read_text()


@pytest.fixture(scope="module")
def installation(
    argocd: ArgoCD,
    api_server: ApiServer,
    workspace: Workspace,
    tools: Mapping[str, Path],
    intruder: tuple[str, str],
) -> Iterator[Installation]:
    """The plugin, with a sidecar full of credentials that no program should see."""
    secrets = {
        "credentialsEnv.GITHUB_TOKEN": TOKEN,
        "credentialsEnv.PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
        "credentialsFiles.kubeconfig": intruder[1],
    }
    with installed(
        argocd, api_server, workspace, tools, config={"env": SIDECAR_ENV}, secrets=secrets
    ) as installation:
        yield installation


class Delivery:
    """One Application of its own repository and namespace."""

    def __init__(self, argocd: ArgoCD, plugin_name: str, name: str) -> None:
        self.argocd = argocd
        self.plugin = {"name": plugin_name}
        self.name = name
        self.repository: GitRepository = argocd.repository(name)
        self._application: Application | None = None

    def commit(self, files: Mapping[str, str | None]) -> str:
        """Commit files of a Python program beside what is there."""
        project = {
            "Pulumi.yaml": "name: shop\nruntime: python\n",
            "Pulumi.dev.yaml": "config: {}\n",
        }
        missing = {k: v for k, v in project.items() if not (self.repository.folder / k).exists()}
        return self.repository.commit("change", {**missing, **files})

    def program(self, text: str) -> str:
        """Commit the program."""
        return self.commit({"__main__.py": HEADER + textwrap.dedent(text)})

    def application(self, plugin: Mapping[str, Any] | None = None) -> Application:
        """The Application, which syncs by itself, prunes and heals."""
        if self._application is None:
            self._application = self.argocd.create_application(
                self.name,
                repository=self.repository,
                plugin={**self.plugin, **(plugin or {})},
                destination_namespace=self.name,
                sync_policy={**AUTOMATED, "syncOptions": ["CreateNamespace=true"]},
            )
        return self._application

    def synced(self, plugin: Mapping[str, Any] | None = None) -> Application:
        """The Application, once it is synced to the newest commit."""
        revision = self.repository.commit("head")
        application = self.application(plugin)
        application.refresh()
        application.wait_until_synced(revision=revision)
        return application

    def objects(self, kind: str = "ConfigMap", api_version: str = "v1") -> dict[str, Object]:
        """The live objects of the Application, by name."""
        found = self.argocd.api.list(api_version, kind, namespace=self.name)
        return {
            obj["metadata"]["name"]: obj
            for obj in found
            if "argocd.argoproj.io/tracking-id" in obj["metadata"].get("annotations", {})
            or obj["metadata"].get("labels", {}).get("app.kubernetes.io/instance") == self.name
        }

    def uids(self) -> dict[str, str]:
        """Which objects exist, so that one deleted and made again is told apart."""
        return {name: obj["metadata"]["uid"] for name, obj in self.objects().items()}


@pytest.fixture
def delivery(
    argocd: ArgoCD, installation: Installation, request: pytest.FixtureRequest
) -> Iterator[Callable[[str], Delivery]]:
    made: list[Delivery] = []

    def make(name: str) -> Delivery:
        made.append(Delivery(argocd, installation.plugin_name, name))
        return made[-1]

    yield make
    for one in made:
        if one._application is not None:
            one._application.delete()


Make = Callable[[str], Delivery]


class TestDelivery:
    @pytest.mark.parametrize(
        "language",
        [
            "python",
            *(
                pytest.param(name, marks=pytest.mark.long)
                for name in ("typescript", "yaml", "helm")
            ),
        ],
    )
    def test_an_example_becomes_live_objects_that_refreshes_leave_alone(
        self, argocd: ArgoCD, installation: Installation, delivery: Make, language: str
    ) -> None:
        guestbook = delivery(f"guestbook-{language}")
        guestbook.repository.copy(ROOT / "examples" / f"guestbook-{language}")
        guestbook.repository.commit("guestbook")
        if language == "typescript":
            # On a busy machine npm may take longer than Argo CD waits.
            _build_ahead(guestbook.repository.folder, argocd.sidecar(installation.container_name))
        application = guestbook.synced()
        before = _identities(guestbook)
        assert {name for _, name, _ in before} == {"guestbook-ui"}, "see the example's program"
        assert {kind for kind, _, _ in before} == {"Deployment", "Service"}
        for _ in range(3):
            app = application.refresh()
            assert app["status"]["sync"]["status"] == "Synced"
        assert _identities(guestbook) == before

    @pytest.mark.long
    def test_a_go_program_is_delivered_once_it_is_built(
        self, argocd: ArgoCD, installation: Installation, delivery: Make
    ) -> None:
        """The first build takes longer than Argo CD waits, so it is made ahead."""
        guestbook = delivery("guestbook-go")
        guestbook.repository.copy(ROOT / "examples" / "guestbook-go")
        guestbook.repository.commit("guestbook")
        sidecar = argocd.sidecar(installation.container_name)
        _bring(_built_outside(guestbook.repository.folder), sidecar)
        _build_ahead(guestbook.repository.folder, sidecar)
        guestbook.synced()
        assert {name for _, name, _ in _identities(guestbook)} == {"guestbook-ui"}

    @pytest.mark.long
    def test_yaml_files_and_kustomizations_are_delivered(self, delivery: Make) -> None:
        shop = delivery("from-files")
        config_map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\n"
        shop.commit(
            {
                "files/plain.yaml": config_map,
                "overlay/kustomization.yaml": "resources: [base.yaml]\nnamePrefix: shop-\n",
                "overlay/base.yaml": config_map.replace("plain", "based"),
            }
        )
        shop.program(
            """
            k8s.yaml.v2.ConfigGroup("files", files=["files/*.yaml"])
            k8s.kustomize.Directory("overlay", "overlay")
            """
        )
        shop.synced()
        assert shop.uids().keys() == {"plain", "shop-based"}

    def test_a_program_finds_what_the_application_says_that_it_is_made_from(
        self, delivery: Make
    ) -> None:
        """Argo CD then sends no more of the repository, and no `.git`."""
        shop = delivery("part")
        shop.repository.commit(
            "a monorepo",
            {
                "other/README.md": "",
                "apps/lib/Pulumi.dev.yaml": 'config: {"shop:colour": red}\n',
                "apps/shop/Pulumi.yaml": "name: shop\nruntime: python\n",
                "apps/shop/__main__.py": f"{HEADER}{_COLOUR}",
            },
        )
        (shop.repository.folder / "apps/shop/Pulumi.dev.yaml").symlink_to("../lib/Pulumi.dev.yaml")
        revision = shop.repository.commit("a link")
        application = shop.argocd.create_application(
            shop.name,
            repository=shop.repository,
            path="apps/shop",
            plugin=shop.plugin,
            destination_namespace=shop.name,
            sync_policy={**AUTOMATED, "syncOptions": ["CreateNamespace=true"]},
            annotations={"argocd.argoproj.io/manifest-generate-paths": ".;../lib"},
        )
        application.wait_until_synced(revision=revision)
        assert shop.objects()["colour"]["data"] == {"colour": "red", "sent": "lib shop"}

    def test_a_commit_changes_adds_and_prunes_objects(self, delivery: Make) -> None:
        shop = delivery("changing")
        shop.program(
            """
            k8s.core.v1.ConfigMap("one", metadata={"name": "one"}, data={"n": "1"})
            k8s.core.v1.ConfigMap("two", metadata={"name": "two"}, data={"n": "2"})
            """
        )
        shop.synced()
        first = shop.uids()
        shop.program(
            """
            k8s.core.v1.ConfigMap("two", metadata={"name": "two"}, data={"n": "changed"})
            k8s.core.v1.ConfigMap("three", data={})
            """
        )
        shop.synced()
        assert shop.uids().keys() == {"two", "three"}, "`one` is pruned, `three` is added"
        assert shop.uids()["two"] == first["two"], "`two` is changed in place"
        assert shop.objects()["two"]["data"] == {"n": "changed"}

    @pytest.mark.long
    def test_stack_configuration_and_parameters_come_from_the_application(
        self, delivery: Make
    ) -> None:
        shop = delivery("configured")
        stack = "config:\n  shop:size: from the stack\n  shop:place: from the stack\n"
        shop.commit({"Pulumi.prod.yaml": stack})
        shop.program("""
            config = pulumi.Config()
            data = {key: config.require(key) for key in ("size", "place")}
            data["stack"] = pulumi.get_stack()
            k8s.core.v1.ConfigMap("settings", metadata={"name": "settings"}, data=data)
        """)
        shop.synced(
            {
                "env": [{"name": "PULUMI_STACK", "value": "prod"}],
                "parameters": [{"name": "config", "map": {"size": "from the Application"}}],
            }
        )
        assert shop.objects()["settings"]["data"] == {
            "size": "from the Application",
            "place": "from the stack",
            "stack": "prod",
        }

    @pytest.mark.long
    def test_a_secret_of_the_stack_arrives_in_a_secret_and_nowhere_else(
        self, delivery: Make
    ) -> None:
        shop = delivery("secretive")
        case = ROOT / "tests" / "render" / "cases" / "encrypted-config-is-decrypted"
        shop.repository.copy(case)
        (shop.repository.folder / "options.json").unlink()
        shop.synced({"env": [{"name": "PULUMI_STACK", "value": "dev"}]})
        (login,) = shop.objects("Secret").values()
        password = login["data"]["password"]
        assert base64.b64decode(password) == b"battery-staple-77"


class TestBrokenPrograms:
    """The cause is told right after Argo CD's own words, and every live object stays."""

    @pytest.mark.parametrize(
        "name",
        [
            name if name == "exception" else pytest.param(name, marks=pytest.mark.long)
            for name in BROKEN
        ],
    )
    def test_a_commit_that_breaks_the_program_is_told_and_changes_nothing(
        self, delivery: Make, name: str
    ) -> None:
        program, cause = BROKEN[name]
        shop = delivery(f"broken-{name}")
        shop.program(TWO)
        application = shop.synced()
        before = shop.uids()
        shop.commit({"__main__.py": HEADER + program})
        application.refresh()
        message = application.conditions()["ComparisonError"]
        assert f"failed exit status 1: {cause}" in message
        assert "hunter2" not in message
        assert shop.uids() == before

    @pytest.mark.long
    def test_zero_objects_are_delivered_where_the_application_allows_it(
        self, delivery: Make
    ) -> None:
        shop = delivery("emptied")
        shop.program(TWO)
        application = shop.synced({"parameters": [{"name": "allowEmpty", "string": "true"}]})
        shop.program("")
        application.refresh()
        assert "ComparisonError" not in application.conditions()

    @pytest.mark.long
    def test_what_a_program_and_its_children_print_is_not_delivered(self, delivery: Make) -> None:
        shop = delivery("talkative")
        shop.program(
            """
            import subprocess

            print("kind: ConfigMap")
            subprocess.run(["sh", "-c", "echo apiVersion: v1; sleep 100 & echo kind: Secret"])
            k8s.core.v1.ConfigMap("one", data={})
            """
        )
        shop.synced()
        assert shop.uids().keys() == {"one"}


AUTOSCALED = """
labels = {"app": "web"}
ports = [{"containerPort": 8080}]
k8s.apps.v1.Deployment(
    "web",
    metadata={"annotations": {"example.com/by": "the program"}},
    spec={
        "replicas": 3,
        "selector": {"matchLabels": labels},
        "template": {
            "metadata": {"labels": labels},
            "spec": {"containers": [{"name": "web", "image": "web:1", "ports": ports}]},
        },
    },
    opts=pulumi.ResourceOptions(
        ignore_changes=[
            "spec.template.spec.containers[*].image",
            'metadata.annotations["example.com/by"]',
        ]
    ),
)
target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
k8s.autoscaling.v2.HorizontalPodAutoscaler("web", spec={"maxReplicas": 9, "scaleTargetRef": target})
"""


class TestFieldsLeftToTheCluster:
    """What an autoscaler or anybody else writes into them, with self-heal and later syncs."""

    def test_they_are_set_back_without_what_the_renderer_prints_and_left_alone_with_it(
        self, delivery: Make
    ) -> None:
        shop = delivery("autoscaled")
        shop.program(AUTOSCALED)
        application = shop.synced()
        assert _left_to_the_cluster(shop) == (3, "web:1", "the program"), "a new object has all"
        _write(shop, replicas=7)
        application.wait_for(
            lambda _: _left_to_the_cluster(shop)[0] == 3,
            what="healed: the replicas are those of Git",
        )

        printed = _printed(shop.repository.folder)
        options = ["CreateNamespace=true", *printed["syncPolicy"]["syncOptions"]]
        ignored = {"ignoreDifferences": printed["ignoreDifferences"]}
        application.patch({"spec": {**ignored, "syncPolicy": {"syncOptions": options}}})
        _write(shop, replicas=7, image="web:2", by="somebody")
        written = (7, "web:2", "somebody")
        for _ in range(3):
            app = application.refresh()
            assert app["status"]["sync"]["status"] == "Synced", "there is nothing to heal"
            assert _left_to_the_cluster(shop) == written

        shop.program(AUTOSCALED.replace("8080", "9090").replace('"replicas": 3', '"replicas": 4'))
        shop.synced()
        assert _left_to_the_cluster(shop) == written
        [container] = _deployment(shop)["spec"]["template"]["spec"]["containers"]
        assert container["ports"][0]["containerPort"] == 9090, "the rest of the commit arrives"


def _deployment(delivery: Delivery) -> Object:
    return delivery.argocd.api.get("apps/v1", "Deployment", "web", namespace=delivery.name)


def _left_to_the_cluster(delivery: Delivery) -> tuple[int, str, str]:
    live = _deployment(delivery)
    [container] = live["spec"]["template"]["spec"]["containers"]
    by = live["metadata"]["annotations"]["example.com/by"]
    return live["spec"]["replicas"], container["image"], by


def _write(delivery: Delivery, *, replicas: int, image: str = "", by: str = "") -> None:
    """Change the live Deployment as others do."""
    [container] = _deployment(delivery)["spec"]["template"]["spec"]["containers"]
    spec: dict[str, Any] = {"replicas": replicas}
    if image:
        spec["template"] = {"spec": {"containers": [{**container, "image": image}]}}
    patch = {"spec": spec, **({"metadata": {"annotations": {"example.com/by": by}}} if by else {})}
    delivery.argocd.api.patch("apps/v1", "Deployment", "web", patch, namespace=delivery.name)


def _printed(program: Path) -> dict[str, Any]:
    """What `renderer pulumi ignore-differences` prints of a program."""
    renderer = ROOT / "plugin_image" / "bin" / "renderer"
    command = [sys.executable, str(renderer), "pulumi", "ignore-differences", str(program)]
    printed: dict[str, Any] = yaml.safe_load(subprocess.check_output(command))
    return printed


class TestNothingLeaks:
    def test_a_program_finds_no_credentials_and_calls_no_cluster(
        self,
        delivery: Make,
        installation: Installation,
        api_server: ApiServer,
        intruder: tuple[str, str],
    ) -> None:
        shop = delivery("curious")
        user, kubeconfig = intruder
        shop.commit({"kubeconfig": kubeconfig})
        mark = api_server.audit.mark()
        shop.program(
            """
            import json
            import os
            from pathlib import Path

            live = k8s.Provider("live", kubeconfig=Path("kubeconfig").read_text())
            k8s.core.v1.ConfigMap(
                "seen",
                metadata={"name": "seen"},
                data={"environment": json.dumps(dict(os.environ))},
                opts=pulumi.ResourceOptions(provider=live),
            )
            """
        )
        shop.synced()
        environment = json.loads(shop.objects()["seen"]["data"]["environment"])
        sidecar = {"GITHUB_TOKEN", "PULUMI_CONFIG_PASSPHRASE", *SIDECAR_ENV}
        assert not sidecar & environment.keys()
        text = json.dumps(environment)
        assert not [value for value in (TOKEN, PASSPHRASE, *SIDECAR_ENV.values()) if value in text]
        callers = {event.user for event in api_server.audit.since(mark)}
        assert user not in callers, "the program reached the API server"
        assert callers <= {ARGOCD_CONTROLLER, *OWN_USERS}

    def test_the_sidecar_has_the_credentials_that_it_was_given(
        self, argocd: ArgoCD, installation: Installation
    ) -> None:
        sidecar = argocd.sidecar(installation.container_name)
        seen = sidecar.execute(
            ["sh", "-c", "echo $GITHUB_TOKEN; test -r $KUBECONFIG && echo readable"]
        )
        assert seen.output.split() == [TOKEN, "readable"]

    def test_credentials_are_nowhere_in_plain(
        self,
        argocd: ArgoCD,
        installation: Installation,
        workspace: Workspace,
        intruder: tuple[str, str],
    ) -> None:
        pod = argocd.api.get("apps/v1", "Deployment", "argocd-repo-server", namespace="argocd")
        config_maps = argocd.api.list("v1", "ConfigMap", namespace="argocd")
        logs = "".join(
            p.read_text(errors="replace") for p in workspace.logs.rglob("*") if p.is_file()
        )
        places = {
            "the state": installation.stack.export(),
            "the pod spec": json.dumps(pod),
            "ConfigMaps": json.dumps(config_maps),
            "logs": logs,
        }
        assert len(logs) > 10_000, "these are not the logs"
        kubeconfig_token = intruder[1].partition("token: ")[2].split()[0]
        for secret in (TOKEN, PASSPHRASE, kubeconfig_token):
            assert [place for place, text in places.items() if secret in text] == []


def _identities(delivery: Delivery) -> set[tuple[str, str, str]]:
    """Kind, name and uid of every live object that the guestbook is made of."""
    kinds = {"Deployment": "apps/v1", "Service": "v1", "ConfigMap": "v1", "Secret": "v1"}
    return {
        (kind, name, obj["metadata"]["uid"])
        for kind, api_version in kinds.items()
        for name, obj in delivery.objects(kind, api_version).items()
    }


def _build_ahead(program: Path, sidecar: Container) -> None:
    """Install and compile what a program needs before Argo CD asks for it."""
    done = sidecar.execute(
        ["sh", "-c", _BUILD_AHEAD.format(sources=_archive(program))], timeout=_BUILD_SECONDS
    )
    assert not done.status, done.output


def _built_outside(program: Path) -> Path:
    """Build a Go program with what this machine has compiled already; return where it is kept.

    In the sidecar, whose cache is empty, the SDK alone takes minutes.
    """
    kept = cache.folder() / "go-programs"
    share_go_caches(kept)
    subprocess.run(
        [sys.executable, ROOT / "plugin_image" / "bin" / "renderer", "pulumi", "init"],
        cwd=program,
        env={
            **os.environ,
            "RENDERER_CACHE_DIR": str(kept),
            "RENDERER_DEADLINE_SECONDS": str(_BUILD_SECONDS),
        },
        check=True,
    )
    return kept / "go"


def _bring(programs: Path, sidecar: Container) -> None:
    """Copy built programs to where the renderer in the sidecar looks for its own."""
    root = Path(f"/proc/{sidecar.process.signalled_pid}/root")
    there = root / contract.CACHE_DIR.lstrip("/") / "go"
    shutil.copytree(programs, there)
    for path in (there, *there.rglob("*")) if os.geteuid() == 0 else ():
        os.chown(path, contract.CMP_UID, contract.CMP_UID)


def _archive(folder: Path) -> str:
    """The committed files as a shell word: a tar file, compressed, in base64."""
    archive = subprocess.check_output(["git", "archive", "--format=tar.gz", "HEAD"], cwd=folder)
    return base64.b64encode(archive).decode()
