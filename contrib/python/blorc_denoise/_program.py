"""Finds the program, and the exceptions that its answers become."""

import os
from pathlib import Path
from typing import Callable, Optional

Progress = Optional[Callable[[float], object]]


class DenoiseError(Exception):
    """The program has refused an array, or failed. The text is that of the program, code is its exit code."""

    def __init__(self, text: str, code: int = 1) -> None:
        super().__init__(text)
        self.code = code


class ArgumentError(DenoiseError, ValueError):
    """An argument makes no sense."""


def find_program() -> str:
    """Returns the path of the program: that in the environment variable BLORC_DENOISE, that of the package, or its name for PATH."""
    given = os.environ.get("BLORC_DENOISE")
    if given:
        return given
    inside = Path(__file__).with_name("bin") / ("blorc-denoise.exe" if os.name == "nt" else "blorc-denoise")
    return str(inside) if inside.exists() else "blorc-denoise"


def error(text: str, code: int) -> DenoiseError:
    """Returns the exception for the text of the program and its exit code."""
    kind = ArgumentError if code == 2 else DenoiseError
    return kind(text or "the program failed with exit code %d" % code, code)
