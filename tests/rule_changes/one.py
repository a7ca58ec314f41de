"""`python -m tests.rule_changes.one MODULE NUMBER CASES`: test one planted rule change.

It prints a line of JSON: the number of matches that show the change, and of those that the replay
test calls different. `MODULE` "" plants nothing.
"""

import json
import pickle
import sys
from pathlib import Path

from tests.rule_changes.mutants import Mutant, plant


def main(module: str, number: str, file: str) -> None:
    """Test all matches of a file."""
    if module:
        plant(Mutant(module, int(number)))

    # The changed game is imported only now.
    from service.record.commit import parse_commit
    from service.record.replay_test import replay_stored
    from tests.rule_changes.matches import Case, versions

    cases: list[Case] = pickle.loads(Path(file).read_bytes())  # noqa: S301 - written by the parent
    counts = {"shown": 0, "found": 0, "missed": 0, "beyond": 0}
    for case in cases:
        is_found = replay_stored(case.commits, case.beside).result == "different"
        try:
            commits = list(map(parse_commit, case.commits))
            digests = [digest for _, digest in versions(commits)]
            is_shown = digests != case.digests
        except Exception:  # noqa: BLE001 - the changed rules may raise any error
            is_shown = True
        counts["shown"] += is_shown
        counts["found"] += is_found
        counts["missed"] += is_shown and not is_found
        counts["beyond"] += is_found and not is_shown
    print(json.dumps(counts))


if __name__ == "__main__":
    main(*sys.argv[1:])
