"""The commands that every renderer has, and what commands of its own are made of.

Each imports what it needs when it runs: a render should not wait for more than its own parts.
"""

import gc
import os
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..contract.option import Flag, Option, OptionKind
from .application import DEFAULT_NAMESPACE
from .rendering import Installs, Renderer, Result

if TYPE_CHECKING:
    from .parameters import Given
    from .request import Request
    from .results import Shelf
    from .telling import Lost

Options = TypeVar("Options")

_GARBAGE_THRESHOLD = 200_000


def group(renderer: Renderer[Options]) -> click.Group:
    """The commands of a renderer: `init` is one of them where it installs dependencies."""
    made = click.Group(
        renderer.name,
        help=f"{renderer.title}\n\nArgo CD calls `generate`; `render` prints the same locally.",
    )
    for make in (_generate, _render, _discover, _parameters):
        made.add_command(make(renderer))
    if isinstance(renderer, Installs):
        made.add_command(_init(renderer))
    return made


def local_parameters(
    renderer: Renderer[Options], *, without: Collection[Option] = ()
) -> list[click.Parameter]:
    """What a command that renders locally takes: a path, and the renderer's options by flags."""
    path = click.Path(exists=True, file_okay=False, path_type=Path)
    offered = _offered(renderer).items()
    flags = [_click_option(option, flag) for option, flag in offered if option not in without]
    if not any("--namespace" in flag.opts for flag in flags):
        flags.append(_destination())
    return [click.Argument(["path"], type=path, default="."), *flags]


def local_request(path: Path, flags: Mapping[str, Any]) -> "Request":
    """What is asked by a command with `local_parameters`, with the path and the flags it got."""
    request = _request(path)
    namespace = flags.get("namespace")
    return request.in_namespace(namespace) if namespace else request


def given(renderer: Renderer[Options], flags: Mapping[str, Any]) -> "Given":
    """The options that these flags of a command with `local_parameters` give."""
    from .parameters import Given

    offered = _offered(renderer).items()
    got = [(option, flag, flags.get(_identifier(option))) for option, flag in offered]
    return Given({option: _value(option, flag, value) for option, flag, value in got if value})


def start(
    renderer: Renderer[Options],
    request: "Request",
    *,
    renders: int = 1,
    lost: "Lost" = lambda _: None,
) -> None:
    """Go on in a process that keeps to the deadline of that many renders; see `guarded`."""
    from .guard import guarded

    guarded(renders * request.settings.deadline_seconds, lost)
    # What a render makes lives to its end: it looks for garbage as seldom as a program does.
    gc.set_threshold(_GARBAGE_THRESHOLD)
    renderer.prepare()


def _generate(renderer: Renderer[Options]) -> click.Command:
    @click.command()
    def generate() -> None:
        """Write the manifests of the Application whose folder this is.

        The Application's options come from the environment, as Argo CD sets it.
        """
        from . import parameters

        request = _request(Path())
        _write(renderer, request, lambda: parameters.read(request.env, renderer.table))

    return generate


def _render(renderer: Renderer[Options]) -> click.Command:
    @click.command(params=local_parameters(renderer), help=renderer.usage)
    def render(path: Path, **flags: Any) -> None:
        _write(renderer, local_request(path, flags), lambda: given(renderer, flags))

    return render


def _discover(renderer: Renderer[Options]) -> click.Command:
    markers = " or ".join(renderer.markers)

    @click.command(help=f"Print the name of this folder's {markers}, if it has one.")
    def discover() -> None:
        for name in renderer.markers:
            if Path(name).is_file():
                click.echo(name)
                return

    return discover


def _parameters(renderer: Renderer[Options]) -> click.Command:
    @click.command()
    def parameters() -> None:
        """Print the options an Application may set, as Argo CD's dynamic parameters."""
        import json

        from .parameters import announcement

        click.echo(json.dumps(announcement(renderer.table), indent=2))

    return parameters


