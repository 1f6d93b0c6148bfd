"""The options of an Application whose source is a Pulumi program."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from plugin_image import contract
from plugin_image.renderer import application, parameters
from plugin_image.renderer.application import Application
from plugin_image.renderer.pulumi.monitor.run_context import RunOptions

MODES = ("render", "operator")
PROTECTIONS = ("confirm", "keep")
IGNORE_CHANGES = ("annotate", "omit")
SYNC_WAVES = ("false", "dependsOn", "true")


@dataclass(frozen=True)
class Options(RunOptions):
    """An Application's options: those that the monitor heeds, and those of everything else."""

    stack: str | None = None
    config: Mapping[str, str] = field(default_factory=dict)
    allow_missing_stack_file: bool = False
    """Render a stack without a file of its own, beside others that have one."""
    allow_empty: bool = False
    allow_plaintext_secrets: bool = False
    provider: str | None = None
    """The name of a provider resource: render the objects of its cluster only."""
    protection: str = "confirm"
    """Or `keep`: whether Argo CD asks before it deletes a protected object, or never does."""
    ignore_changes: str = "annotate"
    """Or `omit`: whether fields that are the cluster's are rendered, or left out."""
    sync_waves: str = "false"
    """Which dependencies become sync waves: none, those of `dependsOn`, or (`true`) all."""
    mode: str = "render"
    """Or `operator`: what becomes of the program is a Stack of the Pulumi Kubernetes Operator."""
    stack_spec: str | None = None
    """YAML with further fields of that Stack."""
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
        allow_missing_stack_file=given.flag(contract.ALLOW_MISSING_STACK_FILE),
        allow_empty=given.flag(contract.ALLOW_EMPTY),
        allow_plaintext_secrets=given.flag(contract.ALLOW_PLAINTEXT_SECRETS),
        ignore_foreign=given.choice(contract.NON_KUBERNETES, ("refuse", "ignore")) == "ignore",
        allow_random=given.choice(contract.RANDOM, ("refuse", "allow")) == "allow",
        provider=given.text(contract.PROVIDER),
        protection=given.choice(contract.PROTECTION, PROTECTIONS),
        disable_name_suffix_hash=given.flag(contract.DISABLE_NAME_SUFFIX_HASH),
        ignore_changes=given.choice(contract.IGNORE_CHANGES, IGNORE_CHANGES),
        sync_waves=given.choice(contract.SYNC_WAVES, SYNC_WAVES),
        mode=mode,
        stack_spec=given.text(contract.STACK_SPEC),
        application=application.from_environment(env),
        namespace=env.get("ARGOCD_APP_NAMESPACE") or "default",
    )
