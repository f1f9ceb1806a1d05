#!/usr/bin/env python3
"""blorc-denoise for GIMP 3: Filters > Enhance > Blorc Denoise.

The plug-in gives the colours of a layer to the program blorc-denoise as a TIFF file, and merges the result as a shadow, so undo
and selections work as with any filter. Opacity is not touched.
"""

import os
import sys
import tempfile

import gi

gi.require_version("Gegl", "0.4")
gi.require_version("Gimp", "3.0")
from gi.repository import Gegl, Gimp, GLib, GObject

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from blorc_program import Failed, Samples, arguments, check, find_program, read_part, start_program, wait_for_program, write_whole

PROCEDURE = "plug-in-blorc-denoise"
NOISES = [("auto", "Find it in the image"), ("white", "White, with the sigma below"), ("camera", "Camera, film or scan"), ("photons", "Photons")]
QUALITIES = [("fast", "Fast"), ("balanced", "Balanced"), ("best", "Best")]
SETTINGS = ["noise", "sigma", "gain", "offset", "read-noise", "strength", "luma", "chroma", "quality", "program"]


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


def ask(procedure, config, image, drawables):
    gi.require_version("GimpUi", "3.0")
    from gi.repository import GimpUi

    GimpUi.init(PROCEDURE)
    from blorc_preview import Preview

    dialog = GimpUi.ProcedureDialog(procedure=procedure, config=config, title="Blorc Denoise")
    dialog.fill(SETTINGS)
    preview = Preview(Samples(image, drawables[0]), config, settings)
    dialog.get_content_area().pack_start(preview.box, True, True, 0)
    dialog.get_content_area().reorder_child(preview.box, 0)
    for name, noise in ("sigma", "white"), ("gain", "photons"), ("offset", "photons"), ("read-noise", "photons"):
        values = Gimp.ValueArray.new(1)
        values.append(GObject.Value(str, noise))
        dialog.set_sensitive_if_in(name, config, "noise", values, True)
        if noise == "photons":  # the levels of an image of floats are small numbers
            dialog.get_widget(name, GObject.TYPE_NONE).set_digits(5)
    if all(drawable.is_gray() for drawable in drawables):
        dialog.set_sensitive("chroma", False, None, None, False)
    try:
        return dialog.run()
    finally:
        preview.end()
        dialog.destroy()


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
        p.add_double_argument("sigma", "S_igma (0-255)", "Standard deviation of white noise in gray levels of 0-255, whatever the depth of the image", 0.1, 255, 15, flags)
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
