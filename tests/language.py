"""Figures of the English in this project. They may only fall.

`python -m tests.language` measures each part and compares it with tests/language.json. It fails
if a figure has risen, and prints the sentences to reword. `--record` stores lower figures.

clauses: percent of the sentences with what, who, whose, which or where.
that: percent of the sentences with a clause that begins with "that".
semicolons: per 1,000 words.
questions: docstrings that begin with a verb and a question word, such as "Return what".
participles: variables and parameters that a bare participle names, such as `found`.
"""

import ast
import io
import json
import math
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIMITS = ROOT / "tests/language.json"
PYTHON = ("domain", "service", "workers", "giornale_client.py", "tests")

_QUESTION_WORDS = "what|who|whom|whose|which|whoever|whatever"
_CLAUSE = re.compile(rf"\b({_QUESTION_WORDS}|where)\b", re.IGNORECASE)
_THAT = re.compile(r"(?<!so )\bthat\b(?! (is|was|one|of|time|can|may|no)\b)", re.IGNORECASE)
_QUESTION = re.compile(rf"[A-Z][a-z]+ ({_QUESTION_WORDS}|how|why|when|where|whether)\b")
_SENTENCE_END = re.compile(r"(?<=[.;:?])\s+")
_CODE = re.compile(r"`[^`]*`|\{[^}]*\}")
_LEAST_WORDS = 4  # fewer are a label and no sentence
_PARTICIPLES = frozenset(
    [
        "asked",
        "begun",
        "done",
        "found",
        "given",
        "held",
        "kept",
        "known",
        "left",
        "made",
        "meant",
        "named",
        "read",
        "said",
        "seen",
        "sent",
        "shown",
        "taken",
        "told",
        "wanted",
    ]
)


@dataclass(slots=True)
class Part:
    """A part of the project: its texts by place, and counts for code only."""

    texts: list[tuple[str, str]] = field(default_factory=list)
    questions: int = 0
    participles: int = 0

    def sentences(self) -> list[tuple[str, str]]:
        """Return the sentences by place, code in them replaced by one word."""
        return [
            (place, sentence)
            for place, text in self.texts
            for sentence in _SENTENCE_END.split(" ".join(_CODE.sub("X", text).split()))
            if len(sentence.split()) >= _LEAST_WORDS
        ]

    def figures(self) -> dict[str, float]:
        """Return all figures, rounded up."""
        sentences = [sentence for _, sentence in self.sentences()]
        words = sum(len(sentence.split()) for sentence in sentences)
        semicolons = sum(_CODE.sub("X", text).count(";") for _, text in self.texts)
        return {
            "clauses": _percent(_CLAUSE, sentences),
            "that": _percent(_THAT, sentences),
            "semicolons": math.ceil(10_000 * semicolons / max(words, 1)) / 10,
            "questions": self.questions,
            "participles": self.participles,
        }

    def hard(self, figure: str) -> Iterator[tuple[str, str]]:
        """Yield the sentences counted by a figure, by place."""
        pattern = {"clauses": _CLAUSE, "that": _THAT, "semicolons": re.compile(";")}.get(figure)
        if pattern is not None:
            yield from (one for one in self.sentences() if pattern.search(one[1]))


def _percent(pattern: re.Pattern[str], sentences: Sequence[str]) -> int:
    number = sum(bool(pattern.search(sentence)) for sentence in sentences)
    return math.ceil(100 * number / max(len(sentences), 1))


def measured() -> dict[str, Part]:
    """Return all parts by name."""
    parts: dict[str, Part] = {}
    for name in PYTHON:
        parts[name], parts[f"{name}: strings"] = Part(), Part()
        for path in _tracked(name, ".py"):
            _read_python(path, parts[name], parts[f"{name}: strings"])
    parts["page: comments"] = Part(list(_comments(_tracked("page", ".js", ".mjs"))))
    parts["openapi.yaml"] = Part(list(_descriptions(ROOT / "openapi.yaml")))
    parts["docs"] = Part(list(_paragraphs(_tracked(".", ".md"))))
    return parts


