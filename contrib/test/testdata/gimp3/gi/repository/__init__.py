"""Stand-ins for the modules of GIMP 3. They hold an image of one layer, and are strict about what they are given."""

import numpy


class GLib:
    class Error(Exception):
        pass


class GObject:
    class ParamFlags:
        READWRITE = 3


class Gegl:
    class AbyssPolicy:
        NONE = 0

    class Rectangle:
        @staticmethod
        def new(x, y, width, height):
            r = Gegl.Rectangle()
            r.x, r.y, r.width, r.height = x, y, width, height
            return r

    @staticmethod
    def init(args):
        assert args is None


TYPES = {"u8": numpy.uint8, "u16": numpy.uint16, "float": numpy.float32}


class Buffer:
    def __init__(self, pixels):
        self.pixels = pixels  # height x width x channels
        self.flushed = False

    def channels(self, names):
        has = self.pixels.shape[2]
        wanted = {"Y'": [0], "Y'A": [0, 1], "R'G'B'": [0, 1, 2], "R'G'B'A": [0, 1, 2, 3]}[names]
        assert len(wanted) in (has, has - 1), (names, has)
        return wanted

    def get(self, rect, scale, name, policy):
        assert isinstance(rect, Gegl.Rectangle) and scale == 1.0 and policy == Gegl.AbyssPolicy.NONE
        names, kind = name.split()
        part = self.pixels[rect.y : rect.y + rect.height, rect.x : rect.x + rect.width][..., self.channels(names)]
        return convert(part, TYPES[kind]).tobytes()

    def set(self, rect, name, data):
        assert isinstance(data, bytes)
        names, kind = name.split()
        channels = self.channels(names)
        part = numpy.frombuffer(data, TYPES[kind]).reshape(rect.height, rect.width, len(channels))
        self.pixels[rect.y : rect.y + rect.height, rect.x : rect.x + rect.width][..., channels] = convert(part, self.pixels.dtype)

    def flush(self):
        self.flushed = True


def convert(a, to):
    full = {numpy.dtype(numpy.uint8): 255, numpy.dtype(numpy.uint16): 65535, numpy.dtype(numpy.float32): 1}
    if a.dtype == to:
        return a
    out = a.astype(float) / full[a.dtype] * full[numpy.dtype(to)]
    return out.astype(to) if numpy.dtype(to) == numpy.float32 else numpy.clip(out + 0.5, 0, full[numpy.dtype(to)]).astype(to)


class Drawable:
    def __init__(self, pixels, selection=None):
        self.pixels, self.selection, self.shadow, self.updated = pixels, selection, None, None

    def get_width(self):
        return self.pixels.shape[1]

    def get_height(self):
        return self.pixels.shape[0]

    def is_gray(self):
        return self.pixels.shape[2] < 3

    def has_alpha(self):
        return self.pixels.shape[2] in (2, 4)

    def mask_intersect(self):
        return (True, *(self.selection or (0, 0, self.get_width(), self.get_height())))

    def get_buffer(self):
        return Buffer(self.pixels)

    def get_shadow_buffer(self):
        self.shadow = self.shadow or Buffer(numpy.zeros_like(self.pixels))
        return self.shadow

    def merge_shadow(self, undo):
        assert undo is True and self.shadow.flushed
        _, x, y, width, height = self.mask_intersect()
        self.pixels[y : y + height, x : x + width] = self.shadow.pixels[y : y + height, x : x + width]

    def update(self, *rect):
        self.updated = rect


class Image:
    def __init__(self, precision, profile=None):
        self.precision, self.profile, self.undo = precision, profile, []

    def get_precision(self):
        return self.precision

    def get_color_profile(self):
        return self.profile

    def undo_group_start(self):
        self.undo.append("start")

    def undo_group_end(self):
        self.undo.append("end")


class Procedure:
    def __init__(self, run):
        self.run, self.defaults, self.ranges = run, {}, {}

    def add_choice_argument(self, name, nick, blurb, choice, value, flags):
        assert value in choice.names
        self.defaults[name], self.ranges[name] = value, choice.names

    def add_double_argument(self, name, nick, blurb, least, most, value, flags):
        assert least <= value <= most
        self.defaults[name] = float(value)

    def add_string_argument(self, name, nick, blurb, value, flags):
        self.defaults[name] = value

    def new_return_values(self, status, error):
        assert error is None or isinstance(error, GLib.Error)
        return status, error

    def __getattr__(self, name):
        if name in ("set_image_types", "set_sensitivity_mask", "set_menu_label", "add_menu_path", "set_documentation", "set_attribution"):
            return lambda *args: None
        raise AttributeError(name)


class Config:
    def __init__(self, values):
        self.values = values

    def get_property(self, name):
        return self.values[name]


class Gimp:
    plug_in = None
    progress = []

    class Precision:
        U8_LINEAR, U8_NON_LINEAR, U8_PERCEPTUAL = 100, 150, 175
        U16_LINEAR, U16_NON_LINEAR, U16_PERCEPTUAL = 200, 250, 275
        FLOAT_NON_LINEAR = 650

    class RunMode:
        INTERACTIVE, NONINTERACTIVE, WITH_LAST_VALS = 0, 1, 2

    class PDBStatusType:
        EXECUTION_ERROR, CALLING_ERROR, PASS_THROUGH, SUCCESS, CANCEL = range(5)

    class PDBProcType:
        PLUGIN = 1

    class ProcedureSensitivityMask:
        DRAWABLE, DRAWABLES = 1, 4

    class Choice:
        def __init__(self):
            self.names = []

        @staticmethod
        def new():
            return Gimp.Choice()

        def add(self, name, number, label, help_):
            self.names.append(name)

    class ImageProcedure:
        @staticmethod
        def new(plug_in, name, kind, run, data):
            return Procedure(run)

    class PlugIn:
        __gtype__ = None

        def __init_subclass__(cls):
            cls.__gtype__ = cls

    @staticmethod
    def main(kind, args):
        Gimp.plug_in = kind()

    @staticmethod
    def progress_init(text):
        Gimp.progress = []

    @staticmethod
    def progress_update(share):
        Gimp.progress.append(share)

    @staticmethod
    def progress_end():
        pass

    @staticmethod
    def temp_directory():
        return None

    @staticmethod
    def displays_flush():
        pass
