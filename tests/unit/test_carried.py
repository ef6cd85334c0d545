"""What a user's command takes along into the guest."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from kdelta.box import carried, native
from kdelta.box.carried import Carried, carry
from kdelta.model.benchmark import Command
from kdelta.model.errors import MisuseError

LOADER = "/lib64/ld-linux-x86-64.so.2"
NULL = str(native.path("workloads", "null"))


def carries(*words: str, files: tuple[str | Path, ...] = ()) -> Carried:
    return carry((Command(words=words, files=tuple(map(str, files))),))


def script(folder: Path, text: str) -> str:
    path = folder / "script"
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def test_a_static_program_needs_nothing_but_itself() -> None:
    assert carries(NULL).files == {NULL: Path(NULL).read_bytes()}


def test_a_program_by_name_is_carried_to_where_it_lies_here() -> None:
    found = shutil.which("env")
    assert found in carries("env").files


def test_a_dynamic_program_brings_its_loader_and_its_libraries() -> None:
    listed = subprocess.run(["ldd", str(shutil.which("ls"))], capture_output=True, text=True, check=True).stdout.split()
    libraries = {word for word in listed if word.startswith("/")}
    assert LOADER in libraries
    assert set(carries("ls").files) == {shutil.which("ls"), *libraries}


def test_libraries_of_a_carried_file_come_too() -> None:
    assert LOADER in carries(NULL, files=(str(shutil.which("ls")),)).files


@pytest.mark.parametrize("line", ["#!{sh}", "#! {sh} -e", "#!{env} sh", "#!{env} -S sh -e"])
def test_a_script_brings_its_interpreter(line: str, tmp_path: Path) -> None:
    sh, env = shutil.which("sh"), shutil.which("env")
    found = carries(script(tmp_path, line.format(sh=sh, env=env) + "\n")).files
    assert {sh, LOADER} <= set(found)
    assert (env in found) == ("env" in line)


def test_a_script_whose_interpreter_is_not_here_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match="begins with '#!/no/such/sh', and that program is not here"):
        carries(script(tmp_path, "#!/no/such/sh\n"))


def test_modes_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_text("1")
    path.chmod(0o640)
    assert carries(NULL, files=(path,)).modes[str(path)] == stat.S_IFREG | 0o640


def test_a_folder_brings_all_that_lies_in_it(tmp_path: Path) -> None:
    (tmp_path / "top/empty").mkdir(parents=True)
    (tmp_path / "top/data").write_text("1")
    (tmp_path / "top/alias").symlink_to("data")
    (tmp_path / "top/same").symlink_to("empty")
    (tmp_path / "top/dangling").symlink_to("gone")
    found = carries(NULL, files=(tmp_path / "top",))
    kinds = {path.removeprefix(str(tmp_path)): (stat.S_IFMT(found.modes[path]), content) for path, content in found.files.items()}
    del kinds[NULL]
    assert kinds == {
        "/top": (stat.S_IFDIR, b""),
        "/top/empty": (stat.S_IFDIR, b""),
        "/top/data": (stat.S_IFREG, b"1"),
        "/top/alias": (stat.S_IFREG, b"1"),
        "/top/same": (stat.S_IFLNK, b"empty"),
        "/top/dangling": (stat.S_IFLNK, b"gone"),
    }


def test_a_folder_by_a_link_brings_what_lies_behind_it(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/data").write_text("1")
    (tmp_path / "link").symlink_to("real")
    assert carries(NULL, files=(tmp_path / "link",)).files[str(tmp_path / "link/data")] == b"1"


def test_a_relative_path_is_from_the_folder_that_kdelta_runs_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").write_text("1")
    shutil.copy(NULL, tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    assert set(carries("./mine", files=("data",)).files) == {str(tmp_path / "mine"), str(tmp_path / "data")}


def test_a_pipe_is_no_file_to_carry(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(MisuseError, match="neither file nor folder"):
        carries(NULL, files=(tmp_path / "pipe",))


@pytest.mark.parametrize(
    ("words", "files", "message"),
    [
        (("no-such-program",), (), "there is no program no-such-program"),
        (("/etc/passwd",), (), "there is no program /etc/passwd"),
        ((NULL,), ("/no/such/file",), "there is no file /no/such/file"),
        ((NULL,), ("/proc/version",), "/proc/version cannot be carried: the guest has its own /proc"),
        ((NULL,), ("/dev/null",), "/dev/null cannot be carried"),
    ],
)
def test_what_cannot_be_carried_is_named(words: tuple[str, ...], files: tuple[str, ...], message: str) -> None:
    with pytest.raises(MisuseError, match=message):
        carries(*words, files=files)


def test_a_program_that_is_neither_for_this_machine_nor_a_script_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match="neither an x86-64 program nor a script"):
        carries(script(tmp_path, "echo no first line\n"))


def test_a_library_that_is_not_here_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "ldd").write_text('#!/bin/sh\nprintf "\\tlibgone.so.1 => not found\\n"\n')
    (tmp_path / "ldd").chmod(0o755)
    with pytest.raises(MisuseError, match=r"the library libgone\.so\.1 of .* is not here"):
        carries("cat")


def test_a_library_in_an_unusual_folder_brings_the_loaders_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "lib one.so"
    library.write_bytes(b"x")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "ldd").write_text(f'#!/bin/sh\nprintf "\\tlib => {library} (0x0000)\\n"\n')
    (tmp_path / "ldd").chmod(0o755)
    monkeypatch.setattr(carried, "LOADER_CACHE", str(library))
    assert set(carries("head").files) == {shutil.which("head"), str(library)}
