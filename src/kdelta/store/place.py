"""Where a store is."""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from kdelta.model.errors import StoreError
from kdelta.store.store import Store


def default_url() -> str:
    """KDELTA_STORE, or a file below the user's data folder."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share"
    return os.environ.get("KDELTA_STORE") or str(Path(base, "kdelta", "store.sqlite"))


def open_store(place: str | None = None) -> Store:
    """The store at `place`, a URL or a file's path, by default `default_url()`."""
    where = place or default_url()
    if "://" in where:
        return Store(_url(where))
    path = Path(where).absolute()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"the store's folder {path.parent} cannot be made: {error.strerror}"
        raise StoreError(message, "give another with --store") from error
    return Store(URL.create("sqlite", database=str(path)))


def _url(text: str) -> URL:
    try:
        return make_url(text)
    except ArgumentError as error:
        raise StoreError(f"'{text}' is no URL of a database", "give a file's path, or a URL as SQLAlchemy writes it") from error
