"""A Pulumi program, rendered as the plugin for Pulumi programs does."""

import sys
from importlib.util import find_spec

from plugin_image import contract
from plugin_image.renderer.errors import RefusedError
from plugin_image.renderer.manifest_work.entries import Entry, entries_of
from plugin_image.renderer.manifest_work.options import Options
from plugin_image.renderer.manifest_work.sources.folder import Folder
from plugin_image.renderer.settings import Settings


def entries(folder: Folder, options: Options, settings: Settings) -> list[Entry]:
    """The objects that the program registers. Raises what its render raises.

    RefusedError says that this image has no Pulumi SDK.
    """
    # Loaded already means here: without its SDK, which `protocol.leave_out_sdk` left out.
    if not sys.modules.get("pulumi") and find_spec("pulumi") is None:
        raise RefusedError(
            "the folder holds a Pulumi program, and this image has no Pulumi",
            fix="use the image's target `pulumi`, which makes ManifestWorks, too",
        )
    from plugin_image.renderer.pulumi import render
    from plugin_image.renderer.pulumi.options import Options as PulumiOptions

    given = options.chained
    asked = PulumiOptions(
        stack=given.text(contract.STACK),
        config=given.mapping(contract.CONFIG),
        allow_missing_stack_file=given.flag(contract.ALLOW_MISSING_STACK_FILE),
        # The ManifestWork's own option decides.
        allow_empty=True,
        allow_plaintext_secrets=given.flag(contract.ALLOW_PLAINTEXT_SECRETS),
        ignore_foreign=given.choice(contract.NON_KUBERNETES, ("refuse", "ignore")) == "ignore",
        allow_random=options.allow_random,
        provider=given.text(contract.PROVIDER),
        disable_name_suffix_hash=given.flag(contract.DISABLE_NAME_SUFFIX_HASH),
        namespace=options.namespace or "default",
    )
    return list(entries_of(render.objects(folder.path, asked, settings), "the Pulumi program"))
