"""Runs the command line."""

import sys

from pytest_taubench.commands.cli import main

if __name__ == "__main__":
    sys.exit(main())
