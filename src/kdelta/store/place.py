"""Where a store is."""

from __future__ import annotations

import os
import re
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from kdelta.model.errors import StoreError
from kdelta.store import database
from kdelta.store.store import Store


def default_url() -> str:
    """KDELTA_STORE, or a file below the user's data folder."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share"
    return os.environ.get("KDELTA_STORE") or str(Path(base, "kdelta", "store.sqlite"))


def shown(place: str | None = None) -> str:
    """`place`, by default `default_url()`, as it may be printed: no password."""
    where = place or default_url()
    return database.shown(_url(where)) if "://" in where else where


def open_store(place: str | None = None, *, read_only: bool = False) -> Store:
    """The store at `place`, a URL or a file's path, by default `default_url()`. One that is `read_only` has to be there."""
    where = place or default_url()
    url = _url(where) if "://" in where else URL.create("sqlite", database=str(Path(where).absolute()))
    path = Path(url.database or "") if url.get_backend_name() == "sqlite" else None
    if read_only:
        if path and not path.is_file():
            raise StoreError(f"there is no store at {path}", "name another with --store, or measure something: kdelta run")
        return Store(url, read_only=True)
    if "://" in where:
        return Store(url)
    return _made(Path(where).absolute(), url)


def _made(path: Path, url: URL) -> Store:
    """With the folder that it lies in."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"the store's folder {path.parent} cannot be made: {error.strerror}"
        raise StoreError(message, "give another with --store") from error
    return Store(url)


def _url(text: str) -> URL:
    """`postgres://` is libpq's other name for the same. What cannot be read is not repeated: a password may be in it."""
    try:
        url = make_url(re.sub("^postgres:", "postgresql:", text))
    except (ArgumentError, ValueError) as error:
        raise _unreadable() from error
    if "@" in (url.host or ""):
        raise _unreadable()
    return url


def _unreadable() -> StoreError:
    advice = "give a path or postgresql://USER:PASSWORD@HOST:PORT/NAME with --store; : / @ in a password are %3A %2F %40"
    return StoreError("the URL of the store cannot be read", advice)
