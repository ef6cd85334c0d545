"""Units as they are printed, and the base unit that each is a multiple of."""

from __future__ import annotations

TIMES = {
    "s": 1.0,
    "sec": 1.0,
    "secs": 1.0,
    "second": 1.0,
    "seconds": 1.0,
    "m": 60.0,
    "min": 60.0,
    "minute": 60.0,
    "minutes": 60.0,
    "h": 3600.0,
    "ms": 1e-3,
    "msec": 1e-3,
    "msecs": 1e-3,
    "millisecond": 1e-3,
    "milliseconds": 1e-3,
    "us": 1e-6,
    "usec": 1e-6,
    "usecs": 1e-6,
    "\u00b5s": 1e-6,  # micro sign
    "\u03bcs": 1e-6,  # Greek mu
    "microsecond": 1e-6,
    "microseconds": 1e-6,
    "ns": 1e-9,
    "nsec": 1e-9,
    "nsecs": 1e-9,
    "nanosecond": 1e-9,
    "nanoseconds": 1e-9,
    "ps": 1e-12,
}
"""In seconds."""

SIZES = {
    "b": 1.0,
    "byte": 1.0,
    "bytes": 1.0,
    "kb": 1e3,
    "mb": 1e6,
    "gb": 1e9,
    "tb": 1e12,
    "kib": 2.0**10,
    "mib": 2.0**20,
    "gib": 2.0**30,
    "tib": 2.0**40,
    "kbytes": 1e3,
    "mbytes": 1e6,
}
"""In bytes, in small letters: of a program whose MB is 2^20 the reader says so itself."""

_PER_SECOND = ("/s", "/sec", "/second", "ps", " per second", "/secs")


def base(printed: str) -> tuple[str, float]:
    """The base unit, and what one of `printed` is in it: ("s", 1e-6) for "usec", ("B/s", 1e6) for "MB/sec".

    A unit that is not known is its own, with 1.
    """
    name = printed.strip()
    if name in TIMES:
        return "s", TIMES[name]
    if name.lower() in SIZES and name not in ("b",):
        return "B", SIZES[name.lower()]
    for ending in _PER_SECOND:
        amount = name.removesuffix(ending)
        if amount != name and amount.strip().lower() in SIZES:
            return "B/s", SIZES[amount.strip().lower()]
        if amount != name and ending != "ps":
            return f"{amount.strip()}/s" if amount.strip() else "/s", 1.0
    return name, 1.0
