"""Command line of the library: ``python -m fscore report my.csv --target diagnosis``."""

import sys

from fscore.dossier.command import main

if __name__ == "__main__":
    sys.exit(main())
