"""Giornale: an event-sourced game log service."""
