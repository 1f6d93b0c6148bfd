"""A component package whose SDK takes values that stay unknown for none is known as such."""

from pathlib import Path

import pytest

from plugin_image.renderer.pulumi.hosts import nodejs, python


@pytest.mark.parametrize(
    ("version", "knows"), [("3.255.0", False), ("3.256.0", True), ("4.0.0", True)]
)
def test_a_package_in_python_counts_by_the_sdk_that_is_installed_for_it(
    version: str, knows: bool, tmp_path: Path
) -> None:
    packages = tmp_path / "lib" / "python3.11" / "site-packages"
    (packages / f"pulumi-{version}.dist-info").mkdir(parents=True)
    (packages / "pulumi_kubernetes-4.1.0.dist-info").mkdir()
    assert python.knows_unknown(tmp_path / "bin" / "python") is knows


@pytest.mark.parametrize("knows", [True, False])
def test_a_package_in_nodejs_counts_by_its_protocol(knows: bool, tmp_path: Path) -> None:
    protocol = "proto.pulumirpc.RegisterResourceResponse.prototype.getUrn = function() {}\n"
    if knows:
        protocol += protocol.replace("getUrn", "getUnknown")
    (tmp_path / "proto").mkdir()
    (tmp_path / "proto" / "resource_pb.js").write_text(protocol)
    assert nodejs.knows_unknown(tmp_path) is knows
