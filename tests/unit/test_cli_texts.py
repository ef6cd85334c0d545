"""`kdelta import` of mails, logs and results of others, as it is typed; and the commands that show what came of it."""

from __future__ import annotations

import json
import mailbox
import os
import threading
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from tests.unit.builders import Kdelta
from tests.unit.published import block, entry, listing, stored

from kdelta.model.published import Function
from kdelta.store.place import open_store

TABLE = """\
Kernbench: (make -j N vmlinux, where N = 2 x num_cpus)
                              Elapsed      System        User         CPU
               2.5.66-mm2       44.04       81.12      569.40     1476.75
          2.5.66-mm2-ext3       44.43       84.10      568.82     1469.00
"""
OTHER = TABLE.replace("mm2-ext3", "mm2-ext2").replace("44.43", "44.61")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def mail(body: str, subject: str = "numbers") -> bytes:
    of = EmailMessage()
    of["From"], of["Subject"], of["Date"] = "The lab <a@example.org>", subject, "Wed, 26 Mar 2003 12:00:00 +0000"
    of["Message-ID"] = f"<{subject}@example.org>"
    of.set_content(body)
    return bytes(of)


def quoted(text: str) -> str:
    return "".join(f"> {line}\n" for line in text.splitlines())


@pytest.fixture
def imported(kdelta: Kdelta) -> str:
    """What is said when a mail is imported."""
    Path("mail.txt").write_bytes(mail(f"Ho hum.\n\n{TABLE}\nM.\n"))
    return kdelta("import", "mail.txt").out


def runs(kdelta: Kdelta) -> list[dict[str, Any]]:
    return list(json.loads(kdelta("runs", "--json").out))


# ---- what is said ----


def test_each_run_is_told_with_its_lines_and_how_much_was_read(imported: str) -> None:
    assert imported == (
        "mail.txt, lines 12 to 14 (kernbench table): added as run 1: 8 numbers; columns 2.5.66-mm2, 2.5.66-mm2-ext3\n"
    )


def test_the_same_text_is_not_added_again_whatever_it_is_called(kdelta: Kdelta, imported: str) -> None:
    Path("again.txt").write_text(TABLE)
    assert kdelta("import", "again.txt").out == "again.txt: 1 table is that of run 1: already there, not added again\n"
    assert len(runs(kdelta)) == 1


def test_of_a_reply_only_what_is_new_is_added(kdelta: Kdelta, imported: str) -> None:
    Path("reply.txt").write_bytes(mail(f"{quoted(TABLE)}\nNot here:\n\n{OTHER}\n", "Re: numbers"))
    first, second = kdelta("import", "reply.txt").out.splitlines()
    assert "added as run 2: 8 numbers" in first
    assert second == "reply.txt: 1 table is that of run 1: already there, not added again"


def test_mails_of_an_mbox_are_counted(kdelta: Kdelta) -> None:
    box = mailbox.mbox("list.mbox")
    for place, body in enumerate(("nothing", TABLE, "nor here", OTHER, "1 2 3")):
        box.add(mail(body, f"mail {place}"))
    box.close()
    *told, last = kdelta("import", "list.mbox").out.splitlines()
    assert last == "5 texts, 2 with results, 3 without"
    assert [line.partition(": added as ")[2][:5] for line in told] == ["run 1", "run 2"]


def test_each_file_of_a_folder_is_a_text(kdelta: Kdelta) -> None:
    Path("results").mkdir()
    Path("results/a.txt").write_text(TABLE)
    Path("results/b.txt").write_text("nothing 1 2 3\n")
    assert kdelta("import", "results").out.splitlines()[-1] == "2 texts, 1 with results, 1 without"


def test_what_is_doubtful_is_warned_of_with_its_place(kdelta: Kdelta) -> None:
    Path("twice.txt").write_text(f"{TABLE}\n{quoted(TABLE)}")
    assert "  WARNING: twice.txt:7: kernbench table: the same as that of line 2" in kdelta("import", "twice.txt").out


def test_all_of_it_is_told_as_data(kdelta: Kdelta) -> None:
    Path("mail.txt").write_text(TABLE)
    (told,) = json.loads(kdelta("import", "mail.txt", "--json").out)
    assert (told["run"], told["new"], told["variants"]) == (1, True, ["2.5.66-mm2", "2.5.66-mm2-ext3"])
    assert told["blocks"] == [{"format": "kernbench table", "first": 2, "last": 4}]
    (again,) = json.loads(kdelta("import", "mail.txt", "--json").out)
    assert again == {"file": "mail.txt", "line": 1, "run": 1, "new": False, "blocks": 1}


