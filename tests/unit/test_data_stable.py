"""The same run is the same bytes in every form of data, in whatever order a process keeps its sets."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.unit.data_runs import RUNS, profiled

from kdelta.model.dossier import Dossier
from kdelta.report.data import arrow, csv_text, gobench
from kdelta.report.data.document import document, encode
from kdelta.report.junit import junit

ROOT = Path(__file__).parents[2]
FORMS: dict[str, Callable[[Dossier], bytes]] = {
    "document": lambda dossier: encode(document(dossier)),
    "csv": lambda dossier: csv_text.render(dossier).encode(),
    "gobench": lambda dossier: gobench.render(dossier).encode(),
    "junit": lambda dossier: junit(dossier.judgement, dossier.gate, "run").encode(),
    "parquet": arrow.parquet,
    "ipc": arrow.ipc,
}


def checksums() -> str:
    """Of every form, of runs with many metrics and with discarded results."""
    dossiers = (profiled(), RUNS["kernbench"](), RUNS["smpnice"]())
    return "\n".join(f"{name} {hashlib.sha256(write(one)).hexdigest()}" for name, write in FORMS.items() for one in dossiers)


def test_the_same_run_is_the_same_bytes_in_another_process() -> None:
    said = subprocess.run(
        [sys.executable, "-c", "from tests.unit.test_data_stable import checksums; print(checksums())"],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.splitlines() == checksums().splitlines()
