"""What the installer raises: each error says where, what is wrong, and what to do.

They are `pulumi.RunError`s, so that Pulumi prints the message alone, without a stack
trace. No message ever contains a credential's value.
"""

import re
from collections.abc import Mapping

import pulumi


class InstallerError(pulumi.RunError):
    """Anything that the installer itself refuses."""


class InvalidInputError(InstallerError):
    """An argument that would not work, refused before anything is applied.

    `field` is the argument's Python name, `problem` what is wrong with it and what that
    would lead to, `fix` what to write instead, `where` the component that was given it.
    """

    def __init__(self, field: str, problem: str, fix: str, where: str = "") -> None:
        super().__init__(f"{where}{': ' if where else ''}{field} {problem}. Fix: {fix}.")
        self.field = field
        self.problem = problem
        self.fix = fix
        self.where = where

    def located(self, where: str) -> "InvalidInputError":
        """Return the same error, naming the component instance that was given the argument."""
        return InvalidInputError(self.field, self.problem, self.fix, where)

    def in_words_of(self, names: Mapping[str, str]) -> "InvalidInputError":
        """Return the same error with the arguments called as `names` says.

        In sentences, only names of several words are renamed: others may be ordinary words.
        """
        clear = {name: other for name, other in names.items() if "_" in name}
        return InvalidInputError(
            _renamed(self.field, names),
            _renamed(self.problem, clear),
            _renamed(self.fix, clear),
            self.where,
        )


def _renamed(text: str, names: Mapping[str, str]) -> str:
    pattern = re.compile(rf"\b({'|'.join(names)})\b") if names else re.compile("(?!)")
    return pattern.sub(lambda found: names[found[1]], text)
