"""Colours of a report on a terminal: the words that say what was decided, what failed, and what is in doubt.

The words are painted where reports put them, and the text stays the same: a colour says nothing that the word does not.
"""

from __future__ import annotations

import re

# Of the 16 colours of a terminal red, blue and magenta are read on light and on dark backgrounds, where yellow, cyan and green
# vanish on light ones. Red and blue are told apart by those who confuse red and green.
WORSE, BETTER, DOUBT, GONE = "1;31", "1;34", "35", "7;31"
LOUD_DOUBT = f"1;{DOUBT}"
RESET = "\x1b[0m"
LINE = re.compile(r"\S(?:.*\S)?")

# Word, in lower case -> its colour: parameters of SGR (ECMA-48, 8.3.117). What is equivalent needs none.
COLOURS = {
    **dict.fromkeys(("slower", "loss", "breach", "gate failed"), WORSE),
    **dict.fromkeys(("faster", "win"), BETTER),
    **dict.fromkeys(("undecided", "cannot tell", "not decided", "partly"), DOUBT),
    "warning": LOUD_DOUBT,
    **dict.fromkeys(("failed", "killed", "timeout", "no value", "without a value", "nothing was measured", "missing"), GONE),
    **dict.fromkeys(("panic", "hang", "refused", "wrong kernel", "lost", "interrupted"), GONE),
}

ANSWER, CHANGE = "slower|faster|undecided", "slower|faster"
CELL = f"{ANSWER}|no value|failed"
BREAK = r"\s+"
"""Sentences are broken into lines anywhere."""

_WARNING = r"^ *(WARNING|Warning)(?=:| \()"

# Each place has one group at most, which is the word; what has none is passed over as it is. The first that fits counts.
_PLACES = (
    r"^.*\n(?:-{4,}|={4,}\n.*)$",  # heads of tables: names
    _WARNING,
    r"^(Gate failed)\b",
    r"^  (breach|no value|not decided)(?=: )",
    r"^(?:Boot|Visit) of .*, (?:seed|round) \d+: (panic|hang|refused|wrong kernel|lost|interrupted)(?=:|$)",
    r"^  .*: (?:seed|round) [\d, ]+ (failed|killed|timeout)(?=:)",
    r"^(failed)$",  # in place of a block of kernbench.log
    # sentences
    rf"\]{BREAK}({ANSWER})(?=[\s,;.]|$)",
    rf"[:;,]{BREAK}({ANSWER})(?={BREAK}(?:on|in|still|than|[-+x\d]))",
    rf"\b(?:but|still|the{BREAK}whole|it{BREAK}is|dissents:){BREAK}({ANSWER})(?=[\s,:;.)])",
    rf"\bnet{BREAK}(win|loss)(?={BREAK}(?:over|against)\s)",
    rf"\s({ANSWER})(?={BREAK}on{BREAK}(?:both|all|\d))",
    r"\s(undecided)(?=[;)])",
    rf"(without{BREAK}a{BREAK}value)(?={BREAK}(?:on|in)\s)",
    rf"(cannot{BREAK}tell)(?=\s)",
    rf":{BREAK}(nothing{BREAK}was{BREAK}measured)(?=[;.])",
    # cells of tables, but for the name that a line begins with
    rf"^ +(?:{CELL})(?= |$)",
    rf"(?<=  )({CELL})(?= |$)",
)


def _joined(*places: str) -> re.Pattern[str]:
    return re.compile("|".join(places), re.MULTILINE)


Marks = re.Pattern[str]
WARNINGS, REPORT, STATES = _joined(_WARNING), _joined(*_PLACES), _joined(r"^(missing|partly)(?= {2,}\S)")
"""Of a text in which only warnings are painted, of a report of verdicts or values, and of a list of states."""


def painted(text: str, marks: Marks = REPORT) -> str:
    """`text` with its words in colour; without the sequences that set those it is the same text."""
    return marks.sub(_one, text)


def _one(match: re.Match[str]) -> str:
    if match.lastindex is None:
        return match[0]
    start, end = match.span(match.lastindex)
    word = match[match.lastindex]
    colour = COLOURS[" ".join(word.split()).lower()]
    # Line by line: a pager that shows a part of the text begins with any.
    lines = LINE.sub(lambda line: f"\x1b[{colour}m{line[0]}{RESET}", word)
    return match.string[match.start() : start] + lines + match.string[end : match.end()]
