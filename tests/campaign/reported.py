"""Receivers of reports about matches: followers of one stream, and the receiver of webhooks' calls.

Reports are noted in the history, an entry each: NEWS of a stream, CALL of a webhook.
"""

import json
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.campaign.clients import (
    OK,
    Asker,
    Client,
    Json,
    Player,
    Request,
    Table,
)
from tests.campaign.service import HOST
from tests.promises.history import ANSWERED, CALL, CREATED, NEWS, WEBHOOK, History

MOST_FOLLOWED = 50
PAUSE_SECONDS = 0.1
_DATA = b"data: "
_ID = b"id: "


class Follower(Client):
    """Follows matches by one stream, each until its secrets are revealed."""

    def __init__(self, asker: Asker, seed: str, all_tables: list[Table]) -> None:
        super().__init__(asker, seed, PAUSE_SECONDS)
        self._all_tables = all_tables
        self._known = 0
        self.followed: dict[str, Table] = {}
        self._position = ""

    def act(self) -> None:
        """Follow the known matches until the stream ends or breaks, or the matches change."""
        for table in self._next_tables():
            self._known += 1
            self.followed[table.match] = table
            followed = {"match": table.match, "version": 0, "event": "followed"}
            self._note(followed, _holder(table), time.monotonic())
        if not self.followed:
            return

        holders = {match: _holder(table) for match, table in self.followed.items()}
        first, *others = [self.followed[match].tokens[who] for match, who in holders.items()]
        headers = {"Giornale-Tokens": ",".join(others), "Last-Event-ID": self._position}
        request = self.request(NEWS, "GET", "/v1/me/stream", token=first, more_headers=headers)

        sent_at = time.monotonic()
        with suppress(OSError, HTTPException):
            self.asker.send(request)
            response = self.asker.response()
            if response.status == OK:
                self._read(response, holders, sent_at)
        self.asker.cut()

    def _next_tables(self) -> list[Table]:
        """Return the new matches that there is room for on the stream."""
        room = MOST_FOLLOWED - len(self.followed)
        return self._all_tables[self._known : self._known + room]

    def _read(self, response: HTTPResponse, holders: dict[str, str], sent_at: float) -> None:
        """Note the received news. A line that was cut off is passed over."""
        position = ""
        while not self.stopping.is_set() and not self._next_tables():
            line = response.readline()
            if not line.endswith(b"\n"):
                return
            if line.startswith(_ID):
                position = line.removeprefix(_ID).decode().strip()
            if line.startswith(_DATA):
                news = json.loads(line.removeprefix(_DATA))
                self._note(news, holders[news["match"]], sent_at)
                self._position = position
                if news["event"] == "ended" and is_over_in(news):
                    # Other tokens are another stream. It begins with the state of each match.
                    del self.followed[news["match"]]
                    self._position = ""
                    return

    def _note(self, news: Json, holder: str, sent_at: float) -> None:
        history = self.asker.history
        attempt = history.begin(
            history.next_request(), self.name, NEWS, match=news["match"], actor=holder
        )
        history.end(
            attempt,
            ANSWERED,
            sent=sent_at,
            status=OK,
            version=news["version"],
            event=news["event"],
        )


def _holder(table: Table) -> str:
    """Return the holder whose token follows a match: the first seat, or the owner."""
    return f"seat:{table.seats[0]}" if table.seats else "owner"


def is_over_in(news: Json) -> bool:
    """Return True if no news will follow the news of an end: the match is revealed."""
    waiting_for = news["waiting_for"]
    return not waiting_for["house"] and not waiting_for["seats"]


# ---- webhooks ------------------------------------------------------------------------------

# What a receiver answers, with how often that is drawn. "stall": nothing for a while; "hang up":
# nothing at all, as after a stall.
ANSWERS = {"204": 80, "500": 8, "stall": 6, "hang up": 6}
STALL_SECONDS = 2.0


