"""kernbench's logs, written with figures that were published."""

from __future__ import annotations

from collections.abc import Sequence

LABELS = ("Elapsed Time", "User Time", "System Time", "Percent CPU", "Context Switches", "Sleeps")


def table(load: str, *rows: str, title: str = "Average {} Run (std deviation):") -> str:
    """One load: a title, and the rows of LABELS as far as they are given."""
    return "\n".join([title.format(load), *(f"{label} {row}" for label, row in zip(LABELS, rows, strict=False))]) + "\n"


def progress(load: str, runs: int) -> str:
    return "".join(f"{load} run number {run}...\n" for run in range(1, runs + 1))


def beside(load: str, left: Sequence[str], right: Sequence[str], title: str = "Average {} Run (std deviation):") -> str:
    """Two logs, one beside the other."""
    pairs = zip(LABELS, left, right, strict=False)
    return "\n".join([title.format(load), *(f"{label} {one}".ljust(38) + f"{label} {two}" for label, one, two in pairs)]) + "\n"


HALF_2006 = ("120.68 (0.425558)", "583.488 (0.54099)", "84.716 (0.345948)", "553 (2)", "13146.4 (66.3272)", "26998.2 (297.078)")
OPTIMAL_2006 = (
    "86.496 (0.335827)",
    "809.699 (238.449)",
    "103.137 (19.423)",
    "945.3 (413.544)",
    "32549.5 (20471.2)",
    "34308 (7795.17)",
)
MAXIMAL_2006 = (
    "86.47 (0.321636)",
    "883.568 (219.647)",
    "108.728 (17.597)",
    "1073.8 (381.226)",
    "31920.4 (16443.3)",
    "30472.5 (8402.01)",
)
TABLES_2006 = (
    table("Half load -j 8", *HALF_2006) + "\n",
    table("Optimal load -j 64", *OPTIMAL_2006) + "\n",
    table("Maximal load -j", *MAXIMAL_2006) + "\n",
)
"""Sixteen CPUs, five runs of each load."""
TERMINAL_2006 = (
    "16 cpus found\nKernel 2.6.16\nPerforming 5 runs of\nmake -j 8\nmake -j 64\nmake -j\n\nAll data logged to kernbench.log\n"
    + progress("Half load -j 8", 5)
    + TABLES_2006[0]
    + progress("Optimal load -j 64", 5)
    + TABLES_2006[1]
    + progress("Maximal load -j", 5)
    + TABLES_2006[2]
)

WITH_IF = (
    ("338.122 (0.869207)", "2025.49 (4.11097)", "218.098 (0.826632)", "663 (2.12132)", "140903 (2655.99)", "836103 (1594.93)"),
    ("255.32 (1.28328)", "2342.93 (334.625)", "248.722 (32.2921)", "906.9 (257.13)", "294395 (161817)", "890162 (57019.2)"),
    ("236.318 (1.56739)", "2528.19 (381.49)", "264.739 (34.9425)"),
)
WITHOUT_IF = (
    ("336.404 (1.69196)", "2028.17 (1.34199)", "219.022 (0.978581)", "667.4 (3.20936)", "138476 (3408.49)", "836048 (2597.78)"),
    ("255.144 (1.09674)", "2343.7 (332.612)", "250.06 (32.7329)", "909.6 (255.326)", "293186 (163124)", "890534 (57494.5)"),
    ("236.018 (1.32215)", "2530.75 (382.228)", "266.082 (35.1991)"),
)
IF_2010 = "With 'if':".ljust(38) + "Without 'if':\n"
IF_2010 += "\n".join(
    beside(load, left, right)
    for load, left, right in zip(("Half load -j 8", "Optimal load -j 16", "Custom load -j 32"), WITH_IF, WITHOUT_IF, strict=True)
)
"""Two kernels beside each other, three loads, and the third is cut."""

FLUSH_2017 = "\n".join(
    (
        "# one page at a time\nWed Aug 23 15:47:33 UTC 2017\n4.13.0-rc5+",
        table(
            "Half load -j 2", "50.3233 (1.82716)", "87.1233 (1.26871)", "15.36 (0.500899)", "203.667 (4.04145)", "7350.33 (1339.65)"
        ),
        table("Optimal load -j 4", "27.4267 (0.215019)", "88.6983 (1.91501)", "13.1933 (2.39488)", "286.333 (90.6083)"),
        "# a range\nWed Aug 23 16:00:03 UTC 2017\n4.13.0-rc5+",
        table("Half load -j 2", "86.57 (1.06099)", "103.25 (1.85475)", "75.4433 (0.415852)", "205.667 (3.21455)"),
        table("Optimal load -j 4", "51.27 (0.615873)", "110.328 (7.93884)", "74.06 (1.55788)", "288 (90.2197)"),
    )
)
"""Two logs of one kernel, with and without a patch; three runs of each load."""

