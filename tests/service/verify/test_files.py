"""Records in files: packed by gzip or not, and what is no record."""

import gzip

import pytest

from service.verify import files
from service.verify.files import Unreadable, lines_of, unpacked

CONTENT = b'{"a":1}\n' * 1000
PACKED = gzip.compress(CONTENT)


def test_what_gzip_has_packed_is_unpacked() -> None:
    """Anything else stays as it is."""
    assert unpacked(PACKED, "x") == CONTENT
    assert unpacked(CONTENT, "x") == CONTENT


@pytest.mark.parametrize(
    ("packed", "why"),
    [
        pytest.param(PACKED[:-9], "x cannot be unpacked: it was cut short", id="cut"),
        pytest.param(PACKED + b"more", "x holds more than its end", id="more"),
        pytest.param(PACKED[:10] + b"\xff" * 20, "x cannot be unpacked: Error", id="damaged"),
    ],
)
def test_what_cannot_be_unpacked_is_told(packed: bytes, why: str) -> None:
    """With the name of the file."""
    with pytest.raises(Unreadable, match=why):
        unpacked(packed, "x")


def test_a_small_file_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """What unpacks to more than any record has is refused before it is all there."""
    monkeypatch.setattr(files, "MOST_BYTES", 4000)
    with pytest.raises(Unreadable, match="x is larger than any record"):
        unpacked(PACKED, "x")


def test_what_is_no_record_has_no_lines() -> None:
    """It cannot be read, and so is neither right nor wrong."""
    with pytest.raises(Unreadable, match="x is no record"):
        lines_of(CONTENT, "x")
