"""What becomes of one object's values between a recording and the stream."""

import math
from typing import Any

import pytest

from plugin_image.renderer.errors import ManifestError
from plugin_image.renderer.pulumi import manifests
from plugin_image.renderer.pulumi.monitor.recording import Recording, Registration
from plugin_image.renderer.pulumi.monitor.values import shapes, wire
from plugin_image.renderer.pulumi.options import Options

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
DEFINITION = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"


def built(type_: str = CONFIG_MAP, *, component: str = "", **fields: Any) -> dict[str, Any]:
    """The manifest of one object with these fields."""
    _, group, kind = type_.split(":")
    given = {"apiVersion": group.removeprefix("core/"), "kind": kind, "metadata": {"name": "a"}}
    entry = Registration(
        urn=f"urn:{type_}::a",
        type=type_,
        name="a",
        object={**given, **fields},
        index=0,
        source="main.py:3",
        dependencies=[],
        component=component,
    )
    (manifest,) = manifests.build(Recording([entry]), Options(), None, "default")
    return manifest


@pytest.mark.parametrize(
    "text",
    [
        "http://Calling __str__ on an Output[T] is not supported.\n\nTo get the value …",
        "Calling [toString] on an [Output<T>] is not supported.",
        '{"a":"Calling [toJSON] on an [Output<T>] is not supported."}',
        "calling __str__ on an output[t] is not supported",
        "<pulumi.output.Output object at 0x7f3c5c0b1d90>",
        "['a', <pulumi.output.Output object at 0x7f3c5c0b1d90>]",
        "http://<pulumi_kubernetes.core.v1.Service.Service object at 0x7f3c5c0b1d90>:80",
        "{0x31d9a201fa40}",
        "http://{0xc000123456}:80",
        "{OutputState:0xc000123456}",
        "{%!s(*internal.OutputState=0xc000123456)}",
        "&{{{0xc000123456} {0xc000123457}}}",
        "of com.pulumi.kubernetes.core.v1.ConfigMap@1b2c3d4",
        "http://%!s(*string=0x34780e266f50)",
        "http://[object Object]:80",
        "[object Promise]",
        "http://<nil>:80",
        "http://%!s(<nil>):80",
        "web-%!d(string=3)",
        "%!v(PANIC=String method: nil)",
        "http://%!s(MISSING)",
        "web%!(EXTRA string=3)",
        "web-%!(NOVERB)",
        f"of {shapes.PROVIDER_ID}",
        f"0x1 of {shapes.PROVIDER_ID}",
    ],
)
@pytest.mark.parametrize("place", ["value", "key", "name", "list"])
def test_what_stands_for_an_output_is_refused_with_object_path_and_line(
    text: str, place: str
) -> None:
    fields: dict[str, dict[str, Any]] = {
        "value": {"data": {"url": text}},
        "key": {"data": {text: "url"}},
        "name": {"metadata": {"name": text}},
        "list": {"spec": [{"url": text}]},
    }
    paths = {"value": r"data\.url", "key": r"data\.", "name": r"metadata\.name", "list": "spec"}
    with pytest.raises(ManifestError, match=rf"ConfigMap 'a' \(main\.py:3\) has in {paths[place]}"):
        built(**fields[place])


@pytest.mark.parametrize(
    "text",
    [
        "0xdeadbeef",
        "{0x10}",
        "calling home",
        "if (x.toString() === '[object Object]') {\n  return\n}",
        "x" * 600 + "[object Object]",
        "[object Array]",
        "printf '{%s}' 0x1234567890ab",
        "at 0x7f3c5c0b1d90: fault",
        "100%!s(*all*)=0x7f3c5c0b1d90",
        "100%!(all)",
        "100%!(a=1)",
        '{{ if ne (print .Value) "<nil>" }}on{{ end }}',
        "if v == <nil> {\n  return\n}",
    ],
)
def test_ordinary_texts_are_kept(text: str) -> None:
    assert built(data={"text": text})["data"] == {"text": text}


@pytest.mark.parametrize("text", ["http://<nil>:80", "%!s(<nil>)"])
def test_what_a_chart_formats_of_nothing_is_as_helm_has_it(text: str) -> None:
    assert built(component="the chart 'web'", data={"text": text})["data"] == {"text": text}


