"""The examples of the manual's pages on published texts run, one after the other, and print what it says."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from tests.unit.builders import Kdelta

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {"archive.md": 5, "checking.md": 1}
"""Page -> how many commands it shows."""
SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("name", PAGES)
def test_the_examples_print_what_the_manual_says(
    kdelta: Kdelta, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    page = (DOCS / name).read_text()
    monkeypatch.chdir(tmp_path)
    (mail,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    Path("mail.txt").write_text(mail)
    (block,) = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    sessions = re.split(r"^\$ kdelta ", block, flags=re.MULTILINE)[1:]
    for command, _, output in (session.partition("\n") for session in sessions):
        done = kdelta(*shlex.split(command))
        found = done.out + done.err
        assert doctest.OutputChecker().check_output(output, found, SAME), f"the manual says\n{output}\nbut it prints\n{found}"
    assert len(sessions) == PAGES[name]
