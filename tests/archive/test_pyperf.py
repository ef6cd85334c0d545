"""Files of pyperf, read."""

from __future__ import annotations

from tests.archive.reading import blocks, samples

from kdelta.archive.pyperf import READER
from kdelta.model.published import Block

FILE = """\
{"benchmarks": [{"runs": [
   {"metadata": {"cpu_freq": "0=1673 MHz; 1,3=3400 MHz; 2=3599 MHz"},
    "warmups": [[1, 7.964001270011067e-06], [2, 5.470494215842336e-06]]},
   {"metadata": {"cpu_freq": "0=1275 MHz; 1=1438 MHz"}, "warmups": [[32768, 4.2e-06]],
    "values": [4.133820373564134e-06, 4.123283111834297e-06, 4.133146057405668e-06]},
   {"values": [5.2015492553181275e-06, 6.0230210574552245e-06, 4.8227248230503506e-06], "warmups": [[32768, 4.3e-06]]}
 ]}],
 "metadata": {"name": "timeit", "unit": "second", "boot_time": "2017-03-13 17:24:48", "hostname": "host1", "loops": 32768,
   "platform": "Linux-4.9.12-200.fc25.x86_64-x86_64-with-fedora-25-Twenty_Five", "timer": "clock_gettime(CLOCK_MONOTONIC)"},
 "version": "1.0"}
"""


def _one(of: str) -> Block:
    (block,) = blocks(READER, of)
    return block


def test_values_are_samples_in_seconds_in_the_order_of_the_runs() -> None:
    (entry,) = _one(FILE).entries
    assert samples(entry) == [
        4.133820373564134e-06,
        4.123283111834297e-06,
        4.133146057405668e-06,
        5.2015492553181275e-06,
        6.0230210574552245e-06,
        4.8227248230503506e-06,
    ]
    assert (entry.metric, entry.unit, entry.count, entry.samples[0].line) == ("time", "s", 6, 5)


def test_warm_ups_are_kept_and_not_judged() -> None:
    (entry,) = _one(FILE).entries
    assert [(one.number.value, one.reason) for one in entry.discarded] == [
        (7.964001270011067e-06, "a warm-up of 1 loops"),
        (5.470494215842336e-06, "a warm-up of 2 loops"),
        (4.2e-06, "a warm-up of 32768 loops"),
        (4.3e-06, "a warm-up of 32768 loops"),
    ]


def test_a_run_is_a_process_and_one_without_values_calibrated() -> None:
    block = _one(FILE)
    assert block.facts["processes"] == "2 of 3 values each, and 1 without values, which calibrated"
    assert "one for each of 2 processes" in block.remarks[0].text


def test_frequencies_far_apart_are_told() -> None:
    said = {remark.line: remark.text for remark in _one(FILE).remarks}
    assert said[2] == "processors ran at 1275 to 3599 MHz: their frequency was scaled"
    level = FILE.replace("1673", "3599").replace("3400", "3590").replace("1275", "3599").replace("1438", "3599")
    assert not any("MHz" in remark.text for remark in _one(level).remarks)


def test_the_platform_names_the_kernel_and_the_machine() -> None:
    (entry,) = _one(FILE).entries
    assert (entry.variant, entry.box, entry.boots) == ("4.9.12-200.fc25.x86_64", "host1", False)


def test_a_newer_platform_names_the_kernel_too() -> None:
    newer = FILE.replace(
        "Linux-4.9.12-200.fc25.x86_64-x86_64-with-fedora-25-Twenty_Five", "Linux-6.5.0-14-generic-x86_64-with-glibc2.38"
    )
    assert _one(newer).entries[0].variant == "6.5.0-14-generic"


def test_memory_is_in_bytes() -> None:
    entry = _one(FILE.replace('"second"', '"byte"')).entries[0]
    assert (entry.metric, entry.unit) == ("memory", "B")


def test_an_older_file_names_its_values_samples() -> None:
    assert len(_one(FILE.replace('"values"', '"samples"')).entries[0].samples) == 6


def test_what_is_no_pair_and_no_number_is_passed_over() -> None:
    odd = FILE.replace("[2, 5.470494215842336e-06]", '[2], "x", null').replace("4.123283111834297e-06", '"fast"')
    (entry,) = _one(odd).entries
    assert (len(entry.discarded), len(entry.samples)) == (3, 5)


def test_other_json_with_runs_is_not_read() -> None:
    assert blocks(READER, '{"runs": [1, 2], "benchmarks": 3}') == []
    assert blocks(READER, '{"benchmarks": [{"runs": []}], "version": "1.0"}') == []
