"""Templates of a chart as of another day.

The renderer cannot set the clock of the process that renders a chart, so it replaces the calls
that read the clock. `now` becomes a day long ago. `date` and its like read the clock if their
argument is not a date, `ago` and `durationRound` if it is one. Only the template knows its type, so
a template of ours calls them instead. It also calls `tpl`, and replaces the calls in its text,
because only a render shows which values and files are templates.
Source: Masterminds/sprig date.go; text/template/parse.
"""

from typing import Final

from . import go_templates

CLOCK: Final = "now"
TIMES: Final = (
    *("ago", "date", "dateInZone", "date_in_zone"),
    *("durationRound", "htmlDate", "htmlDateInZone"),
)
TEMPLATE: Final = "tpl"

_DAY: Final = b'(toDate "2006-01-02" "2001-02-03")'
_WRAPPED: Final = {name.encode() for name in (*TIMES, TEMPLATE)}
_ENDS: Final = (b"|", b")", b"}}")
_CALLED: Final = b' | include "renderer.another-day"'


def of(template: bytes) -> bytes:
    """Return a template as of another day, with the definitions that it then needs."""
    text = go_templates.ACTIONS.sub(lambda action: _action(action[0]), template)
    return template if text == template else text + DEFINITIONS


def _action(action: bytes) -> bytes:
    """Replace `date "2006" .x` by `list "date" "2006" .x | include "renderer.another-day"`."""
    text = bytearray()
    depth = 0
    wrapped: list[int] = []
    """The depths of parentheses at which a call to replace has begun."""
    for token in go_templates.TOKENS.findall(action):
        if depth in wrapped and token.endswith(_ENDS):
            text += _CALLED
            wrapped.remove(depth)
        depth += (token == b"(") - (token == b")")
        if token == CLOCK.encode():
            text += _DAY
        elif token in _WRAPPED:
            text += b'list "%b"' % token
            wrapped.append(depth)
        else:
            text += token
    return bytes(text)


def _of_go(pattern: bytes) -> bytes:
    return rb"(?s)" + pattern.replace(rb"\Z", rb"\z")


# The template `renderer.as-of-another-day` does to its text what `_action` does to an action.
DEFINITIONS: Final = rb"""{{ define "renderer.as-of-another-day" }}
{{- $wraps := list %(wrapped)b }}
{{- range $part := regexFindAll `%(part)b` . -1 }}
  {{- $depth := int64 0 }}
  {{- $wrapped := list }}
  {{- $tokens := list $part }}
  {{- if regexMatch `^\{\{` $part }}
    {{- $tokens = regexFindAll `%(token)b` $part -1 }}
  {{- end }}
  {{- range $token := $tokens }}
    {{- if and (has $depth $wrapped) (regexMatch `(?:[|)]|\}\})$` $token) }}
      {{- %(called)b }}
      {{- $wrapped = without $wrapped $depth }}
    {{- end }}
    {{- if eq $token "(" }}{{ $depth = add $depth 1 }}{{ end }}
    {{- if eq $token ")" }}{{ $depth = sub $depth 1 }}{{ end }}
    {{- if eq $token "%(clock)b" }}
      {{- `%(day)b` }}
    {{- else if has $token $wraps }}
      {{- printf "list %%q" $token }}
      {{- $wrapped = append $wrapped $depth }}
    {{- else }}
      {{- $token }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "renderer.another-day" }}
{{- $name := first . }}
{{- $zoned := regexMatch "[zZ]one$" $name }}
{{- $format := ternary "2006-01-02" (index . 1) (hasPrefix "html" $name) }}
{{- $date := ternary (index . (sub (len .) 2)) (last .) $zoned }}
{{- $zone := ternary (last .) "Local" $zoned }}
{{- $type := typeOf $date }}
{{- if eq $name "%(template)b" }}
  {{- tpl (include "renderer.as-of-another-day" (index . 1)) (index . 2) }}
{{- else if eq $name "durationRound" }}
  {{- ternary "on another day" (durationRound $date) (eq $type "time.Time") }}
{{- else if eq $name "ago" }}
  {{- ternary "on another day" (ago $date) (has $type (list "time.Time" "int64" "int")) }}
{{- else if has $type (list "time.Time" "*time.Time" "int64" "int" "int32") }}
  {{- dateInZone $format $date $zone }}
{{- else }}
  {{- dateInZone $format %(day)b $zone }}
{{- end }}
{{- end }}""" % {
    b"wrapped": b" ".join(b'"%b"' % name for name in sorted(_WRAPPED)),
    b"part": _of_go(go_templates.ACTION + rb"|[^{]+|\{"),
    b"token": _of_go(go_templates.TOKEN),
    b"called": b"`%b`" % _CALLED,
    b"clock": CLOCK.encode(),
    b"day": _DAY,
    b"template": TEMPLATE.encode(),
}
