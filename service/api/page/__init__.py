"""The static files of the pages for people."""
