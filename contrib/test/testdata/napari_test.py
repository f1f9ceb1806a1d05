"""Tests the napari plug-in: its manifest with npe2, and its widget with magicgui and Qt, without a screen.

The viewer is that of napari where napari is installed. Elsewhere it is a stand-in with the attributes that the widget uses.
"""

import os
import sys
import time
import types
import unittest
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from npe2 import PluginManifest
from qtpy.QtWidgets import QApplication

import blorc_denoise
from blorc_denoise import _layers, denoise

APPLICATION = QApplication.instance() or QApplication([])

try:
    from napari.components import ViewerModel
    from napari.layers import Image
except ImportError:
    ViewerModel = Image = None


class Layer:
    """Has what the widget uses of napari.layers.Image."""

    multiscale, gamma, blending, opacity, colormap, contrast_limits = False, 1.0, "translucent", 1.0, "gray", [0, 255]

    def __init__(self, data, name="cells", rgb=False, scale=None, translate=None, **more):
        self.data, self.name, self.rgb, self.ndim = data, name, rgb, data.ndim - rgb
        self.scale = np.array(scale if scale is not None else [1.0] * self.ndim)
        self.translate = np.array(translate if translate is not None else [0.0] * self.ndim)
        self.affine = types.SimpleNamespace(linear_matrix=np.eye(self.ndim))
        self.corner_pixels = np.array([[0] * self.ndim, np.array(data.shape[: self.ndim]) - 1])
        self.metadata = more.get("metadata", {})

    def world_to_data(self, point):
        return (np.array(point)[-self.ndim :] - self.translate) / self.scale

    def data_to_world(self, place):
        return np.array(place) * self.scale + self.translate

    def as_layer_data_tuple(self):
        return self.data, {}, "image"


class Layers(list):
    selection = types.SimpleNamespace(active=None)


class Viewer:
    """Has what the widget uses of napari.Viewer."""

    def __init__(self):
        self.layers, self.dims = Layers(), types.SimpleNamespace()

    def add_image(self, data, **more):
        layer = Layer(data, **{k: v for k, v in more.items() if k in ("name", "rgb", "scale", "translate", "metadata")})
        self.layers.append(layer)
        self.layers.selection.active = layer
        if len(self.layers) == 1:
            self.dims = types.SimpleNamespace(ndim=layer.ndim, displayed=(layer.ndim - 2, layer.ndim - 1), point=(0,) * layer.ndim)
        return layer


def viewer():
    return ViewerModel() if ViewerModel else Viewer()


def at(view, *point):
    """Moves the sliders of a viewer."""
    if ViewerModel:
        view.dims.point = point
    else:
        view.dims.point = point


def stack(n=3, seed=1):
    y, x = np.mgrid[:40, :48]
    scene = 120 + 50 * (np.sin(x / 9) + np.cos(y / 7))
    noise = np.random.default_rng(seed).normal(0, 8, (n,) + scene.shape)
    return (scene + noise).clip(0, 255).astype("u1")


def wait(widget):
    """Lets Qt work until the thread of the widget has ended."""
    end = time.monotonic() + 60
    while not widget.start.enabled and time.monotonic() < end:
        APPLICATION.processEvents()
        time.sleep(0.01)
    assert widget.start.enabled, "the widget has not come to an end"


class Manifest(unittest.TestCase):
    def test_is_valid(self):
        manifest = PluginManifest.from_file(Path(blorc_denoise.__file__).with_name("napari.yaml"))
        manifest.validate_imports()
        (widget,) = manifest.contributions.widgets
        (command,) = manifest.contributions.commands
        self.assertEqual((manifest.name, widget.command), ("blorc-denoise", command.id))
        module, name = command.python_name.split(":")
        self.assertTrue(callable(getattr(__import__(module, fromlist=[name]), name)))


