"""The clients that only read: documents, pages of commits and live streams."""

from contextlib import suppress
from http.client import HTTPException

from tests.campaign.asker import Asker
from tests.campaign.clients import Client
from tests.campaign.streams import follow
from tests.campaign.tables import Table

NEWEST_TABLES = 30  # of which a reader reads


class Reader(Client):
    """Reads matches of others: documents, pages of commits and live streams."""

    def __init__(self, asker: Asker, seed: str, pause: float, all_tables: list[Table]) -> None:
        super().__init__(asker, seed, pause)
        self.all_tables = all_tables

    def act(self) -> None:
        """Read something of a match, rather a new one than an old one."""
        if not self.all_tables:
            return

        newest_tables = self.all_tables[-NEWEST_TABLES:]
        table = self.lots.choice(newest_tables)
        lot = self.lots.random()
        if lot < 0.5:
            self.read("match", table, table.path)
        elif lot < 0.8:
            after = self.lots.randint(0, 200)
            self.read("commits", table, f"{table.path}/commits?after={after}&limit=50")
        else:
            self.follow(table)

    def read(self, what: str, table: Table, path: str) -> None:
        """Read something of a match once."""
        request = self.request(what, "GET", path, match=table.match)
        self.asker.ask(request)

    def follow(self, table: Table) -> None:
        """Follow a match from its beginning for a while."""
        path = f"{table.path}/stream?after=0"
        request = self.request("stream", "GET", path, match=table.match)
        with suppress(OSError, HTTPException):
            follow(self.asker, request, self.stopping)
