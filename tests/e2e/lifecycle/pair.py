"""Two versions of a program, and how their files are laid out for both deployers."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

Files = Mapping[str, str]
Version = Literal["before", "between", "after"]

PROGRAM = "program.py"
"""The file of a Python program that runs together with others."""

_DRIVER = Path(__file__).parent.parent / "testdata" / "lifecycle.py"
_SHARED = {
    "Pulumi.yaml": "name: shop\nruntime: python\n",
    "Pulumi.dev.yaml": "config: {}\n",
    "__main__.py": _DRIVER.read_text(),
}


@dataclass(frozen=True)
class LiveChange:
    """What somebody else does to an object between the two deployments, as a merge patch."""

    api_version: str
    kind: str
    name: str
    patch: Mapping[str, Any]


@dataclass(frozen=True)
class Pair:
    """A program before and after a commit.

    A text is a Python program, which `tests/e2e/testdata/lifecycle.py` runs. A mapping has files:
    beside such a program in `program.py`, or else those of a whole project.
    """

    name: str
    """Begins no other pair's name."""
    before: str | Files
    after: str | Files
    between: str = ""
    """A version between the two, if there is one."""
    live: Sequence[LiveChange] = ()
    fails: bool = False
    """Whether a deployment of it fails or waits, and would keep others from theirs."""
    applications: Sequence[Mapping[str, str]] = ({},)
    """The parameters of each Application that it takes."""

    def __str__(self) -> str:
        return self.name

    @property
    def alone(self) -> bool:
        """Whether it is deployed by itself."""
        whole = not isinstance(self.before, str) and PROGRAM not in self.before
        return self.fails or whole or bool(self.between) or any(self.applications)

    @property
    def runtime(self) -> str:
        """The language, as Pulumi.yaml names it."""
        return str(yaml.safe_load(project([self], "before")["Pulumi.yaml"])["runtime"])


def project(pairs: Iterable[Pair], version: Version) -> Files:
    """The files of one program that runs those of all pairs."""
    files: dict[str, str] = {}
    for pair in pairs:
        content: str | Files = getattr(pair, version)
        beside = {PROGRAM: content} if isinstance(content, str) else dict(content)
        if PROGRAM in beside:
            program = textwrap.dedent(beside.pop(PROGRAM)).lstrip()
            files |= {**_SHARED, f"pairs/{pair.name}.py": program}
        assert not files.keys() & beside.keys(), f"{pair} and another have the same files"
        files |= beside
    return files
