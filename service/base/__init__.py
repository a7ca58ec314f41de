"""Code that all packages use: settings, errors, answers, metrics, private files."""
