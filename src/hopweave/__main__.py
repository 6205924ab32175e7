"""The command line as `python -m hopweave`, where the folder of the `hopweave` command is not on the path."""

from hopweave.apps.cli import main

if __name__ == "__main__":
    main()
