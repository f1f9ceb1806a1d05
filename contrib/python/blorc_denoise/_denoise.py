"""Denoises an array: pages into the program, pages and what was found out of it."""

import os
import warnings
from functools import partial
from typing import Any, List, Literal, Mapping, Optional, Sequence, Tuple, Union, overload

import numpy as np
import numpy.typing as npt

from . import _noise, _progress, _samples, _tiff
from ._axes import Crop, Layout, layout, part
from ._program import ArgumentError, DenoiseError, Progress
from ._result import Denoised, Noise
from ._worker import Pool, Request

Array = npt.NDArray[Any]
BATCH = 1 << 28  # bytes of a run of the program, which holds them in memory
SHARED = Pool(idle=30)


@overload
def denoise(array: npt.ArrayLike, *, return_noise: Literal[True], **options: Any) -> Tuple[Array, Noise]: ...


@overload
def denoise(
    array: npt.ArrayLike,
    *,
    noise: Union[str, "os.PathLike[str]", Mapping[str, Any]] = "auto",
    sigma: Optional[float] = None,
    data_range: Optional[float] = None,
    quality: str = "balanced",
    strength: float = 1,
    axes: Optional[str] = None,
    channel_axis: Optional[int] = None,
    together: bool = False,
    crop: Crop = None,
    workers: Optional[int] = None,
    progress: Union[Progress, bool] = None,
    flags: Sequence[str] = (),
    return_noise: Literal[False] = False,
) -> Denoised: ...


def denoise(  # type: ignore[misc]
    array: npt.ArrayLike,
    *,
    noise: Union[str, "os.PathLike[str]", Mapping[str, Any]] = "auto",
    sigma: Optional[float] = None,
    data_range: Optional[float] = None,
    quality: str = "balanced",
    strength: float = 1,
    axes: Optional[str] = None,
    channel_axis: Optional[int] = None,
    together: bool = False,
    crop: Crop = None,
    workers: Optional[int] = None,
    progress: Union[Progress, bool] = None,
    flags: Sequence[str] = (),
    return_noise: bool = False,
    _pool: Optional[Pool] = None,
) -> Any:
    """Returns a denoised copy of an array, of the same kind (dtype). It has what was found as .noise and .page_noise.

    The array may have whole numbers or floats of any size. NaN and what is masked stand for samples without data, which stay
    as they are. A masked array comes back masked.

    noise: "auto", "gaussian", "camera", "poisson" or "none"; the file of a profile; or the .noise of another result.
    sigma: the standard deviation of the noise, in the units of the array.
    data_range: the full scale of floats, and of whole numbers of 32 or 64 bits. Without it, that of floats is the first of 1,
        255, 4095 and 65535 that no sample exceeds twice, and that of whole numbers belongs to the smallest kind of 8 or 16 bits
        that holds them all. Where none fits, it is the largest sample.
    quality: "fast", "balanced" or "best".
    strength: the share of the noise to remove, 0 to 1.
    axes: a letter for each axis. Y and X are those of a picture, S is red, green, blue (and alpha). Any others count
        pictures, such as Z, T and C. Without it, an array is YX, ZYX, TZYX or TCZYX, and a last axis of 3 or 4 is S. A last
        axis C of 3 or 4 is S too.
    channel_axis: the axis that has the channels. Three or four are S, and of any other number each is a picture.
    together: use the neighbours of each picture in its stack. Each channel (C) is a stack of its own.
    crop: x, y, width and height of the part to return. The noise is measured on whole pictures.
    workers: the number of processors to use, without it all.
    progress: True shows it, with tqdm if that is installed. A function is called with the share that is done, 0 to 1. An
        exception that it raises ends the work.
    flags: further flags of the program, such as ["--keep-mean"].
    return_noise: return the pair of a plain array and what was found.

    Raises ArgumentError, a ValueError, if an argument makes no sense, DenoiseError with the text of the program if that fails,
    and FileNotFoundError if it is missing.
    """
    source, mask = np.asarray(array), _mask(array)
    if source.ndim == 0 and source.dtype.kind in "OSU":
        raise ArgumentError("an array of numbers is needed, such as tifffile.imread(path) returns", 2)
    if source.size == 0:
        raise ArgumentError("an array of %s has no samples" % (source.shape,), 2)
    if isinstance(flags, str):
        raise ArgumentError("flags are a list, such as [%r]" % flags, 2)
    try:
        plan = layout(source.shape, axes, channel_axis)
        hidden = None if mask is None else plan.pages(mask)
        samples = _samples.prepare(plan.pages(source), hidden, data_range)
    except ValueError as e:
        raise ArgumentError(str(e), 2) from None
    chosen = ["--quality=" + quality, "--strength=%r" % float(strength), *samples.flags, *flags]
    if workers is not None:
        chosen.append("--workers=%d" % workers)
    if crop is not None:
        chosen.append("--crop=%d,%d,%d,%d" % tuple(crop))
    groups = _groups(samples.pages, plan, source.shape, together)
    with _noise.flags(noise, sigma, samples.full) as told, _progress.shown(progress) as tell:
        pages, found, margin = _run_all(_pool or SHARED, chosen + told, samples, groups, crop, together, tell)
    result: Any = plan.array(pages, source.shape).view(Denoised)
    result.page_noise, result.margin = tuple(found), margin
    result.noise = first = next((n for n in found if n["kind"] != "none"), found[0])
    if return_noise:
        result = np.asarray(result)
    if hidden is not None:
        cut = plan.array(np.stack([part(page, crop) for page in hidden]), source.shape)
        result = np.ma.MaskedArray(result, cut, fill_value=array.fill_value)  # type: ignore
    return (result, first) if return_noise else result


