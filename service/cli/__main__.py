"""`python -m service.cli`: the command `giornale`, for whoever has no script of that name."""

from service.cli import main

main()
