#!/usr/bin/env python3
"""blorc-denoise for GIMP 3: Filters > Enhance > Blorc Denoise.

The plug-in gives the colours of a layer to the program blorc-denoise as a TIFF file, and merges the result as a shadow, so undo
and selections work as with any filter. Opacity is not touched.
"""

import ctypes
import json
import os
import struct
import subprocess
import sys
import tempfile
import threading
from array import array

import gi

gi.require_version("Babl", "0.1")
gi.require_version("Gegl", "0.4")
gi.require_version("Gimp", "3.0")
from gi.repository import Babl, Gegl, Gimp, GLib, GObject

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import blorc_tiff

PROCEDURE = "plug-in-blorc-denoise"
NOISES = [("auto", "Find it in the image"), ("white", "White, with the sigma below"), ("camera", "Camera, film or scan"), ("photons", "Photons")]
QUALITIES = [("fast", "Fast"), ("balanced", "Balanced"), ("best", "Best")]
SETTINGS = ["noise", "sigma", "gain", "offset", "read-noise", "strength", "luma", "chroma", "quality", "program"]


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
    """GIMP kills a plug-in that is cancelled. On Linux, this makes the program end with it."""
    ctypes.CDLL(None).prctl(1, 15)  # PR_SET_PDEATHSIG, SIGTERM


def find_program(v):
    return v["program"] or os.environ.get("BLORC_DENOISE") or "blorc-denoise"


def start_program(program, flags, source, result):
    """Starts the program from one file to another."""
    before = end_with_parent if sys.platform == "linux" else None
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
        if line.startswith("{"):
            show_progress(json.loads(line)["done"])
        else:
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

    def shown(self, x, y, width, height, colours):
        """Returns the bytes that a preview shows."""
        data = self.with_opacity(x, y, width, height, colours)
        if self.code == "B":
            return data.tobytes()
        most = 65535 if self.code == "H" else 1
        return bytes(min(max(round(v * 255 / most), 0), 255) for v in data)


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


def denoise(image, drawable, v):
    """Puts the result into the shadow of the drawable. Returns its place, or None if nothing is selected there."""
    selected, x, y, width, height = drawable.mask_intersect()
    if not selected:
        return None
    whole = 0, 0, drawable.get_width(), drawable.get_height()
    crop = None if (x, y, width, height) == whole else (x, y, width, height)
    Gimp.progress_init("Removing noise")
    samples = Samples(image, drawable)
    program = find_program(v)
    folder = Gimp.temp_directory()
    # The files have no names, so GIMP leaves none when it kills the plug-in.
    with tempfile.TemporaryFile(dir=folder) as source, tempfile.TemporaryFile(dir=folder) as result:
        write_whole(source, drawable, samples)
        wait_for_program(start_program(program, arguments(v, crop), source, result), Gimp.progress_update)
        colours = read_part(result, width, height, samples, program)
    samples.put(x, y, width, height, colours)
    Gimp.progress_end()
    return x, y, width, height


def denoise_all(image, drawables, v):
    """Denoises all drawables or, if one fails, none."""
    for drawable in drawables:
        check(drawable)
    done = [(drawable, denoise(image, drawable, v)) for drawable in drawables]
    image.undo_group_start()
    try:
        for drawable, place in done:
            if place and not drawable.merge_shadow(True):
                raise Failed(Gimp.get_pdb().get_last_error())
            if place:
                drawable.update(*place)
    finally:
        image.undo_group_end()


def settings(config):
    return {name: config.get_property(name) for name in SETTINGS}


