"""What the program gets for the samples of an array, and how its samples become those of the array again."""

from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ._axes import Crop, part

Array = npt.NDArray[Any]
SCALES = (1, 255, 4095, 65535)  # full scales of floats that are usual
SMALL: Tuple[Any, ...] = (np.uint8, np.uint16, np.int16)  # kinds that wide integers go as, if all of them fit


class Samples(NamedTuple):
    source: Array  # the pages of the array
    pages: Array  # for the program
    full: float  # the full scale
    empty: Optional[float]  # stands for NaN and for what is masked

    @property
    def flags(self) -> List[str]:
        told = []
        if self.pages.dtype.kind == "f":
            told.append("--white=%r" % self.full)
        if self.empty is not None:
            told.append("--nodata=%r" % self.empty)
        return told

    def restore(self, i: int, page: Array, crop: Crop) -> Array:
        """Returns a page of the program, or the part that it was to write, with the kind of the array."""
        kind = self.source.dtype
        if kind.kind in "iu" and page.dtype.kind == "f":
            least, most = np.iinfo(kind).min, np.iinfo(kind).max
            page = np.rint(page)
            out = np.where(page >= most, most, np.where(page <= least, least, page).astype(kind))
        else:
            out = page.astype(kind)
        if self.empty is None and kind == self.pages.dtype and page.itemsize < 4:
            return out
        # The program works with 24 bits. Samples that it has kept are those of the array; what is empty is kept, too.
        kept = page.astype(np.float32) == part(self.pages[i], crop).astype(np.float32)
        return np.where(kept, part(self.source[i], crop), out)


def prepare(pages: Array, hidden: Optional[Array], data_range: Optional[float]) -> Samples:
    """Returns pages as the program takes them. Hidden says which samples carry no picture."""
    kind = pages.dtype
    if kind.kind == "b":
        raise ValueError("samples of the kind bool are on or off, and have no noise that can be averaged; median filters remove specks")
    if kind.kind not in "iuf":
        raise ValueError("samples of the kind %s are neither whole numbers nor floats" % kind)
    if kind.kind == "f":
        plain = pages.astype(np.float32 if kind.itemsize < 8 else np.float64)
        holes = np.isnan(plain)
        if hidden is not None:
            holes |= hidden
        hidden = holes
        full = data_range if data_range is not None else _scale(_most(plain[np.isfinite(plain) & ~holes]))
    elif kind.itemsize < 4:
        plain, full = pages.astype(kind.newbyteorder("=")), float(np.iinfo(kind).max)
        if data_range not in (None, full):
            raise ValueError("the full scale of %s is %d; data_range is for floats and wide integers" % (kind, full))
    else:
        plain, full = _wide(pages, hidden, data_range)
    if hidden is None or not hidden.any():
        return Samples(pages, plain, float(full), None)
    if plain.dtype.kind != "f":  # which may have each number of its kind
        plain = plain.astype(np.float32)
    empty = float(np.float32(-2 * max(_most(plain[np.isfinite(plain) & ~hidden]), full)))
    plain[hidden] = empty
    return Samples(pages, plain, float(full), empty)


def _wide(pages: Array, hidden: Optional[Array], data_range: Optional[float]) -> Tuple[Array, float]:
    """Integers of 32 and 64 bits have whatever full scale was used, hardly ever that of their kind."""
    seen = pages if hidden is None else pages[~hidden]
    least, most = (int(seen.min()), int(seen.max())) if seen.size else (0, 0)
    if data_range is None:
        for small in SMALL:
            if np.iinfo(small).min <= least and most <= np.iinfo(small).max:
                return pages.astype(small), float(np.iinfo(small).max)
    largest = max(abs(least), abs(most))
    full = float(largest) if data_range is None else data_range
    return pages.astype(np.float32 if largest < 1 << 24 else np.float64), full


def _most(samples: Array) -> float:
    return float(abs(samples).max()) if samples.size else 0.0


def _scale(most: float) -> float:
    """Noise may reach beyond white, but hardly to twice that."""
    return next((s for s in SCALES if most <= 2 * s), most)
