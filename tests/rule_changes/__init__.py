"""Planted rule changes, to prove the replay test."""
