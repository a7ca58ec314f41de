"""A packed match as one file: a header that can be read, and what is compressed.

The file is two frames of zstd (RFC 8878): a skippable frame with the header in canonical JSON, and
a compressed frame with canonical JSON, either

    {"ids":{ID:[VERSION,MARK]},"rows":[...]}        form "rows": service.archive.rows
    {"ids":{ID:[VERSION,MARK]},"commits":["..."]}   form "whole": the commits as they were stored

IDS are the command ids, each with the version that it made and the mark of its request. A match in
which bots have thought has a member more, "thoughts": a text for each, as it was stored. A match is
packed in the form "rows" if its commits can be made again from them, byte for byte; that is tried.
"""

import re
import struct
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

import orjson
from zstandard import ZstdCompressor, ZstdDecompressor, ZstdError

from service.archive.dictionaries import NoDictionary, dictionary, newest
from service.archive.rows import OtherView, commits_of, rows_of
from service.journal.values import Whole
from service.ledger.canonical import Json, canonical
from service.ledger.commit import parse_commit, rules_of

LAYOUT = 1  # of a packed match; a reader refuses those that it does not know
LEVEL = 19  # of compression
MOST_BYTES = 1 << 30  # that a packed match may have unpacked

_SKIPPABLE = 0x184D2A50  # the magic number of a skippable frame
_FRAME_HEAD = struct.Struct("<II")  # magic number and length, little-endian
_HASH = re.compile(r"[0-9a-f]{64}")


class NotReadable(Exception):
    """A packed match cannot be unpacked here; the message says why."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a packed match says of itself.

    giornale: the release that has packed it.   dictionary: its name, "" for none.
    commits, hash: how many commits there are, and the hash of the last.
    """

    layout: int
    giornale: str
    match: str
    form: str
    dictionary: str
    commits: int
    hash: str


def pack(match_id: str, whole: Whole) -> bytes:
    """Return a match as one file, in the form "rows" if it can be unpacked again."""
    try:
        packed = _packed(match_id, whole, form="rows")
        if unpack(packed).commits == whole.commits:
            return packed
    except Exception:  # noqa: BLE001, S110 - whatever does not follow is stored as it is
        pass
    return _packed(match_id, whole, form="whole")


def _packed(match_id: str, whole: Whole, form: str) -> bytes:
    commits = whole.commits
    content: Json = {"ids": {name: list(made) for name, made in whole.ids.items()}}
    if whole.thoughts:
        content["thoughts"] = [thought.decode() for thought in whole.thoughts]

    dictionary_name = ""
    if form == "rows":
        content["rows"] = rows_of(commits)
        dictionary_name = newest(rules_of(parse_commit(commits[0])))
    else:
        content["commits"] = [commit_bytes.decode() for commit_bytes in commits]

    header = Header(
        layout=LAYOUT,
        giornale=version("giornale"),
        match=match_id,
        form=form,
        dictionary=dictionary_name,
        commits=len(commits),
        hash=parse_commit(commits[-1])["hash"],
    )
    compressor = ZstdCompressor(level=LEVEL, dict_data=dictionary(dictionary_name))
    header_bytes = canonical(asdict(header))
    frame_head = _FRAME_HEAD.pack(_SKIPPABLE, len(header_bytes))
    return frame_head + header_bytes + compressor.compress(canonical(content))


def read_header(packed: bytes) -> Header:
    """Return the header of a packed match; raises NotReadable."""
    header, _ = _split(packed)
    return header


def unpack(packed: bytes) -> Whole:
    """Return a match as it was packed; raises NotReadable.

    Whatever comes out ends with the commit that the header names, and each commit before is held
    by the hash in the next one.
    """
    header, compressed = _split(packed)
    try:
        content = _decompressed(header, compressed)
        ids = {name: (int(made), str(mark)) for name, (made, mark) in content["ids"].items()}
        commits = _commits(header, content)
        thoughts = [thought.encode() for thought in content.get("thoughts", ())]
    except (OtherView, NoDictionary) as error:
        raise NotReadable(f"{error}; it was packed by Giornale {header.giornale}") from None
    except ZstdError:
        raise NotReadable("its compressed part is damaged") from None
    except Exception as error:  # noqa: BLE001 - damaged rows may lead a game's code anywhere
        reason = f"its rows cannot be folded ({type(error).__name__})"
        raise NotReadable(f"{reason}; it was packed by Giornale {header.giornale}") from None

    if len(commits) != header.commits or parse_commit(commits[-1])["hash"] != header.hash:
        detail = "what comes out of it is not what was packed"
        raise NotReadable(f"{detail}; it was packed by Giornale {header.giornale}")
    return Whole(commits, ids, thoughts)


def _split(packed: bytes) -> tuple[Header, bytes]:
    """Return the header of a packed match, and its compressed part; raises NotReadable."""
    try:
        magic, length = _FRAME_HEAD.unpack_from(packed)
        header_end = _FRAME_HEAD.size + length
        fields: Any = orjson.loads(packed[_FRAME_HEAD.size : header_end])
        layout = fields["layout"]
        if layout != LAYOUT:
            detail = f"it is of layout {layout}, and this program reads layout {LAYOUT}"
            raise NotReadable(detail)

        header = Header(**fields)
        is_right = magic == _SKIPPABLE and _HASH.fullmatch(header.hash) is not None
    except (struct.error, ValueError, TypeError, KeyError):
        is_right = False

    if not is_right:
        raise NotReadable("its header is damaged")
    return header, packed[header_end:]


def _decompressed(header: Header, compressed: bytes) -> Json:
    decompressor = ZstdDecompressor(dict_data=dictionary(header.dictionary))
    content_bytes = decompressor.decompress(compressed, max_output_size=MOST_BYTES)
    content: Json = orjson.loads(content_bytes)
    return content


def _commits(header: Header, content: Json) -> list[bytes]:
    if header.form == "whole":
        return [commit.encode() for commit in content["commits"]]
    return list(commits_of(header.match, content["rows"]))
