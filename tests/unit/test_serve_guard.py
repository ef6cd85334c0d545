"""That nothing on the pages of a store runs, hides or changes, and who is answered."""

from __future__ import annotations

import base64
import hashlib
import re
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import msgspec
import pytest
from flask.testing import FlaskClient
from tests.unit.builders import boot, plan, slot, sql
from tests.unit.databases import begin
from tests.unit.served import get, links, numbers

from kdelta.model.errors import StoreError
from kdelta.model.plan import Plan
from kdelta.serve import guard
from kdelta.serve.app import create_app
from kdelta.store.place import open_store
from kdelta.store.store import Store

pytest_plugins = ["tests.unit.serve_fixtures"]

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "attribute": "\"'><img src=x onerror=alert(1)>",
    "template": "{{ 7 * 191 }}{% raw %}",
    "direction": "to the left \u202egnp.exe",
    "nul": "nul\x00 escape\x1b[31m",
    "path": "../../etc/passwd",
    "endless": "x" * 10_000,
    "query": "a&b=c#d?e %2e/%",
}


# ---- who asks ----

HOSTS = {
    "localhost": ("localhost:8462", "127.0.0.1", True),
    "loopback": ("127.0.0.1:8462", "127.0.0.1", True),
    "loopback of version 6": ("[::1]:8462", "127.0.0.1", True),
    "no port": ("127.0.0.1", "127.0.0.1", True),
    "another name that leads here": ("evil.example:8462", "127.0.0.1", False),
    "a name that begins like ours": ("localhost.evil.example", "127.0.0.1", False),
    "an address that is not ours": ("192.0.2.7", "127.0.0.1", False),
    "no name": ("", "127.0.0.1", False),
    "no name at all": ("[", "127.0.0.1", False),
    "the name that was given": ("Box.lan:8462", "box.lan", True),
    "another name where all may ask": ("evil.example", "0.0.0.0", False),
    "an address where all may ask": ("192.0.2.7:8462", "0.0.0.0", True),
}


@pytest.mark.parametrize(("header", "host", "known"), HOSTS.values(), ids=HOSTS)
def test_only_who_asks_by_our_names_is_answered(served_store: Store, header: str, host: str, known: bool) -> None:
    client = create_app(served_store, host).test_client()
    for path in ("/", "/style.css", "/nowhere"):
        found = client.get(path, headers={"Host": header})
        assert (found.status_code != 403) is known
    assert guard.is_known(header, host) is known


PATHS = (
    "/",
    "/?kernel=old&benchmark=null",
    "/run/1",
    "/run/1/mail.txt",
    "/run/1/data.json",
    "/run/1/data.csv",
    "/compare",
    "/compare?a=1:old",
    "/compare?a=1:old&b=3:new",
    "/compare?a=1:old&b=1:new",
    "/history",
    "/history?benchmark=null",
    "/history?benchmark=ctx-2&box=exact",
    "/style.css",
    "/favicon.ico",
    "/nowhere",
)


REPORTS = ("/run/1", "/compare?a=1:old&b=3:new", "/compare?a=1:old&b=1:new")
"""Pages with scripts of their own."""


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_is_guarded(client: FlaskClient, path: str) -> None:
    found = client.get(path)
    assert found.headers["X-Content-Type-Options"] == "nosniff"
    assert found.headers["X-Frame-Options"] == "DENY"
    assert found.headers["Referrer-Policy"] == "no-referrer"
    policy = found.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "frame-ancestors 'none'" in policy
    assert ("script-src" in policy) is (path in REPORTS)
    assert "Set-Cookie" not in found.headers


@pytest.mark.parametrize("path", PATHS)
def test_a_page_needs_nothing_from_elsewhere(client: FlaskClient, path: str) -> None:
    assert re.findall(r'(?:src|href|action|url)\s*[=(]\s*["\']?\s*(?:https?:)?//', client.get(path).text) == []


def test_the_style_of_a_picture_is_the_one_that_is_allowed(client: FlaskClient) -> None:
    found = client.get("/history?benchmark=null")
    (style,) = guard.STYLE.findall(found.text)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in found.headers["Content-Security-Policy"]
    assert "style=" not in found.text


