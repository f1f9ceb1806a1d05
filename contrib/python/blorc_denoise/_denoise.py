"""Denoises an array: pages into the program, pages and what was found out of it."""

import json
import os
import tempfile
import warnings
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _samples, _tiff
from ._axes import Layout, layout
from ._program import ArgumentError, DenoiseError, Progress, run

Noise = Dict[str, Any]
"""What was found: "kind" is gaussian, camera, poisson, curve or none; the numbers of each kind have the names of --json."""

Array = npt.NDArray[Any]
BATCH = 1 << 28  # bytes of a run of the program, which holds them in memory


class Denoised(np.ndarray):  # type: ignore[type-arg]
    """An array with what was found in it. Arithmetic and parts of it are plain arrays, which know nothing of it."""

    noise: Optional[Noise]  # of the first page that has any
    page_noise: Tuple[Noise, ...]  # of each page, in the order of the array

    def __array_finalize__(self, obj: object) -> None:
        self.noise = None
        self.page_noise = ()

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if array.ndim == 0 else np.asarray(array)

    def __getitem__(self, key: Any) -> Any:
        return np.asarray(self)[key]


def denoise(
    array: npt.ArrayLike,
    *,
    noise: Union[str, "os.PathLike[str]", Mapping[str, Any]] = "auto",
    sigma: Optional[float] = None,
    quality: str = "balanced",
    strength: float = 1,
    axes: Optional[str] = None,
    together: bool = False,
    progress: Progress = None,
    white: Optional[float] = None,
    crop: Optional[Tuple[int, int, int, int]] = None,
    flags: Sequence[str] = (),
) -> Denoised:
    """Returns a denoised copy of an array, of the same kind (dtype). It has what was found as .noise and .page_noise.

    The array may have whole numbers or floats of any size. NaN stands for samples without data, and stays.

    axes: a letter for each axis. Y and X are those of a picture, S is red, green, blue (and alpha). Any others count
        pictures, such as Z, T and C. Without it, an array is YX, ZYX, TZYX or TCZYX, and a last axis of 3 or 4 is S. A last
        axis C of 3 or 4 is S too.
    noise: "auto", "gaussian", "camera", "poisson" or "none"; the file of a profile; or the .noise of another result.
    sigma: the standard deviation of the noise in gray levels of 0-255, whatever the kind of the array.
    quality: "fast", "balanced" or "best".
    strength: the share of the noise to remove, 0 to 1.
    together: use the neighbours of each picture in its stack. Each channel (C) is a stack of its own.
    progress: is called with the share that is done, 0 to 1. An exception that it raises ends the work.
    white: the full scale of floats, and of whole numbers of 32 or 64 bits. Without it, that of floats is the first of 1, 255, 4095
        and 65535 that no sample exceeds twice, and that of whole numbers belongs to the smallest kind of 8 or 16 bits that holds
        them all. Where none fits, it is the largest sample.
    crop: x, y, width and height of the part to return. The noise is measured on whole pictures.
    flags: further flags of the program, such as ["--keep-mean"].

    Raises ArgumentError, a ValueError, if an argument makes no sense, DenoiseError with the text of the program if that fails,
    and FileNotFoundError if it is missing.
    """
    source = np.asarray(array)
    if source.ndim == 0 and source.dtype.kind in "OSU":
        raise ArgumentError("an array of numbers is needed, such as tifffile.imread(path) returns", 2)
    if source.size == 0:
        raise ArgumentError("an array of %s has no samples" % (source.shape,), 2)
    try:
        plan = layout(source.shape, axes)
        samples = _samples.prepare(plan.pages(source), white)
    except ValueError as e:
        raise ArgumentError(str(e), 2) from None
    chosen = ["--quality=" + quality, "--strength=%r" % float(strength), *samples.flags, *flags]
    if crop is not None:
        chosen.append("--crop=%d,%d,%d,%d" % tuple(crop))
    with _noise_flags(noise, sigma, samples.white) as told:
        groups = _groups(samples.pages, plan, source.shape, together)
        pages, found = _run_all(chosen + told, samples, groups, together, progress)
    result = plan.array(pages, source.shape).view(Denoised)
    result.page_noise = tuple(found)
    result.noise = next((n for n in found if n["kind"] != "none"), found[0])
    return result


