"""What the provider would lose or make up is refused; the rest is asked for as it was given."""

import io
import itertools
import json
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from pulumi.runtime.proto import provider_pb2, resource_pb2

from plugin_image.renderer.pulumi.monitor.errors import MonitorError, Refusal
from plugin_image.renderer.pulumi.monitor.plugin.components import Components
from plugin_image.renderer.pulumi.monitor.plugin.downloads import Downloads
from plugin_image.renderer.pulumi.monitor.plugin.process import KubernetesPlugin, PluginEnvironment
from plugin_image.renderer.pulumi.monitor.run_context import RunOptions
from plugin_image.renderer.pulumi.monitor.values import structs

CHART, DIRECTORY = "kubernetes:helm.sh/v4:Chart", "kubernetes:kustomize/v2:Directory"
GROUP, FILE = "kubernetes:yaml/v2:ConfigGroup", "kubernetes:yaml/v2:ConfigFile"
TEMPLATE, DECODE = "kubernetes:helm:template", "kubernetes:yaml:decode"
CALLED = "the component"


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def text(*objects: Mapping[str, Any]) -> str:
    """What Helm makes of a chart with a template for each object."""
    named = enumerate(map(json.dumps, objects))
    return "".join(f"---\n# Source: web/templates/{n}.yaml\n{written}\n" for n, written in named)


class Provider:
    """Stands for the plugin: makes of a chart what `chart` says, one text after the other."""

    def __init__(self, folder: Path, chart: Callable[[], str] = text) -> None:
        env = {"HOME": str(folder / "home"), "TMPDIR": str(folder)}
        self.environment = PluginEnvironment(folder, env, "1.34.0", ())
        self.namespace = "team"
        self.result: list[Any] = []
        self.chart = chart
        self.rehearsed: list[Mapping[str, Any]] = []
        self.failure: MonitorError | None = None
        self.closed = False

    def invoke(
        self,
        _function: str,
        _arguments: Mapping[str, Any],
        _called: str = "",
        *,
        is_self_contained: bool = False,
    ) -> Any:
        answer = provider_pb2.InvokeResponse()
        structs.into_struct({"result": self.result}, getattr(answer, "return"))
        return answer

    def construct(self, request: Any, _fields: Any, _called: str, _placed: Any = None) -> Any:
        self._render(structs.from_struct(request.object))
        if self.failure:
            raise self.failure
        return provider_pb2.ConstructResponse(urn=f"urn:{request.name}")

    def rehearse(
        self, _type: str, inputs: Mapping[str, Any], _called: str, _placed: Any = None
    ) -> int:
        self.rehearsed.append(inputs)
        if self.failure:
            raise self.failure
        self._render(inputs)
        return 3

    def learn(self, error: MonitorError) -> bool:
        return "unknown" in str(error)

    def close(self) -> None:
        self.closed = True

    def _render(self, inputs: Mapping[str, Any]) -> None:
        if "postRenderer" in inputs:
            Path(inputs["postRenderer"]["args"][-1]).write_text(self.chart())


def components(provider: Provider, *, allow_random: bool = False) -> Components:
    plugin = cast(KubernetesPlugin, provider)
    downloads = Downloads("", {}, lambda _event: None)
    return Components(plugin, RunOptions(allow_random=allow_random), downloads)


def construct(made: Components, type_: str, **inputs: Any) -> Any:
    request = resource_pb2.RegisterResourceRequest(type=type_, name="a", custom=False)
    structs.into_struct(inputs, request.object)
    return made.construct(request, {}, CALLED)


def chart_in(folder: Path, template: str) -> None:
    (folder / "web" / "templates").mkdir(parents=True)
    (folder / "web" / "Chart.yaml").write_text("name: web\nversion: 1.0.0\n")
    (folder / "web" / "templates" / "0.yaml").write_text(template)


