"""A dump is read piece by piece, and told where it is none."""

import os
from pathlib import Path

import pytest
import zstandard

from service.cli import verify
from service.verify.files import Unreadable

LINES = [b'{"subject":"%d","text":"%s"}\n' % (n // 3, b"x" * n * 50) for n in range(30)]
NO_LINE = os.urandom(100_000).replace(b"\n", b"x")


def packed(content: bytes) -> bytes:
    """Return one frame of zstd."""
    return zstandard.ZstdCompressor().compress(content)


@pytest.mark.parametrize("piece", [1, 7, 4096])
@pytest.mark.parametrize("end", [b"", b'{"subject":"9"}'], ids=["whole", "no-line-feed"])
def test_lines_come_out_as_they_went_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int, end: bytes
) -> None:
    """Wherever the pieces begin; records are told apart by their matches."""
    monkeypatch.setattr(verify, "_PIECE", piece)
    path = tmp_path / "dump.zst"
    content = b"".join(LINES) + end
    path.write_bytes(packed(content))

    records = list(verify.records(path))

    assert b"".join(line for one in records for line in one.lines) == content
    assert [one.match for one in records] == list(map(str, range(10)))
    assert sum(one.size for one in records) == path.stat().st_size


@pytest.mark.parametrize(
    "more",
    [b"more", b"more" * 4096, packed(LINES[0])],
    ids=["a-word", "more-than-a-piece", "another-frame"],
)
def test_what_follows_the_end_is_told(tmp_path: Path, more: bytes) -> None:
    path = tmp_path / "dump.zst"
    path.write_bytes(packed(b"".join(LINES)) + more)

    with pytest.raises(Unreadable, match="holds more than its end"):
        list(verify.records(path))


def test_a_line_without_an_end_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused before all of it is there."""
    monkeypatch.setattr(verify, "_MOST_LINE", len(NO_LINE) // 2)
    path = tmp_path / "dump.zst"
    path.write_bytes(packed(LINES[0] + NO_LINE))

    with pytest.raises(Unreadable, match="has a line that is too long"):
        list(verify.records(path))
