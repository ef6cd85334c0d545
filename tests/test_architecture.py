"""What the source must look like as a whole: who may import whom, how long things may be, who may speak."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "kdelta"
C_SOURCES = sorted((ROOT / "csrc").rglob("*.[ch]"))

# package -> what of ours it may import beside itself: packages, or single modules of one. None: everything.
ARROWS: dict[str, tuple[str, ...] | None] = {
    "model": (),
    "stats": (),
    "kernel": ("model",),
    "plan": ("model",),
    "workload": ("model",),
    "profile": ("model", "stats"),
    "archive": ("model", "profile.readers"),
    "store": ("model",),
    "box": ("model", "kernel"),
    "run": ("model", "plan", "workload", "box.protocol"),
    "judge": ("model", "stats"),
    "inquiry": ("model", "kernel", "store", "judge", "profile", "stats"),
    "report": ("model", "profile"),
    "publish": ("model", "profile", "store", "inquiry", "report"),
    "serve": ("model", "store", "inquiry", "report", "publish"),
    "notebook": ("model", "store", "inquiry", "profile", "report"),
    "cli": None,
    "__init__": ("notebook",),
    "__main__": ("cli",),
}

# (module, what it imports inside a function): kept out of start-up on purpose.
LATE_IMPORTS: frozenset[tuple[str, str]] = frozenset()

MOST_FILE_LINES = 400
MOST_FUNCTION_LINES = 60
MOST_UNEXPLAINED_LINES = 6
SILENT_NAMES = frozenset({"print", "input", "exit", "quit", "SystemExit"})
SILENT_ATTRIBUTES = frozenset({"sys.exit", "sys.stdout", "sys.stderr", "os._exit", "os.abort"})

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """`name` is without the leading `kdelta.`: `box.qemu`, and `box` for its __init__."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def package(self) -> str:
        return self.path.relative_to(SOURCE).parts[0].removesuffix(".py")


def _module(path: Path) -> Module:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    name = ".".join(part for part in parts if part != "__init__" or len(parts) == 1)
    return Module(name, path, ast.parse(path.read_text()))


MODULES = {module.name: module for module in map(_module, sorted(SOURCE.rglob("*.py")))}
EACH_MODULE = pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)


def _imported(node: ast.AST) -> Iterator[str]:
    """Modules of ours that the statement `node` imports, by their names in MODULES."""
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, f"line {node.lineno}: a relative import hides where it leads"
        full = [f"{node.module}.{alias.name}" for alias in node.names]
        found = [name if _ours(name) in MODULES else str(node.module) for name in full]
    else:
        found = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    return (_ours(name) for name in found if name.split(".")[0] == "kdelta")


def _ours(name: str) -> str:
    return name.partition(".")[2] or "__init__"


def _imports(tree: ast.AST) -> set[str]:
    return {name for node in ast.walk(tree) for name in _imported(node)}


def _functions(tree: ast.AST) -> list[Function]:
    return [node for node in ast.walk(tree) if isinstance(node, Function)]


def _lines(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _is_command(function: Function) -> bool:
    return any("command" in ast.unparse(decorator) for decorator in function.decorator_list)


def _allowed(package: str, imported: str) -> bool:
    arrows = ARROWS[package]
    own = imported == package or imported.startswith(f"{package}.")
    return arrows is None or own or any(imported == arrow or imported.startswith(f"{arrow}.") for arrow in arrows)


def test_the_table_of_arrows_names_every_package_and_no_other() -> None:
    assert {module.package for module in MODULES.values()} == set(ARROWS)


@EACH_MODULE
def test_a_module_imports_only_what_its_package_may(module: Module) -> None:
    assert [name for name in sorted(_imports(module.tree)) if not _allowed(module.package, name)] == []


def test_modules_import_each_other_without_a_cycle() -> None:
    left = {name: _imports(module.tree) - {name} for name, module in MODULES.items()}
    while ready := [name for name, needs in left.items() if not needs & left.keys()]:
        for name in ready:
            del left[name]
    assert left == {}


def test_our_own_packages_are_imported_at_the_top_of_a_file() -> None:
    late = {
        (module.name, name) for module in MODULES.values() for function in _functions(module.tree) for name in _imports(function)
    }
    assert late == LATE_IMPORTS


def test_no_file_is_longer_than_400_lines() -> None:
    files = [*SOURCE.rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in files}
    assert {name: lines for name, lines in lengths.items() if lines > MOST_FILE_LINES} == {}


def test_no_function_is_longer_than_60_lines_but_commands() -> None:
    lengths = {
        f"{module.name}.{function.name}": _lines(function)
        for module in MODULES.values()
        for function in _functions(module.tree)
        if not (module.package == "cli" and _is_command(function))
    }
    assert {name: lines for name, lines in lengths.items() if lines > MOST_FUNCTION_LINES} == {}


@pytest.mark.parametrize("module", [m for m in MODULES.values() if m.package not in ("cli", "__main__")], ids=lambda m: m.name)
def test_nothing_but_the_command_line_prints_or_exits(module: Module) -> None:
    nodes = list(ast.walk(module.tree))
    names = {node.id for node in nodes if isinstance(node, ast.Name)} & SILENT_NAMES
    attributes = {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)} & SILENT_ATTRIBUTES
    printers = {node.module for node in nodes if isinstance(node, ast.ImportFrom)} & {"click", "rich", "rich.console"}
    assert (names, attributes, printers) == (set(), set(), set())


@pytest.mark.parametrize("package", [path.name for path in sorted(SOURCE.iterdir()) if list(path.glob("*.py"))])
def test_a_package_says_what_it_is_for(package: str) -> None:
    assert package in MODULES, f"{package} has no __init__.py"
    assert ast.get_docstring(MODULES[package].tree)


@pytest.mark.parametrize("module", [m for m in MODULES.values() if m.name != "__main__"], ids=lambda m: m.name)
def test_a_module_says_what_it_is_for(module: Module) -> None:
    assert ast.get_docstring(module.tree)


def _only_holds_fields(node: ast.ClassDef) -> bool:
    return all(isinstance(part, ast.Assign | ast.AnnAssign | ast.Expr) for part in node.body)


def _needs_explanation(node: ast.stmt) -> bool:
    """The rule: a public class or function of a module, longer than six lines, unless it is a class of named fields alone.

    What is shorter is its own explanation, and what a method does is said by its class or by its name.
    """
    if not isinstance(node, ast.ClassDef | Function) or node.name.startswith("_") or _lines(node) <= MOST_UNEXPLAINED_LINES:
        return False
    return not (isinstance(node, ast.ClassDef) and _only_holds_fields(node))


@pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
def test_what_is_public_and_not_plain_has_a_docstring(module: Module) -> None:
    public = [node for node in module.tree.body if isinstance(node, ast.ClassDef | Function) and _needs_explanation(node)]
    assert [node.name for node in public if ast.get_docstring(node) is None] == []


def test_there_are_c_sources_to_look_at() -> None:
    assert {path.name for path in C_SOURCES} >= {"init.c", "tether.c", "profile.c", "wl.h", "marker.h"}


@pytest.mark.parametrize("path", C_SOURCES, ids=lambda path: path.name)
def test_a_c_source_begins_with_its_description(path: Path) -> None:
    assert path.read_text().startswith("/*\n * Description: ")
