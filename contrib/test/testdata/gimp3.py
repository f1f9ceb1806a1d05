"""Runs the jobs of gimp3_test.go inside GIMP 3, without its window. GIMP runs it with exec in the folder of the jobs."""

import json

import gi

gi.require_version("Gegl", "0.4")
from gi.repository import Gegl, Gimp, Gio

Gegl.init(None)


def load(path):
    return Gimp.file_load(Gimp.RunMode.NONINTERACTIVE, Gio.File.new_for_path(path))


def pixels(drawable):
    rect = Gegl.Rectangle.new(0, 0, drawable.get_width(), drawable.get_height())
    return bytes(drawable.get_buffer().get(rect, 1.0, None, Gegl.AbyssPolicy.NONE))


def save(image, layer, path):
    """Saves a layer alone, without its offset."""
    alone = Gimp.Image.new_with_precision(layer.get_width(), layer.get_height(), image.get_base_type(), image.get_precision())
    alone.set_color_profile(image.get_color_profile())
    copy = Gimp.Layer.new_from_drawable(layer, alone)
    alone.insert_layer(copy, None, 0)
    copy.set_offsets(0, 0)
    copy.set_lock_content(False)
    Gimp.file_save(Gimp.RunMode.NONINTERACTIVE, alone, Gio.File.new_for_path(path), None)
    alone.delete()


def prepare(image, job):
    """Changes the image as the job says. Returns the drawables for the filter."""
    layers = image.get_layers()
    layer = layers[0]
    if "profile" in job:
        image.set_color_profile(Gimp.ColorProfile.new_rgb_adobe())
    if "precision" in job:
        image.convert_precision(getattr(Gimp.Precision, job["precision"]))
    if "crop" in job:
        image.crop(*job["crop"])
    if "offset" in job:
        layer.set_offsets(*job["offset"])
    if "select" in job:
        image.select_rectangle(Gimp.ChannelOps.REPLACE, *job["select"])
    if "two" in job:
        layers.append(layer.copy())
        image.insert_layer(layers[1], None, 0)
    if "indexed" in job:
        image.convert_indexed(Gimp.ConvertDitherType.NONE, Gimp.ConvertPaletteType.GENERATE, 64, False, False, "")
    if "group" in job:
        layers = [Gimp.GroupLayer.new(image)]
        image.insert_layer(layers[0], None, 0)
        image.reorder_item(layer, layers[0], 0)
    if "locked" in job:
        layers[-1].set_lock_content(True)
    if "inside" in job:
        layers = [layer]
    if "mask" in job:
        layers = [layer.create_mask(Gimp.AddMaskType.COPY)]
        layer.add_mask(layers[0])
    return layers


def denoise(image, drawables, settings):
    procedure = Gimp.get_pdb().lookup_procedure("plug-in-blorc-denoise")
    config = procedure.create_config()
    config.set_property("run-mode", Gimp.RunMode.NONINTERACTIVE)
    config.set_property("image", image)
    config.set_core_object_array("drawables", drawables)
    for name, value in settings.items():
        config.set_property(name, value)
    status = procedure.run(config).index(0)
    return "" if status == Gimp.PDBStatusType.SUCCESS else Gimp.get_pdb().get_last_error()


def run(number, job):
    image = load(job["in"])
    drawables = prepare(image, job)
    before = [pixels(d) for d in drawables]

    def save_all(when):
        for i, d in enumerate(drawables):
            if isinstance(d, Gimp.Layer) and not d.is_indexed():
                save(image, d, "%s-%d-%d%s" % (when, number, i, job["in"][-4:]))

    save_all("before")
    failed = denoise(image, drawables, job["settings"])
    save_all("after")
    same = [pixels(d) for d in drawables] == before
    image.delete()
    return {"failed": failed, "same": same}


with open("jobs.json") as f:
    jobs = json.load(f)
answers = [run(i, job) for i, job in enumerate(jobs)]
with open("answers.json", "w") as f:
    json.dump(answers, f)
