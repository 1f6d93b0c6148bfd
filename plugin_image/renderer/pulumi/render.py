"""One render from beginning to end: a program in, objects or an error out."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from .. import credentials, keeping, rendering
from ..application import kube_version
from ..bounds import bounded, scratch_folder
from ..cache import Cache
from ..errors import ProjectError, UnreadableError, UsageError
from ..measured import Measured, Stage
from ..redaction import Secrets
from ..request import Request
from ..watch import Seen, lasting, mounted
from . import (
    component_packages,
    downloads,
    environment,
    ignored,
    live_names,
    manifests,
    marked_secrets,
    operator,
    outcome,
    pulumi_cli,
    random_key,
    unreadable_secrets,
    unset_variables,
)
from .configuration import Configuration, load_configuration
from .execution import Execution
from .hosts.host import Host, Installed, Run
from .hosts.registry import INSTALLER_VARIABLES, host_of
from .installer import Installer
from .monitor.recording import Recording, Registration, Release
from .monitor.resources import naming
from .monitor.run_context import LiveName, RunContext
from .options import Options
from .project import Project, Stack, choose_stack, load_project
from .stacks import Stacks

if TYPE_CHECKING:
    from ..validation.destination import Destination


@dataclass(frozen=True)
class Rendered(rendering.Rendered):
    """What came of a program."""

    registrations: list[Registration] = field(default_factory=list)
    """What the objects are made of, and those of other clusters."""
    releases: list[Release] = field(default_factory=list)
    """The Helm releases among what they are made of."""


@contextmanager
def rendered(
    request: Request,
    options: Options,
    *,
    surroundings: Mapping[str, str] = MappingProxyType({}),
    names: Mapping[str, LiveName] | None = None,
) -> Iterator[Rendered]:
    """The objects of the request's program, as `Renderer.render` gives them.

    `surroundings` are further variables that the program sees, and `names` are live names in
    place of the stack's.
    """
    secrets = Secrets(credentials.found(request.env))
    with (
        secrets.kept_out_of_errors(),
        bounded(request) as scratch,
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
    deadline = request.deadline
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
        host = host_of(project.runtime)
        configuration = _configuration(request, options, project, stack)
        secrets.add(configuration.secrets())
        _require_naming(project, stack, configuration)
        known = live_names.load(project, stack) if names is None else names
        context = _context(
            request,
            options,
            host=host,
            project=project,
            stack=stack,
            configuration=configuration,
            env=env,
            names=known,
        )
    others = Stacks(request, scratch, secrets)
    execution = Execution(
        context=context,
        project=project,
        typed_config=configuration.typed,
        env=env,
        scratch=scratch,
        cache=_cache(request, scratch),
        deadline=deadline,
        read_stack=others.read if pulumi_cli.has_backend(request.env) else None,
        kept=keeping.of_this_process(),
        is_watched=request.seen is not None,
    )
    run = _run(host, execution, _installer(request, execution.cache), request.measured)
    with (
        deadline.enforced("the objects were checked"),
        request.measured.timed(Stage.OUTPUT),
    ):
        recording = Recording.of(run.events)
        if request.seen:
            _see(request, request.seen, run, execution)
        downloads.keep(recording.downloads, execution.cache)
        secrets.add(marked_secrets.given_to_the_provider(recording))
        secrets.add(recording.keyed)
        secrets.mark(marked_secrets.secrets_of(recording))
        secrets.mark(text for event in run.events for text in event.get("secrets", ()))
        outcome.require_success(recording, run, context.unreadable)
        destination = _destination(context) if options.validate else None
        objects = manifests.build(
            recording,
            options,
            secrets.finder(),
            request.namespace,
            context.unreadable,
            destination=destination,
        )
        unused = []
        if names is None:
            named: list[Registration | Release] = [*recording.registrations, *recording.releases]
            unused = [f"warning: {text}" for text in live_names.unused(known, named, stack)]
        notes = [
            *unused,
            *sorted({*recording.notes}),
            *ignored.notes(objects),
            *unreadable_secrets.notes(context.unreadable),
            *unset_variables.notes(recording.unset),
            *(destination.notes(objects) if destination else ()),
        ]
        return Rendered(objects, notes, recording.registrations, recording.releases)


def _configuration(
    request: Request, options: Options, project: Project, stack: Stack
) -> Configuration:
    """The stack's configuration, with placeholders where the options and the language allow it."""
    wanted = options.unreadable_secrets
    unfollowed = unreadable_secrets.unfollowed_in(project)
    withhold = wanted == "placeholder" or (wanted == "follow" and not unfollowed)
    try:
        found = load_configuration(request, project, stack, options.config, withhold=withhold)
    except UnreadableError as error:
        if withhold or wanted == "refuse":
            raise
        raise unreadable_secrets.unfollowed(error, unfollowed) from error
    if found.unreadable and wanted == "placeholder":
        found = replace(found, unreadable=replace(found.unreadable, followed=False))
    return found


