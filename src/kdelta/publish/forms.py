"""The forms of a document, each from the same material: the same run in the same form is the same to the byte."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kdelta.publish.material import MAIL, PAGE, Material
from kdelta.report import junit as junit_xml
from kdelta.report import mail as mail_text
from kdelta.report.data import arrow, csv_text, document, gobench
from kdelta.report.page import page as html

MAILED_ROWS = 20
"""Functions of a difference in a mail."""


@dataclass(frozen=True)
class Form:
    """`suffixes` are of the names of files that hold it; `media` is its type for a browser. What is no text is `binary`."""

    suffixes: tuple[str, ...]
    media: str
    make: Callable[[Material], bytes]
    binary: bool = False


def mail(of: Material) -> bytes:
    wheres = of.fit_wheres(of.mail, MAIL)[: of.mailed]
    return mail_text.render(of.mail, wheres, of.shapes, MAILED_ROWS).encode("ascii")


def page(of: Material, links: html.Links = html.NOWHERE) -> bytes:
    """`links` lead to the pages beside it, where it is served."""
    return html.render(of.page, json(of), of.fit_wheres(of.page, PAGE), mail(of).decode(), links=links).encode()


def json(of: Material) -> bytes:
    return document.encode(document.document(of.raw, of.wheres))


def csv(of: Material) -> bytes:
    return csv_text.render(of.raw).encode()


def go(of: Material) -> bytes:
    return gobench.render(of.raw).encode()


def junit(of: Material) -> bytes:
    return junit_xml.junit(of.raw.judgement, of.raw.gate, f"kdelta run {of.run.id}").encode()


FORMS = {
    "mail": Form((".txt", ".eml"), "text/plain; charset=us-ascii", mail),
    "page": Form((".html", ".htm"), "text/html; charset=utf-8", page),
    "json": Form((".json",), "application/json", json),
    "csv": Form((".csv",), "text/csv; charset=utf-8", csv),
    "go": Form((".bench",), "text/plain; charset=utf-8", go),
    "junit": Form((".xml",), "application/xml", junit),
    "parquet": Form((".parquet",), "application/vnd.apache.parquet", lambda of: arrow.parquet(of.raw), binary=True),
    "arrow": Form((".arrow", ".feather"), "application/vnd.apache.arrow.file", lambda of: arrow.ipc(of.raw), binary=True),
}
DATA = [form for name, form in FORMS.items() if name not in ("mail", "page")]
