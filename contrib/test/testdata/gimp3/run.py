"""run.py PLUGIN IN OUT SETTINGS: runs the plug-in for GIMP 3 on a TIFF file, with the stand-ins beside this file."""

import importlib.util
import json
import sys

import numpy
import tifffile
from gi.repository import Config, Drawable, Gimp, Image

plug_in, source, result, settings = sys.argv[1:]
spec = importlib.util.spec_from_file_location("plug_in", plug_in)
spec.loader.exec_module(importlib.util.module_from_spec(spec))
names = Gimp.plug_in.do_query_procedures()
procedure = Gimp.plug_in.do_create_procedure(names[0])

pixels = tifffile.imread(source)
if pixels.ndim == 2:
    pixels = pixels[..., None]
v = json.loads(settings)
drawable = Drawable(pixels.copy(), v.pop("selection", None))
precision = {"uint8": Gimp.Precision.U8_NON_LINEAR, "uint16": Gimp.Precision.U16_NON_LINEAR, "float32": Gimp.Precision.FLOAT_NON_LINEAR}[str(pixels.dtype)]
image = Image(precision, v.pop("profile", None))
status, error = procedure.run(procedure, Gimp.RunMode.NONINTERACTIVE, image, [drawable], Config({**procedure.defaults, **v}), None)
assert image.undo == ["start", "end"]
if error:
    assert status == Gimp.PDBStatusType.EXECUTION_ERROR
    sys.exit("GIMP would show: %s" % error)
assert status == Gimp.PDBStatusType.SUCCESS and drawable.updated and Gimp.progress[-1] == 1
out = drawable.pixels
extra = ["unassalpha"] if drawable.has_alpha() else []
tifffile.imwrite(result, out[..., 0] if out.shape[2] == 1 else out, photometric="minisblack" if drawable.is_gray() else "rgb", extrasamples=extra, metadata=None)
