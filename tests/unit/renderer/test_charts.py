import gzip
import io
import tarfile
from pathlib import Path
from typing import Any

import pytest

from plugin_image.renderer import another_day, chart_files, charts


def chart_in(folder: Path, **files: str | bytes) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def archive(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as members:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            members.addfile(member, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), mtime=0)


@pytest.mark.parametrize(
    "action",
    [
        "{{ randAlphaNum 5 }}",
        "{{- $x := randAlpha 5 -}}",
        "{{ .Values.x | default (randAscii 5) }}",
        '{{ printf "}}" }}{{ uuidv4 }}',
        '{{ printf "{{%s}}" (randNumeric 5) }}',
        '{{ genCA "a" 3 }}',
        '{{ genSignedCert "a" nil nil 3 . }}',
        "{{ list 1 2 | join | shuffle }}",
        '{{ htpasswd "a" "b" }}',
        "{{ .Values.x | bcrypt }}",
        "{{ randInt 1 5 }}",
        "{{\n  randBytes\n  5 }}",
    ],
)
def test_a_chart_that_may_draw_is_rendered_twice(action: str, tmp_path: Path) -> None:
    found = charts.uses(chart_in(tmp_path, **{"templates/a.yaml": action}))
    assert (found.renders, found.clock) == (2, False)


@pytest.mark.parametrize(
    "text",
    [
        "a: randAlphaNum",
        "# {{ .Values.randAlphaNum }}",
        '{{ "uuidv4" }}',
        "{{ `now` }}",
        "{{/* genCA is not used */}}",
        "{{- /* don't use now */ -}}",
        '{{ include "lib.now" . }}',
        "{{ $now }}",
        "{{ .Values.keys.values }}",
        "{{ keys .Values.x | sortAlpha | join }}",
        "keys: {{ .Values.x }}",
        "{{ sha256sum .Values.x }}",
    ],
)
def test_a_chart_that_only_speaks_of_it_is_not(text: str, tmp_path: Path) -> None:
    assert charts.uses(chart_in(tmp_path, **{"templates/a.yaml": text})).renders == 1


def test_an_action_that_never_ends_takes_no_time(tmp_path: Path) -> None:
    text = "values {{ values " + '"a" ' * 500
    assert charts.uses(chart_in(tmp_path, **{"README.md": text})).renders == 1


@pytest.mark.parametrize("action", ["{{ now }}", "{{ now.Year }}", '{{ date "2006" (now) }}'])
def test_a_chart_that_asks_for_the_time_gets_another(action: str, tmp_path: Path) -> None:
    packed = archive(**{"sub/templates/b.yaml": action.encode()})
    chart = chart_in(tmp_path / "chart", **{"charts/sub.tgz": packed})
    chart_in(
        chart,
        **{"templates/a.yaml": action, "templates/now": '{{ "now" }} now {{ .Values.now }}'},
    )
    assert charts.uses(chart).clock
    copy = charts.as_of_another_day(chart, tmp_path / "copy")
    expected = another_day.of(action.encode())
    assert expected != action.encode()
    assert dict(chart_files.read(copy)) == {
        **dict(chart_files.read(chart)),
        "templates/a.yaml": expected,
        "charts/sub/templates/b.yaml": expected,
    }


@pytest.mark.parametrize(
    "name",
    [
        "values.yaml",
        "files/app.conf",
        "files/templates/a.tmpl",
        "files/charts/sub/templates/a.yaml",
        "crds/a.yaml",
        "README.md",
        "charts/sub/values.yaml",
        "charts/sub/files/templates/a.tmpl",
    ],
)
def test_a_file_that_is_not_a_template_stays(name: str, tmp_path: Path) -> None:
    files = {"templates/a.yaml": "{{ .Files.Get `f` }}", name: "{{ now }} {{ x | date `06` }}"}
    chart = chart_in(tmp_path / "chart", **files)
    assert charts.uses(chart, ["{{ now }}"]).renders == 1
    copy = charts.as_of_another_day(chart, tmp_path / "copy")
    assert dict(chart_files.read(copy)) == dict(chart_files.read(chart))


def test_an_archive_that_is_not_a_subchart_stays(tmp_path: Path) -> None:
    packed = archive(**{"sub/templates/b.yaml": b"{{ now }}"})
    chart = chart_in(tmp_path / "chart", **{"files/charts/sub.tgz": packed})
    assert charts.uses(chart).renders == 1
    copy = charts.as_of_another_day(chart, tmp_path / "copy")
    assert (copy / "files/charts/sub.tgz").read_bytes() == packed


@pytest.mark.parametrize("name", ["values.yaml", "files/a.conf", "crds/a.yaml"])
def test_any_text_is_evaluated_if_a_template_calls_tpl(name: str, tmp_path: Path) -> None:
    chart = chart_in(tmp_path, **{"templates/a.yaml": "{{ tpl .Values.a . }}", name: "{{ now }}"})
    assert charts.uses(chart).clock


