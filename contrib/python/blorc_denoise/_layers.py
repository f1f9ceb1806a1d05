"""What the widget of napari does with image layers. It needs no napari, only objects that have the attributes of its layers."""

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _measure
from ._denoise import denoise
from ._result import Denoised, Noise

NOISES = {"found": "auto", "white": "gaussian", "camera": "camera", "photons": "poisson"}
OTHERS = "TCZABDEFGHIJKLMNOPQRUVW"  # letters of axes that count pictures
KEPT = ("rotate", "shear", "affine", "gamma", "blending", "opacity", "units", "axis_labels", "rgb")  # of a layer, for its result


class Shown(NamedTuple):
    """What of a layer is shown."""

    axes: str  # a letter for each axis of the data; Y and X are those of the picture on the screen
    step: Tuple[int, ...]  # the place in the data, of which the axes other than Y, X and S count


def shown(layer: Any, dims: Any) -> Shown:
    """Returns what of a layer is shown, for the dims of the viewer."""
    ndim = int(layer.ndim)
    before = int(dims.ndim) - ndim  # axes that only other layers have
    displayed = [d - before for d in dims.displayed if d >= before][-2:]
    if len(displayed) < 2:
        raise ValueError("the layer is not shown as a picture")
    free = iter(OTHERS)
    letters = ["YX"[displayed.index(i)] if i in displayed else next(free) for i in range(ndim)]
    at = np.round(layer.world_to_data(dims.point)[-ndim:]).astype(int)
    step = np.clip(at, 0, np.array(full(layer).shape[:ndim]) - 1)
    return Shown("".join(letters) + "S" * bool(layer.rgb), tuple(int(i) for i in step))


def full(layer: Any) -> Any:
    """Returns the data of a layer at full size."""
    return layer.data[0] if layer.multiscale else layer.data


def page(view: Shown) -> Tuple[slice, ...]:
    """Returns the place of the picture that is shown. All axes are kept."""
    return tuple(slice(None) if letter in "YXS" else slice(i, i + 1) for letter, i in zip(view.axes, view.step + (0,)))


def some(view: Shown, shape: Sequence[int], first: int, last: int) -> Tuple[slice, ...]:
    """Returns the place of slices from first to last along the first axis that is not shown, at all places of the others."""
    at = next((i for i, letter in enumerate(view.axes) if letter not in "YXS"), None)
    if at is None:
        raise ValueError("the layer is a single picture, and has no slices")
    if not 0 <= first <= last < shape[at]:
        raise ValueError("slices go from 0 to %d" % (shape[at] - 1))
    return tuple(slice(first, last + 1) if i == at else slice(None) for i in range(len(view.axes)))


def visible(layer: Any, view: Shown) -> Tuple[int, int, int, int]:
    """Returns x, y, width and height of the part of the picture that is on the screen."""
    corners = np.array(layer.corner_pixels, float)
    if layer.multiscale:
        corners = corners * np.array(layer.downsample_factors[layer.data_level])
    y, x = view.axes.index("Y"), view.axes.index("X")
    shape = full(layer).shape
    place = []
    for i in (x, y):
        start = int(np.clip(corners[0][i], 0, shape[i] - 1))
        place.append((start, int(np.clip(corners[1][i] + 1, start + 1, shape[i]))))
    return place[0][0], place[1][0], place[0][1] - place[0][0], place[1][1] - place[1][0]


def candidates(view: Shown, shape: Sequence[int], part: Sequence[slice]) -> List[Tuple[slice, ...]]:
    """Returns the places of a few pictures in a part of the data."""
    ranges = [[0] if letter in "YXS" else range(*s.indices(n)) for letter, n, s in zip(view.axes, shape, part)]
    counts = [len(r) for r in ranges]
    steps = [[r[int(i)] for r, i in zip(ranges, np.unravel_index(k, counts))] for k in _measure.some(int(np.prod(counts)))]
    return [page(view._replace(step=tuple(step))) for step in steps]


def denoise_part(
    layer: Any,
    view: Shown,
    part: Tuple[slice, ...],
    measured_once: bool = False,
    progress: Optional[Callable[[float], object]] = None,
    **options: Any,
) -> Denoised:
    """Denoises a part of the data of a layer, as denoise does. The noise may be measured once, in the picture that tells most."""
    data = full(layer)
    if measured_once:
        best = _measure.most_telling([page(view), *candidates(view, data.shape, part)], lambda place: data[place])
        # What is found does not depend on the quality, and no progress can be told of so short a time.
        found = denoise(np.asarray(data[best]), axes=view.axes, quality="fast", noise=options["noise"])
        options["noise"] = found.noise
    result: Denoised = denoise(np.asarray(data[part]), axes=view.axes, progress=progress, **options)
    return result


def is_dark(layer: Any, view: Shown) -> bool:
    """Says whether the picture that is shown has hardly any light, beside others of the layer."""
    data = full(layer)
    others = candidates(view, data.shape, (slice(None),) * len(view.axes))
    return _measure.spread(data[page(view)]) < _measure.DARK * max(_measure.spread(data[place]) for place in others)


def result_of(layer: Any, name: str, result: Denoised, offset: Sequence[int]) -> Dict[str, Any]:
    """Returns what a layer of the result has: it lies where its samples came from, and looks like the layer."""
    made = {key: getattr(layer, key) for key in KEPT if hasattr(layer, key)}
    made.update(name=name, scale=layer.scale, translate=moved(layer, offset), metadata={"noise": result.noise, "page_noise": result.page_noise})
    if not layer.rgb:
        made.update(colormap=layer.colormap, contrast_limits=layer.contrast_limits)
    return made


def moved(layer: Any, offset: Sequence[int]) -> Any:
    """Returns the translation of a layer that begins at an offset in the data of this one."""
    shift = np.array(layer.data_to_world(offset)) - np.array(layer.data_to_world([0] * len(offset)))
    return np.array(layer.translate) + np.linalg.solve(np.array(layer.affine.linear_matrix), shift)


def describe(noise: Optional[Noise]) -> str:
    """Returns a line about the noise that was found."""
    if not noise:
        return ""
    kind = noise["kind"]
    if kind == "gaussian":
        return "white noise, sigma %.3g" % noise["sigma"]
    if kind == "camera":
        return "camera noise, level %.3g" % noise["level"]
    if kind == "poisson":
        return "photon noise, gain %.3g, offset %.3g, read noise %.3g" % (noise.get("gain", 0), noise.get("offset", 0), noise.get("read_noise", 0))
    return {"none": "no noise", "curve": "noise by brightness"}.get(kind, str(kind))
