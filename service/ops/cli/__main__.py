"""`python -m service.ops.cli`: the command `giornale` without an installed script."""

from service.ops.cli import main

if __name__ == "__main__":
    main()
