"""Who may ask, and what a browser may do with the answer."""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import re
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",  # a run may be growing
}

NOT_OURS = "frame-ancestors 'none'; base-uri 'none'"
OF_A_REPORT = f"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; {NOT_OURS}"
"""The report of a run has its own policy inside, with the hashes of its scripts, and both hold. This one adds what cannot be said
inside a page (Content Security Policy Level 3, section 3.3)."""


def policy(pictures: Iterable[str] = ()) -> str:
    """For our own pages: no script at all, one style sheet, and the styles of these `pictures`."""
    styles = dict.fromkeys(style for picture in pictures for style in STYLE.findall(picture))
    hashes = "".join(f" 'sha256-{base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()}'" for style in styles)
    return f"default-src 'none'; style-src 'self'{hashes}; img-src data:; form-action 'self'; {NOT_OURS}"


def is_loopback(host: str) -> bool:
    """Whether a name or an address leads to this machine alone."""
    address = _address(host)
    return host.lower() == "localhost" if address is None else address.is_loopback


def is_known(header: str, host: str) -> bool:
    """Whether `header`, the Host of a request, is a name of ours, where `host` is what the server is bound to.

    A page of another site can have a name that leads here (DNS rebinding), and would then read the store as its own; it cannot
    have an address for a name, nor one of ours.
    """
    try:
        name = (urlsplit(f"//{header}").hostname or "").lower()
    except ValueError:
        return False
    if is_loopback(name) or name == host.lower():
        return True
    return not is_loopback(host) and (_address(name) is not None or name == socket.gethostname().lower())


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
