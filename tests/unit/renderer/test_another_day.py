"""Calls that read the clock are replaced in templates."""

import pytest

from plugin_image.renderer import another_day

_DAY = '(toDate "2006-01-02" "2001-02-03")'
_CALLED = 'include "renderer.another-day"'


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("{{ now }}", f"{{{{ {_DAY} }}}}"),
        ("{{- now.Year -}}", f"{{{{- {_DAY}.Year -}}}}"),
        ('{{ date "2006" .x }}', f'{{{{ list "date" "2006" .x  | {_CALLED}}}}}'),
        ('{{- .x | date "2006" -}}', f'{{{{- .x | list "date" "2006" | {_CALLED} -}}}}'),
        ("{{ htmlDate .x | quote }}", f'{{{{ list "htmlDate" .x  | {_CALLED}| quote }}}}'),
        (
            '{{ printf "%s" (ago (toDate "2006" .x)) }}',
            f'{{{{ printf "%s" (list "ago" (toDate "2006" .x) | {_CALLED}) }}}}',
        ),
        (
            '{{ dateInZone (date "2006" .y) now ")" }}',
            f'{{{{ list "dateInZone" (list "date" "2006" .y | {_CALLED}) {_DAY} ")"  '
            f"| {_CALLED}}}}}",
        ),
        ("{{ tpl .x . }}", f'{{{{ list "tpl" .x .  | {_CALLED}}}}}'),
        ("{{ if tpl .x $ -}}", f'{{{{ if list "tpl" .x $ | {_CALLED} -}}}}'),
        (
            "{{ print ((date .a .b)) (f (ago .c)) }}",
            f'{{{{ print ((list "date" .a .b | {_CALLED})) (f (list "ago" .c | {_CALLED})) }}}}',
        ),
    ],
)
def test_a_call_that_reads_the_clock_is_replaced(action: str, expected: str) -> None:
    text = another_day.of(action.encode())
    assert text == expected.encode() + another_day.DEFINITIONS


@pytest.mark.parametrize(
    "template",
    [
        "now",
        "{{ .Values.now }}",
        '{{ "now" }}',
        "{{ `{{ now }}` }}",
        "{{/* date */}}",
        "{{- /* it's now */ -}}",
        "{{ $ago }}",
        "{{ toDate `a` .b }}",
    ],
)
def test_a_template_that_does_not_read_the_clock_stays(template: str) -> None:
    assert another_day.of(template.encode()).decode() == template
