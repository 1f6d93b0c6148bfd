"""One render from beginning to end: a folder in, a manifest stream or an error out."""

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from plugin_image.renderer import credentials, documents
from plugin_image.renderer.bounds import bounded, scratch_folder
from plugin_image.renderer.cache import Cache
from plugin_image.renderer.errors import ProjectError, UsageError
from plugin_image.renderer.manifests import Manifest
from plugin_image.renderer.pulumi import (
    environment,
    ignored,
    live_names,
    manifests,
    marked_secrets,
    operator,
    outcome,
    pulumi_cli,
)
from plugin_image.renderer.pulumi.configuration import Configuration, load_configuration
from plugin_image.renderer.pulumi.execution import Execution
from plugin_image.renderer.pulumi.hosts import registry
from plugin_image.renderer.pulumi.hosts.host import Host, Run
from plugin_image.renderer.pulumi.hosts.registry import host_of
from plugin_image.renderer.pulumi.installer import Installer
from plugin_image.renderer.pulumi.monitor.recording import Recording, Registration
from plugin_image.renderer.pulumi.monitor.resources import naming
from plugin_image.renderer.pulumi.monitor.run_context import LiveName, RunContext
from plugin_image.renderer.pulumi.options import Options
from plugin_image.renderer.pulumi.project import Project, Stack, choose_stack, load_project
from plugin_image.renderer.pulumi.stacks import Stacks
from plugin_image.renderer.redaction import Secrets
from plugin_image.renderer.settings import Settings
from plugin_image.renderer.supervise import Deadline

T = TypeVar("T")

_RECENT_KUBE_VERSION = "1.34.0"
"""What charts see where no destination is known, as locally; KUBE_VERSION sets it."""


@dataclass(frozen=True)
class Rendered:
    """What came of a program."""

    objects: list[Manifest]
    registrations: list[Registration] = field(default_factory=list)
    """What the objects are made of, and those of other clusters."""


def render(root: Path, options: Options, settings: Settings) -> str:
    """The manifest stream of the program in `root`, complete. Raises what `objects` raises.

    Standard error gets what a person should know of it.
    """
    return _rendered(root, options, settings, _stream)


def _stream(found: Rendered) -> str:
    stream = documents.to_stream(found.objects)
    sys.stderr.writelines(f"{note}\n" for note in ignored.notes(found.objects))
    return stream


def objects(
    root: Path,
    options: Options,
    settings: Settings,
    *,
    surroundings: Mapping[str, str] = MappingProxyType({}),
) -> list[Manifest]:
    """The objects of the program in `root`, all of them.

    `surroundings` are variables that the program sees besides. Raises RenderError, whose
    report holds no secret.
    """
    return _rendered(
        root, options, settings, lambda found: found.objects, surroundings=surroundings
    )


def with_registrations(root: Path, options: Options, settings: Settings) -> Rendered:
    """What comes of the program in `root`. Raises what `objects` raises."""
    return _rendered(root, options, settings, lambda found: found)


def with_names(
    root: Path, options: Options, settings: Settings, names: Mapping[str, LiveName]
) -> Rendered:
    """What comes of the program in `root` with these live names in place of the stack's.

    Raises what `objects` raises.
    """
    return _rendered(root, options, settings, lambda found: found, names=names)


def _rendered(
    root: Path,
    options: Options,
    settings: Settings,
    form: Callable[[Rendered], T],
    *,
    surroundings: Mapping[str, str] = MappingProxyType({}),
    names: Mapping[str, LiveName] | None = None,
) -> T:
    """The objects in some form: all that is done for it is within the bounds of a render."""
    deadline = Deadline(settings.deadline_seconds)
    outer = os.environ
    secrets = Secrets(credentials.found(outer))
    with secrets.kept_out_of_errors(), bounded(settings, deadline) as scratch:
        env = environment.for_program(outer, scratch, settings.passed_env)
        found = _objects(
            root.resolve(),
            options,
            settings,
            deadline=deadline,
            scratch=scratch,
            outer=outer,
            env={**env, **surroundings},
            secrets=secrets,
            names=names,
        )
        with deadline.enforced("the manifests were written"):
            return form(found)


