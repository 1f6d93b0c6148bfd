"""What the installer raises: each error says where, what is wrong, and what to do.

They are `pulumi.RunError`s, so that Pulumi prints the message alone, without a stack
trace. No message ever contains a credential's value.
"""

from collections.abc import Mapping

import pulumi

from . import spelling


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
        """Return the same error with the arguments called as `names` says, by their paths."""
        return InvalidInputError(
            spelling.path(self.field, names),
            spelling.sentence(self.problem, names),
            spelling.sentence(self.fix, names),
            self.where,
        )