class Receiver:
    """Takes the calls of webhooks: most it answers with 204, and some badly or never."""

    def __init__(self, history: History, seed: str) -> None:
        self._history = history
        self._lots = random.Random(seed)
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer((HOST, 0), self._handler())
        self.ended: set[tuple[str, str]] = set()

    def url(self, holder: str) -> str:
        """Return the address of a holder's webhook."""
        return f"http://{HOST}:{self._server.server_port}/{holder}"

    @contextmanager
    def receiving(self) -> Iterator[None]:
        """Receive in a thread."""
        thread = threading.Thread(target=self._server.serve_forever)
        thread.start()
        try:
            yield
        finally:
            self._server.shutdown()
            thread.join()
            self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            timeout = 30

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                answer = receiver.take(self.path.strip("/"), self.headers["webhook-id"], body)
                if answer:
                    self.send_response(answer)
                    self.end_headers()

            def handle(self) -> None:
                """Handle a connection. The caller may be killed before its answer."""
                with suppress(OSError):
                    super().handle()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        return Handler

    def take(self, holder: str, key: str, body: Json) -> int:
        """Note a call. Return the status of the answer, 0 for none."""
        with self._lock:
            [answer] = self._lots.choices(list(ANSWERS), list(ANSWERS.values()))
        data: dict[str, Any] = body["data"]
        attempt = self._history.begin(
            self._history.next_request(),
            "receiver",
            CALL,
            match=data["match"],
            actor=holder,
            key=key,
        )
        if answer == "stall":
            time.sleep(STALL_SECONDS)

        status = int(answer) if answer.isdecimal() else 0
        self._history.end(
            attempt, ANSWERED, status=status, version=data["version"], event=body["type"]
        )
        if body["type"] == "ended":
            self.ended.add((data["match"], holder))
        return status


# Seconds of thought for a move, and now and then so many that nobody may miss the turn.
THOUGHTS = (0, 1, 3)
LONGEST_THOUGHT = 240
LONG_SHARE = 1 / 150


class Thinker(Player):
    """A player with webhooks, and with pauses before some moves."""

    def __init__(
        self,
        asker: Asker,
        seed: str,
        pause: float,
        all_tables: list[Table],
        receiver: Receiver,
    ) -> None:
        super().__init__(asker, seed, pause, [], all_tables)
        self._receiver = receiver
        self.hooked: list[tuple[Table, str]] = []

    @property
    def uncalled(self) -> list[tuple[Table, str]]:
        """The holders that were not called about the end of their match."""
        called = self._receiver.ended
        return [
            (table, holder) for table, holder in self.hooked if (table.match, holder) not in called
        ]

    def sit_down(self, table: Table) -> None:
        """Play at a new table, and have its first seat and its owner called."""
        super().sit_down(table)
        if not table.seats:
            return
        for holder in (f"seat:{table.seats[0]}", "owner"):
            body = {"url": self._receiver.url(holder), "on": ["turn", "ended"]}
            reply = self.insist(self.webhook(table, holder, "PUT", body))
            if reply is not None and reply.status in (OK, CREATED):
                self.hooked.append((table, holder))

    def webhook(self, table: Table, holder: str, method: str, body: Json | None = None) -> Request:
        """Return a request about a webhook. Without a body one for a test call."""
        path = f"{table.path}/webhook" if body else f"{table.path}/webhook/test"
        facts = {"match": table.match, "actor": holder, "token": table.tokens[holder]}
        return self.request(WEBHOOK, method, path, body=body, **facts)

    def think(self, table: Table, seat: int) -> None:
        """Think about a move: mostly for a moment, now and then for long. Look meanwhile."""
        is_long = self.lots.random() < LONG_SHARE
        seconds = LONGEST_THOUGHT if is_long else self.lots.choice(THOUGHTS)
        ends = time.monotonic() + seconds
        while time.monotonic() < ends and self.opens and not self.stopping.is_set():
            self.stopping.wait(1)
            self.look(table, seat)
