"""Hand the feed of a server on to NATS JetStream: each line once, in the order of the feed.

pip install nats-py
python relay.py http://127.0.0.1:8000 nats://127.0.0.1:4222          # keep up with the server
python relay.py http://127.0.0.1:8000 nats://127.0.0.1:4222 --once   # end at the last commit
"""

import asyncio
import json
import sys

import nats
from nats.js import JetStreamContext
from nats.js.errors import APIError, NotFoundError

from giornale_client import Client, Problem

STREAM = "GIORNALE"
PAGE = 1000  # positions read at once
WAIT = 20  # seconds that one request waits for more


async def relay(client: Client, address: str, *, once: bool = False) -> None:
    """Hand the feed on, page by page. once: end at the last commit."""
    connection = await nats.connect(address)
    try:
        jetstream = connection.jetstream()
        last = await last_id(jetstream)
        path = path_after(last)
        wait = None if once else WAIT
        while True:
            try:
                page = await asyncio.to_thread(client.get, path, wait=wait)
            except Problem as problem:
                if problem.kind != "another-log":
                    raise
                # The server has begun another log: hand this on from its beginning.
                path = path_after("")
                continue

            for commit in page["commits"]:
                last = await hand_on(jetstream, commit, last)
            if once and page["next"] == path:
                return
            path = page["next"]
    finally:
        await connection.close()


async def last_id(jetstream: JetStreamContext) -> str:
    """Return the ID of the last message of the stream, "" without any. Make a missing stream."""
    try:
        stream = await jetstream.stream_info(STREAM)
    except NotFoundError:
        stream = await jetstream.add_stream(name=STREAM, subjects=["giornale.>"])
    if not stream.state.messages:
        return ""

    last = await jetstream.get_msg(STREAM, stream.state.last_seq)
    return last.headers["Nats-Msg-Id"]


def path_after(last: str) -> str:
    """Return the path of the page after the message with an ID, "" for the first page."""
    path = f"/v1/commits?limit={PAGE}"
    if not last:
        return path
    log, position = last.rsplit("-", 1)
    return f"{path}&after={int(position) + 1}&log={log}"


async def hand_on(jetstream: JetStreamContext, commit: dict, last: str) -> str:
    """Add a line after the message with the ID `last`, and return the ID of the new message.

    Raises APIError if another message is the last one. By default JetStream recognizes a repeated
    `Nats-Msg-Id` for two minutes. `Nats-Expected-Last-Msg-Id` prevents repeats for ever.
    """
    name = f"{commit['log']}-{commit['position']}"
    headers = {"Nats-Msg-Id": name}
    if last:
        headers["Nats-Expected-Last-Msg-Id"] = last
    await jetstream.publish(subject_of(commit), json.dumps(commit).encode(), headers=headers)
    return name


def subject_of(commit: dict) -> str:
    """Return the subject of a line. A line of a private match tells only a hash."""
    if "match" in commit:
        return f"giornale.{commit['game']}.{commit['status']}"
    return "giornale.gone_back" if "gone_back" in commit else "giornale.private"


if __name__ == "__main__":
    with Client(sys.argv[1]) as server:
        try:
            asyncio.run(relay(server, sys.argv[2], once="--once" in sys.argv[3:]))
        except (Problem, APIError, nats.errors.Error, OSError) as failure:
            sys.exit(f"Error: {failure}")
        except KeyboardInterrupt:
            sys.exit(130)
