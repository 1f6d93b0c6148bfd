"""What came of a program, by what the renderer said of it and nothing else.

What no entry of the table knows counts as a failure of the renderer: nothing is let off.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tests.public.running import Ended
from tests.render import objects


class Verdict(StrEnum):
    """Whose turn it is."""

    RENDERED = "rendered"
    REFUSED = "refused rightly"
    MISSING = "refused for a missing feature"
    THEIRS = "failed, the program's fault"
    OURS = "failed, our fault"


@dataclass(frozen=True)
class Outcome:
    """What came of one program."""

    verdict: Verdict
    reason: str
    """The class of refusals or failures, empty for what was rendered."""
    objects: int = 0
    said: str = ""
    """The renderer's first line about it."""


_UNKNOWN: Final = "unclassified"
_R, _M = Verdict.REFUSED, Verdict.MISSING
_T, _O = Verdict.THEIRS, Verdict.OURS
_NOT_INSTALLED: Final = r"the program's dependencies cannot be installed: .*"
_NOT_BUILT: Final = r"^the program cannot be built: "
_FAILED_AS: Final = r"^the program (failed: |ended with exit status \d+: )"
_FAILED: Final = _FAILED_AS + ".*"
_LACKS: Final = _FAILED_AS + r"(ModuleNotFound|Import)Error: "

_OF_A_PROGRAM: Final = re.compile(r"^the program (failed|ended)")
"""What begins so has a program's words in it, which may be any."""

_TABLE: Final = [
    (verdict, reason, re.compile(pattern))
    for verdict, reason, pattern in (
        (_O, "the renderer itself failed", r"^the renderer itself failed: "),
        (_O, "took too long", r"^the render took longer than "),
        (_R, "resources of other providers", r"\bnot (a )?Kubernetes objects?\b"),
        (_R, "resources of other providers", _FAILED + r"no resource plugin 'pulumi-resource-"),
        (_R, "functions of other providers", r"of a provider is called, which is not rendered"),
        (_R, "components of other providers", r"is a component of another provider"),
        (_R, "Pulumi ESC", r"uses Pulumi ESC environments"),
        (_R, "secrets that cannot be read", r"cannot be read: "),
        (_R, "secrets that cannot be read", r"has encrypted values, and the plugin has no"),
        (_R, "secrets that cannot be read", r"'s secrets provider, and the plugin has no"),
        (_R, "other stacks", r"refers to the stack .* no Pulumi backend"),
        (_R, "live values", r"which only the cluster knows|is read from a live system"),
        (_R, "several clusters", r"the program has objects for \d+ clusters"),
        (_R, "patches", r"patches an object that something else owns"),
        (_R, "secrets outside of Secrets", r"has a secret value in "),
        (_R, "random values in charts", r"differs from render to render"),
        (_R, "one object twice", r" are the same object, "),
        (_R, "no objects", r"no Kubernetes objects, and Argo CD would prune"),
        (_R, "packages without a lock", r"package.json asks for packages without a "),
        (_R, "a stack without its file", r"^stack .* has no Pulumi\.\S+, and "),
        (_R, "configuration that is not committed", r"has no value for the configuration key "),
        (_M, ".NET and Java", r"programs in (dotnet|java) are not rendered"),
        (_M, "old formats of locks", r"was written by a Yarn older than |that no pnpm from "),
        (_M, "locks of other tools", r"dependencies locked by \S+ alone cannot be installed"),
        (_M, "older SDKs", r"Pulumi SDK \S+ is too old"),
        (_M, "other versions of Python", r"^the program needs Python "),
        (_M, "editable packages from Git", _NOT_INSTALLED + r".*Unsupported editable requirement"),
        (_T, "packages that cannot be had", _NOT_INSTALLED + r"Not Found - GET "),
        (_T, "packages that cannot be had", _NOT_INSTALLED + r"reading \S+: 40[34] "),
        (_T, "packages that cannot be had", _NOT_INSTALLED + r"404 Not Found"),
        (_T, "packages that cannot be had", _NOT_INSTALLED + r"GET \S+ - 404"),
        (_T, "packages that cannot be had", _NOT_INSTALLED + r"getaddrinfo ENOTFOUND"),
        (_T, "packages that cannot be had", _NOT_INSTALLED + r"Could not resolve hostname"),
        (_T, "packages that cannot be had", _NOT_INSTALLED + r"No matching version found"),
        (_T, "packages that cannot be had", _NOT_INSTALLED + r"No solution found when resolving"),
        (_T, "packages that cannot be had", _NOT_INSTALLED + r"Not Found - 404"),
        (_T, "packages that cannot be had", _NOT_INSTALLED + r"Couldn't find any versions for "),
        (_T, "packages that cannot be had", _NOT_INSTALLED + r'Unsupported URL Type "workspace:"'),
        (_T, "packages that cannot be had", _NOT_BUILT + r"java\.net\.UnknownHostException"),
        (_T, "packages that cannot be built", _NOT_INSTALLED + r"cannot be built from its source"),
        (
            _T,
            "charts that cannot be had",
            r"no chart that can be rendered: .*cannot be reached",
        ),
        (
            _T,
            "charts that cannot be had",
            _FAILED + r"the chart of release .*cannot be reached",
        ),
        (_T, "files that cannot be had", _FAILED + r"kustomize build error: .*git fetch "),
        (_T, "files that cannot be had", _FAILED + r"(Failed to resolve|getaddrinfo ENOTFOUND)"),
        (_T, "files that cannot be had", _FAILED + r"dial tcp: lookup "),
        (_T, "files that are not there", _FAILED + r"open \S+: no such file or directory"),
        (_T, "no program", r"^the Go package that \S+ leads to is .* only 'main' is a program"),
        (_T, "files that are not committed", r"^`binary` .* which is not in the repository"),
        (_T, "no SDK among the packages", r"^@pulumi/pulumi is not among the program's "),
        (_T, "configuration that is not committed", _FAILED + r"[Mm]issing required config"),
        (_T, "configuration that is not committed", _FAILED + r"not found in pulumi config"),
        (_T, "modules that its packages lack", _LACKS + r"No module named '(pulumi_|kubernetes')"),
        (_T, "modules that its packages lack", _LACKS + r"cannot import name .* from 'pulumi_"),
        (_T, "keys that are none", r" has '.*', which is not a configuration key"),
        (_T, "types that TypeScript refuses", _FAILED_AS + r"error TS\d+: "),
    )
]
"""The first entry that is found in the first line of the message counts."""


def of(ended: Ended) -> Outcome:
    """The outcome of a run of the renderer."""
    if ended.status is None:
        return Outcome(Verdict.OURS, "the deadline was not kept", said=_last(ended.errors))
    if ended.status == 0:
        return Outcome(Verdict.RENDERED, "", sum(1 for _ in objects.read(ended.output)))
    said = _message(ended.errors)
    of_a_program = _OF_A_PROGRAM.match(said) is not None
    for verdict, reason, pattern in _TABLE:
        if of_a_program == pattern.pattern.startswith(_FAILED_AS) and pattern.search(said):
            return Outcome(verdict, reason, said=said)
    return Outcome(Verdict.OURS, _UNKNOWN, said=said)


def _message(errors: str) -> str:
    """The first line of the message, past warnings."""
    lines = [line for line in errors.splitlines() if line and not line.startswith("warning: ")]
    return lines[0] if lines else "it said nothing"


def _last(errors: str) -> str:
    lines = errors.splitlines()
    return lines[-1] if lines else "it said nothing"
