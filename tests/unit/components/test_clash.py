"""Two plugins of one name: the second is refused, in words about plugins."""

import pytest

from components.clash import refuse_clash
from components.errors import InvalidInputError


def test_a_container_that_is_there_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="PulumiPlugin a: plugin_name and version make"):
        refuse_clash("PulumiPlugin a", ["argocd-repo-server", "cmp-pulumi-v1-0"], "cmp-pulumi-v1-0")


def test_any_other_is_not() -> None:
    refuse_clash("PulumiPlugin a", ["argocd-repo-server", "cmp-pulumi-v1-0"], "cmp-pulumi-v1-1")
