"""No object has a placeholder of a secret that cannot be read, wherever it may stand."""

from typing import Any

import pytest

from plugin_image.renderer.errors import ManifestError, ProgramError
from plugin_image.renderer.pulumi import manifests, outcome, unreadable_secrets
from plugin_image.renderer.pulumi.hosts.host import Failure, Run
from plugin_image.renderer.pulumi.monitor.recording import UNREADABLE, Recording, Registration
from plugin_image.renderer.pulumi.monitor.resources import providers
from plugin_image.renderer.pulumi.monitor.run_context import Unreadable
from plugin_image.renderer.pulumi.monitor.values import unreadable, wire
from plugin_image.renderer.pulumi.options import Options
from plugin_image.renderer.supervise import Ended

SECRETS = Unreadable(keys=["shop:a", "shop:b"], why="there is no key", fix="give it", names=True)
TEXT = unreadable.placeholder(1)


def build(object_: dict[str, Any], **fields: Any) -> Any:
    object_ = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}, **object_}
    entry = Registration(
        "urn", "kubernetes:core/v1:Secret", "x", object_, 0, "a.py:3", [], **fields
    )
    options = Options(allow_plaintext_secrets=True)
    return manifests.build(Recording([entry]), options, None, "default", SECRETS)


@pytest.mark.parametrize(
    ("path", "object_"),
    [
        ("data.x", {"data": {"x": wire.secret(TEXT)}}),
        ("data.x", {"data": wire.secret({"x": f"a {TEXT.upper()}"})}),
        (f"data.{TEXT}", {"data": {TEXT: "x"}}),
        ("metadata.name", {"metadata": {"name": TEXT}}),
        ("metadata.namespace", {"metadata": {"name": "x", "namespace": wire.secret(TEXT)}}),
        ("spec.a[1].b", {"spec": {"a": ["c", {"b": TEXT}]}}),
    ],
)
def test_an_object_that_has_one_is_refused(path: str, object_: dict[str, Any]) -> None:
    with pytest.raises(ManifestError) as refused:
        build(object_)
    assert str(refused.value) == (
        f"Secret 'x' (a.py:3) needs in {path} the secret 'shop:b' of the configuration, which "
        "cannot be read: there is no key. To fix it: give it, or let a controller in the cluster "
        "make the Secret (External Secrets, Sealed Secrets)"
    )


def test_a_name_that_depends_on_one_is_refused() -> None:
    with pytest.raises(ManifestError, match="for its replacementTrigger the secret 'shop:b'"):
        build({}, replacement_trigger=wire.secret([TEXT]))
    with pytest.raises(ManifestError, match="for the hash in its name the stack's passphrase"):
        build({}, keyless=True)


def test_an_object_without_one_is_rendered() -> None:
    assert build({"data": {"x": "y"}})
    assert [*unreadable_secrets.notes(SECRETS)] == [
        "no object has the secrets that cannot be read (there is no key): shop:a, shop:b"
    ]
    assert not [*unreadable_secrets.notes(None)]


def test_a_program_that_fails_without_them_is_told_so() -> None:
    failure = Failure(f"ValueError: {TEXT} is odd", "a.py:3", "")
    with pytest.raises(ProgramError) as failed:
        outcome.require_success(Recording(), Run([], Ended(1, ""), failure), SECRETS)
    assert str(failed.value) == (
        "the program failed: ValueError: <the secret 'shop:b'> is odd (a.py:3). To fix it: it ran "
        "without shop:a, shop:b, which cannot be read (there is no key): give it"
    )


def test_a_cluster_that_one_names_is_marked() -> None:
    for inputs in ({"kubeconfig": wire.secret(TEXT)}, {"clusterIdentifier": TEXT}):
        assert providers.provider("p", inputs).cluster.startswith(UNREADABLE)
    plain = providers.provider("p", {"kubeconfig": "a"}).cluster
    assert not plain.startswith(UNREADABLE)
