"""The renderer outside of its image."""

import importlib.util
import subprocess
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
_COMMAND = ROOT / "plugin_image" / "bin" / "renderer"


@pytest.mark.parametrize(("present", "missing"), [((), "click"), (("click",), "yaml")])
def test_a_package_that_is_not_installed_is_named(
    present: tuple[str, ...], missing: str, tmp_path: Path
) -> None:
    for name in present:
        found = importlib.util.find_spec(name)
        assert found
        assert found.origin
        (tmp_path / name).symlink_to(Path(found.origin).parent)
    venv.create(tmp_path / "venv", symlinks=True)
    interpreter = tmp_path / "venv" / "bin" / "python"
    ended = subprocess.run(
        [interpreter, _COMMAND, "pulumi", "render", ROOT / "examples" / "guestbook-yaml"],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    first, *others = ended.stderr.splitlines()
    assert f"package {missing} is not installed for {interpreter}" in first
    assert "requirements.txt" in first
    assert (ended.stdout, others) == ("", [])
