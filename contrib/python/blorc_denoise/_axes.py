"""Which axes of an array are pictures, and which count them."""

from typing import Any, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

COLOURS = (3, 4)  # samples of a pixel: RGB, or RGB with alpha
GUESSES = {2: "YX", 3: "ZYX", 4: "TZYX", 5: "TCZYX"}


class Layout(NamedTuple):
    """How an array becomes pages of height x width, or height x width x colours."""

    axes: str  # a letter for each axis; Y and X are those of a picture, S is its colours
    order: Tuple[int, ...]  # of the axes, so that pages come first

    @property
    def colour(self) -> bool:
        return "S" in self.axes

    def pages(self, array: Array) -> Array:
        """Returns the array with one axis for all pages, which comes first."""
        moved = array.transpose(self.order)
        at = moved.ndim - self._inner
        return moved.reshape((-1,) + moved.shape[at:])

    def array(self, pages: Array, shape: Tuple[int, ...]) -> Array:
        """Returns pages in the order of the axes. Shape is that of the array; pages may be smaller than its pictures."""
        outer = tuple(shape[i] for i in self.order[: len(shape) - self._inner])
        moved = pages.reshape(outer + pages.shape[1:])
        return np.ascontiguousarray(moved.transpose(np.argsort(self.order)))

    def channels(self, shape: Tuple[int, ...]) -> Array:
        """Returns the channel of each page, all 0 if there is no axis C."""
        outer = [(self.axes[i], shape[i]) for i in self.order[: len(shape) - self._inner]]
        index = np.zeros([n for _, n in outer], dtype=int)
        for at, (letter, n) in enumerate(outer):
            if letter == "C":
                index += np.arange(n).reshape([-1 if i == at else 1 for i in range(len(outer))])
        return index.reshape(-1)

    @property
    def _inner(self) -> int:
        return 3 if self.colour else 2


def layout(shape: Tuple[int, ...], axes: Optional[str]) -> Layout:
    """Returns the layout of an array with such axes, or the likely one if they are not given."""
    letters = _guess(shape) if axes is None else _check(axes, shape)
    if letters.endswith("C") and shape[-1] in COLOURS:  # YXC: colours and not stains
        letters = letters[:-1] + "S"
    last = [letters.index("Y"), letters.index("X")]
    if "S" in letters:
        last.append(letters.index("S"))
        if shape[last[-1]] not in COLOURS:
            raise ValueError("axis S has %d samples; a colour has 3, or 4 with alpha" % shape[last[-1]])
    first = [i for i in range(len(shape)) if i not in last]
    return Layout(letters, tuple(first + last))


def _guess(shape: Tuple[int, ...]) -> str:
    colour = len(shape) > 2 and shape[-1] in COLOURS
    letters = GUESSES.get(len(shape) - colour)
    if letters is None:
        raise ValueError("an array of %d axes needs axes=, such as axes='TCZYX'" % len(shape))
    return letters + "S" * colour


def _check(axes: str, shape: Tuple[int, ...]) -> str:
    letters = axes.upper()
    if len(letters) != len(shape):
        raise ValueError("axes %r name %d axes, but the array has %d" % (axes, len(letters), len(shape)))
    if len(set(letters)) != len(letters) or not letters.isalpha():
        raise ValueError("axes %r are not different letters" % axes)
    if "Y" not in letters or "X" not in letters:
        raise ValueError("axes %r have no Y and X" % axes)
    return letters