@pytest.mark.parametrize(
    "template",
    [
        "{{ tpl `{{ now }}` . }}",
        r"""{{ tpl "{{ date \"06\" .a }}" . }}""",
        "{{ tpl (print `{{ now` .x) . }}",
        "{{ tpl (print `{{` .x) . }}",
        '{{ tpl (printf "{{ %s }}" .x) . }}',
    ],
)
def test_a_string_of_a_template_is_evaluated_if_it_calls_tpl(template: str, tmp_path: Path) -> None:
    assert charts.uses(chart_in(tmp_path, **{"templates/a.yaml": template})).clock
    other = template.replace("tpl", "print")
    assert not charts.uses(chart_in(tmp_path, **{"templates/a.yaml": other})).clock


@pytest.mark.parametrize(
    "value",
    [
        "{{ now }}",
        '"{{ print \\"x\\" }}", "b": "{{ now }}"',
        '{{ print "}}" now }}',
        '{{ print "a\\"b" now }}',
    ],
)
def test_a_value_is_evaluated_if_a_template_calls_tpl(value: str, tmp_path: Path) -> None:
    chart = chart_in(tmp_path, **{"templates/a.yaml": "{{ tpl .Values.a . }}"})
    assert charts.uses(chart, [value]).clock


@pytest.mark.parametrize(
    ("action", "clock"),
    [
        ('{{ date "2006" "" }}', True),
        ('{{ dateInZone "2006" .Values.day "UTC" }}', True),
        ('{{ .Values.day | date_in_zone "2006" }}', True),
        ("{{ htmlDate .Values.day }}", True),
        ("{{ .Values.day | toDate | ago }}", True),
        ('{{ .Values.day | toDate "2006" | dateModify "1h" | unixEpoch }}', False),
        ("date: {{ .Values.date }}", False),
    ],
)
def test_a_chart_that_may_take_the_time_for_what_is_no_date_asks_for_it(
    action: str, clock: bool, tmp_path: Path
) -> None:
    found = charts.uses(chart_in(tmp_path, **{"templates/a.yaml": action}))
    assert (found.clock, found.renders) == (clock, 2 if clock else 1)


def test_a_chart_that_goes_through_a_map_is_rendered_often(tmp_path: Path) -> None:
    chart = chart_in(tmp_path, **{"templates/a.yaml": "{{ keys .Values.x | first }}"})
    assert charts.uses(chart).renders > 2


def test_notes_and_definitions_are_no_templates_of_objects(tmp_path: Path) -> None:
    files = {"templates/NOTES.txt": "{{ now }}", "crds/a.yaml": "{{ now }}"}
    assert charts.uses(chart_in(tmp_path, **files)).renders == 1


def test_a_definition_in_notes_counts(tmp_path: Path) -> None:
    notes = '{{ define "date" }}{{ now }}{{ end }}'
    assert charts.uses(chart_in(tmp_path, **{"templates/NOTES.txt": notes})).clock


def test_a_packed_chart_stays_packed(tmp_path: Path) -> None:
    packed = archive(**{"../../out": b"{{ now }}", "web/templates/in": b"{{ now }}"})
    chart = tmp_path / "web.tgz"
    chart.write_bytes(archive(**{"web/charts/web.tgz": packed, "web/.helmignore": b"in"}))
    into = tmp_path / "copy"
    into.mkdir()
    copy = charts.as_of_another_day(chart, into)
    assert {*tmp_path.rglob("*")} == {chart, into, copy}
    expected = another_day.of(b"{{ now }}")
    assert dict(chart_files.read(copy))["charts/web/templates/in"] == expected


@pytest.mark.parametrize(
    "broken",
    [b"", b"no archive", gzip.compress(b"neither", mtime=0)],
    ids=["nothing", "text", "no files"],
)
def test_what_is_no_archive_is_left_to_helm(broken: bytes, tmp_path: Path) -> None:
    assert charts.uses(chart_in(tmp_path, **{"charts/web.tgz": broken})).renders == 1


def test_an_archive_with_more_in_it_than_helm_takes_is_left_to_helm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = archive(**{"web/templates/a.yaml": b"{{ now }}", "web/much": bytes(50_000)})
    chart = chart_in(tmp_path, **{"charts/web.tgz": packed})
    assert charts.uses(chart).clock
    monkeypatch.setattr(chart_files, "_MOST_BYTES", 50_000)
    assert not charts.uses(chart).clock


def test_values_that_stand_for_what_is_drawn_are_named(tmp_path: Path) -> None:
    template = (
        "{{- if .Values.auth.password }}\n{{ .Values.auth.password }}\n"
        "{{- else }}\n{{ randAlphaNum 10 }}\n{{- end }}\n"
    )
    found = charts.uses(chart_in(tmp_path, **{"templates/a.yaml": template}))
    assert found.remedy("web/templates/a.yaml") == (
        "set auth.password of the chart's values so that it makes nothing up "
        "(it uses randAlphaNum in templates/a.yaml:4)"
    )


