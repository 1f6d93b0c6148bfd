"""A word is read as kustomize reads it, or left to kustomize.

The cases are those of kustomize's own tests: api/internal/git/repospec_test.go.
"""

import pytest

from plugin_image.renderer.pulumi.monitor.plugin.remote_bases import Base, parse

COMMIT = "0123456789abcdef0123456789ABCDEF01234567"


@pytest.mark.parametrize(
    ("word", "repository", "path", "ref"),
    [
        ("https://example.com/o/r", "https://example.com/o/r", "", ""),
        ("https://example.com/o/r/a/b?ref=v1", "https://example.com/o/r", "a/b", "v1"),
        ("HTTPS://example.com/o/r?version=v1", "https://example.com/o/r", "", "v1"),
        ("http://h:8080/o/r?version=v1&ref=v2", "http://h:8080/o/r", "", "v2"),
        ("https://h/o/r?ref=a&ref=b", "https://h/o/r", "", "a"),
        ("https://h/o/r?ref=feature%2Fa", "https://h/o/r", "", "feature/a"),
        ("https://h/a/b/c//d/e?ref=v1", "https://h/a/b/c", "d/e", "v1"),
        ("https://h/a/b/c.git/d?ref=v1", "https://h/a/b/c.git", "d", "v1"),
        ("https://h/org/project/_git/r/a", "https://h/org/project/_git/r", "a", ""),
        ("https://user@h/o/r//a", "https://user@h/o/r", "a", ""),
        ("https://user:secret@h/o/r//a", "https://user:secret@h/o/r", "a", ""),
        ("git::https://h/o/r//a", "https://h/o/r", "a", ""),
        ("ssh://git@h:7999/o/r.git//a", "ssh://git@h:7999/o/r.git", "a", ""),
        ("git@h.example:o/r.git/a?ref=v1", "git@h.example:o/r.git", "a", "v1"),
        ("git@h/o/r//a", "git@h/o/r", "a", ""),
        ("github.com/o/r/a?ref=v1", "https://github.com/o/r", "a", "v1"),
        ("GitHub.com:o/r", "https://github.com/o/r", "", ""),
        ("http://github.com/o/r", "https://github.com/o/r", "", ""),
        ("git@github.com:o/r.git", "git@github.com:o/r.git", "", ""),
        ("ssh://git@github.com/o/r", "git@github.com:o/r", "", ""),
    ],
)
def test_a_base_in_another_repository_is_read_as_kustomize_reads_it(
    word: str, repository: str, path: str, ref: str
) -> None:
    found = parse(word)
    assert found is not None
    assert (found.repository, found.path, found.ref) == (repository, path, ref)


@pytest.mark.parametrize(
    "word",
    [
        "a.yaml",
        "../base",
        "/o/r",
        "base?ref=v1",
        "example.com/o/r",
        "https://example.com",
        "https://example.com/o",
        "file:///o/r//a",
        "file://git@h/o/r.git",
        "git://h/o/r",
        "s3::https://h/o/r",
        "ext::sh -c true",
        "--upload-pack=x",
        "https://h/o/r//../../a",
        "https://h/o/r//a?ref=%zz",
        "https://h/o/r//a?ref=v1;x",
        "https://h/o/r//a?timeout=1m",
    ],
)
def test_anything_else_is_left_to_kustomize(word: str) -> None:
    assert parse(word) is None


def test_what_is_said_of_submodules_and_time_counts() -> None:
    assert parse("https://h/o/r?submodules=false&timeout=90") == Base(
        "https://h/o/r", "", submodules=False, seconds=90, is_certain=False
    )
    for said in ("", "?submodules=true", "?submodules=maybe", "?timeout=27s"):
        found = parse(f"https://h/o/r{said}")
        assert found and found.submodules and found.seconds == 27


def test_a_commit_is_exact_and_nothing_else_is() -> None:
    def is_exact(ref: str) -> bool:
        return Base("https://h/o/r", "", ref).is_exact

    assert is_exact(COMMIT) and is_exact("a" * 64)
    assert not any(map(is_exact, ("", "main", COMMIT[:7], COMMIT[1:], f"{COMMIT}0", "g" * 40)))


@pytest.mark.parametrize(
    ("word", "is_certain"),
    [
        ("https://h/o/r", False),
        ("https://h/o/r/all", False),
        ("https://h/o/r/a?ref=v1", False),
        ("https://h/o/r//a", True),
        ("https://h/o/r.git", True),
        ("ssh://h/o/r", True),
        ("github.com/o/r", True),
    ],
)
def test_an_address_that_may_be_a_files_is_not_certain(word: str, is_certain: bool) -> None:
    found = parse(word)
    assert found and found.is_certain == is_certain
