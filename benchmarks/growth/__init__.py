"""How the times of the service grow: with commits, matches, clients and streams."""
