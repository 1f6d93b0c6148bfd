"""The options of an Application whose source is a Pulumi program."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...contract import pulumi as contract
from ..parameters import Given
from .monitor.run_context import RunOptions


@dataclass(frozen=True)
class Options(RunOptions):
    """An Application's options: those that the monitor heeds, and those of everything else."""

    stack: str | None = None
    config: Mapping[str, str] = field(default_factory=dict)
    allow_missing_stack_file: bool = False
    """Render a stack without a file of its own, beside others that have one."""
    allow_empty: bool = False
    allow_plaintext_secrets: bool = False
    unreadable_secrets: str = contract.UNREADABLE_SECRETS.default
    """Whether the program runs without the secrets that cannot be read, and what it may do."""
    keyed_random: bool = False
    """Make the values of `random` resources from the plugin's key, rather than refuse them."""
    provider: str | None = None
    """The name of a provider resource: render the objects of its cluster only."""
    protection: str = contract.PROTECTION.default
    """Whether Argo CD asks before it deletes a protected object, or never does."""
    ignore_changes: str = contract.IGNORE_CHANGES.default
    """Whether fields that are the cluster's are rendered, or left out."""
    sync_waves: str = contract.SYNC_WAVES.default
    """Which dependencies become sync waves: none, those of `dependsOn`, or (`true`) all."""
    validate: bool = False
    """Refuse what the API server would, for its fields and types."""
    mode: str = contract.MODE.default
    """What becomes of the program: its manifests, or a Stack of the Pulumi Kubernetes Operator."""
    stack_spec: str | None = None
    """YAML with further fields of that Stack."""
    cache: bool = True
    """Whether the result may be kept as long as nothing changes that it depends on."""
    check: bool = False
    """Render twice, and refuse what differs."""


def of(given: Given) -> Options:
    """The options that are given. Raises UsageError for one with a wrong value."""
    return Options(
        stack=given.text(contract.STACK),
        config=given.mapping(contract.CONFIG),
        allow_missing_stack_file=given.flag(contract.ALLOW_MISSING_STACK_FILE),
        allow_empty=given.flag(contract.ALLOW_EMPTY),
        allow_plaintext_secrets=given.flag(contract.ALLOW_PLAINTEXT_SECRETS),
        unreadable_secrets=given.choice(contract.UNREADABLE_SECRETS),
        ignore_foreign=given.choice(contract.NON_KUBERNETES) == "ignore",
        allow_random=given.choice(contract.RANDOM) == "allow",
        keyed_random=given.choice(contract.RANDOM) == "keyed",
        refuse_releases=given.choice(contract.RELEASES) == "refuse",
        provider=given.text(contract.PROVIDER),
        protection=given.choice(contract.PROTECTION),
        disable_name_suffix_hash=given.flag(contract.DISABLE_NAME_SUFFIX_HASH),
        ignore_changes=given.choice(contract.IGNORE_CHANGES),
        sync_waves=given.choice(contract.SYNC_WAVES),
        validate=given.flag(contract.VALIDATE),
        mode=given.choice(contract.MODE),
        stack_spec=given.text(contract.STACK_SPEC),
        cache=given.flag(contract.CACHE),
        check=given.flag(contract.CHECK),
    )
