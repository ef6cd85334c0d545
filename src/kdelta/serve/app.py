"""The pages of a store as a web application. It only reads, sets no cookies, and its own pages hold no script."""

from __future__ import annotations

import re
from importlib.resources import files

from flask import Flask, Response, abort, make_response, render_template, request
from markupsafe import Markup
from werkzeug.exceptions import HTTPException

from kdelta.inquiry import history
from kdelta.model.errors import KdeltaError, StoreError, unknown
from kdelta.model.history import History
from kdelta.publish.material import of_run
from kdelta.report import history_plot
from kdelta.report.presentable import PAGE_NAME, escaped
from kdelta.serve import guard
from kdelta.serve.listing import Listing, benchmarks, listing
from kdelta.serve.over_kernels import Shown, shown
from kdelta.serve.pages import FORMS, Pages, pair_page
from kdelta.store.store import Store

COLUMN = re.compile(r"[0-9]{1,18}(:.*)?", re.DOTALL)
PAGE = re.compile(r"[1-9][0-9]{0,8}")

# What an answer other than 200 says, and what to do next.
REFUSALS = {
    400: ("That cannot be answered.", "Go back to the list of runs and follow its links."),
    403: ("The address in the request is none of this server's.", "Open the address that `kdelta serve` printed."),
    404: ("There is no such page.", "The list of runs leads to every page there is."),
    405: ("The store is only read here.", "GET and HEAD are answered, and nothing can be changed."),
    500: ("Something went wrong in kdelta.", "What it was stands where `kdelta serve` was started. Reload the page to try again."),
    503: ("The store could not be read.", "Reload the page to try again."),
}


def create_app(store: Store, host: str = "127.0.0.1") -> Flask:
    """The application for `store`, which must be one that several threads may read. `host` is what its server is bound to."""
    app = Flask("kdelta.serve", static_folder=None)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.filters["fit"] = fit
    app.url_map.strict_slashes = app.url_map.merge_slashes = False
    views = _Views(store)
    for rule, view in (
        ("/", views.runs),
        ("/run/<int:number>", views.run),
        ("/run/<int:number>/<form>", views.data),
        ("/compare", views.compare),
        ("/history", views.history),
        ("/style.css", views.style),
        ("/favicon.ico", views.icon),
    ):
        app.add_url_rule(rule, view.__name__, view, methods=["GET"], provide_automatic_options=False)

    @app.before_request
    def known() -> None:
        if not guard.is_known(request.headers.get("Host", ""), host):
            abort(403)

    @app.after_request
    def guarded(response: Response) -> Response:
        for name, value in {**guard.HEADERS, "Content-Security-Policy": guard.policy()}.items():
            response.headers.setdefault(name, value)
        return response

    app.register_error_handler(HTTPException, _refused)
    app.register_error_handler(KdeltaError, _missing)
    return app


def fit(text: str, most: int = PAGE_NAME) -> str:
    """`text` as it may be shown: nothing in it hides, or turns the direction of writing, and its middle is cut if it is long."""
    found = escaped(text)
    return found if len(found) <= most else f"{found[: most - most // 3]}..{found[len(found) - most // 3 :]}"


def _refused(error: HTTPException) -> Response:
    what, advice = REFUSALS.get(error.code or 500, REFUSALS[500])
    said = error.description if error.code == 400 and error.description else what
    response = make_response(render_template("refused.html", message=said, advice=advice), error.code or 500)
    if error.code == 405:
        response.headers["Allow"] = "GET, HEAD"
    return response


def _missing(error: KdeltaError) -> Response:
    code = 503 if isinstance(error, StoreError) else 404
    advice = error.advice or REFUSALS[code][1]
    return make_response(render_template("refused.html", message=escaped(str(error)), advice=escaped(advice)), code)


class _Views:
    """An answer for each address."""

    def __init__(self, store: Store) -> None:
        self._store, self._pages = store, Pages(store)

    # ---- the list ----

    def runs(self) -> str:
        return render_template("runs.html", title="Runs", listing=self._listing(), **_looked_for())

    def _listing(self) -> Listing:
        page = request.args.get("page", "1")
        if not PAGE.fullmatch(page):
            abort(400, f"'{fit(page, 40)}' is no page of the list: pages are counted from 1.")
        return listing(self._store.runs(), self._store.boot_counts(), page=int(page), **_looked_for())

    # ---- one run ----

    def run(self, number: int) -> Response:
        return _document(self._pages.page(number))

    def data(self, number: int, form: str) -> Response:
        run = self._store.run(number)
        if form not in FORMS:
            raise unknown("form", form, FORMS, f"of run {number}")
        found = FORMS[form]
        return Response(found.make(of_run(self._store, run)), content_type=found.media)

    # ---- two columns ----

    def compare(self) -> Response | str:
        asked = {name: request.args.get(name, "").strip() for name in ("a", "b")}
        for words in filter(None, asked.values()):
            if not COLUMN.fullmatch(words):
                abort(400, f"'{fit(words, 40)}' names no column of a run: write RUN:COLUMN, as 3:6.1.")
        if not all(asked.values()):
            return render_template("choose.html", title="Compare", listing=self._listing(), **asked, **_looked_for())
        return _document(pair_page(self._store, asked["a"], asked["b"]))

    # ---- one benchmark ----

    def history(self) -> Response:
        name, box = request.args.get("benchmark", ""), request.args.get("box", "")
        every = benchmarks(self._store.runs()) if not name else ()
        found = self._history(name, box) if name else ()
        pictures = tuple(Markup(history_plot.render(one.series)) for one in found)
        words = {"title": "History", "benchmark": name, "box": box, "benchmarks": every}
        page = render_template("history.html", shown=tuple(zip(found, pictures, strict=True)), **words)
        response = make_response(page)
        response.headers["Content-Security-Policy"] = guard.policy(pictures)
        return response

    def _history(self, name: str, box: str) -> tuple[Shown, ...]:
        """Raises MisuseError where there is nothing to show."""
        found: History = history.read(self._store, name, box or None)
        if found.series:
            return shown(found)
        known = benchmarks(self._store.runs())
        if box and name in {one.words for one in known}:
            boxes = {one.box.name for one in history.read(self._store, name).series}
            raise unknown("box", box, boxes, f"on which {name} was measured")
        raise unknown("benchmark", name, [one.words for one in known], "in this store")

    # ---- beside them ----

    def style(self) -> Response:
        return Response(files("kdelta.serve").joinpath("templates", "style.css").read_text(), mimetype="text/css")

    def icon(self) -> Response:
        return Response(status=204)


def _document(page: bytes) -> Response:
    """One that is whole in itself, with its own script: its policy stands in it."""
    response = Response(page, mimetype="text/html")
    response.headers["Content-Security-Policy"] = guard.OF_A_REPORT
    return response


def _looked_for() -> dict[str, str]:
    return {name: request.args.get(name, "").strip() for name in ("kernel", "benchmark")}
