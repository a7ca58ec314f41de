"""The pages for people: lobby, table, replay and audit."""
