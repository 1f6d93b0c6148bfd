"""The program's own SDK counts, from the oldest that is reasonable to the newest.

Python: pulumi 3.113 of April 2024, the first whose protocol has callbacks, and 3.272, and the
last pulumi-kubernetes 3.
Node.js: 3.113 and 3.270. They are installed once, into the renderer's own cache.
"""

from pathlib import Path

import pytest

from plugin_image.renderer.errors import ProgramError, RefusedError
from tests.render.sdk_programs import stream_of

pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    "version", ["python-newest", "python-kubernetes3", "nodejs-oldest", "nodejs-newest"]
)
def test_the_same_program_gives_the_same_bytes_with_every_sdk(version: str, tmp_path: Path) -> None:
    assert stream_of(version, tmp_path) == stream_of("python-oldest", tmp_path)


def test_an_sdk_that_is_too_old_is_told_by_its_version(tmp_path: Path) -> None:
    with pytest.raises(ProgramError) as refused:
        stream_of("python-too-old", tmp_path)
    assert str(refused.value) == (
        "the program failed: RuntimeError: its Pulumi SDK 3.100.0 is too old. "
        "To fix it: use pulumi 3.113.0 or newer"
    )


_BUCKETS = {
    "python": '\npulumi.CustomResource("aws:s3/bucket:Bucket", "files", {"arn": None})\n',
    "nodejs": '\nnew pulumi.CustomResource("aws:s3/bucket:Bucket", "files", {});\n',
}


@pytest.mark.parametrize("version", ["python-newest", "nodejs-newest"])
def test_resources_of_others_are_left_out_with_an_sdk_that_knows_unknown_values(
    version: str, tmp_path: Path
) -> None:
    bucket = _BUCKETS[version.partition("-")[0]]
    stream = stream_of(version, tmp_path / "with", bucket, ignore_foreign=True)
    assert stream == stream_of("python-oldest", tmp_path)


@pytest.mark.parametrize("version", ["python-oldest", "nodejs-oldest"])
def test_resources_of_others_are_not_left_out_where_their_values_would_count_as_none(
    version: str, tmp_path: Path
) -> None:
    bucket = _BUCKETS[version.partition("-")[0]]
    with pytest.raises(RefusedError) as refused:
        stream_of(version, tmp_path, bucket, ignore_foreign=True)
    assert "Bucket 'files'" in refused.value.summary
    assert refused.value.summary.endswith("this version of Pulumi's SDK takes its values for none")
    assert refused.value.fix.startswith("use version 3.256.0 or newer of the SDK")
