"""Templates of a chart as they would come out on another day.

Nothing sets the clock of what renders a chart. So `now` is written as a day long ago, and so is
what else takes the time: `date` and its like take it for what is no date to them, such as a text,
nothing, or a number of a chart's values; `ago` and `durationRound` tell how long ago a date is.
What they are given only the template knows, so they are called by way of a template of our own.
Source: Masterminds/sprig date.go; text/template/parse.
"""

import re
from typing import Final

CLOCK: Final = rb"now"
TIMES: Final = rb"ago|date(?:InZone|_in_zone)?|durationRound|htmlDate(?:InZone)?"

TEXT: Final = rb"\"(?:\\.|[^\"\\\n])*\"|`[^`]*`|/\*.*?\*/|\\\"[^\"\n]*\\\""
"""What is no code in an action. The last is a text in an action in a text of YAML or JSON."""
ACTION: Final = re.compile(rb"\{\{(?>" + TEXT + rb"|(?!\}\}).)*+\}\}", re.DOTALL)
NAME: Final = rb"(?<![.$\w-])"
"""Where the name of a function may begin: it is no field, variable or part of a name."""

_CALL: Final = re.compile(
    TEXT + rb"|" + NAME + rb"(?:(?P<clock>%b)|(?P<time>%b))\b" % (CLOCK, TIMES), re.DOTALL
)
_STEP: Final = re.compile(TEXT + rb"|[(|)]|\s*-?\}\}", re.DOTALL)
_DAY: Final = b"(toDate `2006-01-02` `2001-02-03`)"

_TEMPLATE: Final = b"renderer.another-day"
FILE: Final = "templates/_renderer-another-day.tpl"
"""Where a chart gets the template by which functions are called."""
DEFINITION: Final = b"""{{- define "%b" -}}
{{- $name := first . -}}
{{- $zoned := or (contains "Zone" $name) (contains "zone" $name) -}}
{{- $format := ternary "2006-01-02" (index . 1) (hasPrefix "html" $name) -}}
{{- $date := ternary (index . (sub (len .) 2)) (last .) $zoned -}}
{{- $zone := ternary (last .) "Local" $zoned -}}
{{- $type := typeOf $date -}}
{{- if eq $name "durationRound" -}}
  {{- ternary "on another day" (durationRound $date) (eq $type "time.Time") -}}
{{- else if eq $name "ago" -}}
  {{- ternary "on another day" (ago $date) (has $type (list "time.Time" "int64" "int")) -}}
{{- else if has $type (list "time.Time" "*time.Time" "int64" "int" "int32") -}}
  {{- dateInZone $format $date $zone -}}
{{- else -}}
  {{- dateInZone $format %b $zone -}}
{{- end -}}
{{- end -}}
""" % (_TEMPLATE, _DAY)


def of(template: bytes) -> bytes:
    """The text of a template, or the JSON of values that a chart renders, as of another day."""
    return ACTION.sub(lambda action: _action(action[0]), template)


def _action(action: bytes) -> bytes:
    # From its end: what a call is given may be a call.
    for call in reversed([*_CALL.finditer(action)]):
        if call.lastgroup == "clock":
            action = action[: call.start()] + _DAY + action[call.end() :]
        elif call.lastgroup == "time":
            given = action[call.end() : _end_of_command(action, call.end())].rstrip()
            if not given and b"|" not in action[: call.start()]:
                continue  # a label in a file of others' templates, as in a dashboard
            command = b"list `%b`%b | include `%b`" % (call[0], given, _TEMPLATE)
            action = action[: call.start()] + command + action[call.end() + len(given) :]
    return action


def _end_of_command(action: bytes, start: int) -> int:
    """Where a pipeline goes on after a command, or ends."""
    depth = 0
    for step in _STEP.finditer(action, start):
        if step[0] == b"(":
            depth += 1
        elif depth and step[0] == b")":
            depth -= 1
        elif not depth and (step[0] in (b"|", b")") or step[0].endswith(b"}}")):
            return step.start()
    return len(action)
