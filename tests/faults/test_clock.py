"""A chart is refused for the clock only if its templates read it, whatever its files say."""

from pathlib import Path

import pytest

from tests.faults import harness
from tests.faults.charts import ANOTHER, SECRET, V3, V4, archive, chart, config_map, names
from tests.faults.harness import Content, Fault, python

RELEASE = 'k8s.helm.v3.Release("web", chart="./web", namespace="shop"{})\n'
PROGRAMS = {"version 4": V4, "version 3": V3, "a release": RELEASE}

# As charts of Home Assistant, Grafana, Vector, Alertmanager and External Secrets have them.
APPLICATION: dict[str, str] = {
    "files/automations.yaml": "at: \"{{ now().strftime('%H') }}\" # {{ x | date('it''s') }}\n",
    "dashboards/up.json": '{"legendFormat": "{{date}} {{ now }}", "to": "now", "f": "{{ago .x}}"}',
    "files/templates/alert.tmpl": '{{ define "a" }}{{ .StartsAt | date "15:04" }}{{ end }}',
    "files/charts/vector/templates/vector.yaml": "{{ now | htmlDate }} {{ printf `%s",
}
VALUES = (
    "alert: '{{ .StartsAt | date \"2006\" }} {{ now }}'\n"
    'secret: "{{ .at | ago }} {{ htmlDate now | quote }}"\n'
    "template: '{{ .Release.Name }} {{ if false }}{{ now }}{{ end }}{{/* now */}}'\n"
    "nested: {list: ['{{ .Release.Name }}']}\n"
)
TEMPLATE = config_map(
    data="""
  # {{/* now */}} the date is now
{{ (.Files.Glob "{files,dashboards}/**").AsConfig | indent 2 }}
{{ range $path, $_ := .Files.Glob "files/**.tmpl" }}
  raw: {{ $.Files.Get $path | quote }}
{{ end }}
  alert: {{ .Values.alert | quote }}
  secret: {{ toJson .Values.secret | quote }}
  string: {{ "{{ now }}" | quote }}
  literal: {{ `{{ $now := now }}{{ .x | date "06" }}` | quote }}
  evaluated: {{ tpl .Values.template . | quote }}
  nested: {{ tpl (toYaml .Values.nested) . | quote }}
  fixed: {{ toDate "2006-01-02" "2020-02-03" | date "2006" | quote }}
"""
)


def given(program: str) -> str:
    """The program with values of its own, which no template evaluates."""
    return program.format(', values={"alert": "{{ now | date }} {{ .x | ago }}"}')


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_chart_whose_files_and_values_speak_of_the_clock_renders(
    program: str, tmp_path: Path
) -> None:
    def renders(objects: list[dict[str, dict[str, str]]]) -> bool:
        data = objects[0]["data"]
        return (
            {path.rpartition("/")[2]: data[path.rpartition("/")[2]] for path in APPLICATION}
            == {path.rpartition("/")[2]: text for path, text in APPLICATION.items()}
            and data["alert"] == "{{ now | date }} {{ .x | ago }}"
            and data["raw"] == APPLICATION["files/templates/alert.tmpl"]
            and data["evaluated"] == "web "
            and data["nested"] == "list:\n- 'web'"
            and data["fixed"] == "2020"
        )

    files = chart(TEMPLATE, values=VALUES, files=APPLICATION)
    harness.check(Fault("", python(given(program), **files), renders=renders), tmp_path)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_same_chart_is_refused_if_it_evaluates_one_of_them(
    program: str, tmp_path: Path
) -> None:
    files = chart(
        TEMPLATE, SECRET % "{{ tpl .Values.alert . | quote }}", values=VALUES, files=APPLICATION
    )
    text = program.format(', values={"alert": "{{ now | date \\"2006\\" }}"}')
    harness.check(Fault("", python(text, **files), refused=ANOTHER), tmp_path)


