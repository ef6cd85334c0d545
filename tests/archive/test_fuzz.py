"""A short run of the fuzzer over all readers; `python -m tests.fuzz.archive SECONDS` makes a long one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SECONDS = 20


def test_no_text_that_a_fuzzer_finds_makes_a_reader_stumble() -> None:
    pytest.importorskip("atheris", reason="atheris is made for x86-64 alone")
    words = [sys.executable, "-m", "tests.fuzz.archive", str(SECONDS)]
    ended = subprocess.run(words, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-4000:]
