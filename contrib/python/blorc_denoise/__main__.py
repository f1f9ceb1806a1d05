"""Starts the program: python -m blorc_denoise photo.jpg"""

import os
import subprocess
import sys
from typing import NoReturn

from ._program import find_program


def main() -> NoReturn:
    command = [find_program(), *sys.argv[1:]]
    try:
        if os.name != "nt":
            os.execvp(command[0], command)
        sys.exit(subprocess.call(command))  # on Windows a program cannot take the place of another
    except FileNotFoundError:
        sys.exit("%s: no such program; set BLORC_DENOISE to its path" % command[0])


if __name__ == "__main__":
    main()
