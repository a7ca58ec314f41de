"""The memory of a process: the machine's, or less in a container, by cgroups 1 or 2."""

import os
from pathlib import Path

import pytest

from service.ops.process.valkey import memory_bytes

MACHINE = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
MIB = 2**20
UNLIMITED_V1 = "9223372036854771712"

V2 = "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate"
V1 = "31 24 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory"
CPU_V1 = "32 24 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct"
IN_DOCKER_V1 = "31 24 0:27 /docker/1f2e /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory"
WITH_A_BLANK = "30 24 0:26 / /sys/fs/my\\040groups rw - cgroup2 cgroup2 rw"

# The text of /proc/self/cgroup, the mounts, the files of groups, and the resulting bytes.
SYSTEMS: dict[str, tuple[str, list[str], dict[str, str], int]] = {
    "v2, a container with a name space": (
        "0::/",
        [V2],
        {"sys/fs/cgroup/memory.max": f"{512 * MIB}"},
        512 * MIB,
    ),
    "v2, no limit": ("0::/", [V2], {"sys/fs/cgroup/memory.max": "max"}, MACHINE),
    "v2, more than the machine": (
        "0::/",
        [V2],
        {"sys/fs/cgroup/memory.max": f"{MACHINE * 2}"},
        MACHINE,
    ),
    "v2, a service of systemd": (
        "0::/system.slice/giornale.service",
        [V2],
        {"sys/fs/cgroup/system.slice/giornale.service/memory.max": f"{100 * MIB}"},
        100 * MIB,
    ),
    "v2, a group around it has less": (
        "0::/a/b/c",
        [V2],
        {
            "sys/fs/cgroup/a/memory.max": f"{64 * MIB}",
            "sys/fs/cgroup/a/b/memory.max": "max",
            "sys/fs/cgroup/a/b/c/memory.max": f"{128 * MIB}",
        },
        64 * MIB,
    ),
    "v2, another group has less": (
        "0::/a/b",
        [V2],
        {
            "sys/fs/cgroup/a/b/memory.max": f"{128 * MIB}",
            "sys/fs/cgroup/a/b/c/memory.max": f"{1 * MIB}",
            "sys/fs/cgroup/z/memory.max": f"{1 * MIB}",
        },
        128 * MIB,
    ),
    "v2, the group lies outside of the name space": (
        "0::/../../other",
        [V2],
        {
            "sys/fs/cgroup/memory.max": f"{256 * MIB}",
            "other/memory.max": f"{1 * MIB}",
        },
        256 * MIB,
    ),
    "v2, a place with a blank": (
        "0::/",
        [WITH_A_BLANK],
        {"sys/fs/my groups/memory.max": f"{99 * MIB}"},
        99 * MIB,
    ),
    "v1, nested": (
        "5:memory:/a/b",
        [CPU_V1, V1],
        {
            "sys/fs/cgroup/memory/memory.limit_in_bytes": UNLIMITED_V1,
            "sys/fs/cgroup/memory/a/memory.limit_in_bytes": f"{70 * MIB}",
            "sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": UNLIMITED_V1,
        },
        70 * MIB,
    ),
    "v1, a container without a name space": (
        "5:memory:/docker/1f2e",
        [IN_DOCKER_V1],
        {"sys/fs/cgroup/memory/memory.limit_in_bytes": f"{80 * MIB}"},
        80 * MIB,
    ),
    "v1, a limit of a group that is not visible": (
        "5:memory:/docker/1f2e",
        [IN_DOCKER_V1],
        {
            "sys/fs/cgroup/memory/memory.limit_in_bytes": UNLIMITED_V1,
            "sys/fs/cgroup/memory/memory.stat": f"cache 0\nhierarchical_memory_limit {40 * MIB}\n",
        },
        40 * MIB,
    ),
    "v1 with controllers in one tree": (
        "5:cpu,memory:/a",
        [V1],
        {"sys/fs/cgroup/memory/a/memory.limit_in_bytes": f"{30 * MIB}"},
        30 * MIB,
    ),
    "both versions, memory in v1": (
        "0::/x\n5:memory:/a",
        [V2, V1],
        {"sys/fs/cgroup/memory/a/memory.limit_in_bytes": f"{20 * MIB}"},
        20 * MIB,
    ),
    "no groups": ("", [], {}, MACHINE),
    "files of another form": ("x", ["y", "a b - c"], {}, MACHINE),
}


@pytest.mark.parametrize(("groups", "mounts", "files", "expected"), SYSTEMS.values(), ids=SYSTEMS)
def test_the_least_limit_counts(
    tmp_path: Path, groups: str, mounts: list[str], files: dict[str, str], expected: int
) -> None:
    """The limit is the least of the machine, the own group, and all groups around it."""
    own = {"proc/self/cgroup": groups, "proc/self/mountinfo": "\n".join(mounts)}
    for name, text in {**own, **files}.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n")

    assert memory_bytes(tmp_path) == expected


def test_a_system_without_such_files_has_the_machines(tmp_path: Path) -> None:
    """Without the files of Linux, as on macOS, the limit is the machine's memory."""
    assert memory_bytes(tmp_path) == MACHINE
