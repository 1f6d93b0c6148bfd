"""What a program prints reaches a reader's terminal as text alone."""

import pytest

from plugin_image.renderer.errors import ProgramError
from plugin_image.renderer.plain import CUT, plain


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("\x1b[31mError\x1b[0m: no", "Error: no"),
        ("\x1b]0;a title\x07text", "text"),
        ("\x1b]8;;http://example.com\x1b\\link", "link"),
        ("\x1bcreset", "reset"),
        ("over\rwritten\x08", "overwritten"),
        ("\x9b31mred", "31mred"),
        ("safe\u202egnp", "safegnp"),
        ("lines\n\tand tabs stay: ä", "lines\n\tand tabs stay: ä"),
    ],
)
def test_no_escape_sequence_is_left(written: str, shown: str) -> None:
    assert plain(written) == shown


def test_a_report_is_plain_and_shows_where_it_is_cut() -> None:
    error = ProgramError("hun\x1b[0mter", fix="\x1b[1mfix", details=f"{CUT}hun\x1b[31mter")
    assert error.report() == "hunter. To fix it: fix\n[…] hunter"
