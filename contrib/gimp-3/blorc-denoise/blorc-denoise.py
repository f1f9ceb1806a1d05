#!/usr/bin/env python3
"""blorc-denoise for GIMP 3: Filters > Enhance > Blorc Denoise.

The plug-in writes the colours of the layer into a TIFF file, runs the program blorc-denoise on it, and merges the result as
a shadow, so undo and selections work as with any filter. Opacity is not touched.
"""

import ctypes
import json
import os
import struct
import subprocess
import sys
import tempfile
from array import array

import gi

gi.require_version("Gegl", "0.4")
gi.require_version("Gimp", "3.0")
from gi.repository import Gegl, Gimp, GLib, GObject

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import blorc_tiff

PROCEDURE = "plug-in-blorc-denoise"
NOISES = [("auto", "Find it in the image"), ("white", "White, with the sigma below"), ("camera", "Camera, film or scan"), ("photons", "Photons")]
QUALITIES = [("fast", "Fast"), ("balanced", "Balanced"), ("best", "Best")]


class Failed(Exception):
    """Has a message for the user."""


def arguments(v, crop=None):
    """Returns the flags of the program for settings."""
    flags = ["-q", "--progress=json", "--quality=" + v["quality"]]
    if v["noise"] == "white":
        flags.append("--sigma=%g" % v["sigma"])
    elif v["noise"] == "camera":
        flags.append("--noise=camera")
    elif v["noise"] == "photons":
        flags.append("--noise=poisson")
        if v["gain"] > 0:
            flags += ["--gain=%g" % v["gain"], "--offset=%g" % v["offset"], "--read-noise=%g" % v["read-noise"]]
    for name in "strength", "luma", "chroma":
        flags.append("--%s=%g" % (name, v[name] / 100))
    if crop:
        flags.append("--crop=%d,%d,%d,%d" % crop)
    return flags


def end_with_parent():
    """GIMP kills a plug-in that is cancelled. On Linux, this makes the program end with it and remove its files."""
    ctypes.CDLL(None).prctl(1, 15)  # PR_SET_PDEATHSIG, SIGTERM


def run_program(program, flags):
    """Runs the program and shows its progress."""
    before = end_with_parent if sys.platform == "linux" else None
    window = {"creationflags": 0x08000000} if sys.platform == "win32" else {}  # CREATE_NO_WINDOW
    try:
        process = subprocess.Popen([program] + flags, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   encoding="utf-8", errors="replace", preexec_fn=before, **window)
    except OSError as e:
        raise Failed("%s: %s. Install blorc-denoise, or give its path in the dialog." % (program, e.strerror))
    messages = []
    for line in process.stderr:
        if line.startswith("{"):
            Gimp.progress_update(json.loads(line)["done"])
        else:
            messages.append(line)
    if process.wait():
        raise Failed("".join(messages).strip() or "%s failed" % program)


class Samples:
    """The samples of a drawable. They have the gamma of a saved file.

    Python can name formats in the colour space sRGB only. So images with another profile pass as floats, which
    lose nothing when they are converted and converted back.
    """

    def __init__(self, image, drawable):
        precision = image.get_precision()
        self.code, kind = "f", "float"
        if image.get_color_profile() is None:
            if precision in (Gimp.Precision.U8_NON_LINEAR, Gimp.Precision.U8_PERCEPTUAL):
                self.code, kind = "B", "u8"
            elif precision in (Gimp.Precision.U16_NON_LINEAR, Gimp.Precision.U16_PERCEPTUAL):
                self.code, kind = "H", "u16"
        self.drawable = drawable
        self.channels = 1 if drawable.is_gray() else 3
        self.alpha = drawable.has_alpha()
        names = {(1, False): "Y'", (1, True): "Y'A", (3, False): "R'G'B'", (3, True): "R'G'B'A"}
        self.colour = "%s %s" % (names[self.channels, False], kind)
        self.whole = "%s %s" % (names[self.channels, self.alpha], kind)

    def colours(self, x, y, width, height):
        rect = Gegl.Rectangle.new(x, y, width, height)
        return array(self.code, bytes(self.drawable.get_buffer().get(rect, 1.0, self.colour, Gegl.AbyssPolicy.NONE)))

    def put(self, x, y, width, height, colours):
        """Sets the colours and keeps the opacity."""
        rect, data = Gegl.Rectangle.new(x, y, width, height), colours
        if self.alpha:
            data = array(self.code, bytes(self.drawable.get_buffer().get(rect, 1.0, self.whole, Gegl.AbyssPolicy.NONE)))
            for i in range(self.channels):
                data[i :: self.channels + 1] = colours[i :: self.channels]
        shadow = self.drawable.get_shadow_buffer()
        shadow.set(rect, self.whole, data.tobytes())
        shadow.flush()


