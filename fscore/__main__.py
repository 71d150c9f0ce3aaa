"""Command line of the library.

``python -m fscore report my.csv --target diagnosis`` tells which columns of a file matter, ``python -m fscore compile``
compiles all inner loops at once.
"""

import sys


def main(arguments):
    """Run one of the commands; return the exit status."""
    if arguments == ["compile"]:
        from fscore._compiling import compile_kernels

        compile_kernels(lambda line: print(line, flush=True))
        return 0
    from fscore.dossier.command import main as report

    return report(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