@pytest.mark.parametrize(
    "number", [2.0**53, -(2.0**53), 2.0**53 + 2, 1e16, 1.7e18, 2.0**63, 2.0**64, -1e19]
)
def test_an_integer_that_may_have_been_rounded_is_refused_with_its_path(number: float) -> None:
    with pytest.raises(ManifestError, match=r"\(main\.py:3\) has the number -?\d+ in spec\.n\[1\]"):
        built("kubernetes:a.io/v1:Own", spec={"n": [0, number]})


@pytest.mark.parametrize(
    "number", [0, -1, 2**53 - 1, 1 - 2**53, 0.5, 1e-300, 1.5e15 + 0.5, 1e22, 1e300, -1e21, 2.0**65]
)
def test_other_numbers_are_carried_as_they_are(number: float) -> None:
    assert built("kubernetes:a.io/v1:Own", spec={"n": number})["spec"]["n"] == number


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_refused(number: float) -> None:
    with pytest.raises(
        ManifestError, match=r"\(main\.py:3\) has in data\.n the number (nan|-?inf), .* finite"
    ):
        built(data={"n": number})


def test_bounds_of_a_definition_are_doubles_and_are_kept() -> None:
    schema = {"properties": {"port": {"maximum": 2.0**63, "minimum": -(2.0**63)}}}
    spec = {"versions": [{"schema": {"openAPIV3Schema": schema}}]}
    assert built(DEFINITION, spec=spec)["spec"] == spec
    with pytest.raises(ManifestError, match="default"):
        built(DEFINITION, spec={"default": 2.0**63})


KEYWORDS = {
    "x_kubernetes_embedded_resource": "x-kubernetes-embedded-resource",
    "x_kubernetes_int_or_string": "x-kubernetes-int-or-string",
    "x_kubernetes_list_map_keys": "x-kubernetes-list-map-keys",
    "x_kubernetes_list_type": "x-kubernetes-list-type",
    "x_kubernetes_map_type": "x-kubernetes-map-type",
    "x_kubernetes_preserve_unknown_fields": "x-kubernetes-preserve-unknown-fields",
    "x_kubernetes_validations": "x-kubernetes-validations",
}


@pytest.mark.parametrize("typed", KEYWORDS)
@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize("type_", [DEFINITION, "kubernetes:cluster.x-k8s.io/v1:ClusterClass"])
def test_keywords_of_schemas_are_spelt_as_kubernetes_spells_them(
    type_: str, hidden: bool, typed: str
) -> None:
    schema = {"items": [{typed: True}], typed: {"a": 1}}
    spelt = {"items": [{KEYWORDS[typed]: True}], KEYWORDS[typed]: {"a": 1}}
    given = {wire.SIGNATURE: wire.OUTPUT, "value": schema} if hidden else schema
    assert built(type_, spec={"schema": given})["spec"] == {"schema": spelt}


@pytest.mark.parametrize("key", [*KEYWORDS, "x_kubernetes_other", "x-kubernetes-list-type"])
def test_keys_that_are_a_users_own_are_kept(key: str) -> None:
    assert built(data={key: "a"})["data"] == {key: "a"}


@pytest.mark.parametrize(
    "name",
    [
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "generation",
        "managedFields",
        "resourceVersion",
        "selfLink",
        "uid",
    ],
)
@pytest.mark.parametrize("value", [None, "1", wire.UNKNOWN, "pulumi-unknown-0-1-", [{"a": 1}]])
def test_what_only_a_server_says_of_an_object_is_left_out(name: str, value: Any) -> None:
    template = {"metadata": {name: "1"}}
    manifest = built(metadata={"name": "a", name: value}, template=template)
    assert manifest["metadata"] == {"name": "a"}
    assert manifest["template"] == template


@pytest.mark.parametrize("value", [-(2**31), "-2147483648", "http://web:-2147483648/"])
def test_what_java_makes_of_a_number_that_only_the_cluster_knows_is_refused(value: Any) -> None:
    entry = Registration(
        urn="urn:a",
        type=CONFIG_MAP,
        name="a",
        object={"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "x": value},
        index=0,
        source="",
        dependencies=[],
    )
    assert built(x=value)["x"] == value, "of other languages it is the program's own"
    with pytest.raises(ManifestError, match="only the cluster knows"):
        manifests.build(Recording([entry], numbers_cut=True), Options(), None, "default")