class TestYaml:
    def test_every_object_of_files_texts_and_values_is_counted(self, tmp_path: Path) -> None:
        (tmp_path / "a.yaml").write_text(json.dumps(config_map("a")))
        given = {"yaml": json.dumps(config_map("b")), "objs": [config_map("c")]}
        made = components(Provider(tmp_path))
        assert construct(made, GROUP, files=["*.yaml"], **given).children == 3
        assert construct(made, FILE, file="a.yaml").children == 1
        assert construct(made, GROUP, files=["a.yaml"]).note == ""
        none = construct(made, GROUP, files=["nothing/*.yaml"])
        assert (none.children, none.note) == (
            0,
            f"{CALLED} makes no object: there is none in what it names",
        )
        assert construct(made, FILE, file="https://example.com/a.yaml").children is None

    def test_a_file_at_an_address_can_be_asked_for_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As where the provider has to learn a kind first: the copy is gone by then."""
        monkeypatch.setattr(urllib.request, "urlopen", lambda *_, **__: io.BytesIO(b"{}"))
        address = "https://example.com/a.yaml"
        env = {"TMPDIR": str(tmp_path), "ARGOCD_APP_REVISION": "r"}
        downloads = Downloads(str(tmp_path / "kept"), env, lambda _event: None)
        provider = Provider(tmp_path)
        made = Components(cast(KubernetesPlugin, provider), RunOptions(), downloads)
        request = resource_pb2.RegisterResourceRequest(type=FILE, name="a", custom=False)
        structs.into_struct({"file": address}, request.object)
        asked: list[str] = []
        construct_it = provider.construct

        def construct(given: Any, *others: Any) -> Any:
            asked.append(given.object.fields["file"].string_value)
            return construct_it(given, *others)

        monkeypatch.setattr(provider, "construct", construct)
        for _ in range(2):
            made.construct(request, {}, CALLED)
        assert address not in asked
        assert structs.from_struct(request.object) == {"file": address}

    def test_an_object_in_a_file_and_in_a_text_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "a.yaml").write_text(json.dumps(config_map("a")))
        with pytest.raises(Refusal, match=r"in the component, a\.yaml and the text of the comp"):
            construct(
                components(Provider(tmp_path)),
                GROUP,
                files=["a.yaml"],
                yaml=json.dumps(config_map("a")),
            )

    def test_a_text_of_which_the_provider_makes_less_is_refused(self, tmp_path: Path) -> None:
        provider = Provider(tmp_path)
        written = json.dumps(config_map("a"))
        with pytest.raises(Refusal, match="a YAML text of the program"):
            components(provider).invoke(DECODE, {"text": written})
        provider.result = [config_map("a")]
        assert components(provider).invoke(DECODE, {"text": written})

    def test_a_text_in_place_of_a_list_of_texts_is_told_as_that(self, tmp_path: Path) -> None:
        with pytest.raises(Refusal, match="a single character") as refused:
            components(Provider(tmp_path)).invoke(DECODE, {"text": "a"})
        assert refused.value.fix == "give a list of texts: yaml=[text]"


class TestCharts:
    def test_what_helm_made_is_counted(self, tmp_path: Path) -> None:
        chart_in(tmp_path, "kind: ConfigMap")
        provider = Provider(tmp_path, lambda: text(config_map("a"), config_map("b")))
        assert construct(components(provider), CHART, chart="web").children == 2
        assert not provider.rehearsed, "a chart that names no such function is rendered once"

    def test_an_object_of_two_templates_is_refused_with_both(self, tmp_path: Path) -> None:
        provider = Provider(tmp_path, lambda: text(config_map("a"), config_map("a")))
        with pytest.raises(Refusal, match=r"templates/0\.yaml and web/templates/1\.yaml"):
            construct(components(provider), CHART, chart="web")

    def test_what_is_wrong_with_its_text_is_told_rather_than_that_it_failed(
        self, tmp_path: Path
    ) -> None:
        provider = Provider(tmp_path, lambda: text({"metadata": {"name": "a"}}))
        provider.failure = MonitorError("UNKNOWN", "something failed")
        with pytest.raises(Refusal, match=r"templates/0\.yaml has no apiVersion"):
            construct(components(provider), CHART, chart="web")

    @pytest.mark.parametrize("function", ["randAlphaNum 8", "now"])
    def test_what_is_made_up_is_refused_unless_that_is_allowed(
        self, tmp_path: Path, function: str
    ) -> None:
        chart_in(tmp_path, f"password: {{{{ .Values.password | default ({function}) }}}}")
        numbers = itertools.count()
        provider = Provider(tmp_path, lambda: text(config_map("a", password=str(next(numbers)))))
        refused = r"in data\.password.* set password of the chart's values"
        with pytest.raises(Refusal, match=refused):
            construct(components(provider), CHART, chart="web", version="1.0.0")
        assert construct(components(provider, allow_random=True), CHART, chart="web")

    def test_one_that_is_given_what_it_would_make_up_renders(self, tmp_path: Path) -> None:
        chart_in(tmp_path, "password: {{ .Values.password | default (randAlphaNum 8) }}")
        provider = Provider(tmp_path, lambda: text(config_map("a", password="given")))
        assert construct(components(provider), CHART, chart="web").children == 1
        assert len(provider.rehearsed) == 1

    def test_one_that_was_downloaded_is_looked_into_where_helm_keeps_it(
        self, tmp_path: Path
    ) -> None:
        kept = tmp_path / "home" / ".cache" / "helm" / "repository"
        kept.mkdir(parents=True)
        (kept / "web-1.0.0.tgz").write_bytes(b"no archive")
        provider = Provider(tmp_path, lambda: text(config_map("a")))
        assert construct(components(provider), CHART, chart="oci://example.com/web").children == 1
        assert not provider.rehearsed

    def test_hooks_are_named_as_what_it_leaves_out(self, tmp_path: Path) -> None:
        chart_in(tmp_path, "metadata: {annotations: {helm.sh/hook: pre-install}}")
        provider = Provider(tmp_path, lambda: text(config_map("a")))
        made = construct(components(provider), CHART, chart="web")
        assert made.note == f"{CALLED} leaves out the hooks of templates/0.yaml"

    def test_hooks_that_are_asked_for_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(Refusal, match=r"has includeHooks, which the provider .* not know"):
            construct(components(Provider(tmp_path)), CHART, chart="web", includeHooks=True)


class TestChartsOfVersion3:
    @staticmethod
    def options(**more: Any) -> dict[str, Any]:
        return {"jsonOpts": json.dumps({"chart": "web", "path": ".", "release_name": "w"} | more)}

    def test_what_the_sdk_would_leave_out_is_refused(self, tmp_path: Path) -> None:
        chart_in(tmp_path, "metadata: {}")
        provider = Provider(tmp_path, lambda: text({"apiVersion": "v1"}))
        with pytest.raises(Refusal, match="has no kind"):
            components(provider).invoke(TEMPLATE, self.options())

    @pytest.mark.parametrize("more", [{}, {"kube_version": "1.30.0"}])
    def test_what_fails_as_one_of_version_4_only_is_passed(
        self, tmp_path: Path, more: dict[str, Any]
    ) -> None:
        chart_in(tmp_path, "kind: ConfigMap")
        provider = Provider(tmp_path)
        provider.failure = MonitorError("UNKNOWN", "it has hooks of its own")
        provider.result = [config_map("a")]
        assert components(provider).invoke(TEMPLATE, self.options(**more))

    def test_one_whose_files_are_not_there_is_rendered_twice(self, tmp_path: Path) -> None:
        provider = Provider(tmp_path)
        numbers = itertools.count()
        options = self.options(path=None, repo="example")
        provider.result = [config_map("a")]
        assert components(provider).invoke(TEMPLATE, options)
        invoke = provider.invoke

        def made_up(function: str, arguments: Mapping[str, Any], *_: str, **__: bool) -> Any:
            provider.result = [config_map("a", password=str(next(numbers)))]
            return invoke(function, arguments)

        provider.invoke = made_up  # type: ignore[method-assign, assignment]
        with pytest.raises(Refusal, match=r"ConfigMap 'a' of the chart of release 'w' differs"):
            components(provider).invoke(TEMPLATE, options)


def test_a_kustomization_is_counted_where_no_object_has_a_namespace_by_default(
    tmp_path: Path,
) -> None:
    provider = Provider(tmp_path)
    assert construct(components(provider), DIRECTORY, directory="base").children == 3
    assert provider.rehearsed == [{"directory": "base", "namespace": "objects-without-a-namespace"}]


def test_other_components_and_functions_are_the_providers_own(tmp_path: Path) -> None:
    provider = Provider(tmp_path)
    made = components(provider)
    assert construct(made, "kubernetes:other/v1:Thing").children is None
    assert made.invoke("kubernetes:kustomize:directory", {})
    assert made.learn(MonitorError("UNKNOWN", "unknown kind"))
    made.close()
    assert provider.closed
