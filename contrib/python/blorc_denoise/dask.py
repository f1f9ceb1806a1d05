"""Denoises dask arrays: block by block, with the noise of the whole, and without seams.

    import blorc_denoise.dask

    clean = blorc_denoise.dask.denoise(array, axes="TZYX")
    clean.to_zarr("clean.zarr")
"""

from functools import partial
from importlib import import_module
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _axes, _denoise, _measure, _samples
from ._program import ArgumentError
from ._result import Noise

SIDE = 1024  # of the parts that are looked at
denoise_array: Any = _denoise.denoise
compute: Any = import_module("dask").compute  # type checkers would read all of dask, which has no types for these
delayed: Any = import_module("dask").delayed
map_overlap: Any = import_module("dask.array").map_overlap
WHOLE = ("crop", "together", "return_noise", "progress", "channel_axis")  # options that mean nothing for a block


class Measured(NamedTuple):
    noise: Noise
    data_range: Optional[float]
    margin: int  # samples around a block
    multiple: int  # blocks begin at multiples of it


def denoise(
    array: Any,
    *,
    noise: Any = None,
    axes: Optional[str] = None,
    channel_axis: Optional[int] = None,
    data_range: Optional[float] = None,
    margin: Optional[int] = None,
    **options: Any,
) -> Any:
    """Returns a dask array of the same shape and kind, whose blocks are denoised when they are computed.

    noise: the .noise of a result, or a word or a file as for blorc_denoise.denoise. Without it, or for a kind whose numbers are
        not given, the noise is measured at once, in the one of five parts of the array that shows most.
    axes, channel_axis, data_range: as for blorc_denoise.denoise. data_range is taken from the five parts, too.
    margin: the samples around a block that are computed with it. The program says how many it needs; fewer take less time, and
        change samples a little.
    options: quality, strength, sigma, workers (without it 1, since dask computes several blocks at a time) and flags.

    Blocks are whole in the axes of colours, and are made so large that the margins cost less than the blocks.
    """
    for name in WHOLE:
        if name in options:
            raise ArgumentError("%s has no meaning for blocks" % name, 2)
    try:
        letters = _axes.layout(array.shape, axes, channel_axis).axes
    except ValueError as e:
        raise ArgumentError(str(e), 2) from None
    options = {"workers": 1, **options}
    measured = _measured(array, letters, "auto" if noise is None else noise, data_range, options)
    if margin is not None:
        margin = -(-margin // measured.multiple) * measured.multiple
        measured = measured._replace(margin=min(margin, measured.margin))
    if measured.noise["kind"] == "none":
        return array
    if measured.noise["kind"] == "camera":  # the correction of the brightness is measured in the whole picture
        options["flags"] = [*options.get("flags", ()), "--keep-mean"]
    options.pop("sigma", None)
    block = partial(_block, axes=letters, noise=measured.noise, data_range=measured.data_range, **options)
    depth = {i: measured.margin if letter in "YX" else 0 for i, letter in enumerate(letters)}
    blocks = array.rechunk(_chunks(array, letters, measured))
    meta = np.empty((0,) * array.ndim, array.dtype)
    return map_overlap(block, blocks, depth=depth, boundary="none", dtype=array.dtype, meta=meta)


def _block(block: Any, **options: Any) -> Any:
    result = denoise_array(block, **options)
    return result if isinstance(result, np.ma.MaskedArray) else np.asarray(result)


def _chunks(array: Any, letters: str, measured: Measured) -> Dict[int, Tuple[int, ...]]:
    """Returns chunks that begin where the program wants, and are at least twice as large as their margins."""
    chunks: Dict[int, Tuple[int, ...]] = {}
    for i, letter in enumerate(letters):
        n = array.shape[i]
        if letter == "S":
            chunks[i] = (n,)
        elif letter in "YX":
            side = max(array.chunksize[i], 2 * measured.margin, 1)
            side = -(-side // measured.multiple) * measured.multiple
            count = max(1, n // side)
            last = n - (count - 1) * side
            chunks[i] = (side,) * (count - 1) + ((last,) if last <= side + measured.margin else (side, last - side))
    return chunks


def _measured(array: Any, letters: str, noise: Any, data_range: Optional[float], options: Mapping[str, Any]) -> Measured:
    """Measures what blocks have in common, in parts of the array."""
    parts = [array[place] for place in _places(array.shape, letters)]
    looks = compute(*[delayed(_look)(part, letters, data_range) for part in parts])
    if data_range is None:
        data_range = max(full for _, full in looks)
    best = parts[int(np.argmax([spread for spread, _ in looks]))]
    (measured,) = compute(delayed(_measure_part)(best, letters, noise, data_range, dict(options)))
    return measured  # type: ignore[no-any-return]


def _look(part: Any, letters: str, data_range: Optional[float]) -> Tuple[float, float]:
    """Returns how much a part shows, and its full scale."""
    mask = np.ma.getmaskarray(part) if isinstance(part, np.ma.MaskedArray) else None  # type: ignore[no-untyped-call]
    full = _samples.prepare(np.asarray(part), mask, data_range).full
    seen = np.asarray(part)[~mask] if mask is not None else part
    return _measure.spread(seen), full


def _measure_part(part: Any, letters: str, noise: Any, data_range: float, options: Dict[str, Any]) -> Measured:
    """Measures the noise, which does not depend on the quality, and asks for the margin, which does, of a few samples."""
    kind = part.dtype
    own = None if kind.kind in "iu" and kind.itemsize < 4 else data_range
    given = {"sigma": options.pop("sigma", None), "noise": noise}
    found = denoise_array(part, axes=letters, data_range=own, **{**options, **given, "quality": "fast"}).noise
    if found["kind"] == "curve":
        text = "the noise grows with the brightness in a way that cannot be given for each block; measure a profile, or give noise='poisson'"
        raise ArgumentError(text, 2)
    corner = part[tuple(slice(0, 64) if letter in "YX" else slice(None) for letter in letters)]
    margin = denoise_array(corner, axes=letters, data_range=own, **{**options, "noise": found}).margin
    return Measured(found, own, *margin)


def _places(shape: Sequence[int], letters: str) -> List[Tuple[slice, ...]]:
    """Returns the places of a few parts, each of one picture, spread over the array."""
    sides = [n if letter == "S" else min(n, SIDE) if letter in "YX" else 1 for letter, n in zip(letters, shape)]
    counts = [n // side for n, side in zip(shape, sides)]
    places = []
    for k in _measure.some(int(np.prod(counts))):
        at = np.unravel_index(k, counts)
        places.append(tuple(slice(int(i) * side, (int(i) + 1) * side) for i, side in zip(at, sides)))
    return places
