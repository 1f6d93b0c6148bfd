"""Values keep their marks on their way to components and back."""

from plugin_image.renderer.pulumi.monitor.values import wire

_OUTPUT = {wire.SIGNATURE: wire.OUTPUT, "value": "a", "dependencies": ["urn"]}
_SECRET_OUTPUT = {**_OUTPUT, "secret": True, "dependencies": []}


def test_secrets_reach_components_as_outputs_wherever_they_are() -> None:
    given = {"plain": 1, "list": [wire.secret("a")], "output": _OUTPUT, "unknown": wire.UNKNOWN}
    assert wire.as_outputs(given) == {
        "plain": 1,
        "list": [_SECRET_OUTPUT],
        "output": _OUTPUT,
        "unknown": {wire.SIGNATURE: wire.OUTPUT},
    }


def test_outputs_are_their_values_to_what_takes_no_outputs() -> None:
    unknown = {wire.SIGNATURE: wire.OUTPUT}
    given = {"list": [_OUTPUT, _SECRET_OUTPUT], "unknown": unknown, "secret": wire.secret("b")}
    assert wire.as_values(given) == {
        "list": ["a", wire.secret("a")],
        "unknown": wire.UNKNOWN,
        "secret": wire.secret("b"),
    }
