"""A proxy between the service and its Redis that breaks connections on demand, as a process.

`python -m tests.campaign.proxy DIRECTORY ADDRESS` listens on DIRECTORY/journal.sock and
DIRECTORY/queue.sock, and connects to the server whose URL stands in the file ADDRESS. It reads
orders from standard input, a line each: "<journal|queue> <mode> <milliseconds>".

| mode | what happens to connections |
|---|---|
| pass | all is handed on |
| delay | each answer comes so many milliseconds later |
| drop | the server does what is asked. The connection is cut instead of handing on the answer |
| reset | open connections are cut, new ones too |
| hang | nothing is handed on in either direction until the mode ends, then everything |
| half_open | the server's side is cut. The client's stays open unanswered. New ones are cut |
"""

import asyncio
import subprocess
import sys
from asyncio import StreamReader, StreamWriter
from contextlib import suppress
from pathlib import Path
from typing import Self
from urllib.parse import unquote

DOORS = ("journal", "queue")
MODES = ("pass", "delay", "drop", "reset", "hang", "half_open")
_CHUNK_BYTES = 65_536
_MILLISECONDS = 1000


class Door:
    """One socket of the proxy, with the mode that it is in."""

    def __init__(self, name: str, address_file: Path) -> None:
        self.name = name
        self.mode = "pass"
        self.delay_seconds = 0.0
        self._address_file = address_file
        self._changed = asyncio.Event()
        self._clients: dict[StreamWriter, StreamWriter] = {}
        # Writers of clients without a server. Nobody may answer them.
        self._deserted: set[StreamWriter] = set()

    def set_mode(self, mode: str, milliseconds: int) -> None:
        """Go into another mode. Connections that are open follow."""
        self.mode = mode
        self.delay_seconds = milliseconds / _MILLISECONDS
        self._changed.set()
        self._changed = asyncio.Event()

        if mode == "reset":
            for client in list(self._clients):
                _cut(client)
        if mode == "half_open":
            self._desert_clients()
        else:
            self._leave_deserted()

    async def serve(self, reader: StreamReader, client: StreamWriter) -> None:
        """Connect a client with the server until one of them ends."""
        if self.mode in ("reset", "half_open"):
            _cut(client)
            return

        try:
            answers, server = await asyncio.open_unix_connection(self._server_path())
        except OSError:
            _cut(client)
            return

        self._clients[client] = server
        requests = asyncio.create_task(self._hand_on(reader, server))
        await self._hand_back(answers, client)
        requests.cancel()
        self._forget(client)

    def _server_path(self) -> str:
        """Return the server's socket. Its address may have changed."""
        url = self._address_file.read_text()
        return unquote(url.removeprefix("unix://"))

    async def _hand_on(self, requests: StreamReader, server: StreamWriter) -> None:
        """Pass on the client's requests, and end the server's side when the client has ended."""
        with suppress(OSError):
            while chunk := await requests.read(_CHUNK_BYTES):
                await self._while_hanging()
                server.write(chunk)
                await server.drain()
        server.close()

    async def _hand_back(self, answers: StreamReader, client: StreamWriter) -> None:
        """Pass back the server's answers, by the mode."""
        with suppress(OSError):
            while chunk := await answers.read(_CHUNK_BYTES):
                if self.mode == "drop":
                    _cut(client)
                    return
                if self.mode == "delay":
                    await asyncio.sleep(self.delay_seconds)
                await self._while_hanging()
                client.write(chunk)
                await client.drain()

    async def _while_hanging(self) -> None:
        while self.mode == "hang":
            await self._changed.wait()

    def _desert_clients(self) -> None:
        """Cut the server's side of every connection, and leave the client's open."""
        for client, server in list(self._clients.items()):
            self._deserted.add(client)
            _cut(server)

    def _leave_deserted(self) -> None:
        """End the clients that were left open. A client that was waiting learns it at last."""
        for client in self._deserted:
            _cut(client)
        self._deserted.clear()

    def _forget(self, client: StreamWriter) -> None:
        """End both sides of a connection, unless its client is to stay open in vain."""
        server = self._clients.pop(client, None)
        if server is not None:
            server.close()
        if client not in self._deserted:
            client.close()


def _cut(writer: StreamWriter) -> None:
    """End a connection at once. Unsent bytes are thrown away."""
    writer.transport.abort()


async def run(directory: Path, address_file: Path) -> None:
    """Serve until standard input ends."""
    doors = {name: Door(name, address_file) for name in DOORS}
    servers = []
    for name, door in doors.items():
        path = directory / f"{name}.sock"
        path.unlink(missing_ok=True)
        servers.append(await asyncio.start_unix_server(door.serve, path))

    print("ready", flush=True)
    orders = await _standard_input()
    while line := await orders.readline():
        name, mode, milliseconds = line.decode().split()
        doors[name].set_mode(mode, int(milliseconds))

    for server in servers:
        server.close()


async def _standard_input() -> StreamReader:
    reader = StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


ROOT = Path(__file__).parents[2]


class FaultProxy:
    """A running proxy. It ends with `close`, or when this process ends."""

    def __init__(self, directory: Path, address_file: Path) -> None:
        """Start the proxy on sockets in a directory. address_file: the server's URL."""
        program = [sys.executable, "-m", "tests.campaign.proxy"]
        self._process = subprocess.Popen(
            [*program, str(directory), str(address_file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            start_new_session=True,
        )

        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def order(self, door: str, mode: str, milliseconds: int = 0) -> None:
        """Put the connections to "journal" or "queue" into a mode."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{door} {mode} {milliseconds}\n")
        self._process.stdin.flush()

    def close(self) -> None:
        """End the proxy."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1]), Path(sys.argv[2])))
