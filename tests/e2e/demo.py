"""`make demo`: the main job once, on real parts, and what happened at each step.

Starts an API server and Argo CD on loopback, installs the plugin with `pulumi up`, lets
Argo CD deliver the guestbook from a Git repository, changes it, breaks it, and takes the
plugin out again. Nothing is left behind.
"""

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from rich.console import Console

from tests import toolchain
from tests.e2e.harness.api_server import INSTALLER, running_api_server
from tests.e2e.harness.argocd import DEPLOYMENT, NAMESPACE, ArgoCD, running_argocd
from tests.e2e.harness.image_root import plugin_image
from tests.e2e.harness.local_argocd import terminate_like_interrupt
from tests.e2e.harness.pulumi_stack import ROOT, PulumiStack
from tests.e2e.harness.workspace import Workspace
from tests.e2e.installation import CONFIG

_GUESTBOOK = ROOT / "examples" / "guestbook-python"
_APPLICATION = "guestbook"

console = Console(highlight=False)


def main() -> int:
    """Run the demo; Ctrl-C ends it cleanly."""
    terminate_like_interrupt()
    console.print("[bold]The real parts[/bold] (built from source on first use: about 20 minutes)")
    workspace = Workspace()
    finished = False
    try:
        tools = toolchain.ensure()
        with ExitStack() as parts:
            with step("Starting etcd, a Kubernetes API server and Argo CD on loopback"):
                server = parts.enter_context(running_api_server(workspace, tools))
                argocd = parts.enter_context(running_argocd(server, workspace, tools))
            demonstrate(argocd, server.kubeconfig(INSTALLER), workspace, tools)
        finished = True
    except KeyboardInterrupt:
        console.print("\nInterrupted; everything is stopped.")
        finished = True
        return 130
    finally:
        workspace.close(keep_logs=not finished)
        if not finished:
            console.print(f"The demo failed. Logs: {workspace.logs}")
    return 0


@contextmanager
def step(title: str) -> Iterator[None]:
    """Say what is being done, and afterwards how long it took to get there."""
    start = time.monotonic()
    console.print(f"\n[bold]{title}[/bold]")
    yield
    console.print(f"  [dim]{time.monotonic() - start:.1f} s[/dim]")


def demonstrate(
    argocd: ArgoCD, kubeconfig: Path, workspace: Workspace, tools: Mapping[str, Path]
) -> None:
    """Install, deliver, change, break, remove."""
    before = _spec(argocd)
    repository = argocd.repository(_APPLICATION)
    repository.copy(_GUESTBOOK)
    revision = repository.commit("The guestbook")
    with step("Installing the plugin: pulumi up"):
        stack = PulumiStack(
            workspace.folder("installer"),
            tools=tools,
            kubeconfig=kubeconfig,
            config={**CONFIG, "applications": [_application(repository.url)]},
        )
        _show_created(stack.up().require_success().output)
        outputs = stack.outputs()
        argocd.roll_out({outputs["containerName"]: plugin_image(ROOT / "plugin_image")})
        console.print(
            f"  Applications can now name the plugin [cyan]{outputs['pluginName']}[/cyan]"
        )
    application = argocd.application(_APPLICATION)
    with step("Argo CD delivers the guestbook, a Pulumi program in Git"):
        application.refresh()
        application.wait_until_synced(revision=revision)
        _show_objects(argocd)
    with step("A commit changes the program: three replicas"):
        stack_file = (_GUESTBOOK / "Pulumi.dev.yaml").read_text().replace('"1"', '"3"')
        revision = repository.commit("Three replicas", {"Pulumi.dev.yaml": stack_file})
        application.refresh()
        application.wait_until_synced(revision=revision)
        _show_objects(argocd)
    with step("A commit breaks the program: the objects stay, and Argo CD says why"):
        program = (_GUESTBOOK / "__main__.py").read_text()
        repository.commit(
            "Oops", {"__main__.py": program.replace("config.get_int", "config.get_it")}
        )
        application.refresh()
        message = application.conditions()["ComparisonError"]
        console.print(f"  [red]…{message[message.index('`renderer') :].splitlines()[0]}[/red]")
        _show_objects(argocd)
    with step("Taking the plugin out again: pulumi destroy"):
        argocd.stop_pod()
        stack.destroy().require_success()
        same = _spec(argocd) == before
        console.print(f"  {DEPLOYMENT} is {'exactly as it was' if same else 'NOT as it was'}")
        if not same:
            raise RuntimeError(f"{DEPLOYMENT} differs from before the installation")


def _application(url: str) -> dict[str, object]:
    return {
        "applicationName": _APPLICATION,
        "repoUrl": url,
        "path": ".",
        "targetRevision": "main",
        "destinationServer": "https://kubernetes.default.svc",
        "destinationNamespace": "default",
        "automated": True,
        "prune": True,
        "selfHeal": True,
    }


def _spec(argocd: ArgoCD) -> object:
    return argocd.api.get("apps/v1", "Deployment", DEPLOYMENT, namespace=NAMESPACE)["spec"]


def _show_created(output: str) -> None:
    for line in output.splitlines():
        if " created" in line and line.startswith(" + "):
            console.print(f"  [dim]{line.strip()}[/dim]")


def _show_objects(argocd: ArgoCD) -> None:
    deployment = argocd.api.get("apps/v1", "Deployment", "guestbook-ui", namespace="default")
    argocd.api.get("v1", "Service", "guestbook-ui", namespace="default")
    replicas = deployment["spec"]["replicas"]
    console.print(f"  live: Deployment guestbook-ui (replicas: {replicas}), Service guestbook-ui")


if __name__ == "__main__":
    sys.exit(main())
