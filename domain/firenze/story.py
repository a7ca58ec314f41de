"""What happened, told in English: one sentence for each event."""

from collections.abc import Sequence
from typing import Any

from domain.kit.wording import upper_first, worded
from domain.story import Sentence


def tell(_state: Any, event: Any, _names: Sequence[str]) -> Sentence:
    """Return what the event says happened, as a sentence."""
    return Sentence(f"{upper_first(worded(event.tag))}.")
