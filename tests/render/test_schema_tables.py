"""What the renderer knows of types is what the provider's schema says."""

import pytest

from tests.render import schema_tables


def test_each_table_is_the_one_that_the_schema_of_the_provider_gives() -> None:
    for file, content in schema_tables.tables().items():
        if file.read_text() != content:
            pytest.fail(f"{file.name} differs: run `python -m tests.render.schema_tables`")
