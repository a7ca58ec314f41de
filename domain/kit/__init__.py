"""What the games share: refusals of the agenda, dispatch, ranks, names and draws."""
