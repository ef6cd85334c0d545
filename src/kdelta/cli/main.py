"""The program: a group of commands, each imported only when it is used, and the one place where errors become exit codes."""

from __future__ import annotations

import importlib
import io
import sys

import click

from kdelta import __version__
from kdelta.model.errors import KdeltaError

# command -> (module, one line for --help): help must not wait for the imports of every command.
COMMANDS = {
    "run": ("kdelta.cli.run", "Measure: boot kernels and run benchmarks on them."),
    "compare": ("kdelta.cli.compare", "What changed: values and verdicts of a run, box by box."),
    "report": ("kdelta.cli.report", "A run as a mail, as a page, or as data."),
    "plan": ("kdelta.cli.plan", "What a run would do, how long, and what it could see."),
    "profile": ("kdelta.cli.profile", "Where the instructions of a benchmark went."),
    "diffprofile": ("kdelta.cli.diffprofile", "Which functions a change is in."),
    "serve": ("kdelta.cli.serve", "The pages of all runs in the store, for a browser."),
    "export": ("kdelta.cli.export", "Whole runs as one file."),
    "import": ("kdelta.cli.import_", "Runs of such files into the store."),
    "check": ("kdelta.cli.check", "What a mail claims, computed again, and what its numbers say."),
    "runs": ("kdelta.cli.runs", "The runs in the store."),
    "kernels": ("kdelta.cli.kernels", "The kernels that the package manager offers."),
    "workloads": ("kdelta.cli.workloads", "Benchmarks, suites and parameters."),
    "doctor": ("kdelta.cli.doctor", "What this machine has, lacks, and how to get it."),
}

COLOURS = {"auto": None, "always": True, "never": False}
"""The words of --color, and whether reports have colour: None where that depends on the terminal."""


class Commands(click.Group):
    """A group that imports a command when it is asked for, and lists all of them without."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="kdelta %(version)s")
@click.option("--color", type=click.Choice(tuple(COLOURS)), default="auto", show_default=True, help="Colour in reports.")
@click.pass_context
def cli(context: click.Context, color: str) -> None:
    """What did this kernel change do to performance, and can I believe it?

    \b
    kdelta run -k apt:oldest -k apt:newest -b quick --exact
    kdelta diffprofile
    """
    context.color = COLOURS[color]


def main() -> None:
    """Run the program.

    Exit codes: 0 fine, 1 something is slower (with --gate), 2 misuse, 3 a box was lost, 4 not enough data, 130 interrupted.
    """
    try:
        code = cli.main(standalone_mode=False)
    except click.ClickException as error:
        _complain(_shown(error))
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        _complain("interrupted")
        code = 130
    except KdeltaError as error:
        _complain(f"kdelta: {error}" + (f"\n  {error.advice}" if error.advice else ""))
        code = error.exit_code
    except SystemExit as exit_:
        # click's answer to a broken pipe is status 1. The reader (head, less) has had enough: that is no failure.
        code = 0 if exit_.code == 1 else exit_.code
    sys.exit(code)


def _complain(text: str) -> None:
    """As terminal.complain, which help need not wait for either."""
    importlib.import_module("kdelta.cli.terminal").complain(text)


def _shown(error: click.ClickException) -> str:
    """What click would print itself: what was typed is in it, and that may be the name of a file of others."""
    shown = io.StringIO()
    error.show(shown)
    return shown.getvalue().removesuffix("\n")
