"""What all tests share: unit tests see nothing of the user's folders, store or QEMU."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent

# The same examples on every machine, and no failure because a machine is slow.
settings.register_profile("kdelta", derandomize=True, deadline=None, database=None)
settings.load_profile("kdelta")


@pytest.fixture(autouse=True)
def own_folders(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cache, data folder and store of a unit test lie in its temporary folder. Tests in the lab look after themselves."""
    if HERE / "unit" not in request.path.parents:
        return
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("KDELTA_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.delenv("KDELTA_QEMU", raising=False)
