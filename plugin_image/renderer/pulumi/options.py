"""The options of an Application whose source is a Pulumi program."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from plugin_image import contract
from plugin_image.renderer import application, parameters
from plugin_image.renderer.application import Application

MODES = ("render", "operator")


@dataclass(frozen=True)
class Options:
    """An Application's options."""

    stack: str | None = None
    config: Mapping[str, str] = field(default_factory=dict)
    allow_empty: bool = False
    allow_plaintext_secrets: bool = False
    ignore_foreign: bool = False
    """Leave out what is not a Kubernetes object."""
    sync_waves: bool = False
    """Turn dependencies into Argo CD's sync waves."""
    mode: str = "render"
    """Or `operator`: what becomes of the program is a Stack of the Pulumi Kubernetes Operator."""
    stack_spec: str | None = None
    """YAML with further fields of that Stack."""
    namespace: str = "default"
    """The Application's destination namespace."""
    application: Application = field(default_factory=Application)


def from_application(env: Mapping[str, str]) -> Options:
    """Read the options from a plugin command's environment.

    Raises UsageError for an option that does not exist or has a wrong value.
    """
    given = parameters.read(env, contract.PULUMI_OPTIONS)
    mode = given.choice(contract.MODE, MODES)
    return Options(
        stack=given.text(contract.STACK),
        config=given.mapping(contract.CONFIG),
        allow_empty=given.flag(contract.ALLOW_EMPTY),
        allow_plaintext_secrets=given.flag(contract.ALLOW_PLAINTEXT_SECRETS),
        ignore_foreign=given.choice(contract.NON_KUBERNETES, ("refuse", "ignore")) == "ignore",
        sync_waves=given.flag(contract.SYNC_WAVES),
        mode=mode,
        stack_spec=given.text(contract.STACK_SPEC),
        application=application.from_environment(env),
        namespace=env.get("ARGOCD_APP_NAMESPACE") or "default",
    )
