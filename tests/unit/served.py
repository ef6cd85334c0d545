"""What a reader finds in a page that is served."""

from __future__ import annotations

import re
from html import unescape

from flask.testing import FlaskClient


def links(page: str) -> list[str]:
    return [unescape(found) for found in re.findall(r'href="(/[^"]*)"', page)]


def get(client: FlaskClient, path: str, status: int = 200) -> str:
    found = client.get(path)
    assert found.status_code == status, found.text
    return found.text


def numbers(page: str) -> list[int]:
    return [int(found) for found in re.findall(r'<th scope="row"><a href="/run/(\d+)"', page)]
