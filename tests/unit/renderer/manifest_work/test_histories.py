"""From commit to commit: random histories of a repository, and where its objects are.

What a history never shows is an object that leaves a ManifestWork for another: that would
delete it on the target for a moment.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from plugin_image.renderer.errors import ManifestError
from plugin_image.renderer.manifest_work import sharding, works
from plugin_image.renderer.manifest_work.entries import Entry
from plugin_image.renderer.manifest_work.options import Options

LIMIT = 20_000
COMMITS = 40

Identity = tuple[str, str, str]
Homes = dict[Identity, set[str]]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("shards", [1, 2, 8, 64])
def test_an_object_never_leaves_its_manifest_work(seed: int, shards: int) -> None:
    known: Homes = defaultdict(set)
    refused = 0
    for entries in _history(random.Random(seed)):
        try:
            homes = _homes(entries, shards)
        except ManifestError as error:
            refused += 1
            assert "To fix it: set the plugin parameter `shards` to" in str(error)
            continue
        for identity, found in homes.items():
            kept = known[identity] & found if identity in known else found
            if identity[0] == "Namespace":
                assert "shop" in found, "every Namespace is in the first ManifestWork"
            else:
                assert len(found) == 1
                assert kept == found, f"{identity} moved from {known[identity]} to {found}"
            known[identity] = found
    assert refused < COMMITS, "this history proves nothing"
    assert len(known) > 50


@pytest.mark.parametrize("seed", range(20))
def test_what_is_refused_is_accepted_with_the_number_that_the_message_says(seed: int) -> None:
    entries = [*_history(random.Random(seed))][-1] + [
        _object("ConfigMap", f"more{i}", 900) for i in range(60)
    ]
    with pytest.raises(ManifestError) as caught:
        _homes(entries, 1)
    shards = int(str(caught.value).partition("`shards` to ")[2].partition(";")[0])
    sizes = [
        sum(sharding.size_of(o) for o in work["spec"]["workload"]["manifests"])
        for work in _build(entries, shards)
    ]
    assert max(sizes) * 2 <= LIMIT, "half of each is left for growth"


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("shards", [1, 2, 16])
def test_doubling_moves_objects_to_new_manifest_works_only_which_come_first(
    seed: int, shards: int
) -> None:
    entries = [*_history(random.Random(seed))][-1]
    before = {_identity(o): w for w, o in _placed(entries, shards, limit=10**9)}
    after = {_identity(o): w for w, o in _placed(entries, shards * 4, limit=10**9)}
    old = {work["metadata"]["name"] for work in _build(entries, shards, limit=10**9)}
    waves = _waves(_build(entries, shards * 4, limit=10**9))
    moved = [identity for identity in before if before[identity] != after[identity]]
    assert moved
    for identity in moved:
        assert after[identity] not in old
        assert waves[after[identity]] < waves.get(before[identity], 0)
        assert identity[0] not in {"Namespace", "CustomResourceDefinition"}


@pytest.mark.parametrize("shards", [1, 4, 32])
def test_an_object_comes_together_with_its_namespace(shards: int) -> None:
    for work in _build([*_history(random.Random(7))][-1], shards, limit=10**9):
        objects = work["spec"]["workload"]["manifests"]
        names = [o["metadata"]["name"] for o in objects if o["kind"] == "Namespace"]
        used = {o["metadata"]["namespace"] for o in objects if "namespace" in o["metadata"]}
        assert used - {"elsewhere"} <= set(names)
        assert [o["kind"] for o in objects[: len(names)]] == ["Namespace"] * len(names)


def test_the_order_in_which_files_are_read_changes_nothing() -> None:
    entries = [*_history(random.Random(3))][-1]
    shuffled = random.Random(4).sample(entries, len(entries))
    assert _build(entries, 8) == _build(shuffled, 8)


def test_a_new_api_version_of_a_kind_moves_nothing() -> None:
    old = _object("CronJob", "night", 10, api_version="batch/v1beta1")
    new = _object("CronJob", "night", 10, api_version="batch/v1")
    rest = [_object("ConfigMap", f"n{i}", 10) for i in range(30)]
    assert _homes([old, *rest], 64) == _homes([new, *rest], 64)


@pytest.mark.parametrize("shards", [1, 64])
def test_an_object_larger_than_the_limit_is_refused_by_name(shards: int) -> None:
    entries = [_object("ConfigMap", "small", 10), _object("ConfigMap", "huge", LIMIT)]
    with pytest.raises(ManifestError, match=r"^ConfigMap 'huge' \(test\) has \d+ bytes and fits"):
        _homes(entries, shards)


def _history(generator: random.Random) -> Iterator[list[Entry]]:
    """Commits that add, remove, grow and shrink objects, more and more of them."""
    sizes: dict[tuple[str, str], int] = {("Namespace", "a"): 10, ("Namespace", "b"): 10}
    sizes |= {("CustomResourceDefinition", f"crd{i}.example.com"): 900 for i in range(3)}
    for number in range(COMMITS):
        for _ in range(generator.randrange(6)):
            sizes[generator.choice(("ConfigMap", "Service")), f"n{generator.randrange(400)}"] = 50
        changeable = [key for key in sizes if key[0] in {"ConfigMap", "Service"}]
        for key in generator.sample(changeable, min(len(changeable), 3)):
            sizes[key] = generator.randrange(20, 900)
        if changeable and generator.random() < 0.4:
            del sizes[generator.choice(changeable)]
        if number % 10 == 5:
            sizes["Namespace", f"late{number}"] = 10
        yield [_object(kind, name, size) for (kind, name), size in sizes.items()]


def _object(kind: str, name: str, size: int, *, api_version: str = "v1") -> Entry:
    metadata = {"name": name}
    if kind == "CustomResourceDefinition":
        api_version = "apiextensions.k8s.io/v1"
    elif kind != "Namespace":
        metadata["namespace"] = ("a", "b", "elsewhere")[len(name) % 3]
    manifest = {"apiVersion": api_version, "kind": kind, "metadata": metadata}
    return Entry("test", {**manifest, "data": {"text": "x" * size}})


def _build(entries: list[Entry], shards: int, limit: int = LIMIT) -> list[dict[str, Any]]:
    options = Options(name="shop", clusters=["c1"], shards=shards, size_limit=limit)
    return works.build(entries, options)


def _placed(
    entries: list[Entry], shards: int, limit: int = LIMIT
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for work in reversed(_build(entries, shards, limit)):
        for manifest in work["spec"]["workload"]["manifests"]:
            yield work["metadata"]["name"], manifest


def _homes(entries: list[Entry], shards: int) -> Homes:
    homes: Homes = defaultdict(set)
    for work, manifest in _placed(entries, shards):
        homes[_identity(manifest)].add(work)
    return homes


def _waves(built: list[dict[str, Any]]) -> dict[str, int]:
    wave = "argocd.argoproj.io/sync-wave"
    return {
        work["metadata"]["name"]: int(work["metadata"]["annotations"].get(wave, 0))
        for work in built
    }


def _identity(manifest: Mapping[str, Any]) -> Identity:
    metadata = manifest["metadata"]
    return manifest["kind"], metadata["name"], metadata.get("namespace", "")
