"""The catalogue agrees with the C programs that it describes."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from kdelta.model.benchmark import Benchmark
from kdelta.workload.catalogue import BENCHMARKS, PARAMETERS, SUITES, Parameter, by_name
from kdelta.workload.select import COMMON

OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.LShift: operator.lshift,
    ast.Mult: operator.mul,
    ast.Add: operator.add,
    ast.Sub: operator.sub,
}
CSRC = Path(__file__).parents[2] / "csrc"
ALL = [pytest.param(benchmark, id=benchmark.name) for benchmark in BENCHMARKS]
NUMBERS = [
    pytest.param(program, parameter, id=f"{program}-{parameter.name}")
    for program, parameters in PARAMETERS.items()
    for parameter in parameters
    if not parameter.words and not parameter.free
]
WORDS = [
    pytest.param(program, parameter, id=f"{program}-{parameter.name}")
    for program, parameters in PARAMETERS.items()
    for parameter in parameters
    if parameter.words
]


def source(program: str) -> str:
    return (CSRC / "workloads" / f"{program}.c").read_text()


def value(text: str, code: str) -> int:
    """The C constant expression `text`, whose names are from an enum in `code`."""
    constants = {name: int(number) for name, number in re.findall(r"\b([A-Z_]+) = (\d+)", code)}
    plain = re.sub(r"INT64_C\((\d+)\)|(\d+)L\b", r"\1\2", text)
    return _evaluate(ast.parse(plain.strip(), mode="eval").body, constants)


def _evaluate(node: ast.expr, constants: dict[str, int]) -> int:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name):
            return constants[name]
        case ast.BinOp(left=left, op=operation, right=right):
            return OPERATORS[type(operation)](_evaluate(left, constants), _evaluate(right, constants))
    raise AssertionError(f"not a constant: {ast.dump(node)}")


def number_entries(code: str) -> dict[str, tuple[int, int]]:
    """Name, least and most of the numbers in the table of parameters in `code`."""
    entries = re.findall(r'\{ "(\w+)", &\w+, ([^,]+), ([^,]+), NULL \}', code)
    return {name: (value(least, code), value(most, code)) for name, least, most in entries}


def word_entries(code: str) -> dict[str, str]:
    """Name and C variable of the words in the table of parameters in `code`."""
    return dict(re.findall(r'\{ \.name = "(\w+)", \.text = &(\w+) \}', code))


def option_bounds() -> dict[str, tuple[int, int]]:
    code = (CSRC / "wl.h").read_text()
    entries = re.findall(r'wl_number\("([\w-]+)", optarg, (\d+), (\d+|INT64_C\(1\) << \d+)\)', code)
    return {name: (value(least, code), value(most, code)) for name, least, most in entries}


@pytest.mark.parametrize("benchmark", ALL)
def test_the_program_of_a_benchmark_has_parameters_and_a_source(benchmark: Benchmark) -> None:
    assert benchmark.program in PARAMETERS
    assert (CSRC / "workloads" / f"{benchmark.program}.c").is_file()


def test_every_program_that_measures_has_a_benchmark() -> None:
    measuring = {path.stem for path in (CSRC / "workloads").glob("*.c") if re.search(r"\bwl_(main|parse)\(", path.read_text())}
    assert measuring == set(PARAMETERS) == {benchmark.program for benchmark in BENCHMARKS}


@pytest.mark.parametrize("program", PARAMETERS)
def test_a_program_takes_the_parameters_of_the_catalogue_and_no_others(program: str) -> None:
    code = source(program)
    assert number_entries(code).keys() | word_entries(code).keys() == {parameter.name for parameter in PARAMETERS[program]}


@pytest.mark.parametrize(("program", "parameter"), NUMBERS)
def test_the_bounds_of_a_number_are_those_of_the_program(program: str, parameter: Parameter) -> None:
    assert (parameter.least, parameter.most) == number_entries(source(program))[parameter.name]


@pytest.mark.parametrize(("program", "parameter"), WORDS)
def test_the_words_of_a_parameter_are_those_of_the_program(program: str, parameter: Parameter) -> None:
    code = source(program)
    known = re.findall(rf'strcmp\({word_entries(code)[parameter.name]}, "(\w+)"\)', code)
    assert set(parameter.words) == set(known)


@pytest.mark.parametrize(("program", "parameter"), NUMBERS)
def test_the_default_of_a_number_is_that_of_the_program(program: str, parameter: Parameter) -> None:
    code = source(program)
    declared = re.search(rf"^static long (?:.*, )?{parameter.name}(?: = ([^,;]+))?[,;]", code, re.MULTILINE)
    assert declared is not None
    assert int(parameter.default) == value(declared[1] or "0", code)


@pytest.mark.parametrize(("program", "parameter"), WORDS)
def test_the_default_of_a_word_is_that_of_the_program(program: str, parameter: Parameter) -> None:
    declared = re.search(rf'\*{word_entries(source(program))[parameter.name]} = "(\w+)"', source(program))
    assert declared is not None
    assert parameter.default == declared[1]


@pytest.mark.parametrize("parameter", COMMON, ids=lambda parameter: str(parameter.name))
def test_no_program_refuses_a_common_option_that_the_catalogue_takes(parameter: Parameter) -> None:
    least, most = option_bounds()[parameter.name]
    assert least <= parameter.least <= parameter.most <= most


@pytest.mark.parametrize("benchmark", ALL)
def test_the_parameters_of_a_benchmark_are_accepted(benchmark: Benchmark) -> None:
    known = {parameter.name: parameter for parameter in PARAMETERS[benchmark.program]}
    assert [name for name, text in benchmark.parameters.items() if not known[name].accepts(text)] == []


@pytest.mark.parametrize("benchmark", ALL)
def test_the_arguments_of_a_benchmark_are_options_and_words_of_the_program(benchmark: Benchmark) -> None:
    options, words = benchmark.arguments()[:4], benchmark.arguments()[4:]
    bounds = option_bounds()
    for option, text in zip(options[::2], options[1::2], strict=True):
        least, most = bounds[option.removeprefix("--")]
        assert least <= int(text) <= most
    assert list(words) == [f"{name}={text}" for name, text in benchmark.parameters.items()]


def test_the_known_change_is_an_argument_only_where_it_is_asked_for() -> None:
    asked = Benchmark(name="x", program="null", operation="x", operations=10, getppid=2)
    assert asked.arguments() == ("--operations", "10", "--iterations", "3", "--getppid", "2")


def test_no_two_benchmarks_share_a_name() -> None:
    assert len(by_name()) == len(BENCHMARKS)


def test_no_suite_is_called_like_a_benchmark() -> None:
    assert SUITES.keys() & by_name().keys() == set()


def test_a_suite_that_is_called_like_a_program_holds_its_benchmarks() -> None:
    for name in SUITES.keys() & PARAMETERS.keys():
        assert SUITES[name] == tuple(benchmark.name for benchmark in BENCHMARKS if benchmark.program == name)


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_names_known_benchmarks_each_once(suite: str) -> None:
    assert set(SUITES[suite]) <= by_name().keys()
    assert len(set(SUITES[suite])) == len(SUITES[suite])


@pytest.mark.parametrize("benchmark", ALL)
def test_an_iteration_is_a_whole_number_of_units(benchmark: Benchmark) -> None:
    units = {"ctx": int(benchmark.parameters.get("procs", "2")), "hackbench": 400 * int(benchmark.parameters.get("groups", "10"))}
    assert benchmark.operations % units.get(benchmark.program, 1) == 0


@pytest.mark.parametrize(("program", "parameter"), NUMBERS)
def test_a_number_is_accepted_within_its_bounds_and_not_beyond(program: str, parameter: Parameter) -> None:
    asked = [parameter.least - 1, parameter.least, parameter.most, parameter.most + 1]
    assert [parameter.accepts(str(number)) for number in asked] == [False, True, True, False]


@pytest.mark.parametrize("text", ["", " 5", "5 ", "+5", "-5", "5.0", "0x5", "5k", "five", "5_0", "\u0665", "\u00b2"])
def test_a_number_is_digits_and_nothing_else(text: str) -> None:
    assert not Parameter("n", "1", "a number", least=0, most=100).accepts(text)


@pytest.mark.parametrize(
    ("parameter", "rule"),
    [
        pytest.param(Parameter("n", "1", "a number", least=1, most=9), "a whole number from 1 to 9", id="number"),
        pytest.param(Parameter("w", "a", "a word", words=("a", "b")), "a or b", id="word"),
        pytest.param(
            Parameter("w", "a", "either", words=("a", "b"), least=1, most=9), "a or b or a whole number from 1 to 9", id="either"
        ),
        pytest.param(Parameter("f", "", "any text", free="a folder"), "a folder", id="free"),
    ],
)
def test_a_parameter_tells_its_rule(parameter: Parameter, rule: str) -> None:
    assert parameter.rule() == rule


@pytest.mark.parametrize(
    ("parameter", "accepted", "refused"),
    [
        pytest.param(Parameter("w", "a", "a word", words=("a", "b")), ("a", "b"), ("", "c", "0"), id="word"),
        pytest.param(Parameter("w", "a", "either", words=("a",), least=1, most=9), ("a", "1", "9"), ("", "0", "10"), id="either"),
        pytest.param(Parameter("f", "", "any text", free="a folder"), ("/a b", "=", "0"), ("", "a\0"), id="free"),
    ],
)
def test_a_parameter_accepts_what_its_rule_says(parameter: Parameter, accepted: tuple[str, ...], refused: tuple[str, ...]) -> None:
    assert [parameter.accepts(text) for text in (*accepted, *refused)] == [True] * len(accepted) + [False] * len(refused)
