"""uv installs what is locked from where pip would, and what it cannot install, pip does."""

import hashlib
import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests import virtual_environment

REAL_UV = Path(sys.executable).with_name("uv")


class Index:
    """A folder of packages, which is all that pip is told of."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()

    def package(self, name: str, files: dict[str, str]) -> str:
        """Add a package and return its entry in a lock."""
        info = f"{name}-1.dist-info"
        files = {
            **files,
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n",
            f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        }
        files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in files)
        wheel = self._folder / f"{name}-1-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            for path, text in files.items():
                member = zipfile.ZipInfo(path)
                member.external_attr = 0o100755 << 16
                archive.writestr(member, text)
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        return f"{name}==1 \\\n    --hash=sha256:{digest}\n    # via the tests\n"

    def uv(self, script: str) -> str:
        """Add a uv that is a script, and return its entry."""
        return self.package("uv", {"uv-1.data/scripts/uv": f"#!/bin/sh\n{script}\n"})


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
    return Index(tmp_path / "index")


@pytest.fixture(autouse=True)
def quick_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Makes environments with the pip of this one: to unpack another takes seconds."""
    pip = importlib.util.find_spec("pip")
    assert pip
    assert pip.origin
    quick = tmp_path / "quick-python"
    quick.write_text(
        "#!/bin/sh\n"
        f'{sys.executable} "$@" --without-pip && '
        f'ln -s {Path(pip.origin).parent} "$4"/lib/python*/site-packages\n'
    )
    quick.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(quick))
    return quick


@pytest.fixture
def python(tmp_path: Path, quick_python: Path) -> Path:
    """A Python that has nothing but pip."""
    folder = tmp_path / "venv"
    subprocess.run([quick_python, "-m", "venv", "--clear", folder], check=True)
    return folder / "bin" / "python"


def imports(python: Path, module: str) -> bool:
    done = subprocess.run([python, "-c", f"import {module}"], stderr=subprocess.DEVNULL)
    return done.returncode == 0


def test_uv_installs_from_where_pip_would(
    index: Index, python: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lock = index.uv(f'exec {REAL_UV} "$@"') + index.package("part", {"part.py": ""})
    virtual_environment.install(python, lock)
    assert imports(python, "part")
    assert capfd.readouterr().err == ""


def test_what_uv_cannot_install_pip_does_and_says_why(
    index: Index, python: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lock = index.uv("echo no way to the index; exit 2") + index.package("part", {"part.py": ""})
    virtual_environment.install(python, lock)
    assert imports(python, "part")
    said = "uv cannot install the packages, so pip does: no way to the index\n"
    assert capfd.readouterr().err == said


def test_what_is_not_what_was_locked_is_installed_by_none(index: Index, python: Path) -> None:
    lock = index.uv(f'exec {REAL_UV} "$@"') + index.package("part", {"part.py": ""})
    index.package("part", {"part.py": "import os"})
    with pytest.raises(virtual_environment.InstallError):
        virtual_environment.install(python, lock)
    assert not imports(python, "part")


def test_uv_is_told_the_settings_of_pip() -> None:
    listing = (
        ":env:.index-url='https://here.example/simple'\n"
        ":env:.no-index='1'\n"
        ":env:.timeout='180'\n"
        "global.cert='/etc/a=b.pem'\n"
        "global.find-links='\\n/wheels\\n/more/wheels'\n"
        "global.index-url='https://there.example/simple'\n"
        "install.index-url='https://elsewhere.example/simple'\n"
        "install.trusted-host='a.example\\nb.example:8080'\n"
    )
    assert virtual_environment.uv_settings(listing) == {
        "SSL_CERT_FILE": "/etc/a=b.pem",
        "UV_DEFAULT_INDEX": "https://here.example/simple",
        "UV_FIND_LINKS": "/wheels,/more/wheels",
        "UV_INSECURE_HOST": "a.example b.example:8080",
        "UV_OFFLINE": "1",
    }


def test_uv_itself_is_of_the_version_that_is_locked() -> None:
    lock = virtual_environment.LOCK.read_text()
    uv = virtual_environment.entry("uv", lock)
    assert uv in lock
    assert [line for line in uv.splitlines() if not line.startswith(" ")] == [uv.splitlines()[0]]
    assert uv.startswith("uv==")
    assert "--hash=sha256:" in uv


def test_an_index_that_refuses_is_a_sentence_and_leaves_nothing_that_looks_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    complete = tmp_path / "venv" / virtual_environment.COMPLETE
    complete.parent.mkdir()
    complete.touch()
    assert virtual_environment.main([str(complete.parent)]) == 1
    *own_words, sentence = capfd.readouterr().err.splitlines()
    assert "No matching distribution found for uv" in own_words[-1]
    assert sentence.startswith("error: pip cannot install the locked packages from the package")
    assert sentence.endswith("only `make image`, `make help` and `make clean` work.")
    assert not complete.exists()
