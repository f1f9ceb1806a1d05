"""The noise in the units of an array, and in those of the program, whose gray levels go from 0 to 255."""

import json
import os
import tempfile
import warnings
from contextlib import contextmanager
from typing import Any, Iterator, List, Mapping, Optional

from ._program import ArgumentError
from ._result import Noise

LEVELS = ("sigma", "sigma_chroma", "level", "level_chroma")  # of --json; other numbers have the units of the file
ROUNDING = 0.29  # what rounding to whole numbers alone leaves: 1 / sqrt(12)


def in_units(noise: Noise, full: float) -> Noise:
    """Returns the noise of a record of the program in the units of an array of such a full scale."""
    own = {name: value * full / 255 if name in LEVELS else value for name, value in noise.items() if name != "sigma_file"}
    if "sigma_file" in noise:
        own["sigma"] = noise["sigma_file"]
    return own


def check_sigma(sigma: float, full: float) -> None:
    """Warns of a sigma that is meant for another range."""
    meant = None
    if sigma >= full > 0:
        meant = sigma * full / 255
    elif 0 < sigma < ROUNDING and full >= 127:
        meant = sigma * full
    if meant is not None:
        other = "gray levels of 0 to 255" if sigma >= full else "shares of the full scale"
        text = "sigma=%g is in the units of the array, whose full scale is %g; if you mean %s: sigma=%.3g"
        warnings.warn(text % (sigma, full, other, meant), stacklevel=5)


@contextmanager
def flags(noise: Any, sigma: Optional[float], full: float) -> Iterator[List[str]]:
    """Gives the flags that say what noise there is. Only a profile needs a file, for as long as the flags are used."""
    if not isinstance(noise, Mapping):
        chosen = [] if noise == "auto" else ["--noise=" + os.fspath(noise)]
        if sigma is not None:
            check_sigma(sigma, full)
            chosen.append(_sigma(sigma, full))
        yield chosen
        return
    if sigma is not None:
        raise ArgumentError("the noise of another result has its sigma already", 2)
    if "channels" not in noise:
        yield _same(noise, full)
        return
    profile = {"version": 1, "kind": "poisson", "full_scale": noise.get("full_scale", full), "channels": noise["channels"], "broad": 1}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "noise.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(profile, f)
        yield ["--noise=" + path]


def _sigma(sigma: float, full: float) -> str:
    return "--sigma=%r" % (float(sigma) * 255 / full if full else float(sigma))


def _same(noise: Mapping[str, Any], full: float) -> List[str]:
    kind = noise.get("kind")
    if kind == "none":
        return ["--noise=none"]
    if kind == "gaussian":
        return ["--noise=gaussian", _sigma(noise["sigma"], full)]
    if kind == "camera":
        return ["--noise=camera", _sigma(noise["level"], full)]
    if kind == "poisson":
        return ["--noise=poisson"] + ["--%s=%r" % (n.replace("_", "-"), noise[n]) for n in ("gain", "offset", "read_noise") if n in noise]
    raise ArgumentError("noise of the kind %r cannot be given; measure a profile" % kind, 2)
