"""Runs the program blorc-denoise on the colours of a drawable of GIMP. The filter and its preview share it."""

import ctypes
import json
import os
import struct
import subprocess
import sys
from array import array

import gi

gi.require_version("Babl", "0.1")
gi.require_version("Gegl", "0.4")
gi.require_version("Gimp", "3.0")
from gi.repository import Babl, Gegl, Gimp

import blorc_tiff

LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class Failed(Exception):
    """Has a message for the user."""


def arguments(v, crop=None):
    """Returns the flags of the program for settings."""
    flags = ["-q", "--progress=json", "--on-invalid=keep", "--quality=" + v["quality"]]
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
    """GIMP kills a plug-in that is cancelled. On Linux, this makes the program end with it."""
    LIBC.prctl(1, 15)  # PR_SET_PDEATHSIG, SIGTERM


def find_program(v):
    return v["program"] or os.environ.get("BLORC_DENOISE") or "blorc-denoise"


def start_program(program, flags, source, result):
    """Starts the program from one file to another."""
    before = end_with_parent if LIBC else None
    window = {"creationflags": 0x08000000} if sys.platform == "win32" else {}  # CREATE_NO_WINDOW
    source.seek(0)
    try:
        return subprocess.Popen([program] + flags + ["-", "-o", "-"], stdin=source, stdout=result, stderr=subprocess.PIPE,
                                encoding="utf-8", errors="replace", preexec_fn=before, **window)
    except OSError as e:
        raise Failed("%s: %s. Install blorc-denoise, or give its path in the dialog." % (program, e.strerror))


def wait_for_program(process, show_progress):
    messages = []
    for line in process.stderr:
        try:
            show_progress(json.loads(line)["done"])
        except (ValueError, LookupError, TypeError):  # no progress
            messages.append(line)
    if process.wait():
        raise Failed("".join(messages).strip() or "%s failed" % process.args[0])


def write_whole(source, drawable, samples):
    whole = 0, 0, drawable.get_width(), drawable.get_height()
    blorc_tiff.write(os.dup(source.fileno()), whole[2], whole[3], samples.channels, samples.colours(*whole))


def read_part(result, width, height, samples, program):
    """Returns the colours that the program has written."""
    result.seek(0)
    try:
        got_width, got_height, channels, colours = blorc_tiff.read(os.dup(result.fileno()))
    except (ValueError, LookupError, struct.error):
        raise Failed("%s has not written a picture. Is it blorc-denoise?" % program)
    if (got_width, got_height, channels, colours.typecode) != (width, height, samples.channels, samples.code):
        raise Failed("The output of %s is of another size or kind." % program)
    return colours


class Samples:
    """The samples of a drawable. They have the levels of a saved file: the colour space of the image, with its gamma.

    If GIMP keeps other levels, they pass as floats, which lose nothing.
    """

    def __init__(self, image, drawable):
        depth, _, curve = image.get_precision().value_nick.partition("-")  # such as u8 and non-linear
        same = curve == "non-linear" or curve == "perceptual" and image.get_color_profile() is None
        self.code = {"u8": "B", "u16": "H"}.get(depth, "f") if same else "f"
        self.drawable = drawable
        self.channels = 1 if drawable.is_gray() else 3
        self.alpha = drawable.has_alpha()
        colour = "R'G'B'" if self.channels == 3 else "Y'"
        if isinstance(drawable, Gimp.Channel):  # also the mask of a layer: its levels have no gamma
            colour = "Y"
        self.colour = self.format(colour)
        self.whole = self.format(colour + "A") if self.alpha else self.colour

    def format(self, model):
        """Returns the name of a format. Babl has the space of the image in it."""
        kind = {"B": "u8", "H": "u16", "f": "float"}[self.code]
        return Babl.get_name(Babl.format_with_space("%s %s" % (model, kind), self.drawable.get_format()))

    def colours(self, x, y, width, height):
        rect = Gegl.Rectangle.new(x, y, width, height)
        return array(self.code, bytes(self.drawable.get_buffer().get(rect, 1.0, self.colour, Gegl.AbyssPolicy.NONE)))

    def with_opacity(self, x, y, width, height, colours):
        """Returns colours with the opacity of the drawable, if it has any."""
        if not self.alpha:
            return colours
        rect = Gegl.Rectangle.new(x, y, width, height)
        data = array(self.code, bytes(self.drawable.get_buffer().get(rect, 1.0, self.whole, Gegl.AbyssPolicy.NONE)))
        for i in range(self.channels):
            data[i :: self.channels + 1] = colours[i :: self.channels]
        return data

    def put(self, x, y, width, height, colours):
        """Sets the colours of the shadow and keeps the opacity."""
        shadow = self.drawable.get_shadow_buffer()
        shadow.set(Gegl.Rectangle.new(x, y, width, height), self.whole, self.with_opacity(x, y, width, height, colours).tobytes())
        shadow.flush()

    def shown(self, x, y, width, height, colours=None):
        """Returns the bytes that a screen shows: RGB or RGBA. Without colours, they are those of the drawable."""
        rect, buffer = Gegl.Rectangle.new(x, y, width, height), self.drawable.get_buffer()
        if colours is not None:
            data = self.with_opacity(x, y, width, height, colours)
            buffer = Gegl.Buffer.new(self.whole, x, y, width, height)
            buffer.set(rect, self.whole, data.tobytes())
        model = "R'G'B'A u8" if self.alpha else "R'G'B' u8"
        return bytes(buffer.get(rect, 1.0, Babl.get_name(Babl.format_with_space(model, self.drawable.get_format())), Gegl.AbyssPolicy.NONE))


def check(drawable):
    """Refuses what GIMP lets no filter change, before the work and not after it."""
    name = drawable.get_name()
    if drawable.is_group():
        raise Failed("%s is a group. Select layers in it." % name)
    if drawable.is_indexed():
        raise Failed("%s has indexed colours. Choose Image > Mode > RGB first." % name)
    item = drawable
    while item:  # a group locks what is in it
        if item.get_lock_content():
            raise Failed("The pixels of %s are locked." % item.get_name())
        item = item.get_parent()
