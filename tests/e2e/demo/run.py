"""The demo from beginning to end: at a desk at once, and in Argo CD when its parts are there."""

import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, redirect_stderr

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
_PARTS = (*delivery.SERVERS, *delivery.INSTALLERS[:2], *YAML.tools)


def run(console: Console, obtaining: Obtaining = toolchain.obtaining) -> int:
    """Show everything and give the exit status.

    What stays is the cache and, after an error that nobody expects, the logs.
    """
    ending.adopt_orphans()
    workspace = Workspace()
    unexpected = True
    try:
        status = _shown(console, workspace, obtaining)
        unexpected = False
    except KeyboardInterrupt:
        unexpected = False
        raise
    finally:
        ending.uninterruptible()
        ending.end_children()
        workspace.close(keep_logs=unexpected)
        if unexpected:
            console.print(f"The demo failed. Logs: {workspace.logs}")
    return status


def _shown(console: Console, workspace: Workspace, obtaining: Obtaining) -> int:
    display = Display(console, _STEPS, goal=delivery.DELIVER.name, reached="Argo CD delivers")
    try:
        with display.showing():
            _show(display, workspace, obtaining)
    except (ToolchainError, PackageError) as error:
        display.problem(f"Rendering works, as shown. Argo CD cannot be started: {error}")
        return 1
    except DemoError as error:
        display.problem(f"The demo failed: {error}")
        return 1
    return 0


def _show(display: Display, workspace: Workspace, obtaining: Obtaining) -> None:
    desk = Desk(workspace.folder("desk"), display)
    with ExitStack() as stack:
        at_desk = stack.enter_context(ThreadPoolExecutor(1)).submit(desk.show_first)
        stack.callback(desk.shell.stop)
        try:
            parts = stack.enter_context(obtaining(_PARTS, report=display))
            if not all(map(parts.ready, delivery.SERVERS)):
                # Nothing can be started beside it yet, and its errors are not to wait.
                at_desk.result()
            # The first part tells whether there will be any.
            _ = parts[_PARTS[0]]
            # The step says all; whatever else is said would get in its way.
            with display.step(_PACKAGES.name), redirect_stderr(io.StringIO()):
                image = plugin_image(ROOT / "plugin_image")
            delivers = stack.enter_context(delivery.running(workspace, parts, display))
            at_desk.result()
            delivers.show_started()
            desk.show_yaml(parts)
            delivers.show(image)
        except (ToolchainError, PackageError):
            # What works is shown to its end.
            at_desk.result()
            raise
        finally:
            ending.uninterruptible()
            display.stopping()
