"""Every folder in `cases/` is a package and what must come of it.

To see and accept what a change does to them: `UPDATE_CASES=1 pytest tests/catalogue`, then
`git diff`.
"""

import hashlib
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from plugin_image.contract import RendererEnv
from plugin_image.renderer import parameters, processes
from plugin_image.renderer.errors import RenderError
from plugin_image.renderer.kpt import resources
from plugin_image.renderer.kpt.renderer import KPT
from plugin_image.renderer.manifest_work import options as work_options
from plugin_image.renderer.manifest_work.renderer import MANIFEST_WORK
from plugin_image.renderer.watch import Seen
from tests.asking import objects, request, stream
from tests.catalogue.kpt.corpus import CASES, Case, rendered

EXAMPLE = Path(__file__).parents[3] / "examples" / "guestbook-kpt"
RENDERS = 20
RENDERING = [case for case in CASES if case.expected("expected.yaml")]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_package_renders_to_what_its_case_says(
    case: Case, functions: Path, tmp_path: Path
) -> None:
    before = _digest(case.folder / "input")
    case.require(*case.outcome(functions, tmp_path))
    assert _digest(case.folder / "input") == before, "the Application's folder was written to"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_case_expects_either_a_stream_or_an_error(case: Case) -> None:
    assert (case.expected("expected.yaml") is None) != (case.expected("error.txt") is None)


@pytest.mark.parametrize("case", RENDERING, ids=str)
def test_a_second_render_gives_the_same_bytes(case: Case, functions: Path, tmp_path: Path) -> None:
    assert case.outcome(functions, tmp_path) == case.outcome(functions, tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES, ids=str)
def test_twenty_renders_give_the_same_bytes(case: Case, functions: Path, tmp_path: Path) -> None:
    found = {case.outcome(functions, tmp_path) for _ in range(RENDERS)}
    assert found == {(case.expected("expected.yaml"), case.expected("error.txt"))}


def test_a_failure_tells_the_same_in_full_each_time(functions: Path, tmp_path: Path) -> None:
    reports = set()
    for _ in range(3):
        with pytest.raises(RenderError) as raised:
            _render("error-function-with-results", functions, tmp_path)
        reports.add(raised.value.report())
    assert len(reports) == 1, f"what varies: {reports}"


@pytest.mark.timeout(600)
def test_a_deadline_ends_a_function_and_leaves_nothing_running(
    functions: Path, tmp_path: Path
) -> None:
    # Real parts of other tests may be this process's, too.
    before = set(processes.descendants(os.getpid()))
    with pytest.raises(RenderError, match="took longer than 30 s"):
        _render("error-deadline", functions, tmp_path)
    assert processes.descendants(os.getpid(), before) == []


@pytest.mark.timeout(600)
def test_a_deadline_ends_what_is_no_program(
    functions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "build", lambda *_: time.sleep(300))
    with pytest.raises(RenderError, match="longer than 30 s and was stopped while what kpt"):
        rendered(EXAMPLE, {RendererEnv.DEADLINE.value: "30"}, functions, tmp_path)


def test_a_render_leaves_no_files_behind(
    functions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    for name in ("functions-run-as-executables", "error-function-fails-silently"):
        _named(name).outcome(functions, tmp_path / "cache")
    assert not [*temporary.iterdir()]


def test_the_example_renders(functions: Path, tmp_path: Path) -> None:
    deployment, service = yaml.safe_load_all(rendered(EXAMPLE, {}, functions, tmp_path))
    assert deployment["spec"]["replicas"] == 2, "the setter was not applied"
    assert {item["metadata"]["namespace"] for item in (deployment, service)} == {"guestbook-kpt"}


def test_it_is_told_which_functions_keep_a_result_from_being_kept(
    functions: Path, tmp_path: Path
) -> None:
    case = _named("functions-run-as-executables")
    given = {RendererEnv.KPT_FUNCTIONS_DIR.value: str(functions), **case.env()}
    seen = Seen()
    asked = replace(request(case.folder / "input", tmp_path, env=given), seen=seen)
    assert stream(KPT, asked, KPT.options(asked, parameters.read(given, KPT.table)))
    named = "nobody knows what the function require-replicas-v1.0.0 looks at"
    assert seen.hindrances == {named}, "the image's own functions are known"


def test_a_package_can_be_wrapped_for_managed_clusters(
    functions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(RendererEnv.KPT_FUNCTIONS_DIR.value, str(functions))
    options = work_options.Options(name="shop", clusters=["edge"])
    (work,) = objects(MANIFEST_WORK, request(EXAMPLE, tmp_path), options)
    wrapped = work["spec"]["workload"]["manifests"]
    assert {item["metadata"]["namespace"] for item in wrapped} == {"guestbook-kpt"}
    assert sorted(item["kind"] for item in wrapped) == ["Deployment", "Service"]


def _named(name: str) -> Case:
    return next(case for case in CASES if case.folder.name == name)


def _render(name: str, functions: Path, cache: Path) -> str:
    case = _named(name)
    return rendered(case.folder / "input", case.env(), functions, cache)


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(str(path.relative_to(folder)).encode() + b"\0")
        digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()