def _objects(
    root: Path,
    options: Options,
    settings: Settings,
    *,
    deadline: Deadline,
    scratch: Path,
    outer: Mapping[str, str],
    env: Mapping[str, str],
    secrets: Secrets,
    names: Mapping[str, LiveName] | None,
) -> Rendered:
    with deadline.enforced("the project was read"):
        project = load_project(root)
        handed_over = options.mode == "operator"
        # The operator makes a stack itself, from the Stack's own configuration.
        may_lack_file = handed_over or options.allow_missing_stack_file
        stack = choose_stack(project, options.stack, allow_missing_file=may_lack_file)
        if handed_over:
            asked = (stack.reference, options.config, options.stack_spec)
            return Rendered([operator.stack(options.application, *asked)])
        if options.stack_spec:
            raise UsageError(
                "`stackSpec` is for the mode `operator` only",
                fix="set the plugin parameter `mode` to operator, or leave `stackSpec` out",
            )
        host = host_of(project.runtime)
        configuration = load_configuration(project, stack, options.config, settings.passphrase)
        secrets.add(configuration.secrets())
        _require_naming(project, stack, configuration)
        known = live_names.load(project, stack) if names is None else names
        context = _context(project, stack, configuration, options, names=known, env=env)
    cache = Cache(settings.cache, scratch, deadline, settings.cache_bytes)
    others = Stacks(scratch, deadline, secrets)
    execution = Execution(
        context=context,
        project=project,
        typed_config=configuration.typed,
        env=env,
        scratch=scratch,
        cache=cache,
        deadline=deadline,
        read_stack=others.read if pulumi_cli.has_backend(outer) else None,
    )
    installer = _installer(cache, outer)
    run, installed = _run(host, execution, installer)
    if (run.ended.status or run.failure) and cache.remove_damaged(installed):
        run, _ = _run(host, execution, installer)
    with deadline.enforced("the objects were checked"):
        recording = Recording.of(run.events)
        secrets.mark(marked_secrets.secrets_of(recording))
        secrets.mark(text for event in run.events for text in event.get("secrets", ()))
        outcome.require_success(recording, run)
        objects = manifests.build(recording, options, secrets.finder())
        if names is None:
            _warn(live_names.unused(known, recording.registrations, stack))
        return Rendered(objects, recording.registrations)


def _warn(texts: Iterable[str]) -> None:
    """Write to the log: Argo CD keeps what a plugin says beside its manifests in the plugin's."""
    for text in texts:
        sys.stderr.write(f"warning: {text}\n")


def _context(
    project: Project,
    stack: Stack,
    configuration: Configuration,
    options: Options,
    *,
    names: Mapping[str, LiveName],
    env: Mapping[str, str],
) -> RunContext:
    """What the run is about. Raises ProjectError when there is nothing to run."""
    folder, entry = project.entry()
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
        live_names=dict(names),
        naming_key=configuration.naming_key.hex(),
        kube_version=env.get("KUBE_VERSION") or _RECENT_KUBE_VERSION,
        api_versions=list(filter(None, env.get("KUBE_API_VERSIONS", "").split(","))),
    )


def _installer(cache: Cache, outer: Mapping[str, str]) -> Installer:
    env = environment.for_installer(outer, cache.scratch, registry.INSTALLER_VARIABLES)
    return Installer(cache, env, cache.scratch, cache.deadline)


def _run(host: Host, execution: Execution, installer: Installer) -> tuple[Run, Path]:
    """Run the program; gives what was installed for it, too."""
    deadline = execution.deadline
    with deadline.enforced("the program's dependencies were installed"):
        installed = host.install(execution.project.root, installer)
    with deadline.enforced("the program was running"):
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


def install(root: Path, settings: Settings) -> None:
    """Install the dependencies of the program in `root` ahead of its renders."""
    deadline = Deadline(settings.deadline_seconds)
    project = load_project(root.resolve())
    with scratch_folder() as scratch:
        cache = Cache(settings.cache, scratch, deadline, settings.cache_bytes)
        host_of(project.runtime).install(project.root, _installer(cache, os.environ))
