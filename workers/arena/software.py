"""Which software has played: the release, and a digest of the code that decides about moves."""

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path

import domain
from workers import bots

# Code, and the tables beside it: boards, and the weights by which bots value positions.
_DECIDING = (".py", ".json")


@cache
def software() -> str:
    """Return the release and the digest, such as "0.2.0 (code 5f2d0c81)".

    The digest is of the games and the bots. Matches whose text differs were played by other bots,
    or by other rules.
    """
    folders = [Path(package.__path__[0]) for package in (domain, bots)]
    return f"{version('giornale')} (code {digest_of(folders)})"


def digest_of(folders: Iterable[Path]) -> str:
    """Return the first 8 hex digits of the SHA-256 of what decides about moves in folders."""
    digest = hashlib.sha256()
    for folder in folders:
        sources = [path for path in folder.rglob("*") if path.suffix in _DECIDING]
        for source in sorted(sources):
            digest.update(str(source.relative_to(folder)).encode())
            digest.update(source.read_bytes())
    return digest.hexdigest()[:8]
