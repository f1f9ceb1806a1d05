"""Which axes of an array are pictures, and which count them."""

import warnings
from typing import Any, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Crop = Optional[Tuple[int, int, int, int]]

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


def part(page: Array, crop: Crop) -> Array:
    """Returns the part of a page that x, y, width and height of a crop mean."""
    if crop is None:
        return page
    x, y, width, height = crop
    return page[y : y + height, x : x + width]


def layout(shape: Tuple[int, ...], axes: Optional[str], channel_axis: Optional[int] = None) -> Layout:
    """Returns the layout of an array with such axes, or the likely one if they are not given."""
    if axes is not None and channel_axis is not None:
        raise ValueError("axes say which axis has the channels, so channel_axis has no meaning")
    if axes is not None:
        letters = _check(axes, shape)
    elif channel_axis is not None:
        letters = _with_channels(shape, channel_axis)
    else:
        letters = _guess(shape)
        _hint(shape, letters)
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
    return _of(len(shape) - colour, len(shape)) + "S" * colour


def _of(ndim: int, all_axes: int) -> str:
    letters = GUESSES.get(ndim)
    if letters is None:
        raise ValueError("an array of %d axes needs axes=, such as axes='TCZYX'" % all_axes)
    return letters


def _with_channels(shape: Tuple[int, ...], channel_axis: int) -> str:
    """Three or four channels are colours. Of others, each is denoised alone."""
    n = len(shape)
    if not -n <= channel_axis < n:
        raise ValueError("channel_axis %d is none of the %d axes of the array" % (channel_axis, n))
    at = channel_axis % n
    letters, own = _of(n - 1, n), "S" if shape[at] in COLOURS else "C"
    if own in letters:
        raise ValueError("an array of %d axes with channels needs axes=, such as axes='TZYXC'" % n)
    return letters[:at] + own + letters[at:]


def _hint(shape: Tuple[int, ...], letters: str) -> None:
    """Warns of shapes whose likely layout is hardly that which was meant."""
    taken = "an array of %s is taken for " % " x ".join(map(str, shape)) + "%d pictures of %d x %d; "
    if letters == "ZYX" and shape[0] == 3 and min(shape[1:]) > 4:
        text = taken % shape + "if the first axis is red, green and blue: channel_axis=0, if not: axes='ZYX'"
    elif "S" not in letters and len(shape) > 2 and shape[-1] < 8 <= shape[-2]:
        pages = int(np.prod(shape[:-2]))
        text = taken % (pages, *shape[-2:]) + "if the last axis has channels: channel_axis=-1, if not: axes=%r" % letters
    else:
        return
    warnings.warn(text, stacklevel=4)


def _check(axes: str, shape: Tuple[int, ...]) -> str:
    letters = axes.upper()
    if len(letters) != len(shape):
        raise ValueError("axes %r name %d axes, but the array has %d" % (axes, len(letters), len(shape)))
    if len(set(letters)) != len(letters) or not letters.isalpha():
        raise ValueError("axes %r are not different letters" % axes)
    if "Y" not in letters or "X" not in letters:
        raise ValueError("axes %r have no Y and X" % axes)
    return letters
