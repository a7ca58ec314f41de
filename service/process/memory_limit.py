"""Memory of this process: that of the machine, or less where a container or a service has a limit.

On Linux a control group limits all processes in it, and those of the groups in it. Version 2 has
one tree of groups (`memory.max`), version 1 a tree of its own for memory
(`memory.limit_in_bytes`). A machine may have both. A group counts with all groups around it, as far
as they are visible here. Of those beyond, version 1 tells the least limit (`memory.stat`). No limit
is "max", or more bytes than any machine has.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

_ROOT = Path("/")
_ESCAPE = re.compile(r"\\([0-7]{3})")  # of a blank and a few others in /proc/self/mountinfo
_HIERARCHICAL = re.compile(r"^hierarchical_memory_limit (\d+)$", re.MULTILINE)


class _Mount(NamedTuple):
    """A tree of groups. root: the group that lies at its place."""

    kind: str
    options: list[str]
    root: str
    place: str


def memory_bytes(root: Path = _ROOT) -> int:
    """Return the least of the machine's memory and all limits of this process's groups.

    root: where the files of the system lie.
    """
    machine_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([machine_bytes, *_limits(root)])


def _limits(root: Path) -> Iterator[int]:
    """Yield the limits of this process's groups."""
    groups = _groups(root)
    for mount in _mounts(root):
        is_v2 = mount.kind == "cgroup2"
        is_v1 = mount.kind == "cgroup" and "memory" in mount.options
        group = groups.get("" if is_v2 else "memory")
        if group is None or not (is_v1 or is_v2):
            continue

        place = root / mount.place.lstrip("/")
        for directory in _directories(place, mount.root, group):
            if is_v2:
                yield from _numbers(directory / "memory.max")
            else:
                yield from _numbers(directory / "memory.limit_in_bytes")
                yield from map(int, _HIERARCHICAL.findall(_text(directory / "memory.stat")))


def _groups(root: Path) -> dict[str, str]:
    """Return the group of this process by controller, "" for that of version 2."""
    groups: dict[str, str] = {}
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        groups |= dict.fromkeys(controllers.split(","), group)
    return groups


def _mounts(root: Path) -> Iterator[_Mount]:
    """Yield what is mounted."""
    for line in _text(root / "proc/self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        fields, kind_and_options = before.split(" "), after.split(" ")
        if len(fields) < 5 or len(kind_and_options) < 3:
            continue
        kind, _, options = kind_and_options[:3]
        yield _Mount(kind, options.split(","), _unescaped(fields[3]), _unescaped(fields[4]))


def _directories(place: Path, mounted: str, group: str) -> Iterator[Path]:
    """Yield the directory of a group, then those of the groups around it, up to the mounted one.

    A group that lies outside of what is mounted is not visible: the mounted one stands for it.
    """
    try:
        steps = PurePosixPath(group).relative_to(mounted).parts
    except ValueError:
        steps = ()
    if ".." in steps:
        steps = ()
    for length in range(len(steps), -1, -1):
        yield place.joinpath(*steps[:length])


def _numbers(file: Path) -> Iterator[int]:
    """Yield the number in a file, if there is one."""
    with suppress(ValueError):  # "max"
        yield int(_text(file))


def _text(file: Path) -> str:
    """Return what a file holds, "" if it cannot be read."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 8)), text)
