"""Uses ../../python/denoise.py on float and gray arrays, and reads a model file. Arguments: IN OUT MODEL."""

import json
import os
import struct
import sys
import types

import numpy
import tifffile

try:
    import safetensors.numpy  # noqa: F401
except ImportError:
    # Not every system has the package. Its format is simple: a length, a JSON header, the tensors.
    def load_file(path):
        with open(path, "rb") as f:
            data = f.read()
        (n,) = struct.unpack("<Q", data[:8])
        header = json.loads(data[8 : 8 + n])
        header.pop("__metadata__", None)
        kinds = {"F16": "<f2", "F32": "<f4", "F64": "<f8"}
        return {name: numpy.frombuffer(data[8 + n :][slice(*t["data_offsets"])], kinds[t["dtype"]]).reshape(t["shape"]) for name, t in header.items()}

    stand_in = types.ModuleType("safetensors.numpy")
    stand_in.load_file = load_file
    sys.modules["safetensors"], sys.modules["safetensors.numpy"] = types.ModuleType("safetensors"), stand_in
    print("the package safetensors is missing: its format is read by hand")

from denoise import denoise, filters

source, result, model = sys.argv[1:]
image = tifffile.imread(source)
tifffile.imwrite(result, denoise(image, "--sigma", "20", "--quality", "fast"), photometric="rgb", metadata=None)
gray = denoise(image[..., 1] * 255, "--sigma", "20", "--quality", "fast", white=255)
assert gray.shape == image.shape[:2] and gray.dtype == numpy.float32 and 1 < gray.mean() < 254
try:
    denoise(numpy.stack([gray] * 5))
except ValueError as e:
    assert "slices" in str(e), e
else:
    raise AssertionError("a stack was taken for channels")
w = filters(model)
assert w.shape == (1, 63, 64) and abs(w[0] @ numpy.ones(64)).max() < 1e-3, "the filters have no mean"
try:
    denoise(image, "--sigma", "-1")
except ValueError as e:
    assert "must be a number" in str(e), e
else:
    raise AssertionError("a wrong flag was taken")
os.environ["BLORC_DENOISE"] = "/nowhere/blorc"
try:
    denoise(image)
except FileNotFoundError as e:
    assert "/nowhere/blorc" in str(e), e
else:
    raise AssertionError("a missing program was run")
