"""What charts and programs make up anew with each render is refused, with its place."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.faults import harness
from tests.faults.charts import (
    ANOTHER,
    BY_RELEASE,
    IF_ELSE,
    RANDOM,
    SECRET,
    V3,
    V4,
    archive,
    chart,
    config_map,
    names,
)
from tests.faults.harness import Fault, python

VARIES = [
    Fault(
        "a chart that draws a password",
        python(V4.format(""), **chart(RANDOM, values="auth: {}")),
        refused=ANOTHER
        + r".*set auth.password of the chart's values .*randAlphaNum in templates/a.yaml:5"
        ".*`random` to allow",
    ),
    Fault(
        "a chart of version 3 that draws a password",
        python(V3.format(""), **chart(IF_ELSE)),
        refused=ANOTHER + ".*set password of the chart's values",
    ),
    Fault(
        "a chart that is given its password",
        python(
            V4.format(', values={"auth": {"password": "given"}}'),
            **chart(RANDOM, values="auth: {}"),
        ),
        renders=lambda objects: objects[0]["stringData"] == {"password": "given"},
    ),
    Fault(
        "a chart that is given its password, and names objects by its release",
        python(V4.format(', values={"password": "given"}'), **chart(IF_ELSE, BY_RELEASE)),
        renders=names("s", "web"),
    ),
    Fault(
        "a chart of version 3 that is given its password",
        python(V3.format(', values={"password": "given"}'), **chart(IF_ELSE)),
        renders=lambda objects: objects[0]["stringData"] == {"password": "given"},
    ),
    Fault(
        "a chart that draws where that is allowed",
        python(V4.format(""), **chart(RANDOM, values="auth: {}")),
        arguments=["--random", "allow"],
        renders=names("s"),
    ),
    Fault(
        "a chart of version 3 that draws where that is allowed",
        python(V3.format(""), **chart(IF_ELSE)),
        arguments=["--random", "allow"],
        renders=names("s"),
    ),
    Fault(
        "a chart that draws in a helper",
        python(
            V4.format(""),
            **chart(
                SECRET % '{{ include "pw" . | quote }}',
                files={"templates/_helpers.tpl": '{{- define "pw" }}{{ uuidv4 }}{{ end -}}'},
            ),
        ),
        refused=ANOTHER + ".*uuidv4 in templates/_helpers.tpl:1",
    ),
    Fault(
        "a chart whose packed subchart draws",
        python(
            V4.format(""),
            **chart(
                config_map(),
                files={
                    "charts/sub.tgz": archive(
                        chart(SECRET % "{{ randNumeric 9 | quote }}", name="sub")
                    )
                },
            ),
        ),
        refused=ANOTHER + ".*randNumeric in charts/sub/templates/a.yaml:5",
    ),
    Fault(
        "a packed chart that draws",
        python(
            'k8s.helm.v4.Chart("web", chart="./web.tgz")\n',
            **{"web.tgz": archive(chart(SECRET % "{{ randNumeric 9 | quote }}"))},
        ),
        refused=ANOTHER,
    ),
    Fault(
        "a chart that dates what it makes",
        python(V4.format(""), **chart(SECRET % '{{ now | date "2006-01-02" | quote }}')),
        refused=ANOTHER + ".*now in templates/a.yaml:5",
    ),
    Fault(
        "a chart that dates what is no date",
        python(
            V4.format(', values={"at": 1700000000}'),
            **chart(SECRET % '{{ .Values.at | date "2006" | quote }}'),
        ),
        refused=ANOTHER + ".*date in templates/a.yaml:5",
    ),
    Fault(
        "a chart of version 3 that takes the year for a label",
        python(V3.format(""), **chart(SECRET % "{{ now.Year | quote }}")),
        refused=ANOTHER + ".*now in templates/a.yaml:5",
    ),
    Fault(
        "a packed subchart that dates",
        python(
            V4.format(""),
            **chart(
                config_map(),
                files={
                    "charts/sub.tgz": archive(chart(SECRET % "{{ now.Year | quote }}", name="sub"))
                },
            ),
        ),
        refused=ANOTHER,
    ),
    Fault(
        "a chart that makes a certificate",
        python(
            V4.format(""),
            **chart(
                '{{- $ca := genCA "ca" 3 }}\n' + SECRET % "{{ $ca.Cert | b64enc | quote }}",
            ),
        ),
        refused=ANOTHER + ".*genCA",
    ),
    Fault(
        "a chart that draws an object's name",
        python(V4.format(""), **chart(config_map("a-{{ randAlpha 5 | lower }}"))),
        refused=r"ConfigMap \(web/templates/a.yaml\) of .* differs from .*, in metadata.name",
    ),
    Fault(
        "a chart that takes the keys of a map as they come",
        python(
            V4.format(""),
            **chart(
                SECRET % '{{ keys .Values.m | join "," | quote }}',
                values="m: {a: 1, b: 2, c: 3, d: 4, e: 5}",
            ),
        ),
        refused=ANOTHER + ".*keys in templates/a.yaml:5",
    ),
    Fault(
        "a chart that sorts the keys of a map",
        python(
            V4.format(""),
            **chart(
                SECRET % '{{ keys .Values.m | sortAlpha | join "," | quote }}',
                values="m: {a: 1, b: 2, c: 3, d: 4, e: 5}",
            ),
        ),
        renders=lambda objects: objects[0]["stringData"] == {"password": "a,b,c,d,e"},
    ),
    Fault(
        "a chart that renders a value which draws",
        python(
            V4.format(', values={"text": "{{ randAlpha 5 }}"}'),
            **chart(SECRET % "{{ tpl .Values.text . | quote }}"),
        ),
        refused=ANOTHER,
    ),
    Fault(
        "a chart that renders a value of a file which dates",
        python(
            V4.format(', value_yaml_files=[pulumi.FileAsset("more.yaml")]'),
            **{"more.yaml": 'text: "{{ now | date \\"2006\\" }}"\n'},
            **chart(SECRET % "{{ tpl .Values.text . | quote }}"),
        ),
        refused=ANOTHER,
    ),
    Fault(
        "a chart that renders a value which dates",
        python(
            V4.format(', values={"text": "{{ now | date \\"2006\\" }}"}'),
            **chart(SECRET % "{{ tpl .Values.text . | quote }}"),
        ),
        refused=ANOTHER,
    ),
    Fault(
        "a chart that only speaks of drawing",
        python(
            V4.format(""),
            **chart(
                "# randAlphaNum is not used now\n{{/* genCA */}}\n"
                "{{- if .Values.draws }}{{ fail (randAlpha 3) }}{{ end }}\n"
                + config_map(data='{x: "{{ "now" }} {{ .Values.now }}"}'),
                values="now: later",
            ),
        ),
        renders=lambda objects: objects[0]["data"] == {"x": "now later"},
    ),
    Fault(
        "a chart that derives a password from its values",
        python(
            V4.format(""),
            **chart(SECRET % '{{ derivePassword 1 "long" "a" "b" "c" | quote }}'),
        ),
        renders=names("s"),
    ),
    Fault(
        "a chart that throws away what it draws",
        python(V4.format(""), **chart("{{- $_ := randAlphaNum 5 }}\n" + config_map())),
        renders=names("a"),
    ),
    Fault(
        "a chart that looks up the password before it draws one",
        python(
            V4.format(""),
            **chart(
                '{{- $s := lookup "v1" "Secret" "shop" "s" }}\n'
                + SECRET % "{{ if $s }}old{{ else }}{{ randAlphaNum 9 | quote }}{{ end }}"
            ),
        ),
        refused=ANOTHER,
    ),
    Fault(
        "a chart of which a hook draws, which version 4 leaves out",
        python(
            V4.format(""),
            **chart(
                config_map(),
                config_map(
                    "h-{{ randAlpha 5 | lower }}",
                    metadata=", annotations: {helm.sh/hook: pre-install}",
                ),
            ),
        ),
        renders=names("a"),
    ),
    Fault(
        "a chart of which a hook draws, which version 3 delivers",
        python(
            V3.format(""),
            **chart(
                config_map(),
                config_map(
                    "h",
                    data="{x: '{{ randAlpha 5 }}'}",
                    metadata=", annotations: {helm.sh/hook: pre-install}",
                ),
            ),
        ),
        refused="ConfigMap 'h' .* differs from render to render, in data.x",
    ),
]


@pytest.mark.parametrize("fault", VARIES, ids=str)
def test_a_chart_that_makes_something_up_is_refused(fault: Fault, tmp_path: Path) -> None:
    harness.check(fault, tmp_path)


NAMED = 'k8s.core.v1.ConfigMap("a", metadata={"name": "a"}, data={"x": "1"})'
DRAWS = 'k8s.core.v1.ConfigMap("a", data={"x": str(%s)})\n'
CHECKED = [
    Fault(
        "a program that draws",
        python("import random\n" + DRAWS % "random.random()"),
        refused="renders differently each time: ConfigMap 'a' in data.x",
    ),
    Fault(
        "a program that goes through a set",
        python(DRAWS % 'list({"a", "b", "c", "d", "e", "f"})'),
        refused="renders differently each time: ConfigMap 'a' in data.x",
    ),
    Fault(
        "a program that dates",
        python("import datetime\n" + DRAWS % "datetime.date.today()"),
        refused="renders differently each time: ConfigMap 'a' in data.x",
    ),
    Fault(
        "a program that reads the clock",
        python("import time\n" + DRAWS % "int(time.time())"),
        refused="renders differently each time: ConfigMap 'a' in data.x",
    ),
    Fault(
        "a program that draws a name",
        python("import uuid\n" + 'k8s.core.v1.ConfigMap("a", metadata={"name": uuid.uuid4().hex})'),
        refused="is in one render only and 1 more",
    ),
    Fault("a program that is the same", python(NAMED), renders=names("a")),
]


@pytest.mark.parametrize("fault", CHECKED, ids=str)
def test_a_check_names_what_differs(fault: Fault, tmp_path: Path) -> None:
    harness.check(replace(fault, arguments=["--check"]), tmp_path)
