"""Mails: their text parts decoded, with the line of the source at which each line begins."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from email import policy
from email.errors import HeaderParseError, MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import Parser
from quopri import decodestring

from kdelta.archive.text import Decoded, Line, Text, decoded, line

HEADERS = ("subject", "from", "message-id", "content-type", "mime-version", "date", "received", "return-path")
"""One of these begins a mail, or follows in its first lines."""
MOST_PARTS = 100

_HEADER = re.compile(rb"(?:From [^\n]*\n)?(?:[!-9;-~]+:[^\n]*\n(?:[ \t][^\n]*\n)*)+\r?\n")
_SOFT = re.compile(rb"=[ \t]*\r?$")


def is_mail(raw: bytes) -> bool:
    """Whether it begins with lines `Name: value` up to an empty one, of which one is a mail's."""
    match = _HEADER.match(raw[:65536])
    if match is None:
        return False
    names = {one.partition(b":")[0].strip().lower().decode("ascii", "replace") for one in match.group().split(b"\n")}
    return len(names & set(HEADERS)) > 1


def mail_of(path: str, raw: bytes, first: int = 1) -> Text:
    """The mail in `raw`, whose first line is number `first` of its source. What cannot be decoded is left out."""
    return Text(path, raw, _decoded, first)


def _decoded(raw: bytes, first: int) -> Decoded:
    # One character a byte: so a part is in `raw` as it is in the message.
    message = Parser(policy=policy.compat32).parsestr(raw.decode("latin-1"))
    lines = tuple(one for part in _parts(message) for one in _lines(part, raw, first))
    return Decoded(
        raw="\n".join(one.text for one in lines).encode(),
        lines=lines,
        subject=header(message, "Subject"),
        sender=header(message, "From"),
        date=header(message, "Date"),
        message_id=header(message, "Message-ID"),
    )


def header(message: Message, name: str) -> str:
    """Unfolded and decoded; as it stands where that fails."""
    value = str(message.get(name, "")).encode("latin-1", "replace").decode("utf-8", "replace").replace("\r", "")
    try:
        text = str(make_header(decode_header(value)))
    except (HeaderParseError, LookupError, ValueError, MessageError, binascii.Error):
        text = value
    return " ".join(text.split())


def _parts(message: Message) -> Iterator[Message]:
    """Those that are text, but HTML: what is in it stands in another part, or was no table."""
    for place, part in enumerate(message.walk()):
        if place >= MOST_PARTS:
            return
        if not part.is_multipart() and part.get_content_maintype() == "text" and part.get_content_subtype() != "html":
            yield part


def _lines(part: Message, raw: bytes, first: int) -> Iterator[Line]:
    """Of one part. Its payload stands in `raw` as it is: so its place there is known."""
    payload = part.get_payload(decode=False)
    if not isinstance(payload, str):
        return
    body = payload.encode("latin-1")
    start = max(raw.find(body), 0) if body else 0
    number = first + raw.count(b"\n", 0, start)
    charset = part.get_content_charset("utf-8")
    encoding = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
    if encoding == "base64":
        # A line of base64 holds no whole line of the text: these are counted from the part's first.
        yield from (line(number + place, one) for place, one in enumerate(decoded(_base64(body), charset).split("\n")))
    elif encoding == "quoted-printable":
        yield from (line(number + place, decoded(decodestring(one), charset)) for place, one in _joined(body))
    else:
        yield from (line(number + place, one) for place, one in enumerate(decoded(body, charset).split("\n")))


def _joined(body: bytes) -> Iterator[tuple[int, bytes]]:
    """Lines whose soft breaks are gone, with the place of each one's first, from 0."""
    parts, start = list[bytes](), 0
    for place, one in enumerate(body.split(b"\n")):
        soft = _SOFT.search(one)
        parts.append(one[: soft.start()] if soft else one)
        if not soft:
            yield start, b"".join(parts)
            parts, start = [], place + 1
    if parts:
        yield start, b"".join(parts)


def _base64(body: bytes) -> bytes:
    try:
        return binascii.a2b_base64(body)
    except binascii.Error:
        return b""
