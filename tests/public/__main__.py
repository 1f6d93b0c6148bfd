"""`python -m tests.public`: renders the public programs of the index, and says what came of each.

Programs run with the rights of whoever starts this, as `pulumi up` would run them.
"""

import argparse
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tests.public import official, outcomes, programs, report
from tests.public.outcomes import Outcome, Verdict
from tests.public.programs import Program
from tests.public.report import Result
from tests.public.running import Runner
from tests.public.sources import GITHUB, SourceError, Sources
from tests.toolchain import cache

_DEADLINE_SECONDS = 900.0
"""Go compiles an SDK for each of its versions."""


def main() -> int:
    """Render them, and fail where one failed by our fault."""
    asked = _arguments()
    found = [p for p in programs.read(asked.index) if re.search(asked.only, str(p))]
    kept = cache.folder() / "public"
    runner = Runner.of(Sources(kept / "repositories", asked.source), kept / "cache", asked.deadline)
    with ThreadPoolExecutor(asked.jobs) as pool:
        results: list[Result] = []
        started = [pool.submit(_result, runner, program, asked.compare) for program in found]
        for done in as_completed(started):
            result = done.result()
            sys.stdout.write(result.line())
            sys.stdout.flush()
            results.append(result)
            if asked.json:
                asked.json.write_text(report.as_json(results))
    sys.stdout.write(report.table(results))
    return int(any(result.outcome.verdict is Verdict.OURS for result in results))


def _result(runner: Runner, program: Program, compare: bool) -> Result:
    with tempfile.TemporaryDirectory(prefix="public-") as folder:
        try:
            ended = runner.render(program, Path(folder) / "ours")
            outcome = outcomes.of(ended)
            if compare and outcome.verdict is Verdict.RENDERED:
                copy = runner.sources.copy(program, Path(folder) / "theirs")
                compared = official.compare(copy, runner.env, ended.output)
                return Result(program, outcome, ended.seconds, compared)
        except SourceError as error:
            said = str(error)
            return Result(program, Outcome(Verdict.THEIRS, "cannot be fetched", said=said), 0)
    return Result(program, outcome, ended.seconds)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.public", description=__doc__)
    parser.add_argument("--index", type=Path, default=programs.INDEX, metavar="FILE")
    parser.add_argument(
        "--source",
        default=GITHUB,
        metavar="URL",
        help="what git fetches from, with {owner} and {name} (default: %(default)s)",
    )
    parser.add_argument(
        "--only", default="", metavar="REGEX", help="programs whose name matches: owner/name/folder"
    )
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="at once (default: 2)")
    parser.add_argument(
        "--deadline", type=float, default=_DEADLINE_SECONDS, metavar="SECONDS", help="of each"
    )
    parser.add_argument(
        "--compare", action="store_true", help="render with the official engine, too"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every result there")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