class Places(unittest.TestCase):
    def test_shown(self):
        layer = Layer(np.zeros((4, 5, 6)), scale=[2, 1, 1], translate=[10, 0, 0])
        dims = types.SimpleNamespace(ndim=3, displayed=(1, 2), point=(14.2, 0, 0))
        self.assertEqual(_layers.shown(layer, dims), ("TYX", (2, 0, 0)))
        dims.displayed = (0, 2)  # seen from the side
        self.assertEqual(_layers.shown(layer, dims).axes, "YTX")
        dims = types.SimpleNamespace(ndim=4, displayed=(2, 3), point=(7, 99, 0, 0))  # another layer has an axis more
        self.assertEqual(_layers.shown(layer, dims), ("TYX", (3, 0, 0)))
        dims.displayed = (0, 3)
        with self.assertRaisesRegex(ValueError, "not shown as a picture"):
            _layers.shown(layer, dims)
        colour = Layer(np.zeros((4, 5, 6, 3)), rgb=True)
        dims = types.SimpleNamespace(ndim=3, displayed=(0, 1, 2), point=(1, 0, 0))  # in 3D
        self.assertEqual(_layers.shown(colour, dims), ("TYXS", (1, 0, 0)))

    def test_parts(self):
        view = _layers.Shown("TCYX", (2, 1, 0, 0))
        array = np.arange(5 * 3 * 4 * 6).reshape(5, 3, 4, 6)
        np.testing.assert_array_equal(array[_layers.page(view)], array[2:3, 1:2])
        np.testing.assert_array_equal(array[_layers.some(view, array.shape, 1, 3)], array[1:4])
        for first, last in [(3, 1), (0, 5), (-1, 2)]:
            with self.assertRaisesRegex(ValueError, "from 0 to 4"):
                _layers.some(view, array.shape, first, last)
        with self.assertRaisesRegex(ValueError, "no slices"):
            _layers.some(_layers.Shown("YX", (0, 0)), (4, 6), 0, 1)
        colour = _layers.Shown("TYXS", (2, 0, 0))
        self.assertEqual(np.zeros((5, 4, 6, 3))[_layers.page(colour)].shape, (1, 4, 6, 3))

    def test_candidates(self):
        view = _layers.Shown("TCYX", (2, 1, 0, 0))
        places = _layers.candidates(view, (20, 3, 8, 9), (slice(5, 15), slice(None), slice(None), slice(None)))
        self.assertEqual([(p[0].start, p[1].start) for p in places], [(6, 0), (8, 0), (10, 0), (12, 0), (14, 0)])
        self.assertEqual(np.zeros((20, 3, 8, 9))[places[0]].shape, (1, 1, 8, 9))
        (only,) = _layers.candidates(_layers.Shown("YX", (0, 0)), (8, 9), (slice(None), slice(None)))
        self.assertEqual(only, (slice(None), slice(None)))

    def test_visible(self):
        layer = Layer(np.zeros((3, 40, 50)))
        view = _layers.Shown("TYX", (0, 0, 0))
        layer.corner_pixels = np.array([[0, -5, 10], [2, 19, 99]])
        self.assertEqual(_layers.visible(layer, view), (10, 0, 40, 20))
        levels = Layer(np.zeros((40, 50)))
        levels.multiscale, levels.data, levels.data_level = True, [np.zeros((40, 50)), np.zeros((20, 25))], 1
        levels.downsample_factors, levels.corner_pixels = np.array([[1, 1], [2, 2]]), np.array([[2, 3], [9, 9]])
        self.assertEqual(_layers.visible(levels, _layers.Shown("YX", (0, 0))), (6, 4, 13, 15))

    def test_moved(self):
        layer = Layer(np.zeros((4, 5, 6)), scale=[2, 0.5, 0.5], translate=[10, 1, 0])
        np.testing.assert_allclose(_layers.moved(layer, [2, 1, 3]), [14, 1.5, 1.5])

    def test_words(self):
        for noise, want in [
            ({"kind": "gaussian", "sigma": 771.2}, "white noise, sigma 771"),
            ({"kind": "camera", "level": 3.25}, "camera noise, level 3.25"),
            ({"kind": "poisson", "gain": 2.104, "offset": 100.0, "read_noise": 3.4}, "photon noise, gain 2.1, offset 100, read noise 3.4"),
            ({"kind": "none"}, "no noise"),
            (None, ""),
        ]:
            self.assertEqual(_layers.describe(noise), want)


