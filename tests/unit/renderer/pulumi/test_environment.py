from pathlib import Path

from plugin_image.contract import RendererEnv
from plugin_image.renderer.pulumi import environment
from plugin_image.renderer.pulumi.hosts import registry

OUTER = {
    "PATH": "/bin",
    "KUBECONFIG": "/kube/config",
    "AWS_SECRET_ACCESS_KEY": "aws",
    "GOOGLE_CREDENTIALS": "google",
    "AZURE_CLIENT_SECRET": "azure",
    "GITHUB_TOKEN": "token",
    "PULUMI_ACCESS_TOKEN": "pul-1",
    "PULUMI_CONFIG_PASSPHRASE": "phrase",
    "UV_INDEX_URL": "https://user:pass@registry.example.com",
    "ARGOCD_APP_NAME": "shop",
    "ARGOCD_ENV_REGION": "eu",
    "KUBE_VERSION": "1.34.0",
}
SCRATCH = Path("/scratch")


def test_a_program_sees_its_application_and_no_credentials() -> None:
    seen = environment.for_program(OUTER, SCRATCH, passed=())
    assert {k: v for k, v in seen.items() if k in OUTER} == {
        "PATH": "/bin",
        "ARGOCD_APP_NAME": "shop",
        "ARGOCD_ENV_REGION": "eu",
        "KUBE_VERSION": "1.34.0",
    }


def test_a_program_has_a_home_of_its_own() -> None:
    seen = environment.for_program({"HOME": "/root"}, SCRATCH, passed=())
    assert seen["HOME"] == seen["TMPDIR"] == "/scratch"


def test_the_plugins_configuration_lets_variables_through_by_name() -> None:
    assert (
        environment.for_program(OUTER, SCRATCH, passed=["GITHUB_TOKEN"])["GITHUB_TOKEN"] == "token"
    )


def test_no_configuration_lets_the_key_of_random_values_through() -> None:
    name = RendererEnv.RANDOM_KEY.value
    assert name not in environment.for_program({name: "k"}, SCRATCH, passed=[name])


def test_installers_see_registries_and_no_other_credentials() -> None:
    seen = environment.for_installer(OUTER, SCRATCH, registry.INSTALLER_VARIABLES)
    assert "UV_INDEX_URL" in seen
    assert not {"AWS_SECRET_ACCESS_KEY", "KUBECONFIG", "PULUMI_CONFIG_PASSPHRASE"} & seen.keys()
