"""A relay between Playwright and a stock Firefox: it replaces the one command that Firefox refuses.

Playwright sets the theme of each new window. A Firefox that does not know this command of WebDriver
BiDi refuses it, and Playwright gives up. The relay asks for the session's status instead.
Playwright starts this program as if it was Firefox, and reads its port.
"""

import asyncio
import re
import sys
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator

LISTENING = b"WebDriver BiDi listening on ws://127.0.0.1:"
UNKNOWN = b'"emulation.setMediaFeaturesOverride"'
HOST = rb"(?i)(\r\nHost: 127.0.0.1:)[0-9]+"
HARMLESS = b'"session.status"'.ljust(len(UNKNOWN))


async def run(command: list[str]) -> None:
    """Start Firefox, and pass messages between it and Playwright until it ends."""
    firefox = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    assert firefox.stderr is not None

    async for line in firefox.stderr:
        if line.startswith(LISTENING):
            port = await serve(int(line.removeprefix(LISTENING)))
            line = LISTENING + f"{port}\n".encode()
        sys.stderr.buffer.write(line)
        sys.stderr.flush()
    await firefox.wait()


async def serve(port: int) -> int:
    """Relay connections to the port that Firefox listens on. Return the relay's own port."""

    async def relay(reader: StreamReader, writer: StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(
            pass_on(commands(reader, port), there_writer), pass_on(pieces(there_reader), writer)
        )

    server = await asyncio.start_server(relay, "127.0.0.1", 0)
    own_port: int = server.sockets[0].getsockname()[1]
    return own_port


async def pass_on(parts: AsyncIterator[bytes], writer: StreamWriter) -> None:
    """Write parts until there are no more, then close."""
    try:
        async for part in parts:
            writer.write(part)
            await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass  # one of the two has gone
    finally:
        writer.close()


async def pieces(reader: StreamReader) -> AsyncIterator[bytes]:
    """Yield Firefox's output as it comes."""
    while piece := await reader.read(1 << 16):
        yield piece


async def commands(reader: StreamReader, port: int) -> AsyncIterator[bytes]:
    """Yield Playwright's request for a WebSocket, then its frames (RFC 6455, section 5.2)."""
    request = await reader.readuntil(b"\r\n\r\n")
    yield re.sub(HOST, rb"\g<1>%d" % port, request)

    while True:
        head = await reader.readexactly(2)
        digits = {126: 2, 127: 8}.get(head[1] & 0x7F, 0)
        length = await reader.readexactly(digits)
        size = int.from_bytes(length) if digits else head[1] & 0x7F
        mask = await reader.readexactly(4)
        content = masked(await reader.readexactly(size), mask)
        yield head + length + mask + masked(content.replace(UNKNOWN, HARMLESS), mask)


def masked(content: bytes, mask: bytes) -> bytes:
    """Return content with a mask laid over it, or without it if it was masked."""
    size = len(content)
    whole_mask = (mask * (size // 4 + 1))[:size]
    return (int.from_bytes(content) ^ int.from_bytes(whole_mask)).to_bytes(size)


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1:]))