def _groups(pages: Array, plan: Layout, shape: Tuple[int, ...], together: bool) -> List[npt.NDArray[np.intp]]:
    """Returns the numbers of the pages of each run: of one channel, or of as many pages as go into the memory of a run."""
    if together:
        channel = plan.channels(shape)
        return [np.flatnonzero(channel == c) for c in range(channel.max() + 1)]
    most = max(1, BATCH // pages[0].nbytes)
    return [np.arange(at, min(at + most, len(pages))) for at in range(0, len(pages), most)]


def _run_all(
    flags: List[str], samples: _samples.Samples, groups: List[npt.NDArray[np.intp]], together: bool, progress: Progress
) -> Tuple[Array, List[Noise]]:
    count = len(samples.pages)
    results: Optional[Array] = None
    found: List[Noise] = [{}] * count
    before = 0
    for group in groups:

        def share(done: float, before: int = before, n: int = len(group)) -> None:
            if progress is not None:
                progress((before + done * n) / count)

        data, record = _run(flags, samples.pages[group], together and len(group) > 1, share)
        for line in record.get("warnings", ()):
            warnings.warn(line, stacklevel=4)
        own = record.get("page_noise") or [record["noise"]]
        for i, page, n in zip(group, _tiff.decode(data, samples.pages.dtype), own):
            if results is None:
                results = np.empty((count, *page.shape), samples.source.dtype)
            results[i], found[i] = samples.restore(i, page), n
        before += len(group)
    if results is None or not all(found):
        raise ValueError("the program has not written all pages")
    return results, found


def _run(flags: List[str], pages: Array, together: bool, share: Callable[[float], None]) -> Tuple[bytes, Dict[str, Any]]:
    if _tiff.size(pages) > _tiff.LIMIT:
        raise DenoiseError("a picture, or a stack whose pages are denoised together, has more than 4 GB", 5)
    if not together:
        return run(flags, _tiff.encode(pages), share)
    try:
        return run(flags + ["--together"], _tiff.encode(pages), share)
    except ArgumentError as e:
        if "unknown flag: --together" in str(e):
            raise NotImplementedError("this version of the program cannot denoise the pages of a stack together") from None
        raise


@contextmanager
def _noise_flags(noise: Any, sigma: Optional[float], white: Optional[float]) -> Iterator[List[str]]:
    """Gives the flags that say what noise there is. Only a profile needs a file, for as long as the flags are used."""
    if not isinstance(noise, Mapping):
        chosen = [] if noise == "auto" else ["--noise=" + os.fspath(noise)]
        yield chosen if sigma is None else chosen + ["--sigma=%r" % float(sigma)]
        return
    if sigma is not None:
        raise ArgumentError("the noise of another result has its sigma already", 2)
    if "channels" not in noise:
        yield _same_noise(noise, white)
        return
    profile = {"version": 1, "kind": "poisson", "full_scale": noise.get("full_scale", white), "channels": noise["channels"], "broad": 1}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "noise.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(profile, f)
        yield ["--noise=" + path]


def _same_noise(noise: Mapping[str, Any], white: Optional[float]) -> List[str]:
    kind = noise.get("kind")
    if kind == "none":
        return ["--noise=none"]
    if kind == "gaussian":
        scaled = noise["sigma_file"] * 255 / white if "sigma_file" in noise and white else noise["sigma"]
        return ["--noise=gaussian", "--sigma=%r" % scaled]
    if kind == "camera":
        return ["--noise=camera", "--sigma=%r" % noise["level"]]
    if kind == "poisson":
        return ["--noise=poisson"] + ["--%s=%r" % (n.replace("_", "-"), noise[n]) for n in ("gain", "offset", "read_noise") if n in noise]
    raise ArgumentError("noise of the kind %r cannot be given; measure a profile" % kind, 2)
