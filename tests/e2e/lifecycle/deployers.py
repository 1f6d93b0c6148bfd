"""The two ways in which a program gets to the cluster: `pulumi up`, and Argo CD with the plugin."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from tests.e2e.harness import image_packages, rollouts
from tests.e2e.harness.applications import Application
from tests.e2e.harness.argocd import ArgoCD
from tests.e2e.harness.kubernetes_api import Object
from tests.e2e.harness.pulumi_cli import PulumiCli
from tests.e2e.harness.pulumi_stack import ROOT

SUCCEEDS, FAILS, WAITS = "succeeds", "fails", "waits"
"""How a deployment may end."""

_SECONDS = 600
_SYNC_POLICY = {
    "automated": {"prune": True, "selfHeal": True},
    # A kind that the same sync defines may need a second attempt; the default is five, slower ones.
    "retry": {"limit": 2, "backoff": {"duration": "2s"}},
}


class Deployer(Protocol):
    """One of them, for one program."""

    side: str
    """Its name, which begins the names of its namespaces."""

    def deploy(self, files: Mapping[str, str]) -> tuple[str, str]:
        """Deploy the program of these files instead of the one before.

        Returns how that ended, and what was said about it.
        """


class Engine:
    """The official engine with the real provider."""

    side = "pulumi"

    def __init__(
        self, folder: Path, name: str, *, tools: Mapping[str, Path], kubeconfig: Path
    ) -> None:
        self._program = folder / "program"
        self._program.mkdir()
        self._cli = PulumiCli(self._program, home=folder, tools=tools, kubeconfig=kubeconfig)
        self._settings = {"shop:side": self.side, "kubernetes:namespace": f"{self.side}-{name}"}
        self._written: set[str] = set()
        self._is_new = True
        modules = image_packages.node_modules(ROOT / "plugin_image")
        assert modules, "the image has packages for Node.js"
        (self._program / "node_modules").symlink_to(modules)

    def deploy(self, files: Mapping[str, str]) -> tuple[str, str]:
        for name in self._written - files.keys():
            (self._program / name).unlink()
        self._written = set(files)
        for name, content in files.items():
            path = self._program / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        if self._is_new:
            self._cli.run("stack", "init", "dev").require_success()
            self._is_new = False
        config = [part for key, text in self._settings.items() for part in ("-c", f"{key}={text}")]
        outcome = self._cli.run("up", "--yes", "--skip-preview", "--stack", "dev", *config)
        return FAILS if outcome.status else SUCCEEDS, outcome.output


class Plugin:
    """Argo CD, which syncs each commit by itself, prunes and heals."""

    side = "argocd"

    def __init__(
        self,
        argocd: ArgoCD,
        name: str,
        plugin_name: str,
        parameters: Sequence[Mapping[str, str]] = ({},),
        rolled_out: Sequence[str] = (),
    ) -> None:
        """One Application for each set of parameters.

        Where a sync waits for the health of workloads, those of the namespaces `rolled_out`
        become healthy.
        """
        self._argocd = argocd
        self._name = name
        self._rolled_out = rolled_out
        self._plugins = [_plugin(plugin_name, {"side": self.side}, more) for more in parameters]
        self._repository = argocd.repository(name)
        self._committed: set[str] = set()
        self.revision = ""
        """The last commit."""
        self.applications: list[Application] = []

    def deploy(self, files: Mapping[str, str]) -> tuple[str, str]:
        self.commit(files)
        ends = [self._end(application) for application in self.applications]
        return next((end for end in ends if end[0] != SUCCEEDS), ends[0])

    def commit(self, files: Mapping[str, str]) -> None:
        """Commit these files instead of those before, and let Argo CD see them."""
        gone = dict.fromkeys(self._committed - files.keys())
        self._committed = set(files)
        self.revision = self._repository.commit("change", {**gone, **files})
        self.applications = self.applications or [*self._create()]
        for application in self.applications:
            application.refresh(timeout=_SECONDS)

    def confirm(self) -> None:
        """Confirm the deletions that Argo CD waits with."""
        approved = {"argocd.argoproj.io/deletion-approved": datetime.now(UTC).isoformat()}
        self.applications[0].patch({"metadata": {"annotations": approved}})

    def close(self) -> None:
        """Delete the Applications, and leave what they delivered."""
        for application in self.applications:
            application.delete()

    def _create(self) -> Iterator[Application]:
        for i, plugin in enumerate(self._plugins):
            yield self._argocd.create_application(
                f"{self._name}-{i}" if i else self._name,
                repository=self._repository,
                plugin=plugin,
                destination_namespace=f"{self.side}-{self._name}",
                sync_policy=_SYNC_POLICY,
            )

    def _end(self, application: Application) -> tuple[str, str]:
        app = application.wait_for(
            self._is_done, what=f"done with {self.revision}", timeout=_SECONDS
        )
        return _ended(app, self.revision), _message(app)

    def _is_done(self, app: Object) -> bool:
        ended = _ended(app, self.revision)
        if ended == WAITS and "healthy state" in _message(app) and self._rolled_out:
            for namespace in self._rolled_out:
                rollouts.finish(self._argocd.api, namespace)
            return False
        return ended != ""


def _message(app: Object) -> str:
    return str(app.get("status", {}).get("operationState", {}).get("message", ""))


def _plugin(name: str, config: Mapping[str, str], more: Mapping[str, str]) -> dict[str, Any]:
    texts = [{"name": key, "string": text} for key, text in {"stack": "dev", **more}.items()]
    return {"name": name, "parameters": [*texts, {"name": "config", "map": dict(config)}]}


def _ended(app: Object, revision: str) -> str:
    """How the sync to the revision has ended, or nothing if it has not."""
    status = app.get("status", {})
    sync, operation = status.get("sync", {}), status.get("operationState", {})
    if sync.get("revision") != revision:
        return ""
    of_revision = operation.get("syncResult", {}).get("revision") == revision
    if "operation" in app:
        waits = "waiting for" in _message(app).lower()
        return WAITS if of_revision and waits else ""
    if of_revision and operation.get("phase") in ("Failed", "Error"):
        return FAILS
    if sync.get("status") == "Synced":
        return SUCCEEDS
    needs_pruning = [r for r in status.get("resources", []) if r.get("requiresPruning")]
    kept = of_revision and operation.get("phase") == "Succeeded" and needs_pruning
    return SUCCEEDS if kept else ""
