"""The body that asks for a rematch."""

from service.api.contract.fields import Strict
from service.api.contract.schemas import entropy_field, key_field, pledge_field, proof_field


class PlayAgainSchema(Strict):
    """A player of the rematch."""

    entropy = entropy_field(load_default=str)
    key = key_field()
    proof = proof_field("The key's signature over the new match, seat and head hash (M18).")
    pledge = pledge_field()
