"""A short run of the campaign that `make fuzz` runs at length."""

from tests.service.api.fuzzing import fuzz


def test_no_call_is_answered_but_as_the_contract_says() -> None:
    """No 5xx, no undocumented answer, nothing wrong accepted and nothing right refused, by every check there is."""
    code, made, said = fuzz(2, seed="1")
    assert code == 0, said
    assert made > 1000, said
