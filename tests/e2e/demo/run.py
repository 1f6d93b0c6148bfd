"""The demo from beginning to end: at a desk at once, and in Argo CD when its parts are there."""

import io
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, redirect_stderr

from rich.console import Console

from tests import toolchain
from tests.e2e.demo import delivery, ending
from tests.e2e.demo.desk import PYTHON, TYPESCRIPT, YAML, Desk
from tests.e2e.demo.display import Display
from tests.e2e.demo.errors import DemoError
from tests.e2e.harness.image_packages import PackageError
from tests.e2e.harness.image_root import plugin_image
from tests.e2e.harness.pulumi_stack import ROOT
from tests.e2e.harness.workspace import Workspace
from tests.toolchain import Parts, ToolchainError
from tests.toolchain.progress import Step

Obtaining = Callable[..., AbstractContextManager[Parts]]

_PACKAGES = Step("The packages of the plugin's image", "", 40)
_STEPS = (
    Step(PYTHON.title, "", 4),
    Step(TYPESCRIPT.title, "", 8),
    _PACKAGES,
    delivery.START,
    Step(YAML.title, "", 6),
    delivery.INSTALL,
    delivery.DELIVER,
    delivery.CHANGE,
    delivery.BREAK,
    delivery.REMOVE,
)


def run(console: Console, obtaining: Obtaining = toolchain.obtaining) -> int:
    """Show everything and give the exit status.

    What stays is the cache and, after an error that nobody expects, the logs.
    """
    ending.adopt_orphans()
    with ExitStack() as stack:
        with ending.uninterrupted():
            workspace = stack.enter_context(_workspace(console))
        return _Demo(console, workspace).run(obtaining)


@contextmanager
def _workspace(console: Console) -> Iterator[Workspace]:
    """Make a workspace; at the end, nothing that runs in it and nothing of it is left."""
    workspace = Workspace()
    unexpected = True
    try:
        yield workspace
        unexpected = False
    except (KeyboardInterrupt, SystemExit):
        # The second is how the console ends when nobody reads any more, as in `| head`.
        unexpected = False
        raise
    finally:
        ending.uninterruptible()
        ending.end_children()
        workspace.close(keep_logs=unexpected)
        if unexpected:
            console.print(f"The demo failed. Logs: {workspace.logs}")


class _Demo:
    """What is begun first, and what waits for it."""

    def __init__(self, console: Console, workspace: Workspace) -> None:
        self._workspace = workspace
        self._display = Display(
            console, _STEPS, goal=delivery.DELIVER.name, reached="Argo CD delivers"
        )
        self._desk = Desk(workspace.folder("desk"), self._display)

    def run(self, obtaining: Obtaining) -> int:
        """Show everything and give the exit status."""
        try:
            with ExitStack() as stack:
                with ending.uninterrupted():
                    stack.enter_context(self._display.showing())
                    at_desk = self._render(stack)
                    parts = stack.enter_context(obtaining(toolchain.DEFAULT, report=self._display))
                self._show(stack, at_desk, parts)
        except (ToolchainError, PackageError) as error:
            self._display.problem(f"Rendering works, as shown. Argo CD cannot be started: {error}")
            return 1
        except DemoError as error:
            self._display.problem(f"The demo failed: {error}")
            return 1
        return 0

    def _render(self, stack: ExitStack) -> "Future[None]":
        """Begin at the desk, in the background."""
        worker = stack.enter_context(ThreadPoolExecutor(1))
        stack.callback(self._desk.shell.stop)
        return worker.submit(self._desk.show_first)

    def _show(self, stack: ExitStack, at_desk: "Future[None]", parts: Parts) -> None:
        try:
            # The first part tells whether there will be any.
            _ = parts[toolchain.DEFAULT[0]]
            # The step says all; whatever else is said would get in its way.
            with self._display.step(_PACKAGES.name), redirect_stderr(io.StringIO()):
                image = plugin_image(ROOT / "plugin_image")
            if not all(map(parts.ready, delivery.SERVERS)):
                # Nothing can be started beside it yet, and its errors are not to wait.
                at_desk.result()
            argocd = delivery.running(self._workspace, parts, self._display)
            delivers = stack.enter_context(argocd)
            at_desk.result()
            delivers.show_started()
            self._desk.show_yaml(parts)
            delivers.show(image)
        except (ToolchainError, PackageError):
            # What works is shown to its end.
            at_desk.result()
            raise
        finally:
            ending.uninterruptible()
            self._display.stopping()
