"""Who follows matches in a benchmark, each in a process of its own."""
