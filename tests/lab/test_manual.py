"""The manual is true: its examples run and print what it says, and nothing that a user can type is missing from it."""

from __future__ import annotations

import doctest
import importlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from kdelta.box import qemu
from kdelta.cli.main import COMMANDS, cli
from kdelta.cli.plan_options import CATALOGUE
from kdelta.plan import file, schema
from kdelta.workload.catalogue import BENCHMARKS, PARAMETERS

from .program import Program

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
TOML = re.compile(r"```toml\n(.*?)```", re.DOTALL)
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
APART = ("archive.md", "checking.md")
"""Pages whose examples need no machine, and are run by a test of their own."""
SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def examples() -> Iterator[object]:
    """Every command in a console block, with the output that the manual gives it."""
    for page in sorted(DOCS.glob("*.md")):
        if page.name in APART:
            continue
        for block in CONSOLE.findall(page.read_text()):
            for session in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = session.partition("\n")
                yield pytest.param(command, output, id=f"{page.name}: {command}")


@pytest.mark.parametrize(("command", "output"), list(examples()))
def test_an_example_of_the_manual_prints_what_it_says(undisturbed: Program, command: str, output: str) -> None:
    program, *words = shlex.split(command)
    assert program == "kdelta"
    done = undisturbed(*words)
    found = done.stdout + done.stderr
    assert doctest.OutputChecker().check_output(output, found, SAME), f"the manual says\n{output}\nbut it prints\n{found}"


def test_the_session_of_the_notebook_gives_what_it_says(undisturbed: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KDELTA_STORE", str(undisturbed.store))
    (session,) = PYTHON.findall((DOCS / "notebook.md").read_text())
    runner = doctest.DocTestRunner(optionflags=SAME, verbose=False)
    said: list[str] = []
    runner.run(doctest.DocTestParser().get_doctest(session, {}, "docs/notebook.md", None, None), out=said.append)
    assert runner.summarize(verbose=False).attempted > 0
    assert "".join(said) == ""


def test_the_plan_in_the_manual_is_a_plan(tmp_path: Path) -> None:
    plans = TOML.findall((DOCS / "plans.md").read_text())
    assert plans
    for number, text in enumerate(plans):
        path = tmp_path / f"{number}.toml"
        path.write_text(text)
        assert file.read(path, CATALOGUE).variants


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_in_the_manual(name: str) -> None:
    text = (DOCS / "commands.md").read_text()
    command: click.Command = importlib.import_module(COMMANDS[name][0]).command
    options = [option for parameter in command.params if isinstance(parameter, click.Option) for option in parameter.opts]
    assert [word for word in (name, *options) if f"`{word}`" not in text and f"## {name}" not in text and word not in text] == []


def test_every_key_of_a_plan_is_in_the_manual() -> None:
    text = (DOCS / "plans.md").read_text()
    keys = [key for section in (*schema.SECTIONS.values(), *schema.INNER.values()) for key in section.__struct_fields__]
    assert [key for key in keys if not re.search(rf"^{key} *=", text, re.MULTILINE)] == []


def test_every_benchmark_and_parameter_is_in_the_manual() -> None:
    text = (DOCS / "workloads.md").read_text()
    names = [re.sub(r"(hackbench)-(20|50)", r"-\2", benchmark.name) for benchmark in BENCHMARKS]
    assert [name for name in names if f"`{name}`" not in text] == []
    assert [name for name in PARAMETERS if name not in text] == []


def test_the_kernel_words_in_the_manual_are_those_that_are_used() -> None:
    text = (DOCS / "exact-lab.md").read_text()
    assert [words for words in (*qemu.COMMAND_LINE, qemu.ONE_CPU_ONLY) if words not in text] == []


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", *(f"docs/{page.name}" for page in sorted(DOCS.glob("*.md")))])
def test_links_between_documents_lead_somewhere(page: str) -> None:
    path = ROOT / page
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text())
    assert [target for target in targets if not (path.parent / target).exists()] == []


def typed_commands() -> list[object]:
    """Every line of the documents that begins with kdelta, indented as something to type; lines that a backslash joins are one."""
    found: list[object] = []
    for path in [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]:
        for line in re.findall(r"^ {4}(kdelta .*)$", re.sub(r"\\\n *", "", path.read_text()), re.MULTILINE):
            found.append(pytest.param(line, id=f"{path.name}: {line}"))
    return found


@pytest.mark.parametrize("line", typed_commands())
def test_what_the_documents_tell_to_type_is_understood(line: str) -> None:
    name, *words = shlex.split(line.replace("RUN", "1"), comments=True)[1:]
    command: click.Command = importlib.import_module(COMMANDS[name][0]).command
    above = click.Context(cli, help_option_names=["-h", "--help"])
    assert command.make_context(name, words, parent=above).params