class Preview:
    """Denoises what the preview of the dialog shows, beside the dialog. A program that is out of date is killed."""

    def __init__(self, image, drawable, config, widget, status):
        self.image, self.drawable, self.config, self.widget, self.status = image, drawable, config, widget, status
        self.source = self.process = None
        widget.connect("invalidated", lambda _: self.start())
        widget.connect("notify::update", lambda *_: self.stop())  # turned on or off
        self.changed = config.connect("notify", lambda *_: widget.invalidate())

    def start(self):
        self.stop()
        v = settings(self.config)
        place = *self.widget.get_position(), *self.widget.get_size()
        try:
            if not self.source:
                check(self.drawable)
                self.samples = Samples(self.image, self.drawable)
                source = tempfile.TemporaryFile(dir=Gimp.temp_directory())
                write_whole(source, self.drawable, self.samples)
                self.source = source
            result = tempfile.TemporaryFile(dir=Gimp.temp_directory())
            self.process = start_program(find_program(v), arguments(v, place), self.source, result)
        except (Failed, OSError) as e:
            self.show_status(str(e))
            return
        self.show_status("Denoising the preview ...")
        threading.Thread(target=self.wait, args=(self.process, result, place), daemon=True).start()

    def wait(self, process, result, place):
        """Waits for the program. Only the main thread may call GIMP."""
        message = ""
        try:
            wait_for_program(process, lambda done: None)
        except Failed as e:
            message = str(e)
        GLib.idle_add(self.finish, process, result, place, message)

    def finish(self, process, result, place, message):
        with result:
            if process is not self.process:
                return
            self.process = None
            try:
                if message:
                    raise Failed(message)
                colours = read_part(result, place[2], place[3], self.samples, process.args[0])
                shown = self.samples.shown(*place, colours)
                self.widget.draw_buffer(shown, len(shown) // place[3])
            except Failed as e:
                message = str(e)
            self.show_status(message)

    def show_status(self, text):
        self.status.set_text(text)
        self.status.set_tooltip_text(text)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()  # it shares its place in the file with the next one
            self.process = None
        self.show_status("")

    def end(self):
        self.config.disconnect(self.changed)
        self.stop()
        if self.source:
            self.source.close()


def ask(procedure, config, image, drawables):
    gi.require_version("GimpUi", "3.0")
    from gi.repository import GimpUi

    GimpUi.init(PROCEDURE)
    dialog = GimpUi.ProcedureDialog(procedure=procedure, config=config, title="Blorc Denoise")
    widget = dialog.get_drawable_preview("preview", drawables[0])
    status = dialog.get_label("status", "", False, False)
    status.set_property("ellipsize", 3)  # at the end; a message must not make the dialog wider
    preview = Preview(image, drawables[0], config, widget, status)
    dialog.fill(["preview", "status"] + SETTINGS)
    for name, noise in ("sigma", "white"), ("gain", "photons"), ("offset", "photons"), ("read-noise", "photons"):
        values = Gimp.ValueArray.new(1)
        values.append(GObject.Value(str, noise))
        dialog.set_sensitive_if_in(name, config, "noise", values, True)
        if noise == "photons":  # the levels of an image of floats are small numbers
            dialog.get_widget(name, GObject.TYPE_NONE).set_digits(5)
    if all(drawable.is_gray() for drawable in drawables):
        dialog.set_sensitive("chroma", False, None, None, False)
    ok = dialog.run()
    preview.end()
    dialog.destroy()
    return ok


def run(procedure, mode, image, drawables, config, data):
    Gegl.init(None)
    if mode == Gimp.RunMode.INTERACTIVE and not ask(procedure, config, image, drawables):
        return procedure.new_return_values(Gimp.PDBStatusType.CANCEL, None)
    try:
        denoise_all(image, drawables, settings(config))
    except (Failed, OSError) as e:
        return procedure.new_return_values(Gimp.PDBStatusType.EXECUTION_ERROR, GLib.Error(str(e)))
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
        p.add_double_argument("read-noise", "Re_ad noise", "Standard deviation of the read noise in levels of the image", 0, 65535, 0, flags)
        p.add_double_argument("strength", "S_trength (%)", "Share of the noise that is removed", 0, 100, 100, flags)
        p.add_double_argument("luma", "_Brightness (%)", "Share of the noise in the brightness that is removed", 0, 100, 100, flags)
        p.add_double_argument("chroma", "Colo_urs (%)", "Share of the noise in the colours that is removed", 0, 100, 100, flags)
        p.add_choice_argument("quality", "_Quality", "Time against quality", choice(QUALITIES), "balanced", flags)
        p.add_string_argument("program", "Progra_m", "Name or path of the program; empty means that it is in PATH", "", flags)
        return p


Gimp.main(BlorcDenoise.__gtype__, sys.argv)
