from typing import Any

import pytest

from plugin_image.contract import pulumi as contract
from plugin_image.renderer.errors import ManifestError
from plugin_image.renderer.pulumi import lifecycle
from plugin_image.renderer.pulumi.monitor.recording import Registration

CONFIRM = "Prune=confirm,Delete=confirm"
KEEP = "Prune=false,Delete=false"


def annotated(
    given: dict[str, Any] | None,
    *,
    protection: str = "confirm",
    data: dict[str, str] | None = None,
    **options: Any,
) -> Any:
    """The annotations of an object that the program gave these."""
    metadata: dict[str, Any] = {"name": "a", **({} if given is None else {"annotations": given})}
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data or {}}
    entry = Registration(
        urn="urn", type="kubernetes:core/v1:ConfigMap", name="a", index=0, source="main.py:3",
        dependencies=[], object=manifest, **options,
    )  # fmt: skip
    lifecycle.apply(entry, manifest, protection)
    return metadata.get("annotations")


def options_of(
    own: Any = None, *, protection: str = "confirm", protect: bool = False, retain: bool = False
) -> Any:
    """The sync options of an object that has `own` already."""
    given = None if own is None else {lifecycle.SYNC_OPTIONS: own}
    made = annotated(given, protection=protection, protect=protect, retain_on_delete=retain)
    return (made or {}).get(lifecycle.SYNC_OPTIONS)


class TestProtection:
    def test_an_object_without_options_stays_as_it_is(self) -> None:
        assert options_of() is None
        assert options_of("Prune=true") == "Prune=true"

    def test_a_protected_object_is_deleted_only_when_somebody_confirms(self) -> None:
        assert options_of(protect=True) == CONFIRM

    def test_a_protected_object_is_never_deleted_where_nobody_can_be_asked(self) -> None:
        assert options_of(protect=True, protection="keep") == KEEP

    @pytest.mark.parametrize("protect", [False, True])
    @pytest.mark.parametrize("protection", contract.PROTECTION.choices)
    def test_a_retained_object_is_never_deleted(self, protect: bool, protection: str) -> None:
        assert options_of(retain=True, protect=protect, protection=protection) == KEEP

    @pytest.mark.parametrize(
        ("own", "joined"),
        [
            ("", CONFIRM),
            ("Replace=true", f"Replace=true,{CONFIRM}"),
            (" Replace=true , ,Force=true", f"Replace=true,Force=true,{CONFIRM}"),
            ("Prune=false", "Prune=false,Delete=confirm"),
            ("Prune=confirm", CONFIRM),
            ("Delete=false,PruneLast=true", "Delete=false,PruneLast=true,Prune=confirm"),
            ("prune=true", f"prune=true,{CONFIRM}"),
        ],
    )
    def test_what_the_program_wrote_itself_stays(self, own: str, joined: str) -> None:
        assert options_of(own, protect=True) == joined

    @pytest.mark.parametrize(
        ("own", "retain", "protection"),
        [
            ("Prune=true", False, "confirm"),
            ("Delete=true", False, "confirm"),
            ("Prune=false,Prune=true", False, "confirm"),
            ("Prune=no", False, "confirm"),
            ("Prune", False, "confirm"),
            ("Prune=False", False, "confirm"),
            ("Prune=confirm", True, "confirm"),
            ("Prune=confirm", False, "keep"),
        ],
    )
    def test_what_protects_less_is_refused(self, own: str, retain: bool, protection: str) -> None:
        with pytest.raises(ManifestError, match=r"ConfigMap 'a' \(main.py:3\) has the resource"):
            options_of(own, protect=not retain, retain=retain, protection=protection)

    def test_an_annotation_that_is_no_text_is_refused(self) -> None:
        with pytest.raises(ManifestError, match="is not a string"):
            options_of(["Prune=false"], protect=True)


class TestWhatIsForPulumisProvider:
    @pytest.mark.parametrize("annotation", sorted(lifecycle.ENGINE_ANNOTATIONS))
    def test_is_not_given_to_argo_cd(self, annotation: str) -> None:
        assert annotated({annotation: "true", "own": "1"}) == {"own": "1"}
        assert annotated({annotation: "true"}) is None

    @pytest.mark.parametrize("annotation", ["pulumi.com/reconciliation-request", "pulumi.com"])
    def test_is_not_what_only_looks_like_it(self, annotation: str) -> None:
        assert annotated({annotation: "true"}) == {annotation: "true"}

    def test_is_gone_where_sync_options_come(self) -> None:
        both = {"pulumi.com/skipAwait": "true", lifecycle.SYNC_OPTIONS: "Replace=true"}
        assert annotated(both, protect=True) == {lifecycle.SYNC_OPTIONS: f"Replace=true,{CONFIRM}"}

    @pytest.mark.parametrize("policy", ["orphan", "Orphan"])
    def test_is_refused_where_argo_cd_would_delete_more(self, policy: str) -> None:
        asked = {"pulumi.com/deletionPropagationPolicy": policy}
        with pytest.raises(ManifestError, match="would delete its dependents"):
            annotated(asked)
        assert annotated(asked, retain_on_delete=True) == {lifecycle.SYNC_OPTIONS: KEEP}

    @pytest.mark.parametrize("policy", ["foreground", "background", ""])
    def test_may_name_another_way_of_deleting(self, policy: str) -> None:
        assert annotated({"pulumi.com/deletionPropagationPolicy": policy}) is None


class TestLargeObjects:
    @pytest.mark.parametrize(
        ("text", "is_large"),
        [
            ("a" * 250_000, False),
            ("a" * 262_144, True),
            ("<" * 42_000, False),
            ("<" * 43_690, True),
            ("&" * 43_690, True),
            ("\u2028" * 43_690, True),
            ("é" * 131_072, True),
            ("😀" * 65_536, True),
            ('"' * 131_072, True),
        ],
    )
    def test_are_applied_by_the_server(self, text: str, is_large: bool) -> None:
        large = {lifecycle.SYNC_OPTIONS: "ServerSideApply=true"}
        assert annotated(None, data={"a": text}) == (large if is_large else None)

    def test_are_large_with_all_of_their_annotations(self) -> None:
        assert "ServerSideApply=true" in str(annotated({"a": "b" * 140_000}))
        assert "ServerSideApply" not in str(annotated({"a": "b" * 120_000}))

    @pytest.mark.parametrize(
        "own", ["ServerSideApply=false", "ServerSideApply=true", "Replace=true"]
    )
    def test_are_applied_as_the_program_says(self, own: str) -> None:
        given = {lifecycle.SYNC_OPTIONS: own}
        assert annotated(given, data={"a": "b" * 300_000}) == given

    def test_may_be_protected_as_well(self) -> None:
        words = f"{CONFIRM},ServerSideApply=true"
        assert annotated(None, protect=True, data={"a": "b" * 300_000}) == {
            lifecycle.SYNC_OPTIONS: words
        }


class TestPruning:
    def test_an_object_with_a_hash_in_its_name_is_pruned_last(self) -> None:
        given = annotated(None, hashed=True)
        assert given == {lifecycle.SYNC_OPTIONS: "PruneLast=true"}

    def test_one_that_is_to_be_deleted_before_the_new_one_is_not(self) -> None:
        assert annotated(None, hashed=True, delete_before_replace=True) is None

    def test_what_the_program_says_of_it_stays(self) -> None:
        own = {lifecycle.SYNC_OPTIONS: "PruneLast=false"}
        assert annotated(own, hashed=True) == own
