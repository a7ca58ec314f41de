"""The load: all clients of a campaign, started, watched and stopped together."""

from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from tests.campaign.asker import Asker
from tests.campaign.clients import Client, Player
from tests.campaign.history import History
from tests.campaign.readers import Reader
from tests.campaign.settings import Settings
from tests.campaign.tables import Table


@dataclass(slots=True)
class Load:
    """Players and readers, and every match that was opened."""

    players: list[Player] = field(default_factory=list)
    readers: list[Reader] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    @classmethod
    def of(cls, settings: Settings, history: History, port: int) -> Self:
        """Return the clients that the settings ask for, not yet started."""
        load = cls()
        shared: list[Table] = []
        for number in range(settings.players):
            # Of each four players the second shares the tables of the first, and races with them.
            has_rival = number % 4 == 1
            shared = shared if has_rival else []
            load.players.append(
                Player(
                    Asker(port, history, f"player {number}"),
                    f"{settings.seed}-player-{number}",
                    settings.client_pause,
                    shared,
                    load.tables,
                )
            )

        for player in load.players:
            player.most_tables = settings.matches
        for number in range(settings.readers):
            asker = Asker(port, history, f"reader {number}")
            seed = f"{settings.seed}-reader-{number}"
            load.readers.append(Reader(asker, seed, settings.client_pause, load.tables))
        return load

    @property
    def clients(self) -> list[Client]:
        """All of them."""
        return [*self.players, *self.readers]

    @property
    def is_opening(self) -> bool:
        """Whether a player waits for the answer to an opening."""
        return any(player.is_opening for player in self.players)

    def raise_failures(self) -> None:
        """Raise what went wrong in a client itself."""
        for client in self.clients:
            if client.failure is not None:
                raise client.failure

    def open_no_more(self) -> None:
        """Have the players play on without opening matches, and as fast as they can."""
        for player in self.players:
            player.opens = False
            player.pause = 0.0

    def __enter__(self) -> Self:
        for client in self.clients:
            client.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for client in self.clients:
            client.stopping.set()
        for client in self.clients:
            client.join()
