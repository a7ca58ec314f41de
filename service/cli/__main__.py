"""`python -m service.cli`: the command `giornale`, where no script of that name is installed."""

from service.cli import main

if __name__ == "__main__":
    main()
