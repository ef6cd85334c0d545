"""What opreport prints, read from mails."""

from __future__ import annotations

from tests.archive.reading import blocks

from kdelta.archive.opreport import READER

TABLE = """\
vma      samples  %           symbol name             image
c0108bb0 113811   25.8026     default_idle            /.../vmlinux
c016cb20 42919    9.73037     __d_lookup              /.../vmlinux
42069670 11587    2.62694     getc                    /.../vmlinux
00000000 5497     1.24625     (no symbol)             /bin/cp
c01a2c50 1448     0.328283    journal_add_journal_head /.../vmlinux
[...]
"""


def test_each_row_has_samples_and_a_percentage_of_any_number_of_digits() -> None:
    (block,) = blocks(READER, f"It was:\n\n{TABLE}\nThat is much.\n")
    assert [(row.name, row.count.value, row.percent and row.percent.text) for row in block.listings[0].rows] == [
        ("default_idle", 113811.0, "25.8026"),
        ("__d_lookup", 42919.0, "9.73037"),
        ("getc ([unknown])", 11587.0, "2.62694"),
        ("[unknown] (cp)", 5497.0, "1.24625"),
        ("journal_add_journal_head", 1448.0, "0.328283"),
    ]
    assert (block.listings[0].cut, block.last) == (True, 8)


def test_how_many_samples_the_percentages_are_of_is_computed_and_not_printed() -> None:
    (block,) = blocks(READER, TABLE)
    assert block.listings[0].total is None
    assert "about 441,083 samples" in block.remarks[0].text
    assert {(one.kind, one.of) for one in block.claims} == {("share", ())}


def test_code_of_a_program_under_the_kernels_image_is_told_by_its_address() -> None:
    (block,) = blocks(READER, TABLE)
    assert block.remarks[1].text.endswith("though under the kernel's image: getc ([unknown])")


def test_a_number_keeps_its_place() -> None:
    row = blocks(READER, "".join(f"> {line}\n" for line in TABLE.splitlines()))[0].listings[0].rows[4]
    assert row.percent is not None
    assert [(one.line, one.column) for one in (row.count, row.percent)] == [(6, 12), (6, 21)]


def test_without_addresses_and_images_it_is_one_too() -> None:
    (block,) = blocks(READER, "samples  %        symbol name\n100      50.0000  schedule\n20       10.0000  fput\n\n7 2 words\n")
    assert [(row.name, row.count.value) for row in block.listings[0].rows] == [("schedule", 100.0), ("fput", 20.0)]


def test_a_head_without_rows_is_no_profile() -> None:
    assert blocks(READER, "samples  %        symbol name\nwords\n") == []
