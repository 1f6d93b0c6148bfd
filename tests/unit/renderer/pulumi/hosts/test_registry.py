"""Each language has one host, which is loaded for its own programs only."""

import subprocess
import sys
from pathlib import Path

import pytest

from plugin_image.renderer.errors import ProjectError
from plugin_image.renderer.pulumi.hosts.host import Failure
from plugin_image.renderer.pulumi.hosts.registry import LANGUAGES, host_of

ROOT = Path(__file__).parents[5]


@pytest.mark.parametrize("runtime", LANGUAGES)
def test_each_host_installs_and_runs(runtime: str) -> None:
    host = host_of(runtime)
    assert callable(host.install)
    assert callable(host.run)


def test_a_language_without_a_host_is_refused_with_those_that_have_one() -> None:
    with pytest.raises(ProjectError, match=r"programs in dotnet .* go, java, yaml, .* `mode`"):
        host_of("dotnet")


def test_no_host_waits_for_what_another_one_imports() -> None:
    code = (
        "import sys\n"
        "from plugin_image.renderer.pulumi.hosts.registry import host_of\n"
        "host_of('python')\n"
        "print({'grpc', 'pulumi'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert done.stdout == "set()\n"


@pytest.mark.parametrize(
    ("text", "place", "told"),
    [
        ("Error: invoke failed: no such function", "index.ts:3", " (index.ts:3)"),
        ("Error: invoke failed: no such function", "", ""),
        ("Error: something else", "index.ts:3", ""),
    ],
)
def test_a_refusal_is_told_with_the_place_where_it_ended_the_program(
    text: str, place: str, told: str
) -> None:
    assert Failure(text, place, "").place_of("no such function") == told


def test_a_place_that_a_refusal_names_itself_is_not_told_twice() -> None:
    failure = Failure("Error: Bucket 'b' (index.ts:3) is refused", "index.ts:3", "")
    assert failure.place_of("Bucket 'b' (index.ts:3) is refused") == ""
