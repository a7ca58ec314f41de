"""Content codings (RFC 9110, 8.4.1): zstd, br and gzip, and the choice for a request.

The levels were chosen by size and time (docs/explanation/resources.md, "Compression").
"""

import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import brotli
from werkzeug.http import parse_accept_header
from zstandard import COMPRESSOBJ_FLUSH_BLOCK, ZstdCompressionParameters, ZstdCompressor

Compress = Callable[[bytes], bytes]


class Compressor(NamedTuple):
    """A compressor of one body in pieces.

    piece: compresses a piece and flushes, so that the reader can unpack all of it.
    end: returns the bytes after the last piece.
    """

    piece: Compress
    end: Callable[[], bytes]


class Coding(NamedTuple):
    """A content coding.

    fast: compresses an answer to one request.
    small: compresses an answer that stays the same for a whole release.
    """

    name: str
    fast: Compress
    small: Compress
    compressor: Callable[[], Compressor]

    def stream(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the pieces of a body compressed, each as soon as it comes."""
        compressor = self.compressor()
        for piece in pieces:
            yield compressor.piece(piece)
        yield compressor.end()


# ---- gzip ----------------------------------------------------------------------------------------

# 16 makes zlib write the header of gzip. This header holds no time, so equal bodies give equal
# bytes.
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_GZIP_LEVEL = 3


def _gzip(plain: bytes) -> bytes:
    return zlib.compress(plain, _GZIP_LEVEL, _GZIP_WINDOW)


def _small_gzip(plain: bytes) -> bytes:
    return zlib.compress(plain, 9, _GZIP_WINDOW)


def _gzip_compressor() -> Compressor:
    stream = zlib.compressobj(_GZIP_LEVEL, wbits=_GZIP_WINDOW)
    return Compressor(
        lambda piece: stream.compress(piece) + stream.flush(zlib.Z_SYNC_FLUSH), stream.flush
    )


# ---- zstd ----------------------------------------------------------------------------------------

_ZSTD_LEVEL = 3
# Tables for 64 kB: the stream of a slow reader takes 0.7 MB of memory instead of 1.3, and its
# output is no longer.
_ZSTD_STREAM = ZstdCompressionParameters.from_level(_ZSTD_LEVEL, source_size=65536)


def _zstd(plain: bytes) -> bytes:
    # A compressor must not be shared by threads, and a new one costs 5 microseconds.
    return ZstdCompressor(_ZSTD_LEVEL).compress(plain)


def _small_zstd(plain: bytes) -> bytes:
    return ZstdCompressor(9).compress(plain)


def _zstd_compressor() -> Compressor:
    stream = ZstdCompressor(compression_params=_ZSTD_STREAM).compressobj()
    return Compressor(
        lambda piece: stream.compress(piece) + stream.flush(COMPRESSOBJ_FLUSH_BLOCK), stream.flush
    )


# ---- br ------------------------------------------------------------------------------------------

_BR_QUALITY = 3
_BR_STREAM_WINDOW = 16  # 2**16 bytes, as for zstd


def _br(plain: bytes) -> bytes:
    packed: bytes = brotli.compress(plain, quality=_BR_QUALITY)
    return packed


def _small_br(plain: bytes) -> bytes:
    packed: bytes = brotli.compress(plain, quality=6)
    return packed


def _br_compressor() -> Compressor:
    stream = brotli.Compressor(quality=_BR_QUALITY, lgwin=_BR_STREAM_WINDOW)
    return Compressor(lambda piece: stream.process(piece) + stream.flush(), stream.finish)


# ---- choice --------------------------------------------------------------------------------------

# If a request prefers none of several codings, the first of them is sent.
CODINGS = (
    Coding("zstd", _zstd, _small_zstd, _zstd_compressor),
    Coding("br", _br, _small_br, _br_compressor),
    Coding("gzip", _gzip, _small_gzip, _gzip_compressor),
)
_ALIASES = {"gzip": "x-gzip"}  # RFC 9110, 8.4.1.3


@lru_cache(maxsize=256)
def preferred(accept_encoding: str) -> Coding | None:
    """Return the preferred coding of a header Accept-Encoding, None for plain bytes."""
    quality: dict[str, float] = dict(parse_accept_header(accept_encoding.lower()))
    of_others = quality.get("*", 0.0)

    def quality_of(coding: Coding) -> float:
        alias = _ALIASES.get(coding.name, coding.name)
        return quality.get(coding.name, quality.get(alias, of_others))

    best = max(CODINGS, key=quality_of)
    is_accepted = quality_of(best) > 0 and quality_of(best) >= quality.get("identity", 0.0)
    return best if is_accepted else None
