"""Releases: the files that are published, made from one commit and checked."""
