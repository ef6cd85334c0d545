"""kernbench's log, in all forms in which it is printed and mailed (Con Kolivas' script, 0.20 to 0.50).

    Thu Aug 16 22:34:59 IST 2007
    2.6.23-rc2-mm2-mem-v6
    Average Half load -j 4 Run (std deviation):
    Elapsed Time 466.548 (47.6014)
    User Time 876.598 (10.5273)
    System Time 223.136 (1.29247)
    Percent CPU 237.2 (23.2744)
    Context Switches 146351 (6539.91)
    Sleeps 174003 (5031.94)

The older script prints `Average Half Load -j 4 Run:` and no deviations. How many runs a mean is of only the terminal shows.
From the second load on the script averages all rows but Elapsed over the earlier loads too: archive.repair undoes it.
"""

from __future__ import annotations

from collections.abc import Iterator

from kdelta.archive.kernbench_entries import block
from kdelta.archive.kernbench_sessions import Session, sessions
from kdelta.archive.reader import Reader
from kdelta.archive.text import Text
from kdelta.model.published import Block

NAME = "kernbench log"


def read(text: Text) -> Iterator[Block]:
    """A block for logs of one kernel each that follow one another on one machine, and one for each log of several side by side."""
    waiting = list[Session]()
    for session in sessions(text.lines):
        if waiting and (session.width > 1 or waiting[0].width > 1 or session.box != waiting[0].box):
            yield block(NAME, waiting)
            waiting = []
        waiting.append(session)
    if waiting:
        yield block(NAME, waiting)


READER = Reader(
    NAME,
    ("Average", "average"),
    read,
    "lines `Average Half load -j 8 Run`, of any load, each with lines `Elapsed Time 12.3 (0.1)` to `Sleeps`, of one kernel or more",
)
