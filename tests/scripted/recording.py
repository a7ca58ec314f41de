"""Steps as they are recorded: one line for each value, and the differences of two runs.

A recorded line is `PATH VALUE`, below a line `# NUMBER STEP`. A value of more than LONGEST
characters is taken apart. At the bottom a long value is `~` and the beginning of its SHA-256. So a
difference names the member that differs. The order of the members of an answer counts, too.
"""

import hashlib
import lzma
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import orjson

HOME = Path(__file__).with_name("recorded")
LONGEST = 60
MOST_COMMITS = 100  # of one step that are recorded each
MOST_ITEMS = 8  # of a list that is taken apart
DEPTH = {"stored": 4}  # the depth to which a part of a step is taken apart
USUAL_DEPTH = 2
DIGITS = 8
SHOWN = 120  # characters of a value in a report
MOST_SHOWN = 30  # differences of one script

# Members of answers that hold sentences. Later releases may word them better.
SENTENCES = frozenset({"about", "detail", "error_description", "sentence", "text", "title"})

_NAMED = re.compile("|".join(f'"{name}":"' for name in sorted(SENTENCES)))
_HEX = re.compile("[0-9a-f]{64}")

Json = Any
Step = Mapping[str, Json]
Lines = dict[str, str]


# ---- one step as lines ---------------------------------------------------------------------------


def lines_of(step: Step) -> Lines:
    """Return the values of a step by path, without sentences."""
    result = dict(step)
    stored = result.get("stored", {})
    commits = {name: one for name, one in stored.items() if ".commits." in name}
    if len(commits) > MOST_COMMITS:
        result["stored"] = {name: one for name, one in stored.items() if name not in commits}
        result["commits"] = _digest(_text(commits))
    for name in ("body", "lines"):
        if name in result:
            result[name] = without_sentences(result[name])
    if "text" in result:
        result["text"] = f"{result['text'].count(chr(10))} lines"

    lines: Lines = {}
    for name, value in result.items():
        lines |= dict(_compact(name, value, DEPTH.get(name, USUAL_DEPTH)))
        if name in ("body", "lines"):
            lines[name] = _digest(_text(value))
    del lines["step"]
    return lines


def without_sentences(value: Json) -> Json:
    """Return JSON without the members that hold sentences."""
    # Most answers have none, and then it is quicker to look for their names first.
    return _without_sentences(value) if _NAMED.search(_text(value)) else value


def _without_sentences(value: Json) -> Json:
    if isinstance(value, dict):
        return {
            name: _without_sentences(member)
            for name, member in value.items()
            if not (name in SENTENCES and isinstance(member, str))
        }
    if isinstance(value, list):
        return [_without_sentences(item) for item in value]
    return value


def _compact(path: str, value: Json, depth: int) -> Iterator[tuple[str, str]]:
    text = _text(value)
    path = _HEX.sub(lambda digits: digits[0][:DIGITS], path)
    if len(text) <= LONGEST:
        yield path, text
    elif isinstance(value, dict) and depth:
        for name, member in value.items():
            yield from _compact(f"{path}/{name}", member, depth - 1)
    elif isinstance(value, list) and depth and len(value) <= MOST_ITEMS:
        for number, item in enumerate(value):
            yield from _compact(f"{path}/{number}", item, depth - 1)
    else:
        yield path, _digest(text)


def _text(value: Json) -> str:
    return orjson.dumps(value).decode()


def _digest(text: str) -> str:
    return "~" + hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


# ---- files ---------------------------------------------------------------------------------------


def path_of(script: str) -> Path:
    """Return the recorded file of a script."""
    return HOME / f"{script}.xz"


def write(script: str, steps: Sequence[Step]) -> None:
    """Record a script."""
    written = []
    for number, step in enumerate(steps, 1):
        written.append(f"# {number} {step['step']}")
        written += [f"{path} {value}" for path, value in lines_of(step).items()]
    text = "\n".join(written) + "\n"
    HOME.mkdir(exist_ok=True)
    path_of(script).write_bytes(lzma.compress(text.encode(), preset=9))


def read(script: str) -> list[tuple[str, Lines]]:
    """Return the recorded steps of a script: each with its name and its lines."""
    steps: list[tuple[str, Lines]] = []
    for line in lzma.decompress(path_of(script).read_bytes()).decode().splitlines():
        path, _, value = line.partition(" ")
        if path == "#":
            steps.append((value.partition(" ")[2], {}))
        else:
            steps[-1][1][path] = value
    return steps


# ---- differences ---------------------------------------------------------------------------------


def differences_from_recorded(script: str, steps: Sequence[Step]) -> list[str]:
    """Return the differences between recorded steps and these, without sentences."""
    present = [(str(step["step"]), lines_of(step)) for step in steps]
    return _differences(read(script), present)


def differences_between(before: Sequence[Step], after: Sequence[Step]) -> list[str]:
    """Return the differences between two runs of a script, with sentences."""
    return _differences(_whole(before), _whole(after))


def _whole(steps: Sequence[Step]) -> list[tuple[str, Lines]]:
    """Return steps with every value at the bottom of its own path, and the order of members."""
    whole = []
    for step in steps:
        lines = dict(_leaves("", step))
        lines["/order"] = _digest(" ".join(lines))
        whole.append((str(step["step"]), lines))
    return whole


def _leaves(path: str, value: Json) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for name, member in value.items():
            yield from _leaves(f"{path}/{name}", member)
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from _leaves(f"{path}/{number}", item)
    else:
        yield path, _text(value)


def _differences(
    before: Sequence[tuple[str, Lines]], after: Sequence[tuple[str, Lines]]
) -> list[str]:
    differences: list[str] = []
    none: tuple[str, Lines] = ("(nothing)", {})
    for number, (old, new) in enumerate(zip_longest(before, after, fillvalue=none), 1):
        (old_name, old_lines), (new_name, new_lines) = old, new
        if old_name != new_name:
            differences.append(
                f"step {number}: was {old_name}, is {new_name}; no later one is compared"
            )
            break
        differences += [
            f"step {number}, {new_name}: {path}\n    was {_shown(old_lines.get(path))}"
            f"\n    is  {_shown(new_lines.get(path))}"
            for path in {**old_lines, **new_lines}
            if old_lines.get(path) != new_lines.get(path)
        ]
    return differences


def _shown(value: str | None) -> str:
    if value is None:
        return "(nothing)"
    return value if len(value) <= SHOWN else f"{value[:SHOWN]}..."


def report(script: str, differences: Sequence[str]) -> str:
    """Return the differences of a script for people to read, "" if there are none."""
    if not differences:
        return ""
    more = len(differences) - MOST_SHOWN
    last = [f"and {more} more"] if more > 0 else []
    head = f"{script}: {len(differences)} values differ"
    return "\n".join([head, *differences[:MOST_SHOWN], *last])
