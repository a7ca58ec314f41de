"""Which software has played: the release, and a digest of the code that decides about moves."""

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

import domain
from workers import bots

# Code, and the tables beside it: boards, and the weights by which bots value positions.
_DECIDING = (".py", ".json")


@cache
def software() -> str:
    """Return the release and the digest, such as "0.1.0 (code 5f2d0c81)".

    The digest is of the games and the bots. Matches whose text differs were played by other bots,
    or by other rules.
    """
    digest = hashlib.sha256()
    for package in (domain, bots):
        assert package.__file__ is not None
        folder = Path(package.__file__).parent
        sources = [path for path in folder.rglob("*") if path.suffix in _DECIDING]
        for source in sorted(sources):
            digest.update(str(source.relative_to(folder)).encode())
            digest.update(source.read_bytes())
    return f"{version('giornale')} (code {digest.hexdigest()[:8]})"
