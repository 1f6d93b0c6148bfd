"""Only the words that name bases are written anew; all else stays to the letter."""

import pytest

from plugin_image.renderer.pulumi.monitor.plugin import kustomizations

TEXT = """\
# whose it is
resources: [a.yaml, "https://example.com/a//b?ref=v1"] # theirs
bases:
- &anchor ../base
- *anchor
- !!str ../tag
- 'it''s'
Components: [ssh://git@example.com/a.git]
patches: [{path: https://example.com/patch.yaml}]
namePrefix: "ünï-"
generatorOptions: {labels: {resources: [https://example.com/label]}}
"""


def test_words_are_those_of_resources_bases_and_components() -> None:
    found = [word.text for word in kustomizations.words(TEXT)]
    address = "https://example.com/a//b?ref=v1"
    assert found == ["a.yaml", address, "it's", "ssh://git@example.com/a.git"]


def test_other_words_take_the_place_of_some_and_nothing_else_changes() -> None:
    _, address, own, _ = kustomizations.words(TEXT)
    made = kustomizations.rewritten(TEXT, {own: "its", address: 'file:///x"y'})
    expected = TEXT.replace(f'"{address.text}"', r'"file:///x\"y"').replace("'it''s'", '"its"')
    assert made == expected
    assert kustomizations.rewritten(TEXT, {}) == TEXT


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- resources",
        "resources: https://example.com/a",
        "resources: {a: b}",
        "resources: [[https://example.com/a]]",
        "resources: [a",
        "resources: [a]\n---\nresources: [b]\n",
        "resources:\n- |\n  kind: ConfigMap\n",
        "resources: \x00",
        "resources: " + "[" * 5000,
        "resources: [a]\nbuildMetadata: [originAnnotations]\n",
        "resources: [a]\nbuildMetadata: [managedByLabel, transformerAnnotations]\n",
    ],
)
def test_what_only_kustomize_can_tell_about_has_no_words(text: str) -> None:
    assert kustomizations.words(text) == []


def test_other_metadata_says_nothing_of_where_objects_come_from() -> None:
    assert kustomizations.words("resources: [a]\nbuildMetadata: [managedByLabel]\n")
