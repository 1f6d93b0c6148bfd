"""Which fields of which objects are the cluster's, what is done about it, and what is said."""

from collections.abc import Iterable
from typing import Any

import pytest

from plugin_image.renderer.errors import ManifestError
from plugin_image.renderer.manifests import Manifest
from plugin_image.renderer.pulumi import ignore_differences, ignored
from plugin_image.renderer.pulumi.monitor.recording import Registration


def of_kind(api_version: str, kind: str, name: str = "a", **fields: Any) -> Manifest:
    metadata = {"name": name, **fields.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def workload(kind: str = "Deployment", name: str = "a", **metadata: Any) -> Manifest:
    return of_kind("apps/v1", kind, name, metadata=metadata, spec={"replicas": 3})


def scaler(*by: str, **target: Any) -> Manifest:
    group, kind = by or ("autoscaling", "HorizontalPodAutoscaler")
    return of_kind(f"{group}/v2", kind, spec={"scaleTargetRef": target})


def annotated(
    *manifests: Manifest, ignoring: Iterable[str] = (), how: str = "annotate"
) -> list[list[str]]:
    """What each object says that it leaves to the cluster; `ignoring` is said of the first."""
    entries = [
        (
            Registration(
                urn=f"urn:{index}", type="", name="a", object=manifest, index=index,
                source="main.py:3", dependencies=[],
                ignore_changes=[] if index else [*ignoring],
            ),
            manifest,
        )
        for index, manifest in enumerate(manifests)
    ]  # fmt: skip
    texts = ignored.apply(entries, "default", how)
    said = [m["metadata"].get("annotations", {}).get(ignored.ANNOTATION) for m in manifests]
    assert texts == [text for text in said if text is not None], "what was written is given"
    return [text.splitlines() if text else [] for text in said]


class TestIgnoreChanges:
    def test_an_object_that_ignores_nothing_stays_as_it_is(self) -> None:
        object_ = workload()
        assert annotated(object_) == [[]]
        assert object_ == workload()

    def test_the_fields_are_named_once_each_in_an_order_of_their_own(self) -> None:
        paths = ["spec.b", 'spec["a"]', "spec.a", "missing[*].x"]
        assert annotated(workload(), ignoring=paths) == [["missing[*].x", "spec.a", "spec.b"]]

    def test_values_stay(self) -> None:
        object_ = workload()
        annotated(object_, ignoring=["spec.replicas"])
        assert object_["spec"] == {"replicas": 3}

    @pytest.mark.parametrize("path", ["apiVersion", "kind", "metadata.name", "metadata.namespace"])
    def test_what_argo_cd_knows_an_object_by_is_never_ignored(self, path: str) -> None:
        assert annotated(workload(namespace="b"), ignoring=[path]) == [[]]

    @pytest.mark.parametrize(
        "path", ["metadata.labels", "metadata.labels[*]", "metadata", "metadata[*]"]
    )
    def test_of_labels_and_annotations_those_are_ignored_that_the_program_gives(
        self, path: str
    ) -> None:
        labels = {"example.com/a": "1", "argocd.argoproj.io/instance": "x"}
        said = annotated(workload(labels=labels, namespace="b"), ignoring=[path])
        assert said == [['metadata.labels["example.com/a"]']]

    @pytest.mark.parametrize(
        "path", ["metadata.annotations", 'metadata.annotations["pulumi.com/skipAwait"]', "*"]
    )
    @pytest.mark.parametrize("how", ["annotate", "omit"])
    def test_what_tells_pulumis_provider_something_is_no_field_of_the_clusters(
        self, path: str, how: str
    ) -> None:
        object_ = of_kind("v1", "ServiceAccount")
        object_["metadata"]["annotations"] = {"pulumi.com/skipAwait": "true"}
        assert annotated(object_, ignoring=[path], how=how) == [[]]
        assert object_["metadata"]["annotations"] == {"pulumi.com/skipAwait": "true"}

    def test_ignoring_everything_is_ignoring_all_fields_but_the_identity(self) -> None:
        object_ = of_kind("v1", "ConfigMap", metadata={"annotations": {"a": "b"}}, data={"c": "d"})
        assert annotated(object_, ignoring=["*"]) == [["data", "metadata.annotations.a"]]

    def test_maps_that_are_none_are_left_to_others_to_refuse(self) -> None:
        assert annotated(workload(labels="a"), ignoring=["metadata.labels"]) == [[]]

    def test_an_annotation_that_came_with_the_object_does_not_count(self) -> None:
        object_ = workload(annotations={ignored.ANNOTATION: "spec"})
        assert annotated(object_) == [[]]
        assert object_ == workload()

    def test_what_is_no_path_is_refused_with_the_object_and_its_place(self) -> None:
        with pytest.raises(ManifestError, match=r"Deployment 'a' \(main.py:3\) has 'a\[x\]' among"):
            annotated(workload(), ignoring=["a[x]"])


class TestAutoscalers:
    @pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "ReplicaSet"])
    def test_an_autoscaler_has_the_replicas_of_its_target(self, kind: str) -> None:
        autoscaler = scaler(apiVersion="apps/v1", kind=kind, name="a")
        assert annotated(workload(kind), autoscaler) == [["spec.replicas"], []]

    @pytest.mark.parametrize(
        "autoscaler",
        [
            scaler("keda.sh", "ScaledObject", name="a"),
            scaler("keda.sh", "ScaledObject", kind="Deployment", name="a"),
            scaler(kind="Deployment", name="a"),
            scaler(apiVersion="apps/v1beta2", kind="Deployment", name="a"),
            of_kind(
                "flagger.app/v1beta1",
                "Canary",
                spec={"targetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}},
            ),
        ],
        ids=["KEDA", "KEDA with a kind", "any group", "another version", "Flagger"],
    )
    def test_each_way_of_naming_the_target_is_known(self, autoscaler: Manifest) -> None:
        assert annotated(workload(), autoscaler)[0] == ["spec.replicas"]

    def test_a_custom_resource_can_be_scaled(self) -> None:
        rollout = of_kind("argoproj.io/v1alpha1", "Rollout", spec={"replicas": 2})
        autoscaler = scaler(apiVersion="argoproj.io/v1alpha1", kind="Rollout", name="a")
        assert annotated(rollout, autoscaler)[0] == ["spec.replicas"]

    @pytest.mark.parametrize(
        "autoscaler",
        [
            scaler(apiVersion="apps/v1", kind="Deployment", name="b"),
            scaler(apiVersion="apps/v1", kind="StatefulSet", name="a"),
            scaler(apiVersion="argoproj.io/v1alpha1", kind="Deployment", name="a"),
            {**scaler(kind="Deployment", name="a"), "metadata": {"name": "a", "namespace": "b"}},
            of_kind("autoscaling.k8s.io/v1", "VerticalPodAutoscaler", spec={"targetRef": {}}),
            of_kind("example.com/v1", "Odd", spec={"scaleTargetRef": "a"}),
            of_kind("example.com/v1", "Odd", spec=["scaleTargetRef"]),
        ],
    )
    def test_other_objects_keep_their_replicas(self, autoscaler: Manifest) -> None:
        assert annotated(workload(), autoscaler) == [[], []]

    def test_the_default_namespace_is_the_same_whether_it_is_said_or_not(self) -> None:
        autoscaler = scaler(kind="Deployment", name="a")
        assert annotated(workload(namespace="default"), autoscaler)[0] == ["spec.replicas"]

    def test_a_target_without_replicas_has_nothing_to_leave(self) -> None:
        target = of_kind("apps/v1", "Deployment", spec={})
        assert annotated(target, scaler(kind="Deployment", name="a")) == [[], []]

    def test_the_cluster_autoscaler_scales_machines_that_are_annotated(self) -> None:
        annotation = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size"
        machines = of_kind(
            "cluster.x-k8s.io/v1beta1",
            "MachineDeployment",
            metadata={"annotations": {annotation: "5"}},
            spec={"replicas": 2},
        )
        assert annotated(machines) == [["spec.replicas"]]


class TestOtherControllers:
    @pytest.mark.parametrize(
        ("object_", "path"),
        [
            (
                of_kind(
                    "admissionregistration.k8s.io/v1",
                    "MutatingWebhookConfiguration",
                    webhooks=[{"clientConfig": {}}, {"clientConfig": {"caBundle": "Q0E="}}],
                ),
                "webhooks[*].clientConfig.caBundle",
            ),
            (
                of_kind(
                    "apiextensions.k8s.io/v1",
                    "CustomResourceDefinition",
                    spec={"conversion": {"webhook": {"clientConfig": {"caBundle": "Q0E="}}}},
                ),
                "spec.conversion.webhook.clientConfig.caBundle",
            ),
            (
                of_kind("apiregistration.k8s.io/v1", "APIService", spec={"caBundle": "Q0E="}),
                "spec.caBundle",
            ),
        ],
        ids=["webhooks", "conversion", "aggregation"],
    )
    def test_a_certificate_is_the_controllers_where_an_annotation_asks_for_it(
        self, object_: Manifest, path: str
    ) -> None:
        assert annotated(object_) == [[]]
        object_["metadata"]["annotations"] = {"cert-manager.io/inject-ca-from": "a/b"}
        assert annotated(object_) == [[path]]

    def test_a_certificate_that_the_program_does_not_give_is_no_difference(self) -> None:
        metadata = {"annotations": {"service.beta.openshift.io/inject-cabundle": "true"}}
        webhooks = [{"clientConfig": {"caBundle": None}}, {}]
        kind = "ValidatingWebhookConfiguration"
        object_ = of_kind(
            "admissionregistration.k8s.io/v1", kind, metadata=metadata, webhooks=webhooks
        )
        assert annotated(object_) == [[]]

    def test_an_aggregated_role_gets_its_rules_from_others(self) -> None:
        role = of_kind("rbac.authorization.k8s.io/v1", "ClusterRole", rules=[])
        assert annotated(role) == [[]]
        role["aggregationRule"] = {"clusterRoleSelectors": []}
        assert annotated(role) == [["rules"]]


class TestJobsThatDeleteThemselves:
    def job(self, **annotations: str) -> Manifest:
        metadata = {"annotations": annotations} if annotations else {}
        spec = {"ttlSecondsAfterFinished": 0, "template": {}}
        return of_kind("batch/v1", "Job", metadata=metadata, spec=spec)

    @pytest.mark.parametrize("how", ["annotate", "omit"])
    def test_a_job_stays_when_it_is_done(self, how: str) -> None:
        job = self.job()
        assert annotated(job, how=how) == [["spec.ttlSecondsAfterFinished"]]
        assert job["spec"] == {"template": {}}
        assert not ignore_differences.of([job], [], "default"), "there is nothing to ignore"

    @pytest.mark.parametrize("hook", ["argocd.argoproj.io/hook", "helm.sh/hook"])
    def test_a_hook_goes_when_it_is_done(self, hook: str) -> None:
        job = self.job(**{hook: "PreSync"})
        assert annotated(job) == [[]]
        assert job == self.job(**{hook: "PreSync"})

    @pytest.mark.parametrize(
        ("hook", "type_"),
        [("argocd.argoproj.io/hook", "Skip"), ("helm.sh/hook", "crd-install")],
    )
    def test_a_job_stays_that_only_looks_like_a_hook(self, hook: str, type_: str) -> None:
        assert annotated(self.job(**{hook: type_})) == [["spec.ttlSecondsAfterFinished"]]

    def test_a_cron_jobs_jobs_go_when_they_are_done(self) -> None:
        template = {"spec": {"ttlSecondsAfterFinished": 60}}
        job = of_kind("batch/v1", "CronJob", spec={"jobTemplate": template})
        assert annotated(job) == [[]]
        assert template == {"spec": {"ttlSecondsAfterFinished": 60}}


class TestOmission:
    def test_fields_are_left_out_and_still_named(self) -> None:
        labels = {"b": "c"}
        object_ = workload(labels=labels)
        paths = ["spec.replicas", "metadata.labels.b", "spec.missing.a"]
        said = annotated(object_, ignoring=paths, how="omit")
        assert said == [["metadata.labels.b", "spec.missing.a", "spec.replicas"]]
        assert (object_["spec"], object_["metadata"]["labels"]) == ({}, {})

    def test_what_autoscalers_write_is_left_out_too(self) -> None:
        object_ = workload()
        annotated(object_, scaler(kind="Deployment", name="a"), how="omit")
        assert object_["spec"] == {}

    def test_a_wildcard_is_for_every_element_and_every_key(self) -> None:
        containers = [{"name": "a", "resources": {"limits": {}}}, {"name": "b"}]
        spec = {"template": {"spec": {"containers": containers}}}
        object_ = of_kind("apps/v1", "Deployment", spec=spec, data={"a": "b"})
        paths = ["spec.template.spec.containers[*].resources", "data[*]"]
        annotated(object_, ignoring=paths, how="omit")
        assert containers == [{"name": "a"}, {"name": "b"}]
        assert object_["data"] == {}

    @pytest.mark.parametrize(
        ("object_", "path"),
        [
            (workload(), "spec.selector"),
            (workload(), "spec.template"),
            (workload(), "spec.template.spec.containers"),
            (workload(), "spec.template.spec.containers[0].image"),
            (workload(), "spec.template.spec.initContainers[*].image"),
            (workload("StatefulSet"), "spec.serviceName"),
            (scaler(), "spec.maxReplicas"),
            (scaler(), "spec.scaleTargetRef.name"),
            (of_kind("v1", "Service"), "spec.ports"),
            (of_kind("v1", "Service"), "spec.ports[0].port"),
            (of_kind("v1", "PersistentVolumeClaim"), "spec.resources.requests.storage"),
            (of_kind("rbac.authorization.k8s.io/v1", "RoleBinding"), "roleRef"),
            (of_kind("batch/v1", "CronJob"), "spec.schedule"),
        ],
    )
    def test_a_field_that_the_api_server_asks_for_is_not_left_out(
        self, object_: Manifest, path: str
    ) -> None:
        with pytest.raises(ManifestError, match=r"\(main.py:3\) cannot leave out .* need it"):
            annotated(object_, ignoring=[path], how="omit")

    @pytest.mark.parametrize(
        ("object_", "path"),
        [
            (workload(), "spec.replicas"),
            (workload(), "spec.template.metadata.annotations.name"),
            (workload(), "spec.template.spec.containers[0].resources.limits"),
            (of_kind("v1", "ConfigMap"), "data.name"),
            (of_kind("v1", "Secret"), "data"),
            (of_kind("example.com/v1", "App"), "spec.selector"),
        ],
    )
    def test_other_fields_are(self, object_: Manifest, path: str) -> None:
        assert annotated(object_, ignoring=[path], how="omit") == [[path]]

    @pytest.mark.parametrize("path", ["spec.args[0]", "spec.args[*]"])
    def test_an_element_of_a_list_is_not_left_out(self, path: str) -> None:
        object_ = of_kind("example.com/v1", "App", spec={"args": ["a", "b"]})
        with pytest.raises(ManifestError, match="it is an element of a list"):
            annotated(object_, ignoring=[path], how="omit")


class TestIgnoreDifferences:
    def block(self, object_: Manifest, *paths: str, **registration: Any) -> Any:
        annotated(object_, ignoring=paths)
        entry = Registration("urn", "", "a", object_, 0, "", [], **registration)
        return ignore_differences.of([object_], [entry], "default")

    def test_a_program_that_leaves_nothing_to_the_cluster_needs_none(self) -> None:
        assert self.block(workload()) == {}

    def test_argo_cd_is_told_the_field_and_to_heed_it_in_a_sync(self) -> None:
        assert self.block(workload(), "spec.replicas") == {
            "ignoreDifferences": [
                {
                    "group": "apps",
                    "kind": "Deployment",
                    "name": "a",
                    "jsonPointers": ["/spec/replicas"],
                }
            ],
            "syncPolicy": {"syncOptions": ["RespectIgnoreDifferences=true"]},
        }

    @pytest.mark.parametrize(("namespace", "named"), [("b", "b"), ("default", None), ("", None)])
    def test_a_namespace_is_named_where_it_is_not_the_destinations(
        self, namespace: str, named: str | None
    ) -> None:
        block = self.block(workload(namespace=namespace), "spec.replicas")
        assert block["ignoreDifferences"][0].get("namespace") == named

    def test_the_core_group_has_no_name_and_wildcards_are_jq(self) -> None:
        block = self.block(of_kind("v1", "ConfigMap"), "data[*]", "binaryData")
        [entry] = block["ignoreDifferences"]
        assert entry == {
            "kind": "ConfigMap",
            "name": "a",
            "jsonPointers": ["/binaryData"],
            "jqPathExpressions": [".data[]?"],
        }

    @pytest.mark.parametrize("name", ["a-0123abcd", "a-x7k2p9"])
    def test_an_object_whose_name_has_a_hash_is_ignored_under_each_that_it_may_get(
        self, name: str
    ) -> None:
        object_ = of_kind("v1", "ConfigMap", name)
        block = self.block(object_, "data.c", "binaryData[*]", hashed=True, auto_name=name)
        [entry] = block["ignoreDifferences"]
        text = '"binaryData[*]\\ndata.c"'
        which = f'select(.metadata.annotations["pulumi.com/ignoreChanges"] == {text}) | '
        assert entry == {
            "kind": "ConfigMap",
            "jqPathExpressions": [f"{which}.binaryData[]?", f"{which}.data.c"],
        }

    def test_so_is_one_that_pulumi_made_and_that_does_not_say_so_yet(self) -> None:
        object_ = of_kind("v1", "ConfigMap", "old-1f2e3d4c")
        block = self.block(object_, "data.c", hashed=True, auto_name="old-0123abcd")
        [entry] = block["ignoreDifferences"]
        assert entry["jqPathExpressions"] == [
            'select(.metadata.annotations["pulumi.com/ignoreChanges"] == "data.c" '
            'or .metadata.name == "old-1f2e3d4c") | .data.c'
        ]

    def test_what_only_looks_like_a_hash_is_a_name(self) -> None:
        block = self.block(of_kind("v1", "ConfigMap", "a-0123abcd"), "data.c")
        [entry] = block["ignoreDifferences"]
        assert entry == {"kind": "ConfigMap", "name": "a-0123abcd", "jsonPointers": ["/data/c"]}

    def test_objects_that_are_told_apart_by_their_hash_alone_share_an_entry(self) -> None:
        objects = [of_kind("v1", "ConfigMap", f"{name}-0123abcd") for name in "ab"]
        entries = []
        for object_ in objects:
            annotated(object_, ignoring=["data.c"])
            name = object_["metadata"]["name"]
            entries.append(
                Registration("", "", "", object_, 0, "", [], hashed=True, auto_name=name)
            )
        block = ignore_differences.of(objects, entries, "default")
        assert len(block["ignoreDifferences"]) == 1

    def test_elements_are_removed_from_the_last_on(self) -> None:
        """Argo CD removes one after the other, and what is behind moves up."""
        block = self.block(workload(), "spec.args[2]", "spec.args[10]", "spec.args[0]")
        pointers = block["ignoreDifferences"][0]["jsonPointers"]
        assert pointers == ["/spec/args/10", "/spec/args/2", "/spec/args/0"]

    @pytest.mark.parametrize("path", ["data.a", "stringData.a"])
    def test_a_secrets_texts_are_data_in_the_cluster(self, path: str) -> None:
        block = self.block(of_kind("v1", "Secret", stringData={"a": "b"}), path)
        assert block["ignoreDifferences"][0]["jsonPointers"] == ["/data/a", "/stringData/a"]


def test_a_person_is_told_of_each_object_that_has_such_fields() -> None:
    one, other = workload(), workload(name="b")
    annotated(one, other, ignoring=["spec.b", "spec.a"])
    assert [*ignored.notes([one, other])] == [
        "Deployment 'a' leaves to the cluster: spec.a, spec.b"
    ]
