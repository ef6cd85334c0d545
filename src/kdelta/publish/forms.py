"""The forms of a document, each from the same material: the same run in the same form is the same to the byte."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kdelta.publish.material import MAIL, PAGE, Material
from kdelta.report import junit as junit_xml
from kdelta.report import mail as mail_text
from kdelta.report.data import arrow, csv_text, document, gobench
from kdelta.report.page import page as html


@dataclass(frozen=True)
class Form:
    """`suffixes` are of the names of files that hold it; `media` is its type for a browser. What is no text is `binary`."""

    suffixes: tuple[str, ...]
    media: str
    make: Callable[[Material], bytes]
    binary: bool = False


def mail(of: Material) -> bytes:
    return mail_text.render(of.mail, of.fit_wheres(of.mail, MAIL), of.shapes).encode("ascii")


def page(of: Material) -> bytes:
    return html.render(of.page, json(of), of.fit_wheres(of.page, PAGE), mail(of).decode()).encode()


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
