"""All readers of texts, and of folders: the table of what is recognised, and by what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kdelta.archive import (
    aim,
    aim9,
    asv,
    asv_json,
    benchstat,
    benchstat_old,
    cargo_bench,
    catch2,
    contest,
    csv_table,
    dbench,
    diffprofile,
    go_bench,
    google_benchmark,
    google_benchmark_json,
    grid,
    hackbench,
    hyperfine,
    hyperfine_json,
    kernbench_log,
    kernbench_table,
    lkp_folder,
    lkp_mail,
    lmbench_result,
    lmbench_summary,
    min_table,
    ministat,
    mmtests,
    mmtests_folder,
    mmtests_json,
    named_pairs,
    normalised_table,
    opreport,
    pct_table,
    percent_rows,
    perf_bench,
    perf_diff,
    perf_report,
    perf_sched,
    perf_stat,
    perf_stat_csv,
    perf_stat_means,
    phoronix,
    phoronix_export,
    phoronix_xml,
    proc_times,
    profile_text,
    pyperf,
    pyperformance,
    pytest_benchmark,
    ranges,
    readprofile,
    result_lists,
    schbench,
    sdet,
    stress_ng,
    sysbench,
    sysstat,
    time_output,
    unixbench,
    vmstat,
    volano,
)
from kdelta.archive.reader import FolderReader, Reader
from kdelta.model.errors import unknown

READERS: tuple[Reader, ...] = (
    aim.READER,
    aim9.READER,
    asv.READER,
    asv_json.READER,
    benchstat.READER,
    benchstat_old.READER,
    cargo_bench.READER,
    catch2.READER,
    contest.READER,
    csv_table.READER,
    dbench.READER,
    diffprofile.READER,
    go_bench.READER,
    google_benchmark.READER,
    google_benchmark_json.READER,
    grid.READER,
    hackbench.READER,
    hyperfine.READER,
    hyperfine_json.READER,
    kernbench_log.READER,
    kernbench_table.READER,
    lkp_mail.READER,
    lmbench_result.READER,
    lmbench_summary.READER,
    min_table.READER,
    ministat.READER,
    mmtests.READER,
    mmtests_json.READER,
    named_pairs.READER,
    normalised_table.READER,
    opreport.READER,
    pct_table.READER,
    percent_rows.READER,
    perf_bench.READER,
    perf_diff.READER,
    perf_report.READER,
    perf_sched.READER,
    perf_stat.READER,
    perf_stat_csv.READER,
    perf_stat_means.READER,
    phoronix.READER,
    phoronix_export.READER,
    phoronix_xml.READER,
    proc_times.READER,
    profile_text.READER,
    pyperf.READER,
    pyperformance.READER,
    pytest_benchmark.READER,
    ranges.READER,
    readprofile.READER,
    result_lists.READER,
    schbench.READER,
    sdet.READER,
    stress_ng.READER,
    sysbench.READER,
    sysstat.READER,
    time_output.READER,
    unixbench.READER,
    vmstat.READER,
    volano.READER,
)

FOLDER_READERS: tuple[FolderReader, ...] = (
    lkp_folder.READER,
    mmtests_folder.READER,
)


def named(names: Sequence[str]) -> tuple[Reader, ...]:
    """Those of `names`; all without any. Raises MisuseError for a name that there is not."""
    known = {reader.name: reader for reader in READERS}
    for name in names:
        if name not in known:
            raise unknown("format", name, known)
    return tuple(known[name] for name in names) or READERS


def mapped(columns: Mapping[str, str]) -> tuple[Reader, ...]:
    """The one that reads tables whose `columns` are said, by csv_table.KEYS. What is no table is read by none."""
    return (csv_table.READER._replace(marks=("",), read=lambda text: csv_table.read_mapped(text, columns)),)
