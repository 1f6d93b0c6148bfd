import base64
from urllib.parse import quote

import pytest

from plugin_image.renderer.pulumi.monitor import wire
from plugin_image.renderer.pulumi.monitor.recording import Recording, Registration
from plugin_image.renderer.pulumi.redaction import redact, secrets_of

SECRET = 'p4ss"wörd/&\\'


@pytest.mark.parametrize(
    "form",
    [SECRET, repr(SECRET), quote(SECRET, safe=""), base64.b64encode(SECRET.encode()).decode()],
)
def test_a_secret_is_taken_out_in_every_form(form: str) -> None:
    assert redact(f"it is {form}!", [SECRET]).count("[secret]") == 1
    assert "p4ss" not in redact(f"it is {form}!", [SECRET])


def test_each_line_of_a_secret_is_taken_out() -> None:
    key = "-----BEGIN KEY-----\nMIIEvQIBADANBg\n-----END KEY-----\n"
    assert "MIIEvQ" not in redact("Traceback:\n  MIIEvQIBADANBg", [key])


def test_a_secret_inside_a_longer_one_leaves_no_rest() -> None:
    assert redact("longer-secret", ["secret", "longer-secret"]) == "[secret]"


def test_secrets_too_short_to_tell_are_left() -> None:
    assert redact("1 of 10", ["1", ""]) == "1 of 10"


def test_what_a_program_marked_is_collected_from_every_depth() -> None:
    entry = Registration(
        urn="urn", type="kubernetes:core/v1:Secret", name="x", index=0, source="", dependencies=[],
        object={"data": wire.secret({"a": ["one", wire.secret("two")]}), "n": wire.secret(77)},
    )  # fmt: skip
    assert sorted(secrets_of(Recording([entry]))) == ["77", "one", "two"]
