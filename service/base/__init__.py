"""Code for all packages of the service: settings, errors, answers, metrics, private files."""
