"""Members of enums are found by their names on the wire."""

import pytest

from domain.wire import Named


class Stone(Named):
    """An enum; one of its members has a wire name of its own."""

    ROUGH = 0
    CUT = 1

    def __init__(self, index: int) -> None:
        super().__init__(index)
        if self._name_ == "CUT":
            self.wire = "well-cut"


def test_a_member_goes_by_its_own_name_in_lower_case() -> None:
    """Unless the class says otherwise."""
    assert [stone.wire for stone in Stone] == ["rough", "well-cut"]


@pytest.mark.parametrize("stone", Stone)
def test_a_member_is_found_by_its_wire_name(stone: Stone) -> None:
    """`of` undoes `wire`."""
    assert Stone.of(stone.wire) is stone


def test_an_unknown_name_is_refused_with_the_right_ones() -> None:
    """The error says what could have been meant."""
    with pytest.raises(ValueError, match="'cut' is none of rough, well-cut"):
        Stone.of("cut")
