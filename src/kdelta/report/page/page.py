"""One self-contained HTML file: what a run says, its pictures, its method and its data. It opens offline, and loads nothing.

All texts of others are escaped by the template, and shown by scripts as text alone. Nothing but the scripts whose checksums stand
in its head may run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from types import MappingProxyType

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from kdelta.model.dossier import Dossier
from kdelta.model.words import called
from kdelta.profile.explained import Where
from kdelta.report.colours import DARK, LIGHT, PATTERNS, SCOPE, SERIES_DARK, SERIES_LIGHT
from kdelta.report.page.drawn import forests, strips, sweeps
from kdelta.report.page.environment import environments
from kdelta.report.page.explained import explanation
from kdelta.report.page.grid import ANSWERS, cells, grids
from kdelta.report.page.inside import MOST_DATA, checksum, packed, view
from kdelta.report.page.method import method
from kdelta.report.page.names import isolated, title
from kdelta.report.page.warned import warned
from kdelta.report.sentences import by_box

TEMPLATES = "kdelta.report.page"
SCRIPTS = ("data.js", "grid.js", "plot.js", "main.js")
"""In the order in which they need each other."""
MOST_SAID = 4
"""Sentences of a box that stand above its table; the others unfold."""
NOWHERE: Mapping[str, str] = MappingProxyType({})
MOST_TEXT = 400
"""Characters of a reason or a value that are shown; all of it is its title."""


Links = Mapping[str, str]
"""Words -> where they lead."""


def render(
    dossier: Dossier,
    data: bytes,
    wheres: Sequence[Where] = (),
    mail: str = "",
    *,
    links: Links = NOWHERE,
    most_data: int = MOST_DATA,
) -> str:
    """The page of a presentable `dossier`. `data` is the document of the run with its raw names, `mail` the text to post; `links`
    lead to pages beside it: a file has none.

    Where `data` takes more than `most_data` characters it is left out, and the page says how to get it.
    """
    inside = packed(data)
    is_whole = len(inside) <= most_data
    found = grids(dossier)
    contrasts = cells(found)
    script = "\n".join(map(_source, SCRIPTS))
    return (
        _environment()
        .get_template("page.html")
        .render(
            answers=ANSWERS,
            called=called,
            data=inside if is_whole else "",
            environments=environments(dossier),
            explanation=explanation(dossier.run.id, wheres),
            forests=forests(dossier),
            grids=found,
            is_compared=dossier.is_compared,
            links=links,
            mail=mail,
            method=method(dossier),
            patterns=Markup(PATTERNS),
            scope=SCOPE,
            most_said=MOST_SAID,
            run=dossier.run,
            script=Markup(script),
            checksum=Markup(checksum(script)),
            said={isolated(box): list(map(isolated, said)) for box, said in by_box(dossier.findings).items()},
            strips=strips(dossier, contrasts),
            style=Markup(_palette() + _source("page.css")),
            sweeps=sweeps(dossier),
            title=isolated(title(dossier)),
            variants=[one.name for one in dossier.run.plan.variants],
            view=Markup(view(dossier, contrasts, is_whole=is_whole)),
            warned=warned(dossier),
        )
    )


@cache
def _source(name: str) -> str:
    return resources.files(TEMPLATES).joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    found = Environment(
        autoescape=True, loader=FunctionLoader(_source), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    found.filters["cut"] = _cut
    return found


def _cut(text: str) -> Markup:
    """`text`, isolated from what stands around it; what is too long is cut, and is its own title."""
    if len(text) <= MOST_TEXT:
        return Markup("<bdi>{}</bdi>").format(isolated(text))
    return Markup('<bdi title="{}">{}\u2026</bdi>').format(text, isolated(text[:MOST_TEXT]))


def _palette() -> str:
    """The colours of the pictures as custom properties, those of columns `--v0` and so on."""
    light, dark = (
        "".join(f"--{name}:{colour};" for name, colour in (*each.items(), *((f"v{place}", one) for place, one in enumerate(of))))
        for each, of in ((LIGHT, SERIES_LIGHT), (DARK, SERIES_DARK))
    )
    return f":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
