"""The arena: levels of bots play each other, and statistics say which is better."""
