"""YAML as people write it, which every parser reads the same way."""

import re
from typing import Any

import yaml

_SAFE_PLAIN_START = re.compile(r"[A-Za-z/]")
_BOOLEANS_UNKNOWN_HERE = frozenset("yYnN")
"""What Go's parsers take for booleans, and PyYAML does not quote."""


class _Dumper(yaml.SafeDumper):
    """Quotes every string that some parser could take for something else.

    PyYAML would write `1e3` and `y` plain, which Argo CD's Go parser takes for a float and a
    boolean.
    """

    def ignore_aliases(self, data: Any) -> bool:
        """Write repeated values out in full: templates and people do not know anchors."""
        return True


def _represent_str(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    plain = _SAFE_PLAIN_START.match(value) and value not in _BOOLEANS_UNKNOWN_HERE
    style = None if plain else '"'
    if "\n" in value:
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _represent_str)


def dump(*documents: Any) -> str:
    """Return the documents as one stream, with keys in the order that they have."""
    return yaml.dump_all(documents, Dumper=_Dumper, sort_keys=False, width=100)