class Widget(unittest.TestCase):
    def setUp(self):
        from blorc_denoise._napari import DenoiseWidget

        self.data = stack()
        self.viewer = viewer()
        self.layer = self.viewer.add_image(self.data, name="cells", scale=[2, 0.5, 0.5], translate=[1, 0, 0])
        at(self.viewer, 5, 0, 0)
        self.widget = DenoiseWidget(self.viewer)
        self.widget.native.show()
        self.widget.quality.value = "fast"

    def result(self, name):
        wait(self.widget)
        named = [layer for layer in self.viewer.layers if layer.name == name]
        self.assertEqual(len(named), 1, self.widget.told.value)
        self.assertIs(self.viewer.layers.selection.active, self.layer)
        return named[0]

    def test_slice(self):
        self.widget.start.changed.emit(True)
        result = self.result("cells denoised")
        np.testing.assert_array_equal(result.data[0], denoise(self.data[2], quality="fast"))
        np.testing.assert_allclose(result.translate, [5, 0, 0])
        np.testing.assert_allclose(result.scale, [2, 0.5, 0.5])
        self.assertIn("white noise, sigma", self.widget.told.value)
        self.assertEqual(result.metadata["noise"]["kind"], "gaussian")
        np.testing.assert_array_equal(self.layer.data, stack())

    def test_all_slices_with_one_measurement(self):
        self.widget.slices.value = "all"
        self.widget.start.changed.emit(True)
        result = self.result("cells denoised")
        found = result.metadata["noise"]
        self.assertIn(found["sigma"], [denoise(page, quality="fast").noise["sigma"] for page in self.data])
        np.testing.assert_array_equal(result.data, denoise(self.data, axes="ZYX", noise=found, quality="fast"))
        self.assertEqual(len({n["sigma"] for n in result.metadata["page_noise"]}), 1)
        self.widget.once.value = False
        self.widget.start.changed.emit(True)
        wait(self.widget)
        each = self.viewer.layers[-1]
        np.testing.assert_array_equal(each.data, denoise(self.data, axes="ZYX", quality="fast"))

    def photons(self):
        """A stack of photon noise. The first and the last slice show the background alone."""
        y, x = np.mgrid[:64, :64]
        light = np.array([0, 0.4, 1, 0.7, 0])[:, None, None] * (2.1 + np.sin(x / 9) + np.cos(y / 7)) * 20
        rng = np.random.default_rng(4)
        clean = 100 + 2 * light
        return clean, (100 + 2 * rng.poisson(light) + rng.normal(0, 3, light.shape)).round().clip(0).astype("u2")

    def test_noise_is_measured_where_light_is(self):
        clean, data = self.photons()
        self.layer = self.viewer.add_image(data, name="photons")
        at(self.viewer, 0, 0, 0)  # an empty slice is shown
        self.widget.slices.value = "all"
        self.widget.start.changed.emit(True)
        result = self.result("photons denoised")
        found = denoise(data[2], quality="fast").noise
        self.assertEqual(result.metadata["noise"], denoise(data, noise=found, quality="fast").noise)
        error = np.std(result.data - clean)
        self.assertLess(error, 0.8 * np.std(denoise(data, noise=denoise(data[0], quality="fast").noise, quality="fast") - clean))
        self.assertNotIn("light", self.widget.told.value)

    def test_dark_slices_are_told(self):
        self.layer = self.viewer.add_image(self.photons()[1], name="photons")
        for at_slice, is_dark in [(0, True), (2, False), (3, False)]:
            at(self.viewer, at_slice, 0, 0)
            self.widget.preview.changed.emit(True)
            self.result("photons preview")
            self.assertEqual("hardly any light in this slice" in self.widget.told.value, is_dark, self.widget.told.value)

    def test_some_slices(self):
        self.widget.slices.value = "from ... to ..."
        self.assertTrue(self.widget.first.visible)
        self.widget.first.value, self.widget.last.value = 1, 2
        self.widget.once.value = False
        self.widget.start.changed.emit(True)
        result = self.result("cells denoised")
        np.testing.assert_array_equal(result.data, denoise(self.data[1:3], quality="fast"))
        np.testing.assert_allclose(result.translate, [3, 0, 0])
        self.widget.last.value = 3
        self.widget.start.changed.emit(True)
        self.assertEqual(self.widget.told.value, "slices go from 0 to 2")

    def test_preview(self):
        self.layer.corner_pixels = np.array([[0, 4, 6], [0, 23, 37]])
        for _ in range(2):  # the second takes the place of the first
            self.widget.quality.value = "best"
            self.widget.preview.changed.emit(True)
            result = self.result("cells preview")
        np.testing.assert_array_equal(result.data[0], denoise(self.data[2], quality="fast")[4:24, 6:38])
        np.testing.assert_allclose(result.translate, [5, 2, 3])

    def test_given_noise(self):
        self.assertFalse(self.widget.sigma.visible)
        self.widget.noise.value = "white"
        self.assertTrue(self.widget.sigma.visible)
        self.widget.sigma.value = 20
        self.widget.strength.value = 0.5
        self.widget.start.changed.emit(True)
        want = denoise(self.data[2], noise="gaussian", sigma=20, strength=0.5, quality="fast")
        np.testing.assert_array_equal(self.result("cells denoised").data[0], want)

    def test_errors_are_told(self):
        before, os.environ["BLORC_DENOISE"] = os.environ.get("BLORC_DENOISE", ""), "/nowhere/blorc"
        try:
            self.widget.start.changed.emit(True)
            wait(self.widget)
        finally:
            os.environ["BLORC_DENOISE"] = before
        self.assertIn("/nowhere/blorc", self.widget.told.value)
        self.assertEqual(len(self.viewer.layers), 1)
        self.viewer.layers.selection.active = None
        self.widget.start.changed.emit(True)
        self.assertEqual(self.widget.told.value, "select an image layer")

    def test_stop(self):
        self.layer = self.viewer.add_image(np.random.default_rng(1).normal(0.5, 0.1, (700, 700)), name="large")
        at(self.viewer, 5, 0, 0)
        self.widget.quality.value = "best"
        self.widget.start.changed.emit(True)
        self.assertFalse(self.widget.start.enabled)
        self.widget.stop.changed.emit(True)
        wait(self.widget)
        self.assertEqual((self.widget.told.value, len(self.viewer.layers)), ("stopped", 2))


if __name__ == "__main__":
    print("viewer:", "napari " + sys.modules["napari"].__version__ if ViewerModel else "a stand-in")
    unittest.main()
