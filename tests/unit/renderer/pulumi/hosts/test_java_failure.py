"""The first line tells what a Java program failed of, and where, in its own classes."""

import pytest

from plugin_image.renderer.pulumi.hosts import java_failure
from plugin_image.renderer.pulumi.hosts.host import CONFIGURATION_FIX

_RUNNING = "Running program [PID: 17](/usr/bin/java -cp a.jar shop.App) failed with an unhandled "
_AT = "\tat com.pulumi.core.Output.lambda$applyValue$0(Output.java:98)\n\tat shop.{}\n"
_THROWN = "java.lang.IllegalStateException: no such colour"


def _is_own(name: str) -> bool:
    return name.startswith("shop.")


@pytest.mark.parametrize(
    ("logged", "text", "place"),
    [
        (f"{_RUNNING}exception:\n{_THROWN}\n{_AT.format('App.stack(App.java:7)')}", _THROWN, 7),
        (f"{_THROWN}\n{_AT.format('App.lambda$stack$0(App.java:7)')}", _THROWN, 7),
        (f"{_THROWN}\n{_AT.format('App$Inner.<init>(App.java:7)')}", _THROWN, 7),
        (
            f"java.util.concurrent.CompletionException: {_THROWN}\n\tat java.base/java.A(A:1)\n"
            f"Caused by: {_THROWN}\n{_AT.format('App.stack(App.java:7)')}",
            _THROWN,
            7,
        ),
        (
            f"{_THROWN}\n{_AT.format('App.stack(App.java:7)')}"
            f"Caused by: java.io.IOException: gone\n{_AT.format('App.read(App.java:9)')}",
            _THROWN,
            7,
        ),
        (
            "io.grpc.StatusRuntimeException: UNKNOWN: it is refused\n"
            "\tat io.grpc.Status.asRuntimeException(Status.java:539)\n",
            "it is refused",
            None,
        ),
        ("wrong", "wrong", None),
    ],
)
def test_what_is_logged_is_told_with_its_place(logged: str, text: str, place: int | None) -> None:
    failure = java_failure.of([logged], "SEVERE: something else", _is_own)
    assert failure
    assert (failure.text, failure.place) == (text, f"App.java:{place}" if place else "")


def test_what_only_the_virtual_machine_tells_is_told_as_well() -> None:
    output = f'hello\nException in thread "main" {_THROWN}\n{_AT.format("App.main(App.java:7)")}'
    failure = java_failure.of([], output, _is_own)
    assert failure
    assert (failure.text, failure.place) == (_THROWN, "App.java:7")


def test_an_exit_status_alone_is_no_failure_of_its_own() -> None:
    assert java_failure.of([], "Error: Could not find or load main class shop.App", _is_own) is None


def test_a_missing_value_is_told_with_what_to_do() -> None:
    missing = "Missing required configuration variable 'shop:zone'\n\tplease set a value"
    failure = java_failure.of([missing], "", _is_own)
    assert failure
    assert failure.fix == CONFIGURATION_FIX
