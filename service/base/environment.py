"""Names of environment variables."""

PREFIX = "GIORNALE_"
"""Start of the name of each setting."""

METRICS_DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"
"""Directory of the metrics that processes share. The name is prometheus_client's."""

TOKEN = "GIORNALE_TOKEN"  # noqa: S105 - the name of a variable
"""Default of the option --token. It is not a setting."""
