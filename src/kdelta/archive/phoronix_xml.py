"""`composite.xml` of phoronix-test-suite: systems, and for each test what each of them gave.

    <PhoronixTestSuite>
      <System><Identifier>v5.8</Identifier><Software>OS: Debian, Kernel: 5.8.0 (x86_64)</Software></System>
      <Result><Identifier>pts/mnn-2.1.0</Identifier><Description>Model: nasnet</Description>
        <Scale>ms</Scale><Proportion>LIB</Proportion>
        <Data><Entry><Identifier>v5.8</Identifier><Value>19.676</Value><RawString>19.731:19.498:19.799</RawString></Entry></Data>
      </Result>
    </PhoronixTestSuite>

A declaration of a document type or of an entity is refused: nothing in such a file needs one, and it may lead to other files, or
grow.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.parsers import expat

from kdelta.archive.phoronix_results import Collected, OfSystem, Printed, Result, block, place, runs
from kdelta.archive.reader import Reader
from kdelta.archive.text import Text
from kdelta.model.published import Block, Remark

NAME = "phoronix-test-suite XML"
ROOT = "PhoronixTestSuite"
DEEPEST = 20
LONGEST = 1 << 20
"""Characters of one element."""
MOST_BYTES = 1 << 24

_DATA = f"{ROOT}/Result/Data/Entry"
_RESULT = {"Identifier": "identifier", "Title": "title", "AppVersion": "version", "Scale": "scale", "Proportion": "proportion"}


def read(text: Text) -> Iterator[Block]:
    """One block. What is damaged is read as far as it is whole, and said."""
    start = _start(text.raw)
    if start < 0 or len(text.raw) > MOST_BYTES:
        return
    document = _Document(text, start)
    found = document.parse()
    if found.results or found.remarks:
        yield block(NAME, found, place(text.lines, document.row(1)), text.last)


def _start(raw: bytes) -> int:
    """Of the declaration where all of it is XML, so that what it declares is seen; else of the root, below the words of a mail."""
    root = raw.find(f"<{ROOT}".encode())
    if root < 0:
        return -1
    return 0 if raw.removeprefix(b"\xef\xbb\xbf").lstrip()[:2] in (b"<?", b"<!", b"<P") else root


class _RefusedError(Exception):
    """What is in it is not looked at."""


class _DoneError(Exception):
    """Behind the root nothing is read."""


class _Document:
    """Handlers of the parser, and what they have found. `here` is the path of the element in which it is."""

    def __init__(self, text: Text, start: int) -> None:
        self.text, self.start = text, start
        self.rows_above = text.raw.count(b"\n", 0, start)
        self.found = Collected()
        self.here: list[str] = []
        self.said: list[str] = []
        self.length = 0
        self.at = Printed("", 0)
        self.system: dict[str, str] = {}
        self.entry: dict[str, Printed] = {}
        self.result = Result()
        self.words = {"Arguments": "", "Description": ""}
        self.parser = expat.ParserCreate()
        self.parser.StartDoctypeDeclHandler = _refuse
        self.parser.EntityDeclHandler = _refuse
        self.parser.ExternalEntityRefHandler = _refuse
        self.parser.StartElementHandler = self._open
        self.parser.EndElementHandler = self._close
        self.parser.CharacterDataHandler = self._character

    def row(self, row: int) -> int:
        return row + self.rows_above

    def parse(self) -> Collected:
        raw = self.text.raw.removeprefix(b"\xef\xbb\xbf").lstrip() if self.start == 0 else self.text.raw[self.start :]
        try:
            self.parser.Parse(raw, True)
        except _DoneError:
            pass
        except _RefusedError as error:
            self._remark(str(error))
        except (expat.ExpatError, ValueError, LookupError) as error:
            self._remark(f"it is damaged: {error}")
        return self.found

    def _remark(self, words: str) -> None:
        self.found.remarks.append(Remark(place(self.text.lines, self.row(self.parser.CurrentLineNumber)), words))

    def _open(self, name: str, _: object) -> None:
        if not self.here and name != ROOT:
            raise _DoneError
        if len(self.here) >= DEEPEST:
            raise _RefusedError(f"elements lie more than {DEEPEST} deep in each other: what follows is not read")
        self.here.append(name)
        self.said, self.length, self.at = [], 0, Printed("", 0)

    def _character(self, said: str) -> None:
        if not self.said:
            row = place(self.text.lines, self.row(self.parser.CurrentLineNumber))
            self.at = Printed("", row, self.parser.CurrentColumnNumber)
        self.length += len(said)
        if self.length <= LONGEST:
            self.said.append(said)

    def _close(self, name: str) -> None:
        whole = "".join(self.said)
        path, here = "/".join(self.here[:-1]), Printed(whole.strip(), self.at.line, self.at.at + len(whole) - len(whole.lstrip()))
        if path == _DATA:
            self.entry[name] = here
        elif path == f"{ROOT}/Result":
            self._of_result(name, here.text)
        elif path == f"{ROOT}/System":
            self.system[name] = here.text
        elif path == f"{ROOT}/Generated" and name == "Title":
            self.found.title = here.text
        elif path == f"{ROOT}/Result/Data" and name == "Entry":
            self._of_entry()
        elif path == ROOT:
            self._of_root(name)
        self.here.pop()
        self.said, self.length = [], 0
        if not self.here:
            raise _DoneError

    def _of_result(self, name: str, said: str) -> None:
        if name in _RESULT:
            setattr(self.result, _RESULT[name], said)
        elif name in self.words:
            self.words[name] = said

    def _of_entry(self) -> None:
        nothing = Printed("", self.row(self.parser.CurrentLineNumber))
        value, raw = self.entry.get("Value", nothing), self.entry.get("RawString", nothing)
        self.result.of_systems.append(OfSystem(self.entry.get("Identifier", nothing).text, value, runs(raw)))
        self.entry = {}

    def _of_root(self, name: str) -> None:
        if name == "System":
            self.found.systems[self.system.get("Identifier", "")] = self.system.get("Software", "")
            self.system = {}
        elif name == "Result":
            # Description has the arguments in words; where it has none they stand for themselves.
            self.result.arguments = self.words["Description"] or self.words["Arguments"]
            self.found.results.append(self.result)
            self.result, self.words = Result(), {"Arguments": "", "Description": ""}


def _refuse(*_: object) -> int:
    raise _RefusedError("it declares a document type or an entity, and is not read: no file of results needs one")


READER = Reader(NAME, (f"<{ROOT}",), read, "a `composite.xml` whose root is `PhoronixTestSuite`")
