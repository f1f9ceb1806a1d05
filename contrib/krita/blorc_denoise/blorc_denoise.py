"""The action Tools > Scripts > Blorc Denoise."""

import json
import os
import struct
import tempfile
from array import array

from PyQt5.QtCore import QEventLoop, QProcess, QRect, Qt
from PyQt5.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLineEdit,
    QMessageBox,
    QProgressDialog,
    QSpinBox,
)
from krita import Extension, Krita

from . import blorc_tiff

NAME = "Blorc Denoise"

# Settings with their defaults. Gain, offset and read noise are in levels of the layer; a gain of 0 means that they are found.
DEFAULTS = {
    "noise": "auto",
    "sigma": 15.0,
    "gain": 0.0,
    "offset": 0.0,
    "read_noise": 0.0,
    "strength": 100,
    "luma": 100,
    "chroma": 100,
    "quality": "balanced",
    "result": "layer",
    "program": "",
}

NOISES = [("auto", "Find it in the layer"), ("white", "White, with the sigma below"), ("camera", "Camera, film or scan"), ("photons", "Photons")]
QUALITIES = [("fast", "Fast"), ("balanced", "Balanced"), ("best", "Best")]
RESULTS = [("layer", "New layer above"), ("replace", "In this layer (cannot be undone)")]


class Failed(Exception):
    """Has a message for the user."""


class Cancelled(Exception):
    """The user cancelled the work."""


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
            flags += ["--gain=%g" % v["gain"], "--offset=%g" % v["offset"], "--read-noise=%g" % v["read_noise"]]
    for name in "strength", "luma", "chroma":
        flags.append("--%s=%g" % (name, v[name] / 100))
    if crop:
        flags.append("--crop=%d,%d,%d,%d" % crop)
    return flags


def run(program, flags, progress=None):
    """Runs the program. Progress, a QProgressDialog, may cancel it. The event loop goes on meanwhile."""
    process, loop, messages = QProcess(), QEventLoop(), []

    def read():
        while process.canReadLine():
            line = bytes(process.readLine()).decode("utf-8", "replace")
            if not line.startswith("{"):
                messages.append(line)
            elif progress:
                progress.setValue(int(100 * json.loads(line)["done"]))

    process.setReadChannel(QProcess.StandardError)
    process.readyReadStandardError.connect(read)
    process.finished.connect(lambda *_: loop.quit())
    process.errorOccurred.connect(lambda *_: loop.quit())
    if progress:
        # SIGTERM lets the program remove its files. Windows has nothing like it.
        progress.canceled.connect(process.kill if os.name == "nt" else process.terminate)
    process.start(program, flags)
    if process.state() != QProcess.NotRunning:
        loop.exec_()
    if process.error() == QProcess.FailedToStart:
        raise Failed("%s: %s. Install blorc-denoise, or give its path in the dialog." % (program, process.errorString()))
    process.waitForFinished(10000)
    read()
    if progress and progress.wasCanceled():
        raise Cancelled()
    if process.exitStatus() != QProcess.NormalExit or process.exitCode():
        raise Failed("".join(messages).strip() or "%s failed" % program)


