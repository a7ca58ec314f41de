"""A web process does not look for garbage again and again in what is there to its end."""

import gc

from service.process import web


def test_a_full_collection_looks_through_next_to_nothing() -> None:
    try:
        web._spare_what_stays()
        left = len(gc.get_objects())
        spared = gc.get_freeze_count()
    finally:
        gc.unfreeze()

    assert left < spared / 100