def _init(renderer: Installs) -> click.Command:
    @click.command()
    def init() -> None:
        """Install the program's dependencies ahead of `generate`, which would do it too."""
        from .guard import guarded

        request = _request(Path())
        guarded(request.settings.deadline_seconds)
        renderer.install(request)

    return init


def _request(path: Path) -> "Request":
    from .request import Request

    # Not a copy: `guarded` will set the temporary folder in it.
    return Request.of(os.environ, path.resolve())


def _write(renderer: Renderer[Options], request: "Request", asked: "Callable[[], Given]") -> None:
    """Render, and write all of the manifests or none."""
    from .telling import told

    with told(renderer.name, request) as lost:
        options = renderer.options(request, asked())
        shelf = _shelf(renderer, request, options)
        result = shelf.found() if shelf else None
        request.measured.is_kept = result is not None
        if result is None:
            start(renderer, request, renders=renderer.renders(options), lost=lost)
            result = _result(renderer, request, options, shelf)
        sys.stderr.writelines(f"{note}\n" for note in result.notes)
        sys.stdout.write(result.stream)
        sys.stdout.flush()


def _shelf(renderer: Renderer[Options], request: "Request", options: Options) -> "Shelf | None":
    """Where the result is kept; None where it is not."""
    from . import answering

    # A render without a server has no client, and loads nothing of this.
    if not renderer.is_kept(options) or not answering.of_this_process():
        return None
    from . import keeping

    kept = keeping.of_this_process()
    if kept is None:
        return None
    from . import results

    return results.shelf(renderer.name, request, kept.sealing_key)


def _result(
    renderer: Renderer[Options], request: "Request", options: Options, shelf: "Shelf | None"
) -> Result:
    from . import documents
    from .measured import Stage

    if shelf:
        request = shelf.watched(request)
    with renderer.render(request, options) as rendered, request.measured.timed(Stage.OUTPUT):
        result = Result(documents.to_stream(rendered.objects), [*rendered.notes])
    if shelf:
        shelf.keep(result, request)
    return result


def _offered(renderer: Renderer[Options]) -> dict[Option, Flag]:
    """The options that have a flag; not those of a program that is wrapped."""
    own = renderer.table[0].plugin
    options = (*renderer.table, *renderer.local)
    return {option: option.flag for option in options if option.flag and option.plugin == own}


def _identifier(option: Option) -> str:
    return option.env.lower()


def _click_option(option: Option, flag: Flag) -> click.Option:
    words = "".join(f"-{c.lower()}" if c.isupper() else c for c in option.name)
    shape: dict[str, Any] = {"metavar": flag.metavar}
    if flag.sets:
        shape["is_flag"] = True
    elif flag.folder:
        shape["type"] = click.Path(exists=True, file_okay=False, path_type=Path)
    elif option.kind is not OptionKind.STRING:
        shape |= {"multiple": True, "required": flag.required}
    elif option.choices:
        shape |= {"type": click.Choice(option.choices), "default": option.default}
    elif option.number:
        shape |= {"metavar": "INTEGER", "default": option.default}
    return click.Option(
        [*(flag.names or [f"--{words}"]), _identifier(option)],
        help=flag.help,
        show_default="default" in shape,
        **shape,
    )


def _destination() -> click.Option:
    return click.Option(
        ["--namespace"],
        default=DEFAULT_NAMESPACE,
        show_default=True,
        help="The Application's destination namespace.",
    )


def _value(option: Option, flag: Flag, value: Any) -> Any:
    """A flag's value, as an Application would give it."""
    if flag.sets:
        return flag.sets
    if option.kind is OptionKind.MAP:
        return dict(_assignment(text) for text in value)
    if option.kind is OptionKind.ARRAY:
        return list(value)
    return str(value.absolute() if flag.folder else value)


def _assignment(text: str) -> tuple[str, str]:
    key, found, value = text.partition("=")
    if not found or not key:
        raise click.BadParameter(f"{text!r} is not KEY=VALUE", param_hint="--config")
    return key, value
