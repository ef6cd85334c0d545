"""Differences of profiles that others published: their rows as they were printed, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator

from kdelta.model.published import Function, Listing
from kdelta.report.diffprofile import LEAST_NAME, PLAIN_WIDTH, shortened
from kdelta.report.text import wrapped

NO_NOISE = "Noise: nothing is known of it from one difference: which of these are more than chance cannot be told."


def render(listing: Listing, rows: int, width: int = PLAIN_WIDTH) -> str:
    """What grew on top, what shrank below, the total in its place; of more than so many `rows` the largest."""
    kept = sorted(listing.rows, key=lambda one: -abs(one.count.value))[:rows]
    shown = [one for one in listing.rows if one in kept]
    cut = len(listing.rows) - len(shown)
    lines = [wrapped(title(listing), width=width), *_rows(listing, shown, is_cut=listing.cut or cut > 0)]
    lines += [f"({cut} more rows are printed there)"] if cut else []
    return "\n".join([*lines, *(wrapped(one, width=width) for one in (*derived(listing), NO_NOISE))]) + "\n"


def title(listing: Listing) -> str:
    """As the old tool's users wrote it above."""
    new = listing.new or "the new side"
    against = f", against {listing.old}" if listing.old else ""
    return f"Diffprofile for {listing.benchmark}, {listing.unit}{against} (-ve numbers better with {new})"


def _rows(listing: Listing, shown: list[Function], *, is_cut: bool) -> Iterator[str]:
    """The order that is printed, in which the total is by its size."""
    total, middle = listing.total, sum(one.count.value >= 0.0 for one in shown)
    place = (
        len(shown)
        if total is None
        else next((at for at, one in enumerate(shown) if one.count.value < total.count.value), len(shown))
    )
    for at, one in enumerate([*shown, None]):
        yield from [_row(total)] if total is not None and at == place and total.count.value >= 0.0 else []
        yield from ["..."] if is_cut and at == middle else []
        yield from [_row(total)] if total is not None and at == place and total.count.value < 0.0 else []
        yield from [_row(one)] if one is not None else []


def _row(one: Function) -> str:
    percent = f"{one.percent.text.rstrip('%')}%" if one.percent else "-"
    row = f"{one.count.text:>10} {percent:>8} "
    return row + shortened(one.name, max(PLAIN_WIDTH - len(row), LEAST_NAME))


def derived(listing: Listing) -> Iterator[str]:
    """Both totals, as well as the digits of the percentage allow; and what the rows are of the total."""
    total = listing.total
    if total is None:
        yield "No total is printed."
        return
    if total.percent and total.percent.value:
        old = 100.0 * total.count.value / total.percent.value
        yield f"From the total follow about {_about(old)} {listing.unit} before and {_about(old + total.count.value)} after."
    rows = sum(one.count.value for one in listing.rows)
    yield f"The {len(listing.rows)} rows add up to {rows:+.0f}, the total is {total.count.value:+.0f}."


def _about(value: float) -> str:
    """Three digits of it: a percentage has no more."""
    return f"{float(f'{value:.3g}'):,.0f}"