def _destination(context: RunContext) -> "Destination":
    from ..validation.destination import Destination

    return Destination.of(context.kube_version)


def _see(request: Request, seen: Seen, run: Run, execution: Execution) -> None:
    """Add what the run depends on beside what this process has looked at."""
    from .hosts.nodejs_packages import IMAGE_MODULES

    own = map(str, (request.folder, execution.scratch, IMAGE_MODULES))
    of_container = lasting(str(request.settings.cache), request.env)
    places, mounts = [*own, *of_container], mounted(of_container)
    for event in run.events:
        seen.add_program(event.get("seen", {}), places, mounts)
    if not run.is_watched:
        seen.hindrances.add("nobody sees what programs in its language look at")
    if execution.packages:
        seen.hindrances.add("nobody sees what component packages look at")


def _context(
    request: Request,
    options: Options,
    *,
    host: Host,
    project: Project,
    stack: Stack,
    configuration: Configuration,
    env: Mapping[str, str],
    names: Mapping[str, LiveName],
) -> RunContext:
    """What the run is about. Raises ProjectError when there is nothing to run."""
    folder, entry = host.entry(project)
    return RunContext(
        **options.for_run(),
        project=project.name,
        stack=stack.name,
        organization=stack.organization,
        root=str(project.root),
        folder=str(folder),
        entry=entry,
        config=dict(configuration.values),
        secret_keys=sorted(configuration.secret_keys),
        namespace=request.namespace,
        live_names=dict(names),
        naming_key=configuration.naming_key.hex(),
        random_key=(
            random_key.of_stack(request.env, project.name, stack.name).hex()
            if options.keyed_random
            else ""
        ),
        unreadable=configuration.unreadable,
        sources={name: str(source) for name, source in project.packages.items()},
        downloads=str(downloads.folder(request.settings.cache)),
        kube_version=kube_version(env),
        api_versions=list(filter(None, env.get("KUBE_API_VERSIONS", "").split(","))),
    )


def _cache(request: Request, scratch: Path) -> Cache:
    settings = request.settings
    return Cache(settings.cache, scratch, request.deadline, settings.cache_bytes, request.measured)


def _installer(request: Request, cache: Cache) -> Installer:
    env = environment.for_installer(request.env, cache.scratch, INSTALLER_VARIABLES)
    return Installer(cache, env, cache.scratch, request.deadline)


def _run(host: Host, execution: Execution, installer: Installer, measured: Measured) -> Run:
    """Run the program; when it fails and what was installed for it is damaged, once more."""
    run, installed = _run_once(host, execution, installer, measured)
    if run.ended.status or run.failure:
        with execution.deadline.enforced("the program's dependencies were checked"):
            damaged = execution.cache.remove_damaged(installed.path)
        if damaged:
            run, _ = _run_once(host, execution, installer, measured)
    return run


def _run_once(
    host: Host, execution: Execution, installer: Installer, measured: Measured
) -> tuple[Run, Installed]:
    """Run the program; gives what was installed for it, too."""
    deadline = execution.deadline
    with (
        deadline.enforced("the program's dependencies were installed"),
        measured.timed(Stage.INSTALL),
    ):
        installed = host.install(execution.project, installer)
        packages = component_packages.install(execution.project, installer)
    execution = replace(execution, packages=[package.offered(execution) for package in packages])
    with deadline.enforced("the program was running"), measured.timed(Stage.PROGRAM):
        return host.run(execution, installed), installed


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
    with (
        scratch_folder() as scratch,
        request.deadline.enforced("the program's dependencies were installed"),
    ):
        project = load_project(request.folder)
        installer = _installer(request, _cache(request, scratch))
        host_of(project.runtime).install(project, installer)
        component_packages.install(project, installer)
