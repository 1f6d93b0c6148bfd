"""The programs of the corpus, rendered by what is kept, come to what their cases say.

So they do when they are rendered again, where a result may be kept.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plugin_image.contract import RendererEnv
from tests.faults import warm_nodejs
from tests.faults.results import ResultsContainer
from tests.faults.warm import ZYGOTE, wait_until
from tests.faults.warm_nodejs import config_map, runs
from tests.render import corpus
from tests.render.corpus import CASES, Case

pytestmark = pytest.mark.thorough

PARAMETERS: dict[str, tuple[str, dict[Any, str]]] = {
    "allow_empty": ("allowEmpty", {True: "true"}),
    "allow_plaintext_secrets": ("allowPlaintextSecrets", {True: "true"}),
    "disable_name_suffix_hash": ("disableNameSuffixHash", {True: "true"}),
    "ignore_changes": ("ignoreChanges", {}),
    "ignore_foreign": ("nonKubernetes", {True: "ignore"}),
    "keyed_random": ("random", {True: "keyed"}),
    "protection": ("protection", {}),
    "provider": ("provider", {}),
    "refuse_releases": ("releases", {True: "refuse"}),
    "stack": ("stack", {}),
    "sync_waves": ("syncWaves", {}),
    "validate": ("validate", {True: "true"}),
}
"""What `options.json` names, as an Application gives it."""
VARIABLES = {
    "deadline_seconds": RendererEnv.DEADLINE.value,
    "namespace": "ARGOCD_APP_NAMESPACE",
    "passphrase": "PULUMI_CONFIG_PASSPHRASE",
    "random_key": RendererEnv.RANDOM_KEY.value,
}


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResultsContainer]:
    made = ResultsContainer(tmp_path_factory.mktemp("c"))
    corpus.share_go_caches(made.place / "cache")
    # As the cases are rendered elsewhere.
    del made.env["ARGOCD_APP_NAME"], made.env["ARGOCD_ENV_PULUMI_STACK"]
    del made.env["UV_OFFLINE"]
    yield made
    made.close()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_case_comes_to_the_same_by_what_is_kept(
    container: ResultsContainer, case: Case, tmp_path: Path
) -> None:
    until_kept(container, case.runtime)
    folder, env = case.copy_to(tmp_path), environment(case)
    for _ in range(3):
        outcome = container.rendered(folder, **env)
        if (written := case.expected("expected.yaml")) is not None:
            assert (outcome.status, outcome.stdout) == (0, written), outcome
        else:
            assert (outcome.status, outcome.stdout) == (1, ""), outcome
            assert (case.expected("error.txt") or "").strip() in outcome.stderr, outcome


def until_kept(container: ResultsContainer, runtime: str) -> None:
    """Render until something is kept that a program with the image's packages can use."""
    stack = {"ARGOCD_ENV_PULUMI_STACK": "dev", "ARGOCD_ENV_PULUMI_CACHE": "false"}
    if runtime not in ("python", "nodejs"):
        return
    if runtime == "python":
        folder, script = container.project("", "", **{"__main__.py": "import pulumi\n"}), ZYGOTE
    else:
        folder, script = container.script(config_map("1")), warm_nodejs.ZYGOTE

    def is_kept() -> bool:
        container.generate(folder, **stack)
        return any(runs(pid, script) for pid in container.zygotes())

    wait_until(is_kept)


def environment(case: Case) -> dict[str, str]:
    """What cmp-server gives the renderer for a case."""
    parameters: list[dict[str, Any]] = []
    env = {}
    for name, value in case.given.items():
        if name in VARIABLES:
            env[VARIABLES[name]] = str(value)
        elif name == "config":
            parameters.append({"name": "config", "map": value})
        elif value is not None:
            parameter, words = PARAMETERS[name]
            parameters.append({"name": parameter, "string": words.get(value, value)})
    return {**env, "ARGOCD_APP_PARAMETERS": json.dumps(parameters)}
