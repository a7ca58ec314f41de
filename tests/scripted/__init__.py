"""Scripted requests: their answers, and all that they store, compared byte for byte.

    python -m tests.scripted                  compare with what is recorded here
    python -m tests.scripted --record         record anew
    python -m tests.scripted --tree CHECKOUT  compare with the code of another checkout

Each script runs in a world of its own: an empty journal in memory, with its own time.
Its random bytes follow from the script and the step. A step is one request, or one span of time
with all that scheduler and workers do in it. A step reports the answer and every change in the
journal: commits, metadata, heads, timers, waiting matches and jobs.

The recorded files (`recorded/SCRIPT.xz`, lines of text) hold short values as they are, and digests
of longer ones. The files hold no sentences. Two trees are compared with every value and sentence.
"""
