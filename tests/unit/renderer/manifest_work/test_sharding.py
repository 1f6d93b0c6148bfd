"""The size of a manifest is what OCM's webhook counts, to the byte."""

from typing import Any

import pytest

from plugin_image.renderer.manifest_work import sharding


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("x", 81),
        ('<a>&\u2028ä\n\t"\\', 115),
        ("x" * 130, 211),
        ("x" * 20_000, 20_082),
        ("\a\b\f\x7f😀", 95),
    ],
)
def test_a_manifest_has_the_size_that_go_gives_it(text: str, size: int) -> None:
    """The sizes are what `runtime.RawExtension.Size` of k8s.io/apimachinery v0.34.0 said."""
    metadata = {"name": "a"}
    manifest: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
    assert sharding.size_of({**manifest, "data": {"t": text}}) == size


@pytest.mark.parametrize("shards", [2, 64, sharding.LARGEST])
def test_shards_get_about_the_same_number_of_objects(shards: int) -> None:
    count = shards * 100
    found = [sharding.shard_of(("", "ConfigMap", "shop", f"n{i}"), shards) for i in range(count)]
    assert set(found) == set(range(shards))
    assert max(found.count(shard) for shard in range(min(shards, 8))) < 200
