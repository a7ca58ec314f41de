"""Terms of matches in the service: a module for each term, with its side."""
