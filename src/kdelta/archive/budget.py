"""How many numbers one text may hold: what has more is no summary, and memory is not without end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from kdelta.model.errors import MisuseError

MOST_NUMBERS = 1 << 17

_left: ContextVar[list[int] | None] = ContextVar("left", default=None)


@contextmanager
def budget(path: str) -> Iterator[None]:
    """Within it `spend` raises MisuseError, which names the text at `path`, once MOST_NUMBERS are spent."""
    left = [MOST_NUMBERS]
    token = _left.set(left)
    try:
        yield
    except _SpentError:
        raise MisuseError(
            f"{path} holds more than {MOST_NUMBERS:,} numbers", "no text is read that holds more: split it, or summarise it"
        ) from None
    finally:
        _left.reset(token)


def spend() -> None:
    """One number was read. Nothing is counted outside of a budget."""
    left = _left.get()
    if left is not None:
        left[0] -= 1
        if left[0] < 0:
            raise _SpentError


class _SpentError(Exception):
    """No reader catches it."""