def _tracked(folder: str, *endings: str) -> list[Path]:
    command = ["git", "ls-files", folder]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    names = [name for name in listed.stdout.split("\n") if name.endswith(endings)]
    return [ROOT / name for name in names if "vendor" not in name and (ROOT / name).is_file()]


def _read_python(path: Path, code: Part, strings: Part) -> None:
    """Add the docstrings and comments of a file to one part, its strings to another."""
    source = path.read_text(encoding="utf-8")
    name = str(path.relative_to(ROOT))
    docstrings: set[int] = set()

    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                text = ast.get_docstring(node)
                if text:
                    code.texts.append((f"{name}:{getattr(node, 'lineno', 1)}", text))
                    code.questions += bool(_QUESTION.match(text))
                    docstrings.add(node.body[0].value.lineno)  # type: ignore[attr-defined]
            case ast.Name(id=word, ctx=ast.Store()) | ast.arg(arg=word):
                code.participles += word in _PARTICIPLES
            case ast.Constant(value=str(text)) if node.lineno not in docstrings:
                if re.search(r"[a-z]{2} [a-z]{2}", text):
                    strings.texts.append((f"{name}:{node.lineno}", text))
            case _:
                pass

    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("# ---"):
            code.texts.append((f"{name}:{token.start[0]}", token.string.strip("# ")))


def _comments(paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Yield the comments of scripts, each on lines of its own."""
    comment = re.compile(r"(?ms:^[ \t]*/\*\*?(.*?)\*/)|(?m:^[ \t]*//(.*)$)")
    for path in paths:
        source = path.read_text(encoding="utf-8")
        for comment_match in comment.finditer(source):
            text = re.sub(r"(?m)^\s*\* ?", "", comment_match[1] or comment_match[2] or "")
            line = source.count("\n", 0, comment_match.start()) + 1
            yield f"{path.relative_to(ROOT)}:{line}", re.sub(r"@\w+.*", "", text)


def _descriptions(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the descriptions and summaries of the contract."""
    source = path.read_text(encoding="utf-8")
    text = re.compile(r"(?m)^( *)(?:description|summary): (.*(?:\n\1  +\S.*)*)")
    for description in text.finditer(source):
        line = source.count("\n", 0, description.start()) + 1
        yield f"{path.name}:{line}", description[2]


def _paragraphs(paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Yield the paragraphs of documents, without tables and programs."""
    for path in paths:
        text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for paragraph in text.split("\n\n"):
            if not paragraph.lstrip().startswith(("|", "    ")):
                yield str(path.relative_to(ROOT)), paragraph


def risen(parts: Mapping[str, Part], limits: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """Yield a sentence for each figure above its limit, with some sentences to reword."""
    for name, part in parts.items():
        for figure, value in part.figures().items():
            limit = limits.get(name, {}).get(figure, 0)
            if value > limit:
                examples = [f"  {place}  {text}" for place, text in part.hard(figure)][:20]
                yield "\n".join([f"{name}: {figure} {value}, at most {limit}", *examples])


def main(arguments: Sequence[str]) -> int:
    """Compare or record. Return the exit status: 1 if a figure has risen."""
    parts = measured()
    limits = json.loads(LIMITS.read_text(encoding="utf-8")) if LIMITS.exists() else {}
    if list(arguments) == ["--record"]:
        lowered = {
            name: {
                figure: min(value, limits.get(name, {}).get(figure, value))
                for figure, value in part.figures().items()
            }
            for name, part in parts.items()
        }
        LIMITS.write_text(json.dumps(lowered, indent=1) + "\n", encoding="utf-8")
        return 0

    faults = list(risen(parts, limits))
    print("\n".join(faults) if faults else "No figure of the English has risen.")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