# ---- what is asked for ----


def test_variants_are_renamed_and_a_name_that_there_is_not_is_told(kdelta: Kdelta) -> None:
    Path("mail.txt").write_text(TABLE)
    said = kdelta("import", "mail.txt", "--rename", "2.5.66-mm2=base", "--rename", "x=y")
    assert said.out.endswith("columns base, 2.5.66-mm2-ext3\n")
    assert "--rename x=...: no variant that was read is called so" in said.err


def lone(kernel: str, elapsed: str) -> str:
    *head, row, _ = TABLE.splitlines()
    return "\n".join([*head, row.replace("2.5.66-mm2", kernel).replace("44.04", elapsed)]) + "\n"


def test_files_become_columns_of_one_run(kdelta: Kdelta) -> None:
    Path("one.txt").write_text(lone("same", "44.04"))
    Path("two.txt").write_text(lone("same", "45.04"))
    said = kdelta("import", "--together", "one.txt", "new=two.txt").out
    assert said == "one.txt, two.txt: added as run 1: 8 numbers; columns one, new\n"
    assert "already there" in kdelta("import", "--together", "one.txt", "new=two.txt").out
    assert kdelta("compare", "--form", "kernbench").out.count("45.04") == 1


def test_files_of_several_columns_are_not_put_together(kdelta: Kdelta) -> None:
    Path("mail.txt").write_text(TABLE)
    said = kdelta("import", "--together", "mail.txt", "mail.txt")
    assert (said.code, "holds 2 columns already" in said.err) == (2, True)


CSV = "config,seconds\nbase,10.1\nbase,10.3\nbase,10.2\npatched,9.1\npatched,9.3\npatched,9.2\n"


def test_a_table_is_read_whose_columns_are_said(kdelta: Kdelta) -> None:
    Path("r.csv").write_text(CSV)
    refused = kdelta("import", "r.csv")
    assert (refused.code, "its columns are config, seconds" in refused.err, "--columns" in refused.err) == (2, True, True)
    said = kdelta("import", "r.csv", "--columns", "variant=config,value=seconds,unit=s,better=smaller").out
    assert said.startswith("r.csv, lines 1 to 7 (csv): added as run 1: 6 numbers; columns base, patched\n")
    assert "faster on csv" in kdelta("compare").out


MISUSE = {
    "nothing that is known": (
        "import none.txt",
        "none.txt: no known format in 4 lines, 1 of them with numbers; the first is 'dear'",
    ),
    "no such format": ("import none.txt --format x", "there is no format 'x'"),
    "half a name": ("import none.txt --rename x", "--rename x: two names are needed"),
    "columns and a format": ("import none.txt --columns a=b --format x", "exclude each other"),
    "a store beside it": ("import none.txt export.kdelta", "none.txt is no store of kdelta, and export.kdelta is one"),
}


@pytest.mark.parametrize(("words", "what"), MISUSE.values(), ids=MISUSE)
def test_misuse_adds_nothing(kdelta: Kdelta, words: str, what: str) -> None:
    Path("none.txt").write_text("\ndear\n12 34\n")
    open_store("export.kdelta").close()
    said = kdelta(*words.split())
    assert (said.code, said.out) == (2, "")
    assert what in said.err
    assert runs(kdelta) == []


def test_the_formats_are_listed(kdelta: Kdelta) -> None:
    assert "kernbench table\n    a line `Elapsed System User CPU`" in kdelta("import", "--formats").out


# ---- what is shown ----


def test_the_list_of_runs_says_where_it_was_published(kdelta: Kdelta, imported: str) -> None:
    assert kdelta("runs").out.split("  ")[-3:] == ["published in mail.txt", "1 benchmarks", "2.5.66-mm2, 2.5.66-mm2-ext3\n"]


def test_the_comparison_says_who_published_it_and_what_is_not_known(kdelta: Kdelta, imported: str) -> None:
    said = kdelta("compare")
    assert said.code == 0
    for part in (
        "Run 1, published by others, imported 20",
        '"numbers", from The lab <a@example.org>, Wed, 26 Mar 2003 12:00:00 +0000: mail.txt, lines 12 to 14 (kernbench table).',
        "Numbers: 8 read, 8 judged.",
        "Nothing of it was measured by kdelta: all numbers are as they were printed.",
        "Not stated, of some or all: how many results are behind a value",
        "44.43 (  0%)",
        "no spread is printed",
    ):
        assert part in said.out


