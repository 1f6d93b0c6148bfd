"""One render from beginning to end: a program in, objects or an error out."""

import importlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, cast

from plugin_image.renderer import credentials, rendering
from plugin_image.renderer.bounds import bounded, scratch_folder
from plugin_image.renderer.errors import (
    ProgramError,
    ProjectError,
    RefusedError,
    UsageError,
)
from plugin_image.renderer.pulumi import (
    environment,
    hosts,
    ignored,
    live_names,
    manifests,
    marked_secrets,
    operator,
    pulumi_cli,
    stacks,
)
from plugin_image.renderer.pulumi.configuration import Configuration, load_configuration
from plugin_image.renderer.pulumi.dependencies import Cache
from plugin_image.renderer.pulumi.monitor import naming
from plugin_image.renderer.pulumi.monitor.job import LiveName
from plugin_image.renderer.pulumi.monitor.recording import Recording, Registration
from plugin_image.renderer.pulumi.options import Options
from plugin_image.renderer.pulumi.program import Failure, Program, Run
from plugin_image.renderer.pulumi.project import Project, Stack, choose_stack, load_project
from plugin_image.renderer.pulumi.stacks import Stacks
from plugin_image.renderer.redaction import Secrets
from plugin_image.renderer.request import Request
from plugin_image.renderer.supervise import Deadline

_HOSTS = ("python", "nodejs", "go", "yaml")
"""Runtimes of Pulumi.yaml, each a module of `hosts`."""


class Host(Protocol):
    """A language host: one module of `hosts`."""

    def install(self, root: Path, cache: Cache) -> Path:
        """Install the program's dependencies; give where they are."""

    def run(self, program: Program, installed: Path, deadline: Deadline) -> Run:
        """Run the program with what `install` gave, to its end or to the deadline."""


@dataclass(frozen=True)
class Rendered(rendering.Rendered):
    """What came of a program."""

    registrations: list[Registration] = field(default_factory=list)
    """What the objects are made of, and those of other clusters."""


@contextmanager
def rendered(
    request: Request,
    options: Options,
    *,
    surroundings: Mapping[str, str] = MappingProxyType({}),
    names: Mapping[str, LiveName] | None = None,
) -> Iterator[Rendered]:
    """The objects of the request's program, as `Renderer.render` gives them.

    `surroundings` are variables that the program sees besides, and `names` are live names in
    place of the stack's.
    """
    secrets = Secrets(credentials.found(request.env))
    with (
        secrets.kept_out_of_errors(),
        bounded(request.settings, request.deadline) as scratch,
    ):
        env = environment.for_program(request.env, scratch, request.settings.passed_env)
        found = _objects(
            request,
            options,
            scratch=scratch,
            env={**env, **surroundings},
            secrets=secrets,
            names=names,
        )
        with request.deadline.enforced("the manifests were written"):
            yield found


def _objects(
    request: Request,
    options: Options,
    *,
    scratch: Path,
    env: Mapping[str, str],
    secrets: Secrets,
    names: Mapping[str, LiveName] | None,
) -> Rendered:
    settings, deadline = request.settings, request.deadline
    with deadline.enforced("the project was read"):
        project = load_project(request.folder)
        handed_over = options.mode == "operator"
        # The operator makes a stack itself, from the Stack's own configuration.
        may_lack_file = handed_over or options.allow_missing_stack_file
        stack = choose_stack(project, options.stack, allow_missing_file=may_lack_file)
        if handed_over:
            asked = (stack.reference, options.config, options.stack_spec)
            return Rendered([operator.stack(request.application, *asked)])
        if options.stack_spec:
            raise UsageError(
                "`stackSpec` is for the mode `operator` only",
                fix="set the plugin parameter `mode` to operator, or leave `stackSpec` out",
            )
        host = _host(project)
        configuration = load_configuration(request, project, stack, options.config)
        secrets.add(configuration.secrets())
        _require_naming(project, stack, configuration)
        known = live_names.load(project, stack) if names is None else names
    readable = pulumi_cli.has_backend(request.env)
    others = Stacks(request, scratch, secrets)
    cache = Cache(settings.cache, scratch, deadline, settings.cache_bytes)
    program = Program(
        project=project,
        stack=stack,
        configuration=configuration,
        live_names=known,
        namespace=request.namespace,
        env=env,
        scratch=scratch,
        cache=cache,
        ignore_foreign=options.ignore_foreign,
        allow_random=options.allow_random,
        suffix_hash=not options.disable_name_suffix_hash,
        read_stack=others.read if readable else stacks.refuse,
        reads_stacks=readable,
    )
    run, installed = _run(host, program, cache, deadline)
    if (run.ended.status or run.failure) and cache.remove_damaged(installed):
        run, _ = _run(host, program, cache, deadline)
    with deadline.enforced("the objects were checked"):
        recording = Recording.of(run.events)
        secrets.mark(marked_secrets.secrets_of(recording))
        secrets.mark(text for event in run.events for text in event.get("secrets", ()))
        _require_success(recording, run)
        objects = manifests.build(recording, options, secrets.finder(), request.namespace)
        if names is None:
            _warn(live_names.unused(known, recording.registrations, stack))
        return Rendered(objects, ignored.notes(objects), recording.registrations)


def _warn(texts: Iterable[str]) -> None:
    """Write to the log: Argo CD keeps what a plugin says beside its manifests in the plugin's."""
    for text in texts:
        sys.stderr.write(f"warning: {text}\n")


def _run(host: Host, program: Program, cache: Cache, deadline: Deadline) -> tuple[Run, Path]:
    """Run the program; gives what was installed for it, too."""
    with deadline.enforced("the program's dependencies were installed"):
        installed = host.install(program.project.root, cache)
    with deadline.enforced("the program was running"):
        return host.run(program, installed, deadline), installed


def _require_naming(project: Project, stack: Stack, configuration: Configuration) -> None:
    """Raise ProjectError when `pulumi:autonaming` is wrong, before anything is started."""
    try:
        naming.namer(
            configuration.values,
            organization=stack.organization,
            project=project.name,
            stack=stack.name,
        )
    except ValueError as error:
        raise ProjectError(
            f"pulumi:autonaming of stack {stack.name!r} is wrong: {error}",
            fix="correct it in the stack's file, as Pulumi documents it",
        ) from error


def install(request: Request) -> None:
    """Install the dependencies of the request's program ahead of its renders."""
    settings, deadline = request.settings, request.deadline
    project = load_project(request.folder)
    with scratch_folder() as scratch:
        _host(project).install(
            project.root, Cache(settings.cache, scratch, deadline, settings.cache_bytes)
        )


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
        raise RefusedError(f"{summary}{_place_of(summary, run.failure)}", fix=fix)
    ended.in_time()
    if run.failure:
        place = f" ({run.failure.place})" if run.failure.place else ""
        raise ProgramError(
            f"the program failed: {run.failure.text}{place}",
            fix=run.failure.fix,
            details=f"{run.failure.traceback}\n{ended.output}",
        )
    if ended.status:
        said = next(filter(None, map(str.strip, details.splitlines())), "it said nothing")
        raise ProgramError(f"the program {ended.how()}: {said}", details=details)
    if not recording.finished:
        raise ProgramError(
            "the program ended before all of its registrations were made, with exit status 0",
            fix=run.early_end_fix,
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


def _place_of(refusal: str, failure: Failure | None) -> str:
    """Where the program failed by a refusal: SDKs do not say from where functions are called."""
    if failure is None or not failure.place or refusal not in failure.text:
        return ""
    return "" if failure.place in refusal else f" ({failure.place})"
