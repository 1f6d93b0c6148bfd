"""Locks of each Yarn are read by one that makes the same of them, and nothing else is installed."""

import json

import pytest

from plugin_image.renderer.errors import DependencyError
from plugin_image.renderer.pulumi.hosts import yarn

_LOCK = """\
__metadata:
  version: 8
  cacheKey: 10c0

"lib@file:../lib::locator=web%40workspace%3A.":
  version: 1.0.0
  resolution: "lib@file:../lib#../lib::hash=1a2b3c&locator=web%40workspace%3A."
  checksum: 10c0/abc1
  languageName: node
  linkType: hard

"ms@npm:^2.1.3":
  version: 2.1.3
  resolution: "ms@npm:2.1.3"
  checksum: 10c0/abc2
  languageName: node
  linkType: hard

"tool@https://example.com/tool.git#commit=abc":
  version: 1.0.0
  resolution: "tool@https://example.com/tool.git#commit=abc"
  languageName: node
  linkType: hard

"typescript@patch:typescript@npm%3A5.5.4#optional!builtin<compat/typescript>":
  version: 5.5.4
  resolution: "typescript@patch:typescript@npm%3A5.5.4#optional!builtin<compat/typescript>::hash=1"
  checksum: 10c0/abc3
  languageName: node
  linkType: hard

"web@workspace:.":
  version: 0.0.0-use.local
  resolution: "web@workspace:."
  languageName: unknown
  linkType: soft
"""


@pytest.mark.parametrize(
    ("written", "tool"),
    [
        ("  version: 4\n  cacheKey: 8\n", "yarn-3"),
        ("  version: 5\n  cacheKey: 8\n", "yarn-3"),
        ("  version: 6\n  cacheKey: 8c0\n", "yarn-3"),
        ("  version: 8\n  cacheKey: 10c0\n", "yarn-berry"),
        ("  version: 8\n  cacheKey: 10\n", "yarn-berry"),
        ("  version: 10\n  cacheKey: 10c0\n", "yarn-berry"),
    ],
)
def test_a_lock_is_read_by_the_yarn_that_makes_its_checksums(written: str, tool: str) -> None:
    assert yarn.is_newer(f"# x\n\n__metadata:\n{written}")
    assert yarn.tool(f"# x\n\n__metadata:\n{written}") == tool


@pytest.mark.parametrize(
    "written", ["  version: 4\n  cacheKey: 7\n", "  version: 7\n  cacheKey: 9\n", "  version: 4\n"]
)
def test_a_lock_whose_checksums_no_yarn_here_makes_says_so(written: str) -> None:
    with pytest.raises(DependencyError, match="a Yarn older than 3, or by a prerelease of 4"):
        yarn.tool(f"__metadata:\n{written}")


def test_a_lock_of_yarn_1_is_no_newer_one() -> None:
    assert not yarn.is_newer("# yarn lockfile v1\n\nms@^2.1.3:\n  version 2.1.3\n")


def test_checksums_of_the_first_yarn_4_get_their_format() -> None:
    written = yarn.formatted(_LOCK.replace("checksum: 10c0/", "checksum: "))
    assert written == _LOCK.replace("version: 8", "version: 10", 1)
    assert yarn.formatted(_LOCK.replace("version: 8", "version: 11")).count("version: 11") == 1


@pytest.mark.parametrize(
    ("key", "level"), [("10c0", "0"), ("10", "mixed"), ("10c9", "9"), ("8", "mixed")]
)
def test_archives_are_compressed_as_the_lock_says(key: str, level: str) -> None:
    lock = f"__metadata:\n  version: 8\n  cacheKey: {key}\n"
    assert json.loads(yarn.settings("compressionLevel: 3\n", lock)) == {"compressionLevel": level}


def test_settings_say_what_is_installed_and_not_from_where() -> None:
    kept = {"packageExtensions": {"a@*": {"dependencies": {"b": "1"}}}, "catalog": {"a": "^1"}}
    other = {"npmRegistryServer": "https://example.com", "yarnPath": "y.cjs", "plugins": ["p"]}
    assert json.loads(yarn.settings(json.dumps({**kept, **other}), "")) == kept
    assert json.loads(yarn.settings("", "")) == {}
    with pytest.raises(DependencyError, match=r"\.yarnrc\.yml is not YAML"):
        yarn.settings("{", "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("hash=1a2b3c", "hash=4d5e6f"),
        ("10c0/abc1", "10c0/def1"),
        ("10c0/abc2", "abc2"),
        ("optional!builtin<compat/typescript>::hash=1", "~builtin<compat/typescript>::hash=2"),
        ("  checksum: 10c0/abc3\n", ""),
        ("  version: 8", "  version: 10"),
        ("web@workspace:.", "all@workspace:."),
    ],
)
def test_what_each_yarn_writes_in_its_own_way_is_no_change(old: str, new: str) -> None:
    assert old in _LOCK
    yarn.refuse_changes(_LOCK, _LOCK.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("ms@npm:2.1.3", "ms@npm:2.1.4", "has ms@npm:2.1.3, which the package.json .* do not ask"),
        ("#commit=abc", "#commit=def", "has tool@https://example.com/tool.git#commit=abc"),
        ("npm%3A5.5.4#", "npm%3A5.5.5#", "has typescript@patch:typescript@npm%3A5.5.4"),
        ("10c0/abc2", "10c0/def2", "ms@npm:2.1.3 is not the one whose checksum"),
        ('  resolution: "ms@npm:2.1.3"\n', "", "has ms@npm:2.1.3"),
    ],
)
def test_another_package_than_the_locked_one_is_refused(old: str, new: str, said: str) -> None:
    assert old in _LOCK
    with pytest.raises(DependencyError, match=said):
        yarn.refuse_changes(_LOCK, _LOCK.replace(old, new))
    with pytest.raises(DependencyError, match=r"yarn\.lock|checksum"):
        yarn.refuse_changes(_LOCK.replace(old, new), _LOCK)
