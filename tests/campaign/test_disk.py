"""The small disk is full when it is filled, and has room again when it is drained."""

import errno
from pathlib import Path

import pytest

from tests.campaign.disk import Disk, NoDisk

TINY_MB = 4


def test_a_disk_is_filled_to_the_last_byte(tmp_path: Path) -> None:
    """Nothing can be written on a full disk; after that all is as before."""
    mount_point = tmp_path / "disk"
    try:
        disk = Disk(tmp_path, mount_point, TINY_MB)
    except NoDisk as reason:
        pytest.skip(str(reason))

    with disk:
        disk.fill()
        with pytest.raises(OSError) as refused, (mount_point / "file").open("wb") as file:
            file.write(bytes(10_000))
        assert refused.value.errno == errno.ENOSPC

        disk.drain()
        (mount_point / "file").write_bytes(bytes(10_000))
    assert not (mount_point / "file").exists()
