"""What takes the time in a chart takes that of another day."""

import pytest

from plugin_image.renderer import another_day

_DAY = "(toDate `2006-01-02` `2001-02-03`)"
_CALLED = "include `renderer.another-day`"


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("{{ now }}", "{{ (toDate `2006-01-02` `2001-02-03`) }}"),
        ("{{- now.Year -}}", f"{{{{- {_DAY}.Year -}}}}"),
        ('{{ date "2006" .x }}', f'{{{{ list `date` "2006" .x | {_CALLED} }}}}'),
        ('{{- .x | date "2006" -}}', f'{{{{- .x | list `date` "2006" | {_CALLED} -}}}}'),
        ("{{ htmlDate .x | quote }}", f"{{{{ list `htmlDate` .x | {_CALLED} | quote }}}}"),
        (
            '{{ printf "%s" (ago (toDate "2006" .x)) }}',
            f'{{{{ printf "%s" (list `ago` (toDate "2006" .x) | {_CALLED}) }}}}',
        ),
        (
            '{{ dateInZone (date "2006" .y) now ")" }}',
            f'{{{{ list `dateInZone` (list `date` "2006" .y | {_CALLED}) {_DAY} ")" '
            f"| {_CALLED} }}}}",
        ),
        (
            r'"{{ if date \"2006|\" .x }}a{{ end }}"',
            rf'"{{{{ if list `date` \"2006|\" .x | {_CALLED} }}}}a{{{{ end }}}}"',
        ),
    ],
)
def test_what_takes_the_time_is_called_by_way_of_another_day(action: str, expected: str) -> None:
    assert another_day.of(action.encode()).decode() == expected


@pytest.mark.parametrize(
    "template",
    [
        "now",
        "{{ .Values.now }}",
        '{{ "now" }}',
        "{{/* date */}}",
        "{{ $ago }}",
        "{{date}}",
        "{{ toDate `a` .b }}",
    ],
)
def test_what_only_speaks_of_it_stays(template: str) -> None:
    assert another_day.of(template.encode()).decode() == template
