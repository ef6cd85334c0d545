"""What an installed kdelta consists of."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kdelta.box import native

ROOT = Path(__file__).parents[1]
WORKLOADS = {path.stem for path in (ROOT / "csrc/workloads").glob("*.c")}
NATIVE = {
    "guest/init",
    "host/fixed.so",
    "host/tether",
    *(f"plugin/profile-{api}.so" for api in (1, 2, 3)),
    *(f"workloads/{name}" for name in WORKLOADS),
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from the sources as git has them, and nothing else."""
    folder = tmp_path_factory.mktemp("wheel")
    sources = folder / "sources"
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in tracked.rstrip("\0").split("\0"):
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, sources / name)
    options = ["--quiet", "--no-deps", "--no-build-isolation", f"--wheel-dir={folder}"]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(sources)], check=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_every_module_and_every_native_program(wheel: Path) -> None:
    kinds = ("*.py", "*.toml", "*.html", "*.css", "*.js")
    modules = {str(path.relative_to(ROOT / "src")) for kind in kinds for path in (ROOT / "src/kdelta").rglob(kind)}
    with zipfile.ZipFile(wheel) as archive:
        files = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert files == modules | {"kdelta/py.typed"} | {f"kdelta/native/{name}" for name in NATIVE}


def test_native_programs_are_executable_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        modes = {info.filename: info.external_attr >> 16 & 0o111 for info in archive.infolist() if "/native/" in info.filename}
    assert [name for name, mode in modes.items() if not mode and not name.endswith(".so")] == []


def test_the_wheel_fits_every_python_and_this_kind_of_machine_only(wheel: Path) -> None:
    assert "-py3-none-linux" in wheel.name or "-py3-none-manylinux" in wheel.name


def test_native_programs_are_static(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    programs = [tmp_path / "kdelta/native" / name for name in NATIVE if not name.endswith(".so")]
    assert [program.name for program in programs if not native.is_static(program.read_bytes())] == []


def test_a_program_with_an_interpreter_is_not_static() -> None:
    assert not native.is_static(Path(sys.executable).resolve().read_bytes())
