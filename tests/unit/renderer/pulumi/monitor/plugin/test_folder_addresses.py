"""An address of a browser is read as the provider reads it, or left to the provider."""

import pytest

from plugin_image.renderer.pulumi.monitor.plugin.folder_addresses import parse
from plugin_image.renderer.pulumi.monitor.plugin.remote_bases import Base

COMMIT = "0123456789abcdef0123456789abcdef01234567"
NAMES = ["refs/heads/main", "refs/heads/feature/a", "refs/tags/v1", "refs/tags/feature"]


def among(address: str, *names: str) -> Base | None:
    found = parse(address)
    assert found is not None
    return found.among(names or NAMES)


@pytest.mark.parametrize(
    ("address", "repository", "ref", "path"),
    [
        ("https://h/o/r/tree/v1/a/b", "https://h/o/r.git", "refs/tags/v1", "a/b"),
        ("https://h/o/r/tree/v1/", "https://h/o/r.git", "refs/tags/v1", ""),
        ("https://h/o/r.git/tree/v1/a", "https://h/o/r.git", "refs/tags/v1", "a"),
        ("https://h/a/b/r.git/tree/v1/a", "https://h/a/b/r.git", "refs/tags/v1", "a"),
        ("https://u:p@h:1/o/r/tree/v1/a", "https://u:p@h:1/o/r.git", "refs/tags/v1", "a"),
        ("https://h/o/r/tree/feature/a/b", "https://h/o/r.git", "refs/heads/feature/a", "b"),
        ("https://h/o/r/tree/feature/b", "https://h/o/r.git", "refs/tags/feature", "b"),
        ("https://h/o/r", "https://h/o/r.git", "refs/heads/main", ""),
        ("https://h/o/r/a/b/", "https://h/o/r.git", "refs/heads/main", "a/b"),
    ],
)
def test_the_longest_name_of_a_branch_or_tag_counts(
    address: str, repository: str, ref: str, path: str
) -> None:
    assert among(address) == Base(repository, path, ref, submodules=False, is_certain=False)


def test_without_a_branch_it_is_that_which_the_provider_takes() -> None:
    found = among("https://h/o/r/a", "refs/heads/main", "refs/heads/master")
    assert found and found.ref == "refs/heads/master"
    assert among("https://h/o/r/a", "refs/heads/trunk") is None
    assert among("https://h/o/r/tree/absent/a") is None
    assert among("https://h/o/r/tree") is None


def test_a_commit_needs_no_names() -> None:
    found = parse(f"https://h/o/r/tree/{COMMIT}/a/b")
    assert found and found.of_commit
    assert (found.of_commit.ref, found.of_commit.path) == (COMMIT, "a/b")
    for other in ("https://h/o/r", "https://h/o/r/tree", f"https://h/o/r/a/{COMMIT}"):
        address = parse(other)
        assert address and address.of_commit is None


@pytest.mark.parametrize(
    "address",
    [
        "./k",
        "http://h/o/r",
        "git@h:o/r",
        "ssh://git@h/o/r",
        "file:///o/r",
        "https://h/o",
        "https://h//r",
        "https://h/.git",
        "https://h/o/r?ref=v1",
        "https://h/o/r/tree/v1/../a",
        "https://gist.github.com/o/1",
        "https://dev.azure.com/o/p/_git/r",
        "https://[/o/r",
    ],
)
def test_anything_else_is_left_to_the_provider(address: str) -> None:
    assert parse(address) is None
