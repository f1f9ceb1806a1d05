"""What denoise returns: an array that knows the noise that was found in it."""

from typing import Any, Dict, Optional, Tuple

import numpy as np

Noise = Dict[str, Any]
"""What was found: "kind" is gaussian, camera, poisson, curve or none; the numbers of each kind have the names of --json.
They are in the units of the array."""


class Denoised(np.ndarray):  # type: ignore[type-arg]
    """An array with what was found in it. So are copies and parts of it; what arithmetic makes of it is a plain array."""

    noise: Optional[Noise]  # of the first page that has any
    page_noise: Tuple[Noise, ...]  # of each page, in the order of the array; parts have none
    margin: Tuple[int, int] = (0, 1)  # samples around a part that it needs to be denoised alone, and where it may begin

    def __array_finalize__(self, obj: Any) -> None:
        self.noise = getattr(obj, "noise", None)
        self.margin = getattr(obj, "margin", self.margin)
        self.page_noise = getattr(obj, "page_noise", ()) if self.shape == getattr(obj, "shape", None) else ()

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if array.ndim == 0 else np.asarray(array)

    def __reduce__(self) -> Any:
        make, args, state = super().__reduce__()  # type: ignore[misc]
        return make, args, (state, self.noise, self.page_noise, self.margin)

    def __setstate__(self, state: Any) -> None:
        own, self.noise, self.page_noise, self.margin = state
        super().__setstate__(own)
