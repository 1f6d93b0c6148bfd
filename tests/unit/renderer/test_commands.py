"""Every renderer has the same commands, whose flags say what an Application's parameters say."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from plugin_image.contract.option import BOOLEAN, Flag, Option, OptionKind
from plugin_image.renderer import cli, commands
from plugin_image.renderer.errors import UsageError
from plugin_image.renderer.kpt.renderer import KPT
from plugin_image.renderer.manifest_work.renderer import MANIFEST_WORK
from plugin_image.renderer.parameters import Given
from plugin_image.renderer.pulumi.renderer import PULUMI
from plugin_image.renderer.rendering import Installs, Rendered, Renderer
from plugin_image.renderer.request import Request
from tests.asking import request

RENDERERS: tuple[Renderer[Any], ...] = (KPT, MANIFEST_WORK, PULUMI)
STRING, MAP, ARRAY = (
    Option("TOY", name, kind=kind, flag=Flag(""))
    for name, kind in (
        ("text", OptionKind.STRING),
        ("values", OptionKind.MAP),
        ("items", OptionKind.ARRAY),
    )
)
OFF = Option("TOY", "allowAll", flag=Flag("", sets="true"), choices=BOOLEAN)
CHOICE = Option("TOY", "how", flag=Flag("", ("--so",)), choices=("this", "that"))
COUNT = Option("TOY", "count", flag=Flag(""), number=3)
HIDDEN = Option("TOY", "hidden")
OTHERS = Option("OTHER", "inner", flag=Flag(""))
OBJECT = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}


class Toy(Renderer[tuple[Any, ...]]):
    """Renders one object, and remembers what it was asked."""

    name = "toy"
    title = "Toys."
    usage = "Print a toy."
    markers = ("Toyfile", "Toy.yaml")
    table = (STRING, MAP, ARRAY, OFF, CHOICE, COUNT, HIDDEN, OTHERS)
    local = ()

    def __init__(self) -> None:
        self.asked: list[tuple[Request, tuple[Any, ...]]] = []

    def options(self, _request: Request, given: Given) -> tuple[Any, ...]:
        """See `Renderer`."""
        return (
            given.text(STRING),
            given.mapping(MAP),
            given.texts(ARRAY),
            given.flag(OFF),
            given.choice(CHOICE),
            given.whole(COUNT),
        )

    @contextmanager
    def render(self, request: Request, options: tuple[Any, ...]) -> Iterator[Rendered]:
        """See `Renderer`."""
        self.asked.append((request, options))
        yield Rendered([OBJECT], ["a note"])


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toy:
    monkeypatch.chdir(tmp_path)
    # It would go on in another process.
    monkeypatch.setattr(commands, "start", lambda *_, **__: None)
    return Toy()


def run(toy: Toy, *arguments: str, **env: str) -> str:
    done = CliRunner().invoke(commands.group(toy), arguments, env=env, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_flags_say_what_parameters_say(toy: Toy) -> None:
    given = [
        {"name": "text", "string": "a"},
        {"name": "values", "map": {"b": "1", "c": "x=y"}},
        {"name": "items", "array": ["d", "e"]},
        {"name": "allowAll", "string": "true"},
        {"name": "how", "string": "that"},
        {"name": "count", "string": "7"},
    ]
    flags = "--text a --values b=1 --values c=x=y --items d --items e --allow-all --so that --count"
    run(toy, "generate", ARGOCD_APP_PARAMETERS=json.dumps(given))
    run(toy, "render", ".", *flags.split(), "7")
    (_, by_parameters), (_, by_flags) = toy.asked
    assert by_parameters == by_flags == ("a", {"b": "1", "c": "x=y"}, ["d", "e"], True, "that", 7)


def test_what_nobody_gives_is_the_options_default(toy: Toy) -> None:
    run(toy, "generate")
    run(toy, "render")
    (_, by_parameters), (_, by_flags) = toy.asked
    assert by_parameters == by_flags == (None, {}, [], False, "this", 3)


def test_what_has_no_flag_or_is_another_plugins_is_not_offered_locally(toy: Toy) -> None:
    shown = run(toy, "render", "--help")
    assert "--hidden" not in shown
    assert "--inner" not in shown


def test_a_render_is_asked_for_its_folder_and_the_destinations_namespace(
    toy: Toy, tmp_path: Path
) -> None:
    (tmp_path / "apps").mkdir()
    run(toy, "generate", ARGOCD_APP_NAMESPACE="team", ARGOCD_APP_NAME="shop")
    run(toy, "render", "apps", "--namespace", "other")
    run(toy, "render", "apps")
    asked = [(request.folder, request.namespace) for request, _ in toy.asked]
    apps = tmp_path / "apps"
    assert asked == [(tmp_path, "team"), (apps, "other"), (apps, "default")]
    assert toy.asked[0][0].application.name == "shop"


def test_stdout_is_the_manifests_alone(toy: Toy) -> None:
    done = CliRunner().invoke(commands.group(toy), ["render"])
    assert done.stdout.startswith("---\napiVersion: v1\n")
    assert done.stderr == "a note\n"


def test_the_first_marker_that_is_there_is_discovered(toy: Toy, tmp_path: Path) -> None:
    assert run(toy, "discover") == ""
    (tmp_path / "Toy.yaml").touch()
    assert run(toy, "discover") == "Toy.yaml\n"
    (tmp_path / "Toyfile").touch()
    assert run(toy, "discover") == "Toyfile\n"


def test_every_option_is_announced_with_or_without_a_flag(toy: Toy) -> None:
    announced = [entry["name"] for entry in json.loads(run(toy, "parameters"))]
    assert announced == [option.name for option in toy.table]


def test_a_value_that_is_none_is_refused_as_an_applications_is(toy: Toy) -> None:
    for number in ("0", "-1"):
        with pytest.raises(UsageError, match=f"`count` is '{number}'"):
            run(toy, "render", "--count", number)


@pytest.mark.parametrize("renderer", RENDERERS, ids=lambda renderer: renderer.name)
def test_every_renderer_has_the_same_commands(renderer: Renderer[Any]) -> None:
    group = cli.main.get_command(click.Context(cli.main), renderer.name)
    assert isinstance(group, click.Group)
    expected = {"generate", "render", "discover", "parameters"}
    assert expected <= group.commands.keys()
    assert ("init" in group.commands) == isinstance(renderer, Installs)


@pytest.mark.parametrize("renderer", RENDERERS, ids=lambda renderer: renderer.name)
def test_flags_are_told_apart(renderer: Renderer[Any]) -> None:
    flags = [name for flag in commands.local_parameters(renderer) for name in flag.opts]
    assert len(flags) == len(set(flags))


@pytest.mark.parametrize("renderer", [KPT, PULUMI], ids=lambda renderer: renderer.name)
def test_a_default_that_is_given_is_as_if_it_were_not(
    renderer: Renderer[Any], tmp_path: Path
) -> None:
    options = [*renderer.table, *renderer.local]
    defaults = {option: option.default for option in options if option.default}
    asked = request(tmp_path, tmp_path)
    assert renderer.options(asked, Given(defaults)) == renderer.options(asked, Given({}))