def denoise(image, drawable, v):
    selected, x, y, width, height = drawable.mask_intersect()
    if not selected:
        return
    whole = 0, 0, drawable.get_width(), drawable.get_height()
    crop = None if (x, y, width, height) == whole else (x, y, width, height)
    Gimp.progress_init("Removing noise")
    samples = Samples(image, drawable)
    with tempfile.TemporaryDirectory(prefix="blorc-", dir=Gimp.temp_directory()) as folder:
        source, result = os.path.join(folder, "in.tif"), os.path.join(folder, "out.tif")
        blorc_tiff.write(source, whole[2], whole[3], samples.channels, samples.colours(*whole))
        run_program(v["program"] or os.environ.get("BLORC_DENOISE") or "blorc-denoise", arguments(v, crop) + [source, "-o", result])
        got_width, got_height, _, colours = blorc_tiff.read(result)
    if (got_width, got_height) != (width, height):
        raise Failed("The output of the program has another size.")
    samples.put(x, y, width, height, colours)
    drawable.merge_shadow(True)
    drawable.update(x, y, width, height)
    Gimp.progress_end()


def ask(procedure, config):
    gi.require_version("GimpUi", "3.0")
    from gi.repository import GimpUi

    GimpUi.init(PROCEDURE)
    dialog = GimpUi.ProcedureDialog(procedure=procedure, config=config)
    dialog.fill(None)
    ok = dialog.run()
    dialog.destroy()
    return ok


def run(procedure, mode, image, drawables, config, data):
    Gegl.init(None)
    if mode == Gimp.RunMode.INTERACTIVE and not ask(procedure, config):
        return procedure.new_return_values(Gimp.PDBStatusType.CANCEL, None)
    names = ["noise", "sigma", "gain", "offset", "read-noise", "strength", "luma", "chroma", "quality", "program"]
    v = {name: config.get_property(name) for name in names}
    image.undo_group_start()
    try:
        for drawable in drawables:
            denoise(image, drawable, v)
    except (Failed, OSError, ValueError, struct.error) as e:
        return procedure.new_return_values(Gimp.PDBStatusType.EXECUTION_ERROR, GLib.Error(str(e)))
    finally:
        image.undo_group_end()
    if mode != Gimp.RunMode.NONINTERACTIVE:
        Gimp.displays_flush()
    return procedure.new_return_values(Gimp.PDBStatusType.SUCCESS, None)


def choice(entries):
    c = Gimp.Choice.new()
    for i, (name, label) in enumerate(entries):
        c.add(name, i, label, "")
    return c


class BlorcDenoise(Gimp.PlugIn):
    def do_set_i18n(self, name):
        return False

    def do_query_procedures(self):
        return [PROCEDURE]

    def do_create_procedure(self, name):
        p = Gimp.ImageProcedure.new(self, name, Gimp.PDBProcType.PLUGIN, run, None)
        p.set_image_types("RGB*, GRAY*")
        p.set_sensitivity_mask(Gimp.ProcedureSensitivityMask.DRAWABLE | Gimp.ProcedureSensitivityMask.DRAWABLES)
        p.set_menu_label("_Blorc Denoise...")
        p.add_menu_path("<Image>/Filters/Enhance")
        p.set_documentation("Remove noise with learned filters", "Runs the program blorc-denoise on each selected layer.", name)
        p.set_attribution("The blorc-denoise authors", "The blorc-denoise authors", "2026")
        flags = GObject.ParamFlags.READWRITE
        p.add_choice_argument("noise", "_Noise", "Kind of noise", choice(NOISES), "auto", flags)
        p.add_double_argument("sigma", "S_igma (0-255)", "Standard deviation of white noise in grey levels of 0-255, whatever the depth of the image", 0.1, 255, 15, flags)
        p.add_double_argument("gain", "_Gain", "Levels of the image for each photon; 0 means that gain, offset and read noise are found", 0, 65535, 0, flags)
        p.add_double_argument("offset", "O_ffset", "Level of the image without any photon", 0, 65535, 0, flags)
        p.add_double_argument("read-noise", "_Read noise", "Standard deviation of the read noise in levels of the image", 0, 65535, 0, flags)
        p.add_double_argument("strength", "_Strength (%)", "Share of the noise that is removed", 0, 100, 100, flags)
        p.add_double_argument("luma", "_Brightness (%)", "Share of the noise in the brightness that is removed", 0, 100, 100, flags)
        p.add_double_argument("chroma", "_Colours (%)", "Share of the noise in the colours that is removed", 0, 100, 100, flags)
        p.add_choice_argument("quality", "_Quality", "Time against quality", choice(QUALITIES), "balanced", flags)
        p.add_string_argument("program", "_Program", "Name or path of the program; empty means that it is in PATH", "", flags)
        return p


Gimp.main(BlorcDenoise.__gtype__, sys.argv)