SPF_2017 = (
    ("166.668 (0.462299)", "1083.11 (2.89018)", "202.982 (0.984058)", "771.2 (0.83666)", "46789 (519.558)", "83870.8 (836.392)"),
    ("85.002 (0.298111)", "1033.25 (52.6037)", "185.46 (18.4826)", "1062.6 (307.181)", "67423.3 (21762.7)", "89393.6 (5860.2)"),
)

CAPPED_2013 = (
    "Base:\n"
    + table("Optimal load -j 24", "415.988 (8.37909)", "4142 (759.964)", "418.483 (62.0377)", "1030.7 (267.462)", "391509 (268361)")
    + "\nPatchD:\n"
    + table(
        "Optimal load -j 24",
        "424.486 (16.7365) ( + 2 % vs base)",
        "4146.8 (764.012) ( + 0.84 % vs base)",
        "419.24 (62.4507) (+ 0.18 % vs base)",
        "1012.1 (264.558) (-1.8 % vs base)",
        "393363 (268899) (+ 0.47 % vs base)",
    )
    + "\n\nFull:\n"
    + table(
        "Optimal load -j 24",
        "456.644 (15.3567) ( + 9.7 % vs base)",
        "4036.3 (645.261) ( - 2.5 % vs base)",
        "438.134 (82.251) ( + 4.7 % vs base)",
        "973 (168.581) ( - 5.6 % vs base)",
        "350796 (229700) ( - 10 % vs base )",
    )
)

CGROUP_2007 = "\n".join(
    (
        "Results in the small container\n------------------------------\n\nThu Aug 16 22:34:59 IST 2007\n2.6.23-rc2-mm2-mem-v6",
        table(
            "Half load -j 4", "466.548 (47.6014)", "876.598 (10.5273)", "223.136 (1.29247)", "237.2 (23.2744)", "146351 (6539.91)"
        ),
        table("Optimal load -j 32", "423.496 (60.625)", "897.285 (23.0391)", "228.836 (6.11205)", "257.1 (40.9022)"),
        "Results in the default one\n--------------------------\n\nThu Aug 16 22:34:33 IST 2007\n2.6.23-rc2-mm2-mem-v6",
        table("Half load -j 4", "424.17 (3.45908)", "841.992 (5.40178)", "213.01 (0.706258)", "248.2 (0.83666)"),
        table("Optimal load -j 32", "407.092 (108.932)", "878.493 (38.6575)"),
    )
)

TABS_2019 = (
    "> Results on a 48 CPUs X86 system using kernbench\n> (kernel is build 5 times):\n>\n"
    "> Average\tHalf load -j 24\n> \t\t Run\t(std deviation)\n> \t\t BASE\t\t\tSPF\n"
    "> Elapsed\tTime\t 56.52   (1.39185)      56.256  (1.15106)       0.47% \n"
    "> User\tTime\t 980.018 (2.94734)      984.958 (1.98518)       -0.50%\n"
    "> Percent\tCPU\t 1965.6  (49.682)       1988.4  (40.035)        -1.16%\n"
    "> Context\tSwitches 29926.6 (272.789)      30472.4 (109.569)       -1.82%\n"
    "> Sleeps\t\t 124793  (415.87)       125003  (591.008)       -0.17%\n"
    "> \t\t\t\t\t\t\n"
    "> Average\tOptimal\tload -j\t48\n> \t\t Run\t(std deviation)\n> \t\t BASE\t\t\tSPF\n"
    "> Elapsed\tTime\t 46.354  (0.917949)     45.968 (1.42786)        0.83% \n"
    ">\n> Performance counter stats for 'kernbench -M':\n>      525,873,132      faults\n>               242      spf\n"
    ">\n> And on a 1024 CPUs Power8 VM:\n>\n> 5.1.0-rc4-mm1+\t\t\t\t5.1.0-rc4-mm1-spf-rcu+\n"
    "> Average Half load -j 512 Run (std deviation):\n"
    "> Elapsed Time \t 52.52   (0.906697)\t52.778  (0.510069)\t-0.49%\n"
    "> Percent CPU \t 11111.6 (540.461)\t11115.2 (458.907)\t-0.03%\n"
    ">\n>  Performance counter stats for 'kernbench -M':\n>        149 375 832      faults\n"
)
