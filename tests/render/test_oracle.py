"""Our manifests against those of the official engine, object by object.

`test_cases.py` ties our renderer to each case's `expected.yaml` or `error.txt`; here the
same files are held against what `pulumi up` renders. Where the two may differ, and why,
is in `differences.py`.
"""

import pytest

from tests.render import objects, oracle
from tests.render.corpus import CASES, Case
from tests.render.differences import BY_CASE, Official, comparable, without_words_to_the_provider
from tests.render.objects import Object
from tests.render.oracle import Answer

pytestmark = pytest.mark.long


DOWNLOADED = "-of-a-package-from-elsewhere"
"""How cases end that the official engine is not asked about: it would download the package."""


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=case.marks) for case in CASES if not case.name.endswith(DOWNLOADED)],
    ids=str,
)
def test_the_official_engine_renders_the_same_objects(case: Case) -> None:
    answer = oracle.ask(case)
    theirs = _theirs(answer)
    ours = _ours(case, theirs or [])
    if case.name in BY_CASE:
        listed = BY_CASE[case.name].official
        assert _verdict(ours, theirs) is listed, (
            f"{case.name}: differences.py says that the official engine {listed}; correct that."
            f" It said:\n{_said(answer)}"
        )
    else:
        assert theirs == ours, (
            f"{case.name}: the official engine (left) and ours (right) disagree; None is a"
            f" failure. The official engine said:\n{_said(answer)}"
        )


def test_every_listed_difference_is_one_of_a_case() -> None:
    assert BY_CASE.keys() <= {case.name for case in CASES}


def _theirs(answer: Answer) -> list[Object] | None:
    if isinstance(answer, str):
        return None
    return objects.in_order(map(without_words_to_the_provider, answer))


def _ours(case: Case, theirs: list[Object]) -> list[Object] | None:
    stream = case.expected("expected.yaml")
    return None if stream is None else comparable(objects.read(stream), theirs)


def _verdict(ours: list[Object] | None, theirs: list[Object] | None) -> Official | None:
    if ours == theirs:
        return None
    if theirs is None:
        return Official.FAILS
    return Official.RENDERS if ours is None else Official.DIFFERS


def _said(answer: Answer) -> str:
    return answer if isinstance(answer, str) else f"nothing, and wrote {len(answer)} objects"
