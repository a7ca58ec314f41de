"""Whether a history is what it says it is: checked from its first byte to its last shuffle, trusting no server."""
