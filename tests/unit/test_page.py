"""The page of a run as a text: what stands where, what is escaped, what is inside, and that it is the same twice."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from importlib import resources
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit import page_runs
from tests.unit.page_runs import Names, dossier, drawn, plain

from kdelta.inquiry.dossier import Question
from kdelta.inquiry.explained import Asked, explain
from kdelta.model.dossier import Dossier
from kdelta.model.verdict import Axis
from kdelta.profile.change import Side
from kdelta.profile.explained import Where
from kdelta.profile.profiled import Profiled
from kdelta.report.figures import figures
from kdelta.report.page import page
from kdelta.report.page.explained import explanation
from kdelta.report.page.grid import cells, grids
from kdelta.report.page.inside import for_script
from kdelta.report.page.names import isolated

VOID = frozenset({"meta", "br", "input", "hr", "img", "link", "rect", "path"})
SECTIONS = ["summary", "forest", "samples", "loads", "where", "environment", "method", "warnings", "downloads"]
RECORDS = page_runs.small()
MAIL = 'Subject: 6.1\n\n  a <b> & "c"\n'


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    parent: Element | None
    children: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(one if isinstance(one, str) else one.text for one in self.children)

    def all(self, *tags: str) -> Iterator[Element]:
        for one in self.children:
            if isinstance(one, Element):
                if one.tag in tags or not tags:
                    yield one
                yield from one.all(*tags)

    def id(self, name: str) -> Element:
        return next(one for one in self.all() if one.attributes.get("id") == name)


class Reader(HTMLParser):
    """Takes nothing that a browser would have to repair."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {}, None)
        self._at = self.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {key: value or "" for key, value in attrs}, self._at)
        assert len(made.attributes) == len(attrs), f"an attribute of {tag} twice"
        self._at.children.append(made)
        self._at = self._at if tag in VOID else made

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._at.children.append(Element(tag, {key: value or "" for key, value in attrs}, self._at))

    def handle_endtag(self, tag: str) -> None:
        assert tag == self._at.tag, f"</{tag}> in <{self._at.tag}>"
        assert self._at.parent
        self._at = self._at.parent

    def handle_data(self, data: str) -> None:
        self._at.children.append(data)


def read(html: str) -> Element:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader._at is reader.root
    return reader.root


def rendered(records: page_runs.Records, question: Question | None = None, **words: object) -> str:
    return page.render(dossier(records, question), page_runs.document(records), **words)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def html() -> str:
    return rendered(RECORDS, mail=MAIL)


@pytest.fixture(scope="module")
def found(html: str) -> Element:
    return read(html)


@pytest.fixture(scope="module")
def judged() -> Dossier:
    return dossier(RECORDS)


# ---- what stands where ----


def test_sections_stand_in_their_order_and_all_are_linked(found: Element) -> None:
    assert [one.attributes["id"] for one in found.all("section")] == SECTIONS
    (nav,) = found.all("nav")
    assert [one.attributes["href"] for one in nav.all("a")] == [f"#{name}" for name in SECTIONS]


def test_the_title_says_what_is_compared_with_what(found: Element) -> None:
    assert [one.text for one in found.all("h1")] == ["6.1 and 6.2 against 6.0"]


def test_many_columns_are_counted_in_the_title() -> None:
    assert [one.text for one in read(rendered(drawn(plain(6, 1, 1)))).all("h1")] == ["5 columns against 6.0"]