@pytest.mark.parametrize("form", ["mail", "page", "json", "csv", "go", "junit"])
def test_every_form_of_a_report_is_made(kdelta: Kdelta, imported: str, form: str) -> None:
    said = kdelta("report", "--form", form)
    assert said.code == 0
    assert said.out


def test_all_numbers_are_data_though_no_result_is_a_sample(kdelta: Kdelta, imported: str) -> None:
    (verdict,) = json.loads(kdelta("compare", "--json").out)["verdicts"]["contrasts"]
    assert (verdict["answer"], verdict["ratio"]) == ("undecided", pytest.approx(44.43 / 44.04))


def test_columns_of_two_published_runs_are_compared(kdelta: Kdelta, imported: str) -> None:
    Path("other.txt").write_text(OTHER.replace("2.5.66", "2.5.67"))
    kdelta("import", "other.txt")
    said = kdelta("compare", "1", "--with", "2:2.5.67-mm2").out
    assert "run 2: 2.5.67-mm2" in said
    assert "measured in two runs" in said


def test_a_published_run_is_not_measured_further(kdelta: Kdelta, imported: str) -> None:
    said = kdelta("run", "--resume", "1")
    assert (said.code, "run 1 was published by others" in said.err) == (2, True)


# ---- profiles ----


def difference_of(name: str) -> Any:
    return listing("new", "old", rows=((f"{name}_up", "30"), (f"{name}_down", "-20")), benchmark=name)


@pytest.fixture
def profiled(kdelta: Kdelta) -> None:
    """Run 1 has differences of two benchmarks, run 2 a profile of each of two variants."""
    with closing(open_store()) as store:
        stored(store, block(listings=(difference_of("sdet"), difference_of("dbench"))))
        stored(store, block(entry("a", "1.0"), entry("b", "2.0"), listings=(profile("a", "10"), profile("b", "40"))))


def profile(name: str, count: str) -> Any:
    return listing(name, rows=(("schedule", count), ("fput", "100")))


def test_a_published_difference_is_printed(kdelta: Kdelta, profiled: None) -> None:
    said = kdelta("diffprofile", "--run", "1", "-b", "sdet").out
    assert said.startswith("Diffprofile for sdet, ticks, against old (-ve numbers better with new)\n        30        - sdet_up\n")
    assert kdelta("diffprofile", "--run", "1").out.count("Diffprofile for") == 2
    assert "there is no benchmark 'x' with a difference of profiles in run 1" in kdelta("diffprofile", "--run", "1", "-b", "x").err
    assert "has a difference and no profiles" in kdelta("diffprofile", "--run", "1", "--flame", "x.svg").err


def test_published_profiles_of_two_variants_are_compared(kdelta: Kdelta, profiled: None) -> None:
    said = kdelta("diffprofile", "a", "b", "-b", "fork", "--run", "2").out
    assert "schedule" in said
    assert "so what one function takes more the others seem to take" in said.replace("\n  ", " ")


def test_functions_are_those_that_are_printed() -> None:
    assert isinstance(profile("a", "1").rows[0], Function)


def test_a_run_of_profiles_alone_says_what_shows_them(kdelta: Kdelta) -> None:
    with closing(open_store()) as store:
        stored(store, block(listings=(listing(benchmark="", rows=(("schedule", "10"), ("fput", "30"))),)))
    said = kdelta("compare")
    assert said.code == 0
    assert "Numbers: 2 read, 2 judged." in said.out
    assert "Profiles: 1 profile; kdelta diffprofile --run 1" in said.out
    assert "fput" in kdelta("profile", "mail", "-b", "profile").out


def test_a_pipe_of_the_shell_is_read_as_a_text(kdelta: Kdelta, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(TABLE,))
    writer.start()
    done = kdelta("import", str(tmp_path / "pipe"))
    writer.join()
    assert "added as run 1: 8 numbers" in done.out


def test_a_file_that_is_not_there_is_told_with_what_can_be_imported(kdelta: Kdelta, tmp_path: Path) -> None:
    done = kdelta("import", str(tmp_path / "nothing"))
    assert done.code == 2
    assert "cannot be read: No such file or directory" in done.err
    assert "name a mail, a log, a folder of results" in done.err
