"""kdelta kernels: what `-k apt:` can name here."""

from __future__ import annotations

import click

from kdelta.cli.options import json_option, print_json
from kdelta.cli.terminal import say
from kdelta.kernel import apt


@click.command()
@json_option
def command(as_json: bool) -> None:
    """List the kernel images that the package manager offers; a star marks what `-k apt:SERIES` takes."""
    packages = apt.available()
    if as_json:
        print_json(packages)
        return
    for series in dict.fromkeys(package.series for package in packages):
        chosen = apt.choose(series, packages)
        for package in (package for package in packages if package.series == series):
            mark = "*" if package == chosen else " "
            say(f"{mark} apt:{series:<6} {package.name}  {package.version}  {package.size >> 20} MiB\n")
