"""One render from beginning to end: a folder in, a manifest stream or an error out."""

import importlib
import os
from pathlib import Path
from typing import Protocol, cast

from plugin_image.renderer import documents
from plugin_image.renderer.bounds import bounded, scratch_folder
from plugin_image.renderer.errors import (
    ProgramError,
    ProjectError,
    RefusedError,
    RenderError,
    UsageError,
)
from plugin_image.renderer.manifests import Manifest
from plugin_image.renderer.pulumi import (
    environment,
    hosts,
    manifests,
    operator,
    pulumi_cli,
    redaction,
    stacks,
)
from plugin_image.renderer.pulumi.dependencies import Cache
from plugin_image.renderer.pulumi.monitor import naming
from plugin_image.renderer.pulumi.monitor.recording import Recording
from plugin_image.renderer.pulumi.options import Options
from plugin_image.renderer.pulumi.program import Program, Run
from plugin_image.renderer.pulumi.project import (
    Configuration,
    Project,
    choose_stack,
    load_configuration,
    load_project,
)
from plugin_image.renderer.pulumi.stacks import Stacks
from plugin_image.renderer.settings import Settings
from plugin_image.renderer.supervise import Deadline

_HOSTS = ("python", "nodejs", "go", "yaml")
"""Runtimes of Pulumi.yaml, each a module of `hosts`."""


_PACKAGES = "requirements.txt, or to pyproject.toml and uv.lock"
_REMEDIES = {
    "Missing required configuration variable": "set it in the stack's file or in the "
    "Application's plugin parameter `config`",
    "the Pulumi SDK is not installed": f"add pulumi to {_PACKAGES}",
    "Pulumi SDK": "use pulumi 3.113.0 or newer",
    "no resource plugin": "keep resources of other providers in a stack of their own that "
    "`pulumi up` deploys, and pass its outputs as configuration",
    "ModuleNotFoundError": f"add the package to {_PACKAGES}",
    "MemoryError": "make the program smaller, or raise the plugin's memory limit",
    "Cannot find module": "add the package to package.json, and commit a package-lock.json",
    "was still running when the program ended": "await it, or make it an output "
    "(pulumi.Output.from_input); cancel what makes no resources",
    "was never awaited": "await it, or make it an output (pulumi.Output.from_input); close() "
    "what is not needed",
    "is made after the end of the program": "await what makes it, or make that an output "
    "(pulumi.Output.from_input)",
    "is made in another thread": "make resources in the main thread; threads may compute what "
    "goes into them",
}


class Host(Protocol):
    """A language host: one module of `hosts`."""

    def install(self, root: Path, cache: Cache) -> Path:
        """Install the program's dependencies; give where they are."""

    def run(self, program: Program, installed: Path, deadline: Deadline) -> Run:
        """Run the program with what `install` gave, to its end or to the deadline."""


def render(root: Path, options: Options, settings: Settings) -> str:
    """The manifest stream of the program in `root`, complete. Raises what `objects` raises."""
    return documents.to_stream(objects(root, options, settings))


def objects(root: Path, options: Options, settings: Settings) -> list[Manifest]:
    """The objects of the program in `root`, all of them.

    Raises RenderError, whose report holds no secret.
    """
    deadline = Deadline(settings.deadline_seconds)
    project = load_project(root.resolve())
    stack = choose_stack(project, options.stack)
    if options.mode == "operator":
        return [operator.stack(options.application, stack, options.config, options.stack_spec)]
    if options.stack_spec:
        raise UsageError(
            "`stackSpec` is for the mode `operator` only",
            fix="set the plugin parameter `mode` to operator, or leave `stackSpec` out",
        )
    host = _host(project)
    configuration = load_configuration(project, stack, options.config, settings.passphrase)
    _require_naming(project, stack, configuration)
    readable = pulumi_cli.has_backend(os.environ)
    with bounded(settings, deadline) as scratch:
        others = Stacks(scratch)
        program = Program(
            project=project,
            stack=stack,
            configuration=configuration,
            namespace=options.namespace,
            env=environment.for_program(os.environ, scratch, settings.passed_env),
            scratch=scratch,
            cache=settings.cache,
            ignore_foreign=options.ignore_foreign,
            read_stack=others.read if readable else stacks.refuse,
            reads_stacks=readable,
        )
        installed = host.install(project.root, Cache(settings.cache, scratch, deadline))
        run = host.run(program, installed, deadline)
    recording = Recording.of(run.events)
    secrets = [*configuration.secrets(), *redaction.secrets_of(recording), *others.secrets]
    try:
        _require_success(recording, run)
        return manifests.build(recording, options)
    except RenderError as error:
        raise error.redacted(lambda text: redaction.redact(text, secrets)) from None


def _require_naming(project: Project, stack: str, configuration: Configuration) -> None:
    """Raise ProjectError when `pulumi:autonaming` is wrong, before anything is started."""
    try:
        naming.namer(
            configuration.values,
            organization=Program.ORGANIZATION,
            project=project.name,
            stack=stack,
        )
    except ValueError as error:
        raise ProjectError(f"pulumi:autonaming of stack {stack!r} is wrong: {error}") from error


def install(root: Path, settings: Settings) -> None:
    """Install the dependencies of the program in `root` ahead of its renders."""
    deadline = Deadline(settings.deadline_seconds)
    project = load_project(root.resolve())
    with scratch_folder() as scratch:
        _host(project).install(project.root, Cache(settings.cache, scratch, deadline))


def _host(project: Project) -> Host:
    """The language host of the project. Raises ProjectError for a language that has none."""
    if project.runtime not in _HOSTS:
        raise ProjectError(
            f"programs in {project.runtime} are not rendered", fix=f"use one of {', '.join(_HOSTS)}"
        )
    # Imported by name: the host of one language does not wait for what another one needs.
    return cast(Host, importlib.import_module(f"{hosts.__name__}.{project.runtime}"))


def _require_success(recording: Recording, run: Run) -> None:
    """Raise what stopped the program: our refusal first, for it causes all the others."""
    ended = run.ended
    errors = [message.text for message in recording.messages if message.severity == "error"]
    details = "\n".join([*errors, ended.output])
    if recording.refusals:
        summary, fix = recording.refusals[0]
        raise RefusedError(summary, fix=fix)
    ended.in_time()
    if run.failure:
        place = f" ({run.failure.place})" if run.failure.place else ""
        raise ProgramError(
            f"the program failed: {run.failure.text}{place}",
            fix=_remedy(run.failure.text),
            details=f"{run.failure.traceback}\n{ended.output}",
        )
    if ended.status:
        said = next(filter(None, map(str.strip, details.splitlines())), "it said nothing")
        raise ProgramError(f"the program {ended.how()}: {said}", details=details)
    if not recording.finished:
        raise ProgramError(
            "the program ended before all of its registrations were made, with exit status 0",
            fix="remove the call that ends the process early (sys.exit, os._exit, process.exit)",
            details=details,
        )
    if not recording.exported:
        raise ProgramError(
            "the program waits for what never comes, and so do its objects",
            fix="find the promise that never settles: in the function that the program exports, "
            "or in a value of its outputs",
            details=details,
        )
    if errors:
        raise ProgramError(
            f"the program logged an error: {errors[0].splitlines()[0]}", details=details
        )


def _remedy(failure: str) -> str:
    """What to do about the failures that are about more than the program's own lines."""
    for words, remedy in _REMEDIES.items():
        if words in failure:
            return remedy
    return ""
