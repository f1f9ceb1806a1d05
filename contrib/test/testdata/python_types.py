"""What type checkers must understand of the package, and what they must not allow."""

from typing import Optional

import numpy as np
import numpy.typing as npt

from blorc_denoise import Denoised, Denoiser, Noise, denoise


def use(array: "npt.NDArray[np.uint16]") -> float:
    clean: Denoised = denoise(array, sigma=3.5, axes="YX", progress=True, crop=(0, 0, 8, 8), flags=["--keep-mean"])
    noise: Optional[Noise] = clean.noise
    plain, found = denoise(array, return_noise=True, quality="fast")
    kind: str = found["kind"]
    with Denoiser(quality="fast") as d:
        d(plain, noise=noise, return_noise=False)
    denoise(array, sigma=kind)  # type: ignore[call-overload]
    denoise(array, white=255)  # type: ignore[call-overload]
    return float(clean.mean())
