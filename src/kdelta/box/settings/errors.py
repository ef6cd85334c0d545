"""What goes wrong with settings: one that could not be made, and one that could not be put back."""

from __future__ import annotations

import difflib
import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from kdelta.model.errors import KdeltaError

MOST_NEAR = 8
LEAST_LIKE = 0.4


class RefusedError(KdeltaError):
    """A setting that this machine did not take. What was changed before it is put back."""


class NotRestoredError(KdeltaError):
    """Something that could not be put back: what is measured from here on is not what it says."""


def needs_root(key: str) -> RefusedError:
    return RefusedError(f"`{key}` needs root", f"run it with sudo, or leave `{key}` out")


def missing(key: str, name: str, what: str, known: Iterable[str]) -> RefusedError:
    """An error for a `name` that is not there, with the names that are like it: `known` may be hundreds."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=MOST_NEAR, cutoff=LEAST_LIKE)
    hint = f"did you mean '{near[0]}'? " if near else ""
    return RefusedError(f"`{key}`: this machine has no {what} '{name}'", f"{hint}like it: {', '.join(near) or 'none'}")


@contextmanager
def refused(key: str, what: str, advice: str = "") -> Iterator[None]:
    """An OSError of the body as a refusal of the setting `what` of the key `key`."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM) and os.geteuid() != 0:
            raise needs_root(key) from error
        said = f"{error.strerror}" + (f" ({error.filename})" if error.filename else "")
        raise RefusedError(f"`{key}`: {what}: {said}", advice) from error
