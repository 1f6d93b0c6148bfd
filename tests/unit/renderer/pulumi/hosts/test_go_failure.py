"""The first line tells what a Go program failed of, however its SDK wraps and lists it."""

import pytest

from plugin_image.renderer.pulumi.hosts import go_failure
from plugin_image.renderer.pulumi.hosts.host import CONFIGURATION_FIX

_CAUSE = "the zone has no name"
_END = "ended with exit status 3"
_PLACE = "main.go:45"


@pytest.mark.parametrize(
    "logged",
    [
        _CAUSE,
        f"an unhandled error occurred: program failed:\n{_CAUSE}",
        f"an unhandled error occurred: program failed: \n1 error occurred:\n\t* {_CAUSE}\n\n",
        f"program failed: 2 errors occurred:\n\t* {_CAUSE}\n\t* and more\n",
        f"waiting for RPCs:\n{_CAUSE}",
        f"program failed: \nwaiting for RPCs: rpc error: code = Unknown desc = {_CAUSE}",
    ],
)
def test_the_first_cause_that_is_logged_is_told(logged: str) -> None:
    assert go_failure.of([logged], "error: program failed", _END, "").text == _CAUSE


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        (f"error: program failed: 1 error occurred:\n\t* {_CAUSE}\n\n", _CAUSE),
        (f"hello\nerror: an unhandled error occurred: program failed:\n{_CAUSE}", _CAUSE),
        (f"error: {_CAUSE}\n* a list of the program", f"error: {_CAUSE}"),
        ("panic: boom\n\ngoroutine 1 [running]:\nmain.main()", "panic: boom"),
        ("hello\ngood-bye", f"it {_END} after it printed 'good-bye'"),
        ("", f"it {_END} and printed nothing"),
        ("error: an unhandled error occurred: program failed:\n* \n", "its error has no text"),
    ],
)
def test_what_is_not_logged_is_told_as_it_is_printed(printed: str, told: str) -> None:
    assert go_failure.of([], printed, _END, "").text == told


def test_only_what_crashes_has_the_place_of_the_trace() -> None:
    printed = "panic: boom\n\ngoroutine 1 [running]:\nmain.main()"
    assert go_failure.of([], printed, _END, _PLACE).place == _PLACE
    assert go_failure.of([_CAUSE], printed, _END, _PLACE).place == ""


def test_configuration_that_is_missing_has_a_remedy() -> None:
    missing = "fatal: missing required configuration variable 'shop:zone'"
    assert go_failure.of([missing], "", _END, "").fix == CONFIGURATION_FIX