def test_no_level_of_headings_is_left_out(found: Element) -> None:
    levels = [int(one.tag[1]) for one in found.all("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_no_id_is_there_twice_and_all_labels_meet_one(found: Element) -> None:
    ids = [one.attributes["id"] for one in found.all() if "id" in one.attributes and one.tag != "pattern"]
    assert sorted(set(ids)) == sorted(ids)
    assert [one.attributes["aria-labelledby"] for one in found.all("section") if one.attributes["aria-labelledby"] not in ids] == []


def test_every_contrast_is_a_cell_with_its_change_and_its_word(found: Element, judged: Dossier) -> None:
    said = {int(one.attributes["data-cell"]): one.text for one in found.all("td") if "data-cell" in one.attributes}
    wanted = [f"{figures(one.ratio)[0]} {one.answer.value}" for one in judged.judgement.verdicts]
    assert [said[place] for place in range(len(said))] == wanted


@pytest.mark.parametrize("axis", Axis)
def test_every_question_has_its_table(axis: Axis) -> None:
    records = drawn(Names(["a", "b", "c"], ["x", "y"], ["hackBench-10", "hackBench-20"]), boots=4)
    of = dossier(records, Question(axis=axis))
    shown = [one for one in read(rendered(records, Question(axis=axis))).all("td") if "data-cell" in one.attributes]
    assert len(shown) == len(of.judgement.verdicts)


def test_cells_lead_to_their_samples_by_places_in_the_plan(judged: Dossier) -> None:
    plan = judged.run.plan
    for cell, verdict in zip(cells(grids(judged)), judged.judgement.verdicts, strict=True):
        names = [plan.variants[place].name for place in cell.variants]
        assert (plan.boxes[cell.box], names) == (verdict.new.box, [verdict.base.variant, verdict.new.variant])
        assert plan.benchmarks[cell.benchmark].name == verdict.new.benchmark.name


def test_what_failed_says_so_and_what_is_missing_is_a_dash() -> None:
    run, boots = drawn(plain(3, 1, 2), troubled=True)
    gone = [
        msgspec.structs.replace(one, boot=page_runs.BROKEN_BOOT) if one.variant == "6.1" else one
        for one in boots
        if one.variant != "6.2"
    ]
    rows = [[cell.text for cell in row.cells] for grid in grids(dossier((run, gone))) for row in grid.rows]
    assert [row[1:] for row in rows] == [["failed", "-"], ["failed", "-"]]


def test_a_run_without_a_contrast_shows_values_with_their_spread() -> None:
    of = dossier(drawn(plain(1, 1, 2)))
    (grid,) = grids(of)
    assert [len(row.cells) for row in grid.rows] == [1, 1]
    assert all(cell.title.startswith("sd ") for row in grid.rows for cell in row.cells)


def test_values_of_one_boot_have_no_spread() -> None:
    (grid,) = grids(dossier(drawn(plain(1, 1, 1), boots=1)))
    assert [cell.title for row in grid.rows for cell in row.cells] == [""]


def test_facts_that_differ_stand_by_column_and_others_do_not(found: Element) -> None:
    section = found.id("environment")
    facts = [[cell.text for cell in row.all("th", "td")] for row in section.all("tr")]
    assert ["governor", "performance", "performance", "performance (4 of 5); powersave (1 of 5)"] in facts
    assert "qemu" not in [row[0] for row in facts]


def test_warnings_are_counted_where_the_summary_links_to_them(found: Element) -> None:
    link = next(one for one in found.id("summary").all("a") if one.attributes["href"] == "#warnings")
    count = int(link.text.split()[0])
    section = found.id("warnings")
    listed = len(list(section.all("li"))) + sum(len(list(table.all("tr"))) - 1 for table in section.all("table"))
    assert count == listed > 4


def test_a_kind_of_warning_is_listed_once_with_how_many_boots_said_so(found: Element) -> None:
    said = [one.text for one in found.id("warnings").all("li") if "clock" in one.text]
    assert said == ["clock jumped by 3 s (2 boots)"]


def test_the_method_names_kernels_with_their_build_ids_and_what_became_of_results(found: Element, judged: Dossier) -> None:
    text = found.id("method").text
    assert all(one.release in text and str(one.build_id) in text for one in judged.run.kernels.values())
    facts = [one.text for one in found.id("method").all("dd")]
    assert {str(judged.account.taken), str(judged.account.judged)} <= set(facts)


# ---- names ----


@pytest.fixture(scope="module")
def hostile() -> Element:
    return read(rendered(page_runs.hostile()))


def test_hostile_names_make_no_element_and_no_attribute_that_plain_ones_do_not(hostile: Element) -> None:
    plan = page_runs.hostile()[0].plan
    names = plain(len(plan.variants), len(plan.boxes), len(plan.benchmarks))
    tame = read(rendered(drawn(names, boots=3, results=1, troubled=True)))
    hostiles, tames = ({(one.tag, name) for one in each.all() for name in ("", *one.attributes)} for each in (hostile, tame))
    assert hostiles - tames == set()


def test_names_are_cut_and_whole_in_their_titles(hostile: Element) -> None:
    shown = [one for one in hostile.all("bdi") if one.attributes.get("class") == "name"]
    assert len(shown) > 100
    assert max(len(one.text) for one in shown) <= 220
    assert all(one.attributes["title"] == one.text for one in shown if "title" in one.attributes)


def test_a_name_from_right_to_left_does_not_turn_what_stands_beside_it() -> None:
    assert isolated("6.1 \u05d0\u05d1 +12%") == "6.1 \u2068\u05d0\u05d1\u2069 +12%"
    assert isolated("größe +12%") == "größe +12%"


@given(st.dictionaries(st.text(), st.text("<>&/!-scriptSCRIPT\u2028\u2029"), max_size=3))
@settings(max_examples=50)
def test_no_text_can_end_the_script_that_holds_it(value: dict[str, str]) -> None:
    text = for_script(value)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == value


# ---- what is inside ----


def test_the_same_run_gives_the_same_page(html: str) -> None:
    assert rendered(page_runs.small(), mail=MAIL) == html


def test_the_data_are_inside_as_they_were(found: Element) -> None:
    assert gzip.decompress(base64.b64decode(found.id("data").text)) == page_runs.document(RECORDS)


def test_data_that_are_too_large_are_left_out_and_the_page_says_how_to_get_them() -> None:
    found = read(rendered(RECORDS, most_data=100))
    assert found.id("data").text == ""
    assert "kdelta report 7 --form csv" in found.id("downloads").text
    assert json.loads(found.id("view").text)["boots"][0][0][1] == list(dossier(RECORDS).tables[0].rows[0].entries[1].boots)


def test_the_mail_is_inside_as_it_was(found: Element) -> None:
    assert found.id("mail").text == "\n" + MAIL  # A reader of HTML leaves out the first line break of a pre.


def test_nothing_is_loaded_and_nothing_leads_away(found: Element) -> None:
    places = [one.attributes[name] for one in found.all() for name in ("href", "src", "action", "srcset") if name in one.attributes]
    assert places
    assert [one for one in places if not one.startswith("#")] == []
    assert "url(http" not in found.text
    assert "@import" not in found.text


def test_only_the_script_of_the_page_may_run(found: Element) -> None:
    policy = next(one.attributes["content"] for one in found.all("meta") if "http-equiv" in one.attributes)
    (script,) = (one.text for one in found.all("script") if "type" not in one.attributes)
    own = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{own}'; img-src data:" in policy


SOURCES = {one.name: one.read_text() for one in resources.files("kdelta.report.page").joinpath("templates").iterdir()}


@pytest.mark.parametrize("name", [name for name in SOURCES if name.endswith(".js")])
def test_scripts_show_texts_as_texts_alone(name: str) -> None:
    words = r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|Function\(|setAttribute\(\"on|</script|<!--"
    assert re.findall(words, SOURCES[name]) == []


def test_scripts_stay_small() -> None:
    assert sum(len(text.splitlines()) for name, text in SOURCES.items() if name.endswith(".js")) <= 600


# ---- where changes are ----


def where(name: str = "Bench-0", box: str = "box-0") -> Where:
    """Of which most went to one function."""
    chains = [{"do_syscall_64;do_fork": 6000, "do_syscall_64;do_fork;copy_page": 4000 * times} for times in (1, 3)]
    sides = [_profiled(side, each) for side, each in zip(("6.0", "6.1"), chains, strict=True)]
    return Where(box, name, explain(sides[0], sides[1], Asked()))


def _profiled(name: str, chains: dict[str, int]) -> Profiled:
    flat = {chain.rpartition(";")[2]: count for chain, count in chains.items()}
    return Profiled(side=Side(name=name, counts=(flat,) * 3, work=(10.0,) * 3), stacks=(chains,) * 3)


def test_a_change_that_was_profiled_has_its_pictures_and_its_text() -> None:
    section = read(rendered(RECORDS, wheres=[where()])).id("where")
    assert "Bench-0 on box-0: 6.1 against 6.0" in section.text
    assert len(list(section.all("svg"))) == 2
    assert "copy_page" in next(section.all("pre")).text


def test_what_there_is_no_room_for_is_named_with_the_command_that_shows_it() -> None:
    size = explanation(7, [where()]).parts[0].size
    found = explanation(7, [where(), where("it's", "box-1"), where()], most=2 * size + 10)
    assert [part.title[:7] for part in found.parts] == ["Bench-0", "it's on"]
    ((title, command),) = explanation(7, [where("it's", "box-1")], most=10).left_out
    assert title == "it's on box-1: 6.1 against 6.0"
    assert command == "kdelta diffprofile 6.0 6.1 -b 'it'\"'\"'s' --box box-1 --run 7 --flame flame.svg"


def test_a_run_that_was_not_profiled_says_so(found: Element) -> None:
    assert "No change that was called so was profiled." in found.id("where").text
