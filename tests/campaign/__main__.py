"""`python -m tests.campaign [run|summary|report]`: run a campaign, or report on one."""

import argparse
import json
import signal
import sys

from tests.campaign import campaign, report
from tests.campaign.settings import parser, settings_of

COMMANDS = ("run", "summary", "report")
SHOWN_FINDINGS = 20  # on the screen. All are in the campaign's directory


def main(arguments: list[str]) -> int:
    """Run the command line. Return 1 if a promise was broken."""
    first_words = (*COMMANDS, "-h", "--help")
    if not arguments or arguments[0] not in first_words:
        arguments = ["run", *arguments]
    chosen = parser().parse_args(arguments)

    if chosen.command == "run":
        return _run(chosen)
    if chosen.command == "summary":
        counts = report.write(chosen.directory)
        print("\n".join(report.lines(counts)))
        return 0

    try:
        report.publish(chosen.directory)
    except report.Unfinished as reason:
        print(reason, file=sys.stderr)
        return 1
    return 0


def _run(chosen: argparse.Namespace) -> int:
    # An order to end is taken like Ctrl-C, so that nothing stays behind, no process and no disk.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    settings = settings_of(chosen)
    findings = campaign.run(settings)

    counts = json.loads((settings.output / report.REPORT_FILE).read_text())
    print("\n".join(report.lines(counts)))
    for finding in findings[:SHOWN_FINDINGS]:
        print(f"{finding.rule}: {finding.match} {finding.text}")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
