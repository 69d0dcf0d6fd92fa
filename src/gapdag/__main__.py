"""`python -m gapdag` is the command `gapdag`."""

import sys

from gapdag.cli import main

if __name__ == "__main__":
    sys.exit(main())
