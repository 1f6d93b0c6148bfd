"""What came of all programs, as a table for people and as JSON."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from tests.public.official import Comparison
from tests.public.outcomes import Outcome, Verdict
from tests.public.programs import Program

_ALIKE = "as the official engine's"


@dataclass(frozen=True)
class Result:
    """One line of the report."""

    program: Program
    outcome: Outcome
    seconds: float
    compared: Comparison | None = None

    def line(self) -> str:
        """For a terminal: what came of it, and of what is not right the first words."""
        outcome = self.outcome
        number = f"{outcome.objects} objects" if outcome.verdict is Verdict.RENDERED else ""
        what = f"{self.program} ({self.program.language}, {self.seconds:.0f} s)"
        return f"{outcome.verdict}: {what}: {number or outcome.reason}{self._compared()}\n"

    def _compared(self) -> str:
        if self.compared is None:
            return ""
        difference, failure = self.compared.difference, self.compared.failure
        how = f"and not as the official engine's: {difference}" if difference else _ALIKE
        return f", {how}{f', until that failed: {failure}' if failure else ''}"


def table(results: Sequence[Result]) -> str:
    """Each verdict and reason with the number of programs."""
    return "".join(_table(results))


def _table(results: Sequence[Result]) -> Iterator[str]:
    repositories = len({result.program.repository for result in results})
    yield f"\n{len(results)} programs of {repositories} repositories\n"
    for verdict in Verdict:
        of_it = [result for result in results if result.outcome.verdict is verdict]
        made = sum(result.outcome.objects for result in of_it)
        yield f"{len(of_it):5} {verdict}{f': {made} objects' if made else ''}\n"
        reasons = Counter(result.outcome.reason for result in of_it if result.outcome.reason)
        for reason, number in reasons.most_common():
            yield f"{number:9} {reason}\n"
    compared = [result.compared for result in results if result.compared]
    for failed, when in ((False, ""), (True, ", until that failed")):
        differences = [each.difference for each in compared if bool(each.failure) is failed]
        if differences:
            of = f"{differences.count(''):5} of {len(differences)}"
            yield f"{of} {_ALIKE}{when}\n"


def as_json(results: Sequence[Result]) -> str:
    """Every result with what the renderer said."""
    entries = [
        {
            **asdict(result.program),
            **asdict(result.outcome),
            "seconds": round(result.seconds, 1),
            "compared": asdict(result.compared) if result.compared else None,
        }
        for result in results
    ]
    return json.dumps(entries, indent=1) + "\n"