def _mask(array: Any) -> Optional[Array]:
    return np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None  # type: ignore[no-untyped-call]


def _groups(pages: Array, plan: Layout, shape: Tuple[int, ...], together: bool) -> List[npt.NDArray[np.intp]]:
    """Returns the numbers of the pages of each run: of one channel, or of as many pages as go into the memory of a run."""
    if together:
        channel = plan.channels(shape)
        return [np.flatnonzero(channel == c) for c in range(channel.max() + 1)]
    most = max(1, BATCH // pages[0].nbytes)
    return [np.arange(at, min(at + most, len(pages))) for at in range(0, len(pages), most)]


def _run_all(
    pool: Pool,
    flags: List[str],
    samples: _samples.Samples,
    groups: List[npt.NDArray[np.intp]],
    crop: Crop,
    together: bool,
    progress: Progress,
) -> Tuple[Array, List[Noise], Tuple[int, int]]:
    count = len(samples.pages)
    results: Optional[Array] = None
    found: List[Noise] = [{}] * count
    before, margin = 0, (0, 1)
    for group in groups:

        def share(done: float, before: int = before, n: int = len(group)) -> None:
            if progress is not None:
                progress((before + done * n) / count)

        pages = samples.pages[group]
        if _tiff.size(pages) > _tiff.LIMIT:
            raise DenoiseError("a picture, or a stack whose pages are denoised together, has more than 4 GB", 5)
        told = flags + ["--together"] * (together and len(group) > 1)
        data, record = pool.ask(Request(told, _tiff.size(pages), partial(_tiff.encode, pages)), share)
        for line in record.get("warnings", ()):
            warnings.warn(line, stacklevel=3)
        if "margin" in record:
            margin = max(margin, (record["margin"]["samples"], record["margin"]["multiple"]))
        own = record.get("page_noise") or [record["noise"]]
        for i, page, n in zip(group, _tiff.decode(data, samples.pages.dtype), own):
            if results is None:
                results = np.empty((count, *page.shape), samples.source.dtype)
            results[i], found[i] = samples.restore(i, page, crop), _noise.in_units(n, samples.full)
        before += len(group)
    if results is None or not all(found):
        raise ValueError("the program has not written all pages")
    return results, found, margin


class Denoiser:
    """Denoises many arrays with the same processes, which it keeps until close, or the end of a with statement.

    The function denoise keeps processes, too, until nobody has needed them for half a minute.
    """

    def __init__(self, **options: Any) -> None:
        """Takes options of denoise, which calls may replace."""
        self._options, self._pool = options, Pool()

    def __call__(self, array: npt.ArrayLike, **options: Any) -> Any:
        chosen: Any = {**self._options, **options, "_pool": self._pool}
        return denoise(array, **chosen)

    def close(self) -> None:
        """Ends the processes."""
        self._pool.close()

    def __enter__(self) -> "Denoiser":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
