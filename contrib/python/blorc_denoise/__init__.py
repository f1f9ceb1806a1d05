"""Removes noise from numpy arrays with the program blorc-denoise.

    from blorc_denoise import denoise

    clean = denoise(noisy)
    print(clean.noise)

The package holds the program, and starts it at the first call. Samples pass through pipes, and nothing is written to disk.
"""

from ._denoise import Denoiser, denoise
from ._program import ArgumentError, DenoiseError, find_program
from ._result import Denoised, Noise

__all__ = ["ArgumentError", "DenoiseError", "Denoised", "Denoiser", "Noise", "denoise", "find_program"]
