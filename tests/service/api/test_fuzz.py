"""A short run of the campaign that `make fuzz` runs at length."""

import pytest

from tests.service.api.fuzzing import fuzz


@pytest.mark.whole
def test_no_call_is_answered_but_as_the_contract_says() -> None:
    """Schemathesis finds no 5xx, no undocumented answer, and no malformed request accepted."""
    result = fuzz(2, seed="1")
    assert result.exit_code == 0, result.output
    assert result.calls > 1000, result.output
