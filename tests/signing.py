"""Players with keys. They sign as their own clients would (docs/reference/proofs.md, 12)."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.matches import lobby, moves
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.repository import load
from service.record.commit import Json, canonical


@dataclass(frozen=True)
class Player:
    """Somebody with a key derived from a name."""

    name: str

    @property
    def private(self) -> Ed25519PrivateKey:
        """The private key."""
        seed = hashlib.sha256(f"key of {self.name}".encode()).digest()
        return Ed25519PrivateKey.from_private_bytes(seed)

    @property
    def key(self) -> str:
        """The public key, in hex."""
        return self.private.public_key().public_bytes_raw().hex()

    def sign(self, match: str, version: int, prev: str, command: Json) -> str:
        """Return the signature of the commit of a version."""
        text = {
            "command": command,
            "key": self.key,
            "match": match,
            "prev": prev,
            "version": version,
        }
        return self.private.sign(canonical(text)).hex()

    def prove(self, match: str, prev: str, seat: int) -> str:
        """Return the proof of the key in a join."""
        text = {"key": self.key, "match": match, "prev": prev, "seat": seat}
        return self.private.sign(canonical(text)).hex()

    def prove_opening(self, body: Json, idempotency_key: str, seat: int) -> str:
        """Return the proof of the key in an opening, whose seats have no proofs yet."""
        return self.private.sign(opening_text(self.key, body, idempotency_key, seat)).hex()

    def submission(
        self, ctx: Context, match: str, token: str | None, command: Json, **more: Any
    ) -> Submission:
        """Return a signed submission of a command at the head of a match."""
        head = load(ctx, match)
        return Submission(
            match,
            token,
            expected=head.version,
            signature=self.sign(match, head.version + 1, head.hash, command),
            **more,
        )


@dataclass
class SignedTable:
    """A match whose humans sign. players: by seat, each with the token of the seat."""

    ctx: Context
    match: str
    players: dict[int, tuple[Player, str]]

    def join(self, player: Player, seat: int) -> None:
        """Take a seat with a key."""
        proof = player.prove(self.match, load(self.ctx, self.match).hash, seat)
        holder = {"name": "", "entropy": "ab" * 16, "key": player.key, "proof": proof}
        _, token = lobby.join(self.ctx, Submission(self.match, None), seat, holder)
        self.players[seat] = (player, token)

    def do(self, seat: int, command: Json, use_case: Callable[..., object], *more: object) -> None:
        """Let a seat give a signed command. command: the signed content without the seat."""
        player, token = self.players[seat]
        whole = {**command, "seat": seat}
        use_case(self.ctx, player.submission(self.ctx, self.match, token, whole), *more)

    def move(self, seat: int, move: Json) -> None:
        """Make a move of a seat."""
        self.do(seat, move, moves.move, move)


ADA = Player("Ada")
BEA = Player("Bea")
CLEO = Player("Cleo")


def opening_text(key: str, body: Json, idempotency_key: str, seat: int) -> bytes:
    """Return the bytes of an opening for a key to sign. Its seats have no proofs yet."""
    text = {"idempotency_key": idempotency_key, "key": key, "open": body, "seat": seat}
    return canonical(text)


def proven(body: Json, idempotency_key: str) -> Json:
    """Return an opening in which the players above prove their keys."""
    players = {player.key: player for player in (ADA, BEA, CLEO)}
    seats = [
        {**plan, "proof": players[plan["key"]].prove_opening(body, idempotency_key, number)}
        if isinstance(plan.get("key"), str) and plan["key"] in players
        else plan
        for number, plan in enumerate(body["seats"])
    ]
    return {**body, "seats": seats}
