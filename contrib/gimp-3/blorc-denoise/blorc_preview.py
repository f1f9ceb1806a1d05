"""The preview in the dialog. It runs the program, beside the dialog, for the part of the drawable that is shown."""

import math
import tempfile
import threading

import gi

gi.require_version("GdkPixbuf", "2.0")
gi.require_version("GimpUi", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import GdkPixbuf, Gegl, Gimp, GimpUi, GLib, Gtk, Pango
from gi.types import hook_up_vfunc_implementation

from blorc_program import Failed, arguments, check, find_program, read_part, start_program, wait_for_program, write_whole

ZOOMS = [0.25, 0.5, 1, 2, 4, 8]
SIZE = 200  # of the preview at first, as in other filters


def scale(data, width, channels, left, top, zoom, new_width, new_height):
    """Returns a part of a picture that begins at left and top of the zoomed picture, without gaps between its rows."""
    rgb, alpha, height = GdkPixbuf.Colorspace.RGB, channels == 4, len(data) // (width * channels)
    source = GdkPixbuf.Pixbuf.new_from_bytes(GLib.Bytes.new(data), rgb, alpha, 8, width, height, width * channels)
    result = GdkPixbuf.Pixbuf.new(rgb, alpha, 8, new_width, new_height)
    kind = GdkPixbuf.InterpType.BILINEAR if zoom < 1 else GdkPixbuf.InterpType.NEAREST
    source.scale(result, 0, 0, new_width, new_height, -left, -top, zoom, zoom, kind)
    pixels, stride = result.read_pixel_bytes().get_data(), result.get_rowstride()
    return b"".join(pixels[y * stride : y * stride + new_width * channels] for y in range(new_height))


class View(GimpUi.DrawablePreview):
    """Shows a part of a drawable with a zoom, which GIMP's own preview has not."""

    __gtype_name__ = "BlorcDenoiseView"
    samples = None  # GIMP draws before they are known

    def __init__(self, samples):
        super().__init__(drawable=samples.drawable)
        self.zoom = 1
        self.samples = samples
        self.channels = 4 if samples.alpha else 3
        self.bounds = self.get_bounds()  # those of the selection
        buttons = [self.add_button(*b) for b in (("zoom-out", "Zoom out", -1), ("zoom-in", "Zoom in", 1))]
        self.buttons = dict(zip((-1, 1), buttons))

    def add_button(self, icon, text, step):
        button = Gtk.Button.new_from_icon_name(icon, Gtk.IconSize.SMALL_TOOLBAR)
        button.set_tooltip_text(text)
        button.connect("clicked", lambda _: self.set_zoom(ZOOMS[ZOOMS.index(self.zoom) + step]))
        self.get_controls().pack_start(button, False, False, 0)
        return button

    def set_zoom(self, zoom):
        """Zooms and keeps the middle where it is."""
        middle = [(o + s / 2) / self.zoom for o, s in zip(self.get_offsets(), self.get_size())]
        self.zoom = zoom
        for step, button in self.buttons.items():
            button.set_sensitive(0 <= ZOOMS.index(zoom) + step < len(ZOOMS))
        left, top, right, bottom = self.bounds
        width, height = max(math.ceil((right - left) * zoom), 1), max(math.ceil((bottom - top) * zoom), 1)
        self.set_bounds(0, 0, width, height)
        self.set_size(min(width, SIZE), min(height, SIZE))
        self.draw()
        self.invalidate()
        GLib.idle_add(self.show_middle, middle)  # when the new size is known

    def show_middle(self, middle):
        self.set_position(*(max(round(m * self.zoom - s / 2), 0) for m, s in zip(middle, self.get_size())))

    def corner(self):
        """Returns where the view begins in the whole zoomed drawable. After a zoom, GIMP's own offsets may be behind its end for a while."""
        left, top, right, bottom = self.get_bounds()
        (x, y), (width, height) = self.get_offsets(), self.get_size()
        return max(min(x, right - left - width), 0), max(min(y, bottom - top - height), 0)

    def place(self):
        """Returns the part of the drawable that is shown: left, top, width and height."""
        left, top, right, bottom = self.bounds
        (x, y), (width, height) = self.corner(), self.get_size()
        x1, y1 = left + int(x / self.zoom), top + int(y / self.zoom)
        x2, y2 = min(left + math.ceil((x + width) / self.zoom), right), min(top + math.ceil((y + height) / self.zoom), bottom)
        return x1, y1, x2 - x1, y2 - y1

    def scaled(self, place, data, channels):
        (x, y), (width, height) = self.corner(), self.get_size()
        left, top = x - (place[0] - self.bounds[0]) * self.zoom, y - (place[1] - self.bounds[1]) * self.zoom
        return scale(data, place[2], channels, left, top, self.zoom, width, height)

    def show_drawable(self):
        """Shows the drawable itself. GIMP calls it as the method draw of a preview."""
        if self.samples:
            place = self.place()
            self.show_pixels(self.scaled(place, self.samples.shown(*place), self.channels))

    def show_result(self, place, colours):
        """Shows what the program made of a place, where the drawable is selected."""
        data = self.scaled(place, self.samples.shown(*place, colours), self.channels)
        image = self.samples.drawable.get_image()
        if not Gimp.Selection.is_empty(image):
            noisy = self.scaled(place, self.samples.shown(*place), self.channels)
            share = self.selected(place, image)
            data = bytes(n + ((d - n) * share[i // self.channels] + 127) // 255 for i, (n, d) in enumerate(zip(noisy, data)))
        self.show_pixels(data)

    def selected(self, place, image):
        """Returns how much of each pixel is selected: 0-255."""
        x, y = self.samples.drawable.get_offsets()[-2:]
        rect = Gegl.Rectangle.new(place[0] + x, place[1] + y, place[2], place[3])
        data = bytes(image.get_selection().get_buffer().get(rect, 1.0, "RGB u8", Gegl.AbyssPolicy.NONE))
        return self.scaled(place, data, 3)[::3]

    def show_pixels(self, data):
        width, height = self.get_size()
        kind = Gimp.ImageType.RGBA_IMAGE if self.samples.alpha else Gimp.ImageType.RGB_IMAGE
        self.get_area().draw(0, 0, width, height, kind, data, width * self.channels)


# The name do_draw would stand for Gtk.Widget.draw as well, so PyGObject refuses it.
hook_up_vfunc_implementation(GimpUi.Preview.do_draw, View.__gtype__, View.show_drawable)


class Preview:
    """A view with what the program gives. A program that is out of date is killed.

    Threads only wait for the program and read its file. All of GIMP and of the window is for the main thread.
    """

    def __init__(self, samples, config, settings):
        self.samples, self.config, self.settings = samples, config, settings
        self.source = self.process = None
        self.view = View(samples)
        self.status = Gtk.Label(xalign=0, ellipsize=Pango.EllipsizeMode.END)  # a message must not make the dialog wider
        self.box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
        self.box.pack_start(self.view, True, True, 0)
        self.box.pack_start(self.status, False, False, 0)
        self.box.show_all()
        self.view.connect("invalidated", lambda _: self.start())  # after a pause of 0.2 s without changes
        self.view.connect("notify::update", lambda *_: self.stop())  # the box is checked or not
        self.changed = config.connect("notify", lambda *_: self.view.invalidate())

    def start(self):
        self.stop()
        v, place = self.settings(self.config), self.view.place()
        try:
            self.write_source()
            result = tempfile.TemporaryFile(dir=Gimp.temp_directory())
            try:
                self.process = start_program(find_program(v), arguments(v, place), self.source, result)
            except Failed:
                result.close()
                raise
        except (Failed, OSError) as e:
            self.show_status(str(e))
            return
        self.show_status("Denoising the preview ...")
        threading.Thread(target=self.wait, args=(self.process, result, place), daemon=True).start()

    def write_source(self):
        """Writes the whole drawable once, since the program measures the noise on all of it."""
        if self.source:
            return
        check(self.samples.drawable)
        source = tempfile.TemporaryFile(dir=Gimp.temp_directory())
        try:
            write_whole(source, self.samples.drawable, self.samples)
        except OSError:
            source.close()
            raise
        self.source = source

    def wait(self, process, result, place):
        """Runs in a thread."""
        colours, message = None, ""
        with result:
            try:
                wait_for_program(process, lambda done: None)
                colours = read_part(result, place[2], place[3], self.samples, process.args[0])
            except (Failed, OSError) as e:
                message = str(e)
        GLib.idle_add(self.finish, process, place, colours, message)

    def finish(self, process, place, colours, message):
        if process is self.process:
            self.process = None
            self.show_status(message)
            if colours and place == self.view.place():
                self.view.show_result(place, colours)

    def show_status(self, text):
        self.status.set_text(" ".join(text.split()))  # in one line
        self.status.set_tooltip_text(text)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()  # the next program reads the same open file, which has one position
            self.process = None
        self.show_status("")

    def end(self):
        self.config.disconnect(self.changed)
        self.stop()
        if self.source:
            self.source.close()
