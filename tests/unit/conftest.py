"""The program as unit tests use it."""

from __future__ import annotations

import sys

import pytest
from tests.unit.builders import Ended, Kdelta

from kdelta.cli.main import main


@pytest.fixture
def kdelta(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Kdelta:
    """The program in this process."""

    def run(*arguments: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["kdelta", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        return Ended(int(end.value.code or 0), *capsys.readouterr())

    return run
