"""The arena: levels of bots play each other, with statistics of their strength."""
