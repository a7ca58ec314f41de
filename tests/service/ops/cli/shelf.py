"""Records in files, as the tests of the commands hand them over: right ones, wrong ones, dumps."""

import gzip
from pathlib import Path

import zstandard

from service.matches.context import Context
from service.record import record
from service.record.commit import parse_object
from service.record.verify.audit import verify_record
from tests.attacks.forging import entries_of, mended, opening_messages
from tests.records.make import HOME
from tests.service.toy_matches import whole

# Other processes know the registered games alone, not the toy.
GOLDEN = sorted(HOME.glob("firenze/1-2-*.ndjson.gz"))[:4]


def match_in(file: Path) -> str:
    """Return the id of the match in a file with a record."""
    first_line, _, _ = file.read_bytes().partition(b"\n")
    return str(parse_object(first_line)["subject"])


def match_of(content: bytes) -> str:
    """Return the match of a record."""
    return verify_record(record.lines(content)).report.match


def by_rules(ctx: Context, rules: str) -> bytes:
    """Return a whole record with these rules in its opening."""
    entries = entries_of(whole(ctx))
    for message in opening_messages(entries):
        message["rules"] = rules
    return b"".join(mended(entries))


def forged(content: bytes) -> bytes:
    """Return a record without its fourth line."""
    lines = record.lines(content)
    del lines[3]
    return b"".join(lines)


def write_dump(path: Path, contents: list[bytes]) -> None:
    """Write records as a dump without a list."""
    path.write_bytes(zstandard.ZstdCompressor().compress(b"".join(contents)))


class Shelf:
    """A directory with records of every sort, of real games."""

    def __init__(self, directory: Path) -> None:
        contents = [gzip.decompress(path.read_bytes()) for path in GOLDEN]
        self.matches = list(map(match_of, contents))
        self.contents = contents

        self.plain = directory / "plain.ndjson"
        self.plain.write_bytes(contents[0])
        self.gzipped = directory / "gzipped.ndjson.gz"
        self.gzipped.write_bytes(gzip.compress(contents[1]))
        self.wrong = directory / "wrong.ndjson"
        self.wrong.write_bytes(forged(contents[2]))
        self.dump = directory / "dump.ndjson.zst"
        write_dump(self.dump, [contents[3], forged(contents[0]), contents[2]])
        self.cut = directory / "cut.ndjson.zst"
        write_dump(self.cut, contents[:2])
        self.cut.write_bytes(self.cut.read_bytes()[:-200])
        self.missing = directory / "missing.ndjson"
        self.readme = directory / "README.md"
        self.readme.write_text("# Records\n")

    @property
    def all(self) -> list[Path]:
        """Files of all sorts. One of them is named twice."""
        return [
            self.plain,
            self.missing,
            self.dump,
            self.wrong,
            self.readme,
            self.cut,
            self.gzipped,
            self.plain,
        ]