@pytest.mark.parametrize(
    ("one", "other", "path"),
    [
        ({"a": 1}, {"a": 2}, "a"),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, "a.b[1]"),
        ({"a": [1]}, {"a": [1, 2]}, "a"),
        ({"a": 1}, {"a": 1, "b": 2}, "b"),
        ({"a": 1}, {"a": True}, "a"),
        ({"a": 1}, {"a": "1"}, "a"),
        ({"a": {}}, {"a": []}, "a"),
    ],
)
def test_a_difference_is_told_by_its_path(one: Any, other: Any, path: str) -> None:
    assert list(charts.differences(one, other)) == [path]
    assert charts.difference([one], [other]) == (0, path)


def test_equal_trees_do_not_differ() -> None:
    tree = {"a": [1, {"b": None}], "c": 1.5}
    assert charts.difference([tree], [tree]) is None


@pytest.mark.parametrize(
    ("first", "second", "position"), [([{}], [], 0), ([{}, {}], [{}], 1), ([], [{}], 0)]
)
def test_an_object_that_is_not_there_each_time_differs(
    first: Any, second: Any, position: int
) -> None:
    assert charts.difference(first, second) == (position, "")


LOOKUP = b'{{ lookup "v1" "Secret" "a" "b" }}'


def test_files_that_look_something_up_or_make_hooks_are_named(tmp_path: Path) -> None:
    files: dict[str, bytes] = {
        "Chart.yaml": b"name: web\nappVersion: '7'\n",
        "templates/looks.yaml": LOOKUP,
        "templates/talks.yaml": b"# lookup\n{{/* lookup */}}{{ .Values.lookup }}{{ `lookup` }}",
        "templates/hook.yaml": b'    "helm.sh/hook": pre-install\n',
        "templates/also.yaml": b"annotations: {helm.sh/hook: '{{ .Values.hook }}'}\n",
        "templates/test.yaml": b"    helm.sh/hook: test-success\n",
        "templates/not.yaml": b"    helm.sh/hook-weight: '1'\n# helm.sh/hook: pre-install\n",
        "charts/sub.tgz": archive(**{"sub/templates/a.yaml": LOOKUP}),
    }
    (tmp_path / "web.tgz").write_bytes(archive(**{f"web/{n}": text for n, text in files.items()}))
    for chart in (chart_in(tmp_path / "web", **files), tmp_path / "web.tgz"):
        assert sorted(charts.lookups(chart)) == [
            "charts/sub/templates/a.yaml",
            "templates/looks.yaml",
        ]
        assert sorted(charts.hooks(chart)) == ["templates/also.yaml", "templates/hook.yaml"]
        assert charts.metadata(chart) == {"name": "web", "appVersion": "7"}


def test_a_chart_without_metadata_has_none(tmp_path: Path) -> None:
    assert charts.metadata(chart_in(tmp_path / "web", **{"values.yaml": "{}"})) == {}


DOUBTFUL = {
    "templates/a.yaml": b"{{ now }}",
    "templates/b.yaml": b"{{- tpl .Values.text . }}",
    "templates/NOTES.txt": b"{{ define `a` }}{{ randAlpha 3 }}{{ end }}",
    "templates/c.yaml": b"{{ '\"' }}{{ ago . }}{{ '\"' }}",
    "templates/d.yaml": b"{{ range keys .Values.map }}{{ . }}{{ end }}",
    "templates/_lib.tpl": b"{{ print (date `2006` 0) }}",
    "charts/sub/templates/a.yaml": b"{{ uuidv4 }}",
    "charts/sub.tgz": archive(**{"sub/templates/a.yaml": b"{{ genCA `a` 1 }}"}),
}
DOUBTLESS = {
    "README.md": b"now",
    "values.yaml": b"text: '{{ now }}' # the keys and values of tpl",
    "crds/a.yaml": b"description: the date",
    "templates/a.yaml": b"{{ .Values.now }}{{ $tpl }}{{ keys .Values | sortAlpha }} # known",
    "templates/b.yaml": b"# now\n{{/* tpl now */}}{{ `{{ now }}` }}",
    "files/templates/a.yaml": b"{{ now }}",
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_a_chart_that_may_make_something_up_is_doubtful(name: str, tmp_path: Path) -> None:
    assert [*charts.doubts(chart_in(tmp_path, **{**DOUBTLESS, name: DOUBTFUL[name]}))]


def test_a_chart_that_makes_nothing_up_is_not(tmp_path: Path) -> None:
    assert [*charts.doubts(chart_in(tmp_path, **DOUBTLESS))] == []