# ---- names of others ----

SCRIPT = re.compile(r"<script.*?</script>", re.DOTALL)


def named(name: str) -> Plan:
    one = plan(seeds=3)
    variants = tuple(msgspec.structs.replace(each, name=f"{name}{each.name}") for each in one.variants)
    boxes = tuple(msgspec.structs.replace(each, name=name) for each in one.boxes)
    benchmarks = tuple(msgspec.structs.replace(each, name=name) for each in one.benchmarks)
    return msgspec.structs.replace(one, variants=variants, baseline=variants[0].name, boxes=boxes, benchmarks=benchmarks)


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_a_name_is_shown_leads_on_and_does_nothing_else(tmp_path: Path, client: FlaskClient, name: str) -> None:
    of, scripts = named(name), get(client, "/run/1").count("<script")
    with closing(open_store(str(tmp_path / "named.sqlite"))) as store:
        run = begin(store, of)
        for place, seed in enumerate(of.rounds):
            for at, variant in enumerate(of.variants):
                where = slot(2 * place + at, variant.name, seed=seed, names=[name])
                came = msgspec.structs.replace(boot({name: [1.0, 2.0]}), environment={name: name})
                store.add(run.id, msgspec.structs.replace(where, box=name), run.kernels[variant.name], came)
        client = create_app(store).test_client()
        pages = {path: get(client, path) for path in ("/", f"/?kernel={quote(name[:50])}", "/compare", "/history", "/run/1")}
        compare = next(link for link in links(pages["/"]) if link.startswith("/compare?a=1"))
        chosen = get(client, compare)
        other = next(link for link in links(chosen) if link.startswith("/compare?a=1") and not link.endswith("b="))
        past = next(link for link in links(pages["/history"]) if link.startswith("/history?"))
        for page in (
            *pages.values(),
            chosen,
            get(client, other),
            get(client, past),
            get(client, f"/history?benchmark={quote(name)}x", 404),
        ):
            assert page.count("<script") in (0, scripts)
            page = SCRIPT.sub("", page)
            assert "<img" not in page
            # What a form sends again is kept as it is.
            assert not set(re.sub(r' value="[^"]*"', "", page)) & {"\u202e", "\0", "\x1b"}
            assert "1337" not in page
        assert numbers(pages[f"/?kernel={quote(name[:50])}"]) == [1]
        assert max(len(line) for line in pages["/compare"].splitlines() if "href" not in line) < 1000


# ---- only read ----


def test_no_page_changes_a_byte_of_the_store(served_place: Path, client: FlaskClient) -> None:
    before = hashlib.sha256(served_place.read_bytes()).hexdigest()
    for path in (*PATHS, "/run/9", "/compare?a=x&b=y"):
        client.get(path)
        client.head(path)
        client.post(path, data={"kernel": "x"})
    assert hashlib.sha256(served_place.read_bytes()).hexdigest() == before
    assert sorted(path.name for path in served_place.parent.iterdir() if path.name.startswith("store")) == ["store.sqlite"]


def test_a_store_that_is_only_read_refuses_to_be_added_to(served_store: Store) -> None:
    with pytest.raises(StoreError, match="readonly"):
        begin(served_store)


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no store at"):
        open_store(str(tmp_path / "folder" / "none.sqlite"), read_only=True)
    assert not (tmp_path / "folder").exists()


def test_an_older_store_is_not_upgraded(served_place: Path) -> None:
    sql(served_place, "UPDATE store SET version = 3")
    with pytest.raises(StoreError, match="has schema 3") as error:
        open_store(str(served_place), read_only=True)
    assert "kdelta runs" in error.value.advice
    assert sql(served_place, "SELECT version FROM store") == [(3,)]


def test_a_run_can_be_looked_at_while_it_is_measured(served_place: Path, client: FlaskClient) -> None:
    before = get(client, "/")
    with closing(open_store(str(served_place))) as writer:
        begin(writer, uuid="now")
        assert numbers(get(client, "/")) == [4, *numbers(before)]
