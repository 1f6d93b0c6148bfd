"""Every folder in `cases/` is a program and what must come of it.

`expected.yaml` is the whole stream, `error.txt` the first line of the message. To see and
accept what a change does to them: `UPDATE_CASES=1 pytest tests/render`, then `git diff`.
"""

import json
import os
from pathlib import Path

import pytest
import yaml

from plugin_image.renderer import processes
from plugin_image.renderer.errors import RenderError
from plugin_image.renderer.pulumi.hosts.typescript import CompiledSources
from plugin_image.renderer.pulumi.options import Options
from plugin_image.renderer.pulumi.renderer import PULUMI
from tests.asking import request, stream
from tests.render import corpus
from tests.render.corpus import CASES, Case

UPDATE = "UPDATE_CASES" in os.environ


@pytest.mark.parametrize("case", [pytest.param(c, marks=c.marks) for c in CASES], ids=str)
def test_a_program_renders_to_what_its_case_says(case: Case, tmp_path: Path) -> None:
    cache = corpus.nodejs_cache() if case.runtime == "nodejs" else tmp_path / "cache"
    written, error = _render(case, tmp_path, cache)
    for name, found in (("expected.yaml", written), ("error.txt", error)):
        path = case.folder / name
        if UPDATE:
            path.write_text(found) if found is not None else path.unlink(missing_ok=True)
        assert found == case.expected(name), (
            f"{case.name}: {name} differs (stream {written!r}, error {error!r})"
        )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_case_expects_either_a_stream_or_an_error(case: Case) -> None:
    assert (case.expected("expected.yaml") is None) != (case.expected("error.txt") is None)


def test_a_yaml_parser_reads_back_the_values_that_the_program_gave() -> None:
    written = corpus.named("values-survive-exactly").expected("expected.yaml")
    assert written
    numbers, texts = yaml.safe_load_all(written)
    assert all(isinstance(text, str) for text in texts["data"].values())
    assert texts["data"]["controls"] == "a\tb\u2028c\0d"
    assert numbers["spec"]["large"] == 2**53 - 1
    assert numbers["spec"]["huge"] == 1e22


@pytest.mark.long
def test_none_of_thousands_of_requests_at_once_is_lost(tmp_path: Path) -> None:
    """gRPC would drop some from 1,000 waiting requests on, and all from 3,000 on."""
    count = 3500
    program = tmp_path / "program"
    program.mkdir()
    (program / "Pulumi.yaml").write_text("name: case\nruntime: nodejs\n")
    (program / "package.json").write_text('{"main": "index.js"}')
    (program / "index.js").write_text(
        'const k8s = require("@pulumi/kubernetes");\n'
        f"for (let i = 0; i < {count}; i++)"
        " new k8s.core.v1.ConfigMap(`map-${i}`, { data: {} });\n"
    )
    asked = request(program, tmp_path / "cache", seconds=600)
    written = stream(PULUMI, asked, Options(stack="dev"))
    assert written.count("\nkind: ConfigMap\n") == count


def test_typescript_is_compiled_once(tmp_path: Path) -> None:
    case, cache = corpus.named("typescript-declares-apps-from-a-list"), tmp_path / "cache"
    first, _ = _render(case, tmp_path / "first", cache)
    kept = [path.stat() for path in (cache / "typescript").iterdir()]
    second, _ = _render(case, tmp_path / "second", cache)
    assert first == second
    assert kept
    # What is compiled takes the place of what was kept.
    assert [entry.st_ino for entry in kept] == [
        path.stat().st_ino for path in (cache / "typescript").iterdir()
    ], "it was compiled again"


def test_what_is_evicted_before_the_program_reads_it_is_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = corpus.named("typescript-declares-apps-from-a-list")
    monkeypatch.setattr(CompiledSources, "kept", lambda _: tmp_path / "evicted")
    assert _render(case, tmp_path / "first", tmp_path / "cache")[0] == case.expected(
        "expected.yaml"
    )


OF_STACKS = {
    "ts": 'export const names: string[] = ["{}"];\n',
    # As it is written, it is no JavaScript that Node.js knows.
    "js": 'function tag() {{}}\n@tag class Tagged {{}}\nexport const names = ["{}"];\n',
}
"""A module of which only some stack's program is aware, by its ending."""


@pytest.mark.parametrize("ending", OF_STACKS)
def test_a_module_that_another_stack_needs_is_compiled_though_the_program_would_do_without(
    tmp_path: Path, ending: str
) -> None:
    program = tmp_path / "program"
    program.mkdir()
    (program / "Pulumi.yaml").write_text("name: case\nruntime: nodejs\n")
    (program / "package.json").write_text('{"main": "index.ts"}')
    (program / "index.ts").write_text(
        'import * as k8s from "@pulumi/kubernetes";\n'
        'import * as pulumi from "@pulumi/pulumi";\n'
        "declare const require: (name: string) => { names: string[] };\n"
        'let names = ["none"];\n'
        "try { names = require(`./${pulumi.getStack()}`).names; } catch { /* no such stack */ }\n"
        "for (const name of names) new k8s.core.v1.ConfigMap(name, {});\n"
    )
    options = {"allowJs": True, "experimentalDecorators": True, "module": "commonjs"}
    options |= {"moduleResolution": "node", "target": "es2020"}
    (program / "tsconfig.json").write_text(json.dumps({"compilerOptions": options}))
    for stack in ("dev", "prod"):
        (program / f"{stack}.{ending}").write_text(OF_STACKS[ending].format(stack))
    for stack in ("dev", "prod", "dev"):
        asked = request(program, tmp_path / "cache")
        assert f"  name: {stack}\n" in stream(PULUMI, asked, Options(stack=stack))


def test_nothing_of_a_program_is_left_running(tmp_path: Path) -> None:
    # Real parts of other tests may be this process's, too.
    before = set(processes.descendants(os.getpid()))
    case = corpus.named("what-programs-print-is-not-a-manifest")
    _render(case, tmp_path, tmp_path / "cache")
    left = [processes.executable(pid) for pid in processes.descendants(os.getpid(), before)]
    assert not left, f"still running: {left}"


@pytest.mark.timeout(600)
def test_a_deadline_ends_a_program(tmp_path: Path) -> None:
    before = set(processes.descendants(os.getpid()))
    case = corpus.named("error-deadline")
    with pytest.raises(RenderError, match="took longer than 30 s"):
        stream(PULUMI, case.request(case.folder, tmp_path), case.options())
    assert processes.descendants(os.getpid(), before) == []


def _render(case: Case, folder: Path, cache: Path) -> tuple[str | None, str | None]:
    """(the stream, None) or (None, the first line of the error)."""
    program = case.copy_to(folder)
    try:
        return stream(PULUMI, case.request(program, cache), case.options()), None
    except RenderError as error:
        _require_no_secret(error)
        return None, f"{error}\n"


def _require_no_secret(error: RenderError) -> None:
    for secret in ("battery-staple-77", "inner-secret-value", "hunter2-hunter2"):
        assert secret not in error.report(), f"the message shows a secret: {error.report()}"
