"""The key that the random provider's values are made from, for one Application's stack.

The plugin has one key for all Applications. A program gets a key that is derived from it, and so
can make its own values only. The Application's name is part of that: project and stack are whatever
a program says, and one that says another's would have its passwords.
"""

import os
from collections.abc import Mapping

from ...contract import SHORTEST_RANDOM_KEY, RendererEnv
from .. import application
from ..errors import UsageError
from .monitor.keyed.streams import derived_key

_PURPOSE = "values of random resources"


def of_stack(env: Mapping[str, str], project: str, stack: str) -> bytes:
    """The key of a stack's program.

    Raises UsageError where the plugin has no key, or one that is too short.
    """
    name = RendererEnv.RANDOM_KEY.value
    # A file or a shell may have added a line end.
    key = os.fsencode(env.get(name, "").strip())
    if len(key) < SHORTEST_RANDOM_KEY:
        has = f"a {name} of {len(key)} characters" if key else f"no {name}"
        raise UsageError(
            f"`random` is keyed, and the plugin has {has}",
            fix=f"give {name} to the plugin's credentials, at least {SHORTEST_RANDOM_KEY} "
            "characters that nobody can guess, as `openssl rand -hex 32` makes them",
        )
    said = application.from_environment(env)
    return derived_key(key, _PURPOSE, said.name, project, stack)