TPL = "{{ tpl .Values.text . | quote }}"
READS = {
    "in a value that is evaluated with others": (
        "{{ tpl (toYaml .Values) . | fromYaml | toJson | quote }}",
        "a: x\nb: {c: ['{{ now.Year }}']}",
    ),
    "in a file that is evaluated": ('{{ tpl (.Files.Get "files/a.conf") . | quote }}', ""),
    "in files that are evaluated together": (
        '{{ tpl (.Files.Glob "files/*").AsConfig . | quote }}',
        "",
    ),
    "in a string that is evaluated": ("{{ tpl `{{ now | htmlDate }}` . | quote }}", ""),
    "in a text put together": (
        '{{ tpl (printf "{{ now | date %q }}" .Values.f) . | quote }}',
        'f: "2006"',
    ),
    "by a name that a value has": (
        '{{ tpl (printf "{{ %s | date `2006` }}" .Values.f) . | quote }}',
        "f: now",
    ),
    "in braces that a template writes": (
        '{{ tpl (.Values.f | replace "[[" "{{" | replace "]]" "}}") . | quote }}',
        "f: '[[ now.Year ]]'",
    ),
    "in a text that an evaluated text evaluates": (
        TPL,
        "inner: '{{ now.Year }}'\ntext: '{{ tpl .Values.inner . }}'",
    ),
    "in a definition of an evaluated text": (
        TPL,
        'text: \'{{ define "d" }}{{ now.Year }}{{ end }}{{ include "d" . }}\'',
    ),
    "for a date that is none in an evaluated text": (
        TPL,
        'at: soon\ntext: "{{ if eq (date \\"2006\\" .Values.at) \\"x\\" }}x{{ else }}'
        '{{- .Values.at | date \\"2006\\" }}{{ end -}}"',
    ),
    "for how long ago a date is in an evaluated text": (
        TPL,
        'text: \'{{ printf "%s" (ago (toDate "2006" "1999")) }}\'',
    ),
    "in its default for a value": ("{{ .Values.year | default now.Year | quote }}", ""),
    "after a string with a brace": ('{{ print "}}" now.Year | quote }}', ""),
    "after a quote": ("{{ if eq '\"' '\"' }}{{ now.Year | quote }}{{ end }}", ""),
    "for an age": ('{{ toDate "2006" "1999" | durationRound | quote }}', ""),
    "for a time that it modifies": ('{{ now | dateModify "-1h" | unixEpoch | quote }}', ""),
    "for a zone": ('{{ dateInZone "2006" "" "UTC" | quote }}', ""),
    "by way of a block": (
        '{{ block "b" . }}{{ with $x := now }}{{ $x.Year | quote }}{{ end }}{{ end }}',
        "",
    ),
}


@pytest.mark.parametrize(("template", "values"), READS.values(), ids=READS)
def test_a_chart_that_reads_the_clock_is_refused(
    template: str, values: str, tmp_path: Path
) -> None:
    files = {"files/a.conf": "year {{ now.Year }}"}
    program = python(V4.format(""), **chart(SECRET % template, values=values or "{}", files=files))
    harness.check(Fault("", program, refused=ANOTHER), tmp_path)


LIBRARY: dict[str, Content] = {
    "common/Chart.yaml": "apiVersion: v2\nname: common\nversion: 1.0.0\ntype: library\n",
    "common/templates/_date.tpl": '{{ define "common.date" }}{{ now.Year }}{{ end }}',
    "common/templates/NOTES.txt": "{{ now }}",
}


@pytest.mark.parametrize("reads", [True, False], ids=["reads", "does not read"])
@pytest.mark.parametrize("packed", [True, False], ids=["packed", "folder"])
def test_a_library_chart_counts_if_its_definition_is_used(
    packed: bool, reads: bool, tmp_path: Path
) -> None:
    library = (
        {"charts/common-1.0.0.tgz": archive(LIBRARY)}
        if packed
        else {f"charts/{path}": text for path, text in LIBRARY.items()}
    )
    called = '{{ include "common.date" . | quote }}'
    # Helm reads this of a folder, and not of what is packed in it.
    ignore = {".helmignore": "*.tpl\n"} if packed else {}
    files = chart(SECRET % (called if reads else "fixed"), files={**library, **ignore})
    end = {"refused": ANOTHER} if reads else {"renders": names("s")}
    harness.check(Fault("", python(V4.format(""), **files), **end), tmp_path)
