"""kdelta report: a run as a mail, as a page, or as data."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from kdelta.cli.files import write
from kdelta.cli.options import store_option
from kdelta.cli.paint import REPORT
from kdelta.cli.question import question, question_options
from kdelta.cli.terminal import say
from kdelta.judge.table import incomplete
from kdelta.model.errors import MisuseError
from kdelta.publish.forms import FORMS, Form
from kdelta.publish.material import MOST_DIFFERENCES, MOST_MAILED, of_run
from kdelta.report.mail.shapes import PROGRAMS as SHAPES
from kdelta.store.place import open_store

USUAL = "mail"
OF_FORMS = {"shapes": ("mail", "page"), "differences": ("mail", "page", "json"), "thresholds": ("junit", "json")}
"""Option -> the forms that it is of, where not all."""


@click.command()
@click.argument("run_id", required=False, type=int, metavar="[RUN]")
@click.option("--form", type=click.Choice(list(FORMS)), help="What is made of the run; by default what FILE is, or the mail.")
@click.option("-o", "file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Where to write it.")
@click.option("--shape", "shapes", multiple=True, type=click.Choice(tuple(SHAPES)), help="A table of the mail; may be repeated.")
@click.option(
    "--differences",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"Profiles compared; {MOST_DIFFERENCES}, in a mail {MOST_MAILED}.",
)
@question_options
@store_option
@click.pass_context
def command(
    context: click.Context,
    /,
    run_id: int | None,
    form: str | None,
    file: Path | None,
    shapes: tuple[str, ...],
    differences: int | None,
    store: str | None,
    **words: Any,
) -> int:
    """Write RUN, by default the newest, as a mail that can be posted, a page, or data.

    The name of FILE says the form: .txt mail, .html page, .json, .csv, .bench (Go), .xml (JUnit), .parquet, .arrow.

    \b
    kdelta report
    kdelta report -o page.html
    kdelta report --form csv | head
    """
    name = form or _form_of(file)
    _require_fitting(context, name)
    opened = open_store(store)
    run = opened.run(run_id)
    material = of_run(opened, run, question(run, **words), differences=differences, shapes=shapes)
    _put(FORMS[name], name, file, FORMS[name].make(material))
    return 4 if incomplete(material.raw.tables) else 0


def _form_of(file: Path | None) -> str:
    if file is None or str(file) == "-":
        return USUAL
    suffixes = {suffix: name for name, form in FORMS.items() for suffix in form.suffixes}
    if file.suffix.lower() not in suffixes:
        raise MisuseError(f"'{file.name}' does not say its form", f"end it with one of {' '.join(suffixes)}; or add --form")
    return suffixes[file.suffix.lower()]


def _require_fitting(context: click.Context, form: str) -> None:
    """Options that would be ignored are an error."""
    typed = click.core.ParameterSource.COMMANDLINE
    given = [name for name in OF_FORMS if context.get_parameter_source(name) == typed and form not in OF_FORMS[name]]
    words: Mapping[str, str] = {one.name: one.opts[-1] for one in context.command.params if one.name}
    if given:
        kinds = " and ".join(OF_FORMS[given[0]])
        raise MisuseError(f"{words[given[0]]} says nothing in the form {form}: it is of {kinds}", "leave it out, or take that form")


def _put(form: Form, name: str, file: Path | None, content: bytes) -> None:
    """What goes to a terminal cannot act there; what goes to a file, or another program, is exact."""
    if file is not None and str(file) != "-":
        write(file, content)
    elif not sys.stdout.isatty():
        click.echo(content, nl=False)
    elif form.binary:
        raise MisuseError(f"the form {name} is no text, and this is a terminal", f"write it to a file: -o FILE{form.suffixes[0]}")
    else:
        say(content.decode(), REPORT)
