"""Fetched and derived files appear whole or not at all."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from kdelta.kernel.cache import folder, place
from kdelta.model.errors import MisuseError


def write(text: str, into: Path) -> None:
    (into / "a").write_text(text)
    (into / "b").write_text(text)


def texts(target: Path) -> list[str]:
    return [path.read_text() for path in sorted(target.iterdir())]


def never(into: Path) -> None:
    raise AssertionError(f"{into} is filled though the target is there")


def test_a_missing_target_is_filled(tmp_path: Path) -> None:
    assert texts(place(tmp_path / "target", lambda into: write("new", into))) == ["new", "new"]


def test_a_target_that_is_there_is_not_filled_again(tmp_path: Path) -> None:
    place(tmp_path / "target", lambda into: write("new", into))
    assert texts(place(tmp_path / "target", never)) == ["new", "new"]


def test_the_target_is_not_there_while_it_is_filled(tmp_path: Path) -> None:
    seen: list[bool] = []
    place(tmp_path / "target", lambda into: seen.append((tmp_path / "target").exists()))
    assert seen == [False]


def test_nothing_but_the_target_is_left(tmp_path: Path) -> None:
    place(tmp_path / "target", lambda into: write("new", into))
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


@pytest.mark.parametrize(
    "error", [MisuseError("not fetched"), ValueError("damaged"), KeyboardInterrupt()], ids=lambda e: type(e).__name__
)
def test_a_fill_that_fails_leaves_nothing(error: BaseException, tmp_path: Path) -> None:
    def fail(into: Path) -> None:
        write("half", into)
        raise error

    with pytest.raises(type(error)):
        place(tmp_path / "target", fail)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told_with_its_reason(tmp_path: Path) -> None:
    def fail(into: Path) -> None:
        Path("/dev/full").write_text("more than fits")

    with pytest.raises(MisuseError, match=f"{tmp_path}/target cannot be written: No space left on device"):
        place(tmp_path / "target", fail)
    assert list(tmp_path.iterdir()) == []


def test_a_target_may_be_filled_after_a_failure(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        place(tmp_path / "target", never)
    assert texts(place(tmp_path / "target", lambda into: write("new", into))) == ["new", "new"]


def test_the_first_of_two_that_fill_at_once_wins(tmp_path: Path) -> None:
    def overtaken(into: Path) -> None:
        write("late", into)
        place(tmp_path / "target", lambda other: write("early", other))

    assert texts(place(tmp_path / "target", overtaken)) == ["early", "early"]
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


def test_all_that_fill_at_once_get_one_whole_target(tmp_path: Path) -> None:
    together = Barrier(4, timeout=30)

    def fill(text: str) -> list[str]:
        def write_together(into: Path) -> None:
            write(text, into)
            together.wait()

        return texts(place(tmp_path / "target", write_together))

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(fill, "abcd"))
    assert found == [texts(tmp_path / "target")] * 4
    assert len(set(found[0])) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


def test_a_folder_lies_in_the_users_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    assert folder("packages", "debian") == tmp_path / "elsewhere/kdelta/packages/debian"
    assert folder("packages", "debian").is_dir()


@pytest.mark.parametrize("value", [None, ""], ids=["unset", "empty"])
def test_the_cache_is_in_the_home_folder_by_default(value: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if value is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", value)
    assert folder("packages") == tmp_path / ".cache/kdelta/packages"


def test_a_cache_folder_that_cannot_be_made_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(MisuseError, match="cannot be made: Not a directory") as caught:
        folder("packages")
    assert "XDG_CACHE_HOME" in caught.value.advice


def test_a_folder_that_has_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match="cannot be written: No such file or directory"):
        place(tmp_path / "gone" / "target", lambda into: write("new", into))
