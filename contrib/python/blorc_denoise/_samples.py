"""What the program gets for the samples of an array, and how its samples become those of the array again."""

from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
SCALES = (255, 4095, 65535)  # full scales that are usual
SMALL: Tuple[Any, ...] = (np.uint8, np.uint16, np.int16)  # kinds that wide integers go as, if all of them fit


class Samples(NamedTuple):
    source: Array  # the pages of the array
    pages: Array  # for the program
    white: Optional[float]  # the full scale, or None if it is that of the kind
    empty: Optional[float]  # stands for NaN

    @property
    def flags(self) -> List[str]:
        told = []
        if self.pages.dtype.kind == "f":
            told.append("--white=%r" % self.white)
        if self.empty is not None:
            told.append("--nodata=%r" % self.empty)
        return told

    def restore(self, i: int, page: Array) -> Array:
        """Returns a page of the program with the kind of the array."""
        kind = self.source.dtype
        if kind.kind in "iu" and page.dtype.kind == "f":
            least, most = np.iinfo(kind).min, np.iinfo(kind).max
            page = np.rint(page)
            out = np.where(page >= most, most, np.where(page <= least, least, page).astype(kind))
        else:
            out = page.astype(kind)
        if page.shape != self.pages[i].shape:  # a part
            return out if self.empty is None else np.where(page == self.empty, np.nan, out).astype(kind)
        return self._unchanged(i, page, out)

    def _unchanged(self, i: int, page: Array, out: Array) -> Array:
        """Puts back samples that the program has kept, since it works with 24 bits. NaN is one of them."""
        if self.empty is None and self.source.dtype == self.pages.dtype and page.itemsize < 4:
            return out
        kept = page.astype(np.float32) == self.pages[i].astype(np.float32)
        return np.where(kept, self.source[i], out)


def prepare(pages: Array, white: Optional[float]) -> Samples:
    kind = pages.dtype
    if kind.kind not in "iuf":
        raise ValueError("samples of the kind %s are neither whole numbers nor floats" % kind)
    if kind.kind != "f" and kind.itemsize < 4:
        if white is not None:
            raise ValueError("white is for floats and wide integers; the full scale of %s is its own" % kind)
        return Samples(pages, pages.astype(kind.newbyteorder("=")), None, None)
    if kind.kind != "f":
        return _wide(pages, white)
    plain = pages.astype(np.float32 if kind.itemsize < 8 else np.float64)
    holes = np.isnan(plain)
    good = plain[np.isfinite(plain)]  # infinity is refused by the program
    most = float(abs(good).max()) if good.size else 0.0
    scale = white if white is not None else _scale((1,) + SCALES, most)
    if not holes.any():
        return Samples(pages, plain, float(scale), None)
    empty = float(np.float32(-2 * max(most, scale)))  # what the program works with
    plain[holes] = empty
    return Samples(pages, plain, float(scale), empty)


def _wide(pages: Array, white: Optional[float]) -> Samples:
    """Integers of 32 and 64 bits have whatever full scale was used, hardly ever that of their kind."""
    least, most = int(pages.min()), int(pages.max())
    if white is None:
        for small in SMALL:
            if np.iinfo(small).min <= least and most <= np.iinfo(small).max:
                return Samples(pages, pages.astype(small), None, None)
        white = max(abs(least), abs(most))
    return Samples(pages, pages.astype(np.float32 if max(abs(least), abs(most)) < 1 << 24 else np.float64), float(white), None)


def _scale(scales: Tuple[int, ...], most: float) -> float:
    """Noise may reach beyond white, but hardly to twice that."""
    return next((s for s in scales if most <= 2 * s), most)