class Pixels:
    """The samples of a rectangle of a layer, with the colours apart from the opacity."""

    FORMATS = {"U8": "B", "U16": "H", "F16": "e", "F32": "f"}

    def __init__(self, node, rect):
        self.depth = node.colorDepth()
        self.channels = {"RGBA": 3, "GRAYA": 1}.get(node.colorModel())
        if self.channels is None or self.depth not in self.FORMATS:
            raise Failed("Layers of the kind %s %s cannot be denoised: convert the layer to RGB or gray." % (node.colorModel(), self.depth))
        self.rect = rect
        self.data = bytes(node.pixelData(rect.x(), rect.y(), rect.width(), rect.height()))
        # Krita keeps integers as blue, green, red, and floats as red, green, blue.
        self.order = (2, 1, 0) if self.channels == 3 and self.depth in ("U8", "U16") else tuple(range(self.channels))

    def samples(self):
        if self.depth == "F16":
            return array("f", struct.unpack("=%de" % (len(self.data) // 2), self.data))
        return array(self.FORMATS[self.depth], self.data)

    def colours(self):
        """Returns the colours, interleaved as red, green, blue."""
        all_, n = self.samples(), self.channels
        out = array(all_.typecode, bytes(len(all_) // (n + 1) * n * all_.itemsize))
        for i, place in enumerate(self.order):
            out[i::n] = all_[place :: n + 1]
        return out

    def with_colours(self, colours):
        """Returns the pixel data with other colours and the old opacity."""
        out, n = self.samples(), self.channels
        for i, place in enumerate(self.order):
            out[place :: n + 1] = colours[i::n]
        if self.depth == "F16":
            return struct.pack("=%de" % len(out), *out)
        return out.tobytes()


def blend(old, new, mask, depth):
    """Mixes pixel data by a selection of 0-255."""
    if all(m == 255 for m in mask):
        return new
    code = Pixels.FORMATS[depth]
    n = len(old) // struct.calcsize(code)
    a, b = struct.unpack("=%d%s" % (n, code), old), struct.unpack("=%d%s" % (n, code), new)
    step = n // len(mask)
    out = [x + (y - x) * mask[i // step] / 255 for i, (x, y) in enumerate(zip(a, b))]
    if code in "BH":
        out = [int(v + 0.5) for v in out]
    return struct.pack("=%d%s" % (n, code), *out)


def masked(data, mask, depth, channels):
    """Multiplies the opacity of pixel data by a selection of 0-255."""
    if all(m == 255 for m in mask):
        return data
    code = Pixels.FORMATS[depth]
    step = channels + 1
    out = list(struct.unpack("=%d%s" % (len(mask) * step, code), data))
    for i, m in enumerate(mask):
        v = out[i * step + channels] * m / 255
        out[i * step + channels] = int(v + 0.5) if code in "BH" else v
    return struct.pack("=%d%s" % (len(out), code), *out)


def denoise(document, node, v, progress=None):
    """Denoises a layer and returns the layer with the result."""
    if node is None or node.type() != "paintlayer":
        raise Failed("Only paint layers can be denoised.")
    whole = node.bounds().intersected(QRect(0, 0, document.width(), document.height()))
    selection, area = document.selection(), whole
    if selection:
        area = whole.intersected(QRect(selection.x(), selection.y(), selection.width(), selection.height()))
    if area.isEmpty():
        raise Failed("There are no pixels in the layer or in the selection.")
    crop = None
    if area != whole:
        crop = (area.x() - whole.x(), area.y() - whole.y(), area.width(), area.height())
    pixels = Pixels(node, whole)
    with tempfile.TemporaryDirectory(prefix="blorc-") as folder:
        source, result = os.path.join(folder, "in.tif"), os.path.join(folder, "out.tif")
        blorc_tiff.write(source, whole.width(), whole.height(), pixels.channels, pixels.colours())
        program = v["program"] or os.environ.get("BLORC_DENOISE") or "blorc-denoise"
        run(program, arguments(v, crop) + [source, "-o", result], progress)
        width, height, _, colours = blorc_tiff.read(result)
    if (width, height) != (area.width(), area.height()):
        raise Failed("The output of the program has another size.")
    old = Pixels(node, area)
    data = old.with_colours(colours)
    rect = area.x(), area.y(), area.width(), area.height()
    mask = bytes(selection.pixelData(*rect)) if selection else b"\xff"
    if v["result"] == "replace":
        node.setPixelData(blend(old.data, data, mask, old.depth), *rect)
        target = node
    else:
        target = document.createNode(node.name() + " denoised", "paintlayer")
        target.setPixelData(masked(data, mask, old.depth, old.channels) if selection else data, *rect)
        node.parentNode().addChildNode(target, node)
    document.refreshProjection()
    return target


class Dialog(QDialog):
    """Asks for the settings."""

    def __init__(self, parent, v, levels):
        super().__init__(parent)
        self.setWindowTitle(NAME)
        form = QFormLayout(self)
        self.fields = {}

        def choice(key, label, entries):
            box = QComboBox()
            for value, text in entries:
                box.addItem(text, value)
            box.setCurrentIndex(max(0, box.findData(v[key])))
            self.fields[key] = box, box.currentData
            form.addRow(label, box)

        def number(key, label, most, digits, tip):
            box = QDoubleSpinBox()
            box.setDecimals(digits)
            box.setMaximum(most)
            box.setValue(v[key])
            box.setToolTip(tip)
            self.fields[key] = box, box.value
            form.addRow(label, box)

        def share(key, label):
            box = QSpinBox()
            box.setMaximum(100)
            box.setSuffix(" %")
            box.setValue(int(v[key]))
            self.fields[key] = box, box.value
            form.addRow(label, box)

        choice("noise", "&Noise:", NOISES)
        number("sigma", "S&igma (0-255):", 255, 1, "Standard deviation in gray levels of 0-255, whatever the depth of the layer")
        digits = 2 if levels > 1 else 6
        number("gain", "&Gain:", levels, digits, "Levels of the layer for each photon; 0 means that gain, offset and read noise are found")
        number("offset", "O&ffset:", levels, digits, "Level of the layer without any photon")
        number("read_noise", "&Read noise:", levels, digits, "Standard deviation of the read noise in levels of the layer")
        share("strength", "&Strength:")
        share("luma", "&Brightness:")
        share("chroma", "&Colours:")
        choice("quality", "&Quality:", QUALITIES)
        choice("result", "R&esult:", RESULTS)
        program = QLineEdit(v["program"])
        program.setPlaceholderText("blorc-denoise")
        self.fields["program"] = program, program.text
        form.addRow("&Program:", program)
        buttons = QDialogButtonBox(QDialogButtonBox.Ok | QDialogButtonBox.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form.addRow(buttons)
        self.fields["noise"][0].currentIndexChanged.connect(self.enable)
        self.enable()

    def enable(self):
        noise = self.fields["noise"][1]()
        self.fields["sigma"][0].setEnabled(noise == "white")
        for key in "gain", "offset", "read_noise":
            self.fields[key][0].setEnabled(noise == "photons")

    def values(self):
        return {key: get() for key, (_, get) in self.fields.items()}


def load_settings(app):
    try:
        saved = json.loads(app.readSetting("blorc_denoise", "settings", "{}"))
    except ValueError:
        saved = {}
    return {key: saved[key] if isinstance(saved.get(key), type(value)) else value for key, value in DEFAULTS.items()}


class BlorcDenoise(Extension):
    """The extension that Krita loads."""

    def setup(self):
        pass

    def createActions(self, window):
        action = window.createAction("blorc_denoise", NAME + "...", "tools/scripts")
        action.triggered.connect(self.ask)

    def ask(self):
        app = Krita.instance()
        document, window = app.activeDocument(), app.activeWindow()
        parent = window.qwindow() if window else None
        if document is None:
            QMessageBox.information(parent, NAME, "There is no open image.")
            return
        node = document.activeNode()
        levels = {"U8": 255, "U16": 65535}.get(node.colorDepth() if node else "", 1)
        dialog = Dialog(parent, load_settings(app), levels)
        if dialog.exec_() != QDialog.Accepted:
            return
        v = dialog.values()
        app.writeSetting("blorc_denoise", "settings", json.dumps(v))
        progress = QProgressDialog("Removing noise ...", "Cancel", 0, 100, parent)
        progress.setWindowTitle(NAME)
        progress.setWindowModality(Qt.ApplicationModal)
        progress.setMinimumDuration(500)
        try:
            denoise(document, node, v, progress)
        except Cancelled:
            pass
        except (Failed, OSError, ValueError) as e:
            QMessageBox.warning(parent, NAME, str(e))
        finally:
            progress.reset()
            progress.deleteLater()
