"""Tests the package blorc_denoise: as installed from a wheel, or from ../../python with the program in BLORC_DENOISE."""

import contextlib
import copy
import importlib.util
import io
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

import numpy as np

import blorc_denoise
from blorc_denoise import ArgumentError, Denoiser, DenoiseError, _denoise, _worker, denoise, find_program
from blorc_denoise._denoise import SHARED

SIZE = (60, 72)
KINDS = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "g", ">u2", ">i4", ">f4"]


def scene(height=SIZE[0], width=SIZE[1]):
    """Smooth waves between 0.1 and 0.9."""
    y, x = np.mgrid[:height, :width]
    return 0.5 + 0.2 * (np.sin(x / 9) + np.cos(y / 7))


def noisy(sigma=0.05, seed=1, shape=SIZE):
    clean = scene(*shape)
    return clean, clean + np.random.default_rng(seed).normal(0, sigma, clean.shape)


def fast(array, **options):
    return denoise(array, quality="fast", **options)


def error(a, b):
    return float(np.std(np.asarray(a, float) - np.asarray(b, float)))


class Kinds(unittest.TestCase):
    def test_every_kind_comes_back_with_less_noise(self):
        clean, dirty = noisy()
        for name in KINDS:
            with self.subTest(name):
                kind = np.dtype(name)
                scale = 1 if kind.kind == "f" else 120
                array = (dirty * scale).clip(0, 127).astype(kind)
                before = array.copy()
                result = fast(array)
                self.assertEqual(result.dtype, kind)
                self.assertEqual(result.shape, array.shape)
                self.assertLess(error(result, clean * scale), 0.5 * error(array, clean * scale))
                self.assertEqual(result.noise["kind"], "gaussian")
                self.assertAlmostEqual(result.noise["sigma"] / scale, 0.05, delta=0.01)
                np.testing.assert_array_equal(array, before)

    def test_large_whole_numbers(self):
        clean, dirty = noisy()
        for name, scale in [("u4", 4e9), ("i4", 2e9), ("u8", 1e19), ("i8", -9e18)]:
            with self.subTest(name):
                array = (dirty.clip(0, 1) * scale).astype(name)
                result = fast(array)
                self.assertEqual(result.dtype, array.dtype)
                self.assertLess(error(result / scale, clean), 0.5 * error(array / scale, clean))

    def test_without_noise_nothing_changes(self):
        # 2**53 + 1 is no float, and 2**-30 is lost beside 1 in floats of 32 bits.
        for array in [np.full(SIZE, 2**53 + 1), np.full(SIZE, 1 + 2.0**-30), np.zeros(SIZE, "u2")]:
            result = fast(array)
            self.assertEqual(result.noise["kind"], "none")
            np.testing.assert_array_equal(result, array)

    def test_result_is_that_of_the_program(self):
        try:
            import tifffile
        except ImportError:
            self.skipTest("tifffile is not installed")
        _, dirty = noisy()
        rgb = np.stack([dirty, dirty * 0.8, dirty * 0.6], -1).astype("f4")
        with tempfile.TemporaryDirectory() as folder:
            for name, array in [("gray", (dirty * 65535).clip(0, 65535).astype("u2")), ("rgb", rgb)]:
                path, out = os.path.join(folder, name + ".tif"), os.path.join(folder, name + "-out.tif")
                tifffile.imwrite(path, array, photometric="rgb" if array.ndim == 3 else "minisblack", metadata=None)
                subprocess.run([find_program(), "-q", "--quality=fast", "--strength=0.7", "--sigma=12", path, "-o", out], check=True)
                sigma = 12 * (65535 if name == "gray" else 1) / 255
                np.testing.assert_array_equal(fast(array, strength=0.7, sigma=sigma), tifffile.imread(out))

    def test_others_are_refused(self):
        for array in [np.zeros(SIZE, complex), np.full(SIZE, "a")]:
            with self.assertRaisesRegex(ArgumentError, "neither whole numbers nor floats"):
                denoise(array)
        with self.assertRaisesRegex(ArgumentError, "bool are on or off"):
            denoise(np.zeros(SIZE, bool))
        with self.assertRaisesRegex(ArgumentError, "no samples"):
            denoise(np.zeros((0, 5)))
        with self.assertRaisesRegex(ArgumentError, "full scale of uint16 is 65535; data_range is for floats"):
            denoise(np.zeros(SIZE, "u2"), data_range=255)

    def test_floats_of_any_scale(self):
        clean, dirty = noisy()
        for scale in [1, 0.01, 255, 3.7, 65535, 1e9]:
            result = fast(dirty * scale)
            self.assertLess(error(result, clean * scale), 0.5 * error(dirty * scale, clean * scale), scale)
        given = fast(dirty * 300, data_range=600, sigma=0.05 * 300)
        same = fast(dirty / 2, sigma=0.025)
        self.assertLess(error(given / 600, same), 1e-4)

    def test_nan_is_no_data(self):
        clean, dirty = noisy()
        dirty[10:30, 20:50] = np.nan
        for kind in ["f2", "f4", "f8"]:
            result = fast(dirty.astype(kind))
            np.testing.assert_array_equal(np.isnan(result), np.isnan(dirty))
            good = ~np.isnan(dirty)
            self.assertLess(error(result[good], clean[good]), 0.5 * error(dirty[good], clean[good]))
            part = fast(dirty.astype(kind), crop=(15, 5, 20, 10))
            np.testing.assert_array_equal(np.isnan(part), np.isnan(dirty[5:15, 15:35]))
        dirty[0, 0] = np.inf
        with self.assertRaisesRegex(DenoiseError, "Inf"):
            fast(dirty)

    def test_sigma_has_the_units_of_the_array(self):
        clean, dirty = noisy()
        for name, scale in [("f4", 1), ("f8", 255), ("f4", 4095), ("u1", 255), ("u2", 65535), ("u2", 4095), ("i1", 120), ("i2", 4095), ("i4", 4095)]:
            with self.subTest((name, scale)), warnings.catch_warnings():
                warnings.simplefilter("error")
                array = (dirty * scale).clip(0, scale).astype(name)
                result = fast(array, noise="gaussian", sigma=0.05 * scale)
                self.assertLess(error(result, clean * scale), 0.4 * error(array, clean * scale))
                self.assertAlmostEqual(result.noise["sigma"], 0.05 * scale, delta=1e-6 * scale)
                again = fast(array, sigma=result.noise["sigma"])
                self.assertLess(error(again, result), 1e-3 * scale)
        camera = fast(dirty, noise="camera", sigma=0.05).noise
        self.assertEqual((camera["kind"], round(camera["level"], 6)), ("camera", 0.05))

    def test_sigma_of_another_range(self):
        _, dirty = noisy()
        gray = (dirty * 255).clip(0, 255).astype("u1")
        for array, sigma, meant in [(dirty, 15, "0.0588"), (gray, 0.06, "15.3"), (dirty * 255, 0.06, "15.3"), ((dirty * 65535).clip(0, 65535).astype("u2"), 0.2, "1.31e+04")]:
            with self.subTest(sigma), self.assertWarnsRegex(UserWarning, r"in the units of the array.*: sigma=%s$" % meant.replace("+", r"\+")) as told:
                denoise(array, sigma=sigma, quality="fast")
            self.assertEqual(told.filename, __file__)
        with warnings.catch_warnings(record=True) as all_told:
            warnings.simplefilter("always")
            denoise(dirty, sigma=15, quality="fast")
        self.assertIn("less than the given sigma", str(all_told[-1].message))  # the program tells it, too
        self.assertEqual({w.filename for w in all_told}, {__file__})

    def test_masked_arrays(self):
        clean, dirty = noisy()
        mask = np.zeros(SIZE, bool)
        mask[10:30, 20:50] = True
        for kind, scale in [("f4", 1), ("f8", 4095), ("u1", 255), ("u2", 65535), ("i4", 70000)]:
            with self.subTest(kind):
                array = (dirty * scale).clip(0, scale).astype(kind)
                other = array.copy()
                other[mask] = scale * 1e20 if kind[0] == "f" else np.iinfo(kind).max
                masked = np.ma.MaskedArray(array, mask, fill_value=3)
                result = fast(masked)
                self.assertEqual((type(result), result.dtype, result.fill_value), (np.ma.MaskedArray, array.dtype, 3))
                np.testing.assert_array_equal(result.mask, mask)
                np.testing.assert_array_equal(result.data[mask], array[mask])
                np.testing.assert_array_equal(result[~mask], fast(np.ma.MaskedArray(other, mask))[~mask])
                self.assertLess(error(result[~mask], clean[~mask] * scale), 0.5 * error(array[~mask], clean[~mask] * scale))
                self.assertAlmostEqual(result.noise["sigma"], 0.05 * scale, delta=0.01 * scale)
                part = fast(masked, crop=(15, 5, 20, 10))
                np.testing.assert_array_equal(part.mask, mask[5:15, 15:35])
                np.testing.assert_array_equal(part.filled(0), result[5:15, 15:35].filled(0))
        nothing = fast(np.ma.MaskedArray(dirty, False))
        np.testing.assert_array_equal(nothing.data, fast(dirty))
        self.assertFalse(nothing.mask.any())
        everything = np.ma.MaskedArray((dirty * 200).astype("i4"), True)
        np.testing.assert_array_equal(fast(everything).data, everything.data)
        dirty[0, 0] = np.nan
        result = fast(np.ma.MaskedArray(dirty, mask))
        self.assertTrue(np.isnan(result.data[0, 0]) and not result.mask[0, 0])

    def test_order_in_memory_does_not_matter(self):
        _, dirty = noisy()
        want = fast(dirty)
        np.testing.assert_array_equal(fast(np.asfortranarray(dirty)), want)
        np.testing.assert_array_equal(fast(dirty[::-1][::-1]), want)
        np.testing.assert_array_equal(fast(dirty.tolist()), want)


class Axes(unittest.TestCase):
    def setUp(self):
        _, dirty = noisy(shape=(40, 32))
        self.page = (dirty * 255).clip(0, 255).astype("u1")
        self.other = (dirty[::-1] * 150).astype("u1")
        self.alone = [fast(p) for p in (self.page, self.other)]

    def check(self, result, order=None):
        """The first page is that which was denoised alone, and the last is the other one. Order brings pages to the front."""
        pages = np.asarray(result) if order is None else np.asarray(result).transpose(order)
        pages = pages.reshape((-1,) + self.page.shape)
        self.assertEqual(len(result.page_noise), len(pages))
        np.testing.assert_array_equal(pages[0], self.alone[0])
        np.testing.assert_array_equal(pages[-1], self.alone[1])

    def test_pages_are_denoised_as_if_alone(self):
        stack = np.stack([self.page, self.page, self.other, self.other])
        for shape in [(4,), (4, 1), (1, 4), (2, 2), (1, 1, 4), (2, 1, 2)]:
            with self.subTest(shape):
                array = stack.reshape(shape + self.page.shape)
                result = fast(array)
                self.assertEqual(result.shape, array.shape)
                self.check(result)
        self.assertEqual([n["sigma"] for n in result.page_noise], [a.noise["sigma"] for a in self.alone for _ in range(2)])

    def test_named_axes(self):
        stack = np.stack([self.page, self.page, self.other])
        for axes, order in [("YXZ", (2, 0, 1)), ("YZX", (1, 0, 2)), ("CYX", (0, 1, 2)), ("zyx", (0, 1, 2))]:
            with self.subTest(axes):
                array = stack.transpose(np.argsort(order))
                result = fast(array, axes=axes)
                self.assertEqual(result.shape, array.shape)
                self.check(result, order)
        many = np.stack([np.stack([self.page, self.other])] * 3).transpose(3, 0, 2, 1)
        result = fast(many, axes="XTYZ")
        self.assertEqual(result.shape, many.shape)
        self.check(result, (1, 3, 2, 0))

    def test_colours(self):
        rgb = np.stack([self.page, self.other, self.page // 2], -1)
        alpha = np.arange(self.page.size, dtype="u1").reshape(self.page.shape)
        rgba = np.concatenate([rgb, alpha[..., None]], -1)
        want = fast(rgb)
        self.assertEqual((want.shape, len(want.page_noise)), (rgb.shape, 1))
        with_alpha = fast(rgba)
        np.testing.assert_array_equal(with_alpha[..., 3], alpha)
        self.assertGreater(error(with_alpha[..., :3], rgb), 1)
        for axes, array, back in [("YXC", rgb, (0, 1, 2)), ("SYX", rgb.transpose(2, 0, 1), (1, 2, 0)), ("ZYXS", rgb[None], (0, 1, 2, 3))]:
            result = fast(array, axes=axes)
            self.assertEqual(result.shape, array.shape)
            np.testing.assert_array_equal(np.asarray(result).transpose(back).reshape(rgb.shape), want)
        self.assertEqual(len(fast(rgb.transpose(2, 0, 1), axes="CYX").page_noise), 3)

    def test_channel_axis(self):
        rgb = np.stack([self.page, self.other, self.page // 2], -1)
        want = fast(rgb)
        for axis, array in [(2, rgb), (-1, rgb), (0, rgb.transpose(2, 0, 1)), (-3, rgb.transpose(2, 0, 1)), (1, rgb.transpose(0, 2, 1))]:
            result = fast(array, channel_axis=axis)
            self.assertEqual((result.shape, len(result.page_noise)), (array.shape, 1))
            np.testing.assert_array_equal(np.moveaxis(np.asarray(result), axis, -1), want)
        stack = np.stack([rgb.transpose(2, 0, 1)] * 2)
        np.testing.assert_array_equal(np.moveaxis(np.asarray(fast(stack, channel_axis=1)), 1, -1)[1], want)
        two = fast(rgb[..., :2], channel_axis=-1)
        np.testing.assert_array_equal(np.moveaxis(np.asarray(two), -1, 0), self.alone)
        for options, text in [
            ({"channel_axis": 3}, "none of the 3 axes"),
            ({"channel_axis": 0, "axes": "CYX"}, "channel_axis has no meaning"),
        ]:
            with self.assertRaisesRegex(ArgumentError, text):
                denoise(rgb, **options)
        with self.assertRaisesRegex(ArgumentError, "needs axes="):
            denoise(np.zeros((2, 2, 2, 2, 8, 8)), channel_axis=0)

    def test_hints(self):
        rgb = np.stack([self.page, self.other, self.page // 2])
        for array, text in [
            (rgb, "3 x 40 x 32 is taken for 3 pictures of 40 x 32; .*channel_axis=0, if not: axes='ZYX'"),
            (rgb[:2].transpose(1, 2, 0), "40 x 32 x 2 is taken for 40 pictures of 32 x 2; .*channel_axis=-1, if not: axes='ZYX'"),
            (rgb[:1].transpose(1, 2, 0), "40 x 32 x 1 is taken"),
            (np.stack([self.page] * 5, -1), "40 x 32 x 5 is taken"),
        ]:
            with self.assertWarnsRegex(UserWarning, text) as told:
                denoise(array, quality="fast")
            self.assertEqual(told.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for options in [{"axes": "ZYX"}, {"channel_axis": 0}]:
                fast(rgb, **options)
            fast(rgb[:2])

    def test_crop(self):
        whole, part = fast(self.page), fast(self.page, crop=(3, 5, 20, 10))
        np.testing.assert_array_equal(part, whole[5:15, 3:23])
        self.assertEqual(fast(np.stack([self.page] * 2), crop=(3, 5, 20, 10)).shape, (2, 10, 20))

    def test_wrong_axes(self):
        for array, axes, text in [
            (self.page, "ZYX", "name 3 axes"),
            (self.page, "YY", "different letters"),
            (self.page, "ZX", "no Y and X"),
            (self.page, "Y ", "different letters"),
            (self.page[None], "SYX", "a colour has 3"),
            (self.page[0], None, "needs axes="),
            (self.page[None, None, None, None], None, "needs axes="),
        ]:
            with self.subTest(axes), self.assertRaisesRegex(ArgumentError, text):
                denoise(array, axes=axes)

    def test_large_stacks_go_in_several_runs(self):
        stack = np.stack([self.page, self.page, self.other])
        shares, before = [], _denoise.BATCH
        _denoise.BATCH = 2 * self.page.nbytes
        try:
            self.check(fast(stack, axes="ZYX", progress=shares.append))
        finally:
            _denoise.BATCH = before
        self.assertEqual(shares, sorted(shares))
        self.assertEqual((shares[0], shares[-1]), (0, 1))

    def test_together(self):
        stack = np.stack([np.stack([self.page, self.other])] * 3)  # Z C Y X
        result = denoise(stack, axes="ZCYX", together=True)
        self.assertEqual((result.shape, result.dtype, len(result.page_noise)), (stack.shape, stack.dtype, 6))
        alone = denoise(stack[:, 1], axes="ZYX", together=True)
        np.testing.assert_array_equal(result[:, 1], alone)  # a channel is a stack of its own
        with self.assertRaisesRegex(ArgumentError, "none at the quality fast"):
            fast(stack, together=True)

    def test_together_removes_more(self):
        clean, _ = noisy()
        stack = np.stack([noisy(0.1, seed)[1] for seed in range(5)])
        together, alone = denoise(stack, together=True), denoise(stack)
        self.assertLess(error(together, np.stack([clean] * 5)), 0.9 * error(alone, np.stack([clean] * 5)))


class NoiseAndErrors(unittest.TestCase):
    def test_noise_of_a_result_can_be_given(self):
        clean, dirty = noisy()
        counts = np.random.default_rng(2).poisson(clean * 30).astype("u2")
        for array in [dirty, (dirty * 255).astype("u1"), counts * 3]:
            found = fast(array)
            self.assertIn(found.noise["kind"], ("gaussian", "poisson"))
            again = fast(array, noise=found.noise)
            self.assertLess(error(found, again), 0.05 * error(found, array))
        with self.assertRaisesRegex(ArgumentError, "has its sigma"):
            fast(dirty, noise=found.noise, sigma=0.1)
        with self.assertRaisesRegex(ArgumentError, "cannot be given"):
            fast(dirty, noise={"kind": "curve"})
        np.testing.assert_array_equal(fast(dirty, noise={"kind": "none"}), dirty)

    def test_noise_of_colours_can_be_given(self):
        rng = np.random.default_rng(3)
        photons = {"gain": 2.0, "offset": 10.0, "read_noise": 1.0}
        noise = {"kind": "poisson", "channels": [photons, dict(photons, gain=4.0), photons], "full_scale": 255}
        rgb = np.stack([rng.poisson(scene() * 40) * 2 + 10] * 3, -1).astype("u1")
        self.assertEqual(fast(rgb, noise=noise).shape, rgb.shape)

    def test_profile(self):
        _, dirty = noisy()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "noise.json"
            path.write_text('{"version":1,"kind":"gaussian","full_scale":255,"channels":[{"sigma":12}],"broad":1}')
            self.assertEqual(fast((dirty * 255).clip(0, 255).astype("u1"), noise=path).noise["kind"], "gaussian")

    def test_strength(self):
        _, dirty = noisy()
        np.testing.assert_array_equal(fast(dirty.astype("f4"), strength=0), dirty.astype("f4"))
        full, half = fast(dirty), fast(dirty, strength=0.5)
        self.assertLess(error(half, (full + dirty) / 2), 0.01 * error(full, dirty))

    def test_errors_have_the_text_of_the_program(self):
        page = np.zeros(SIZE, "u1")
        for options, text in [
            ({"quality": "quick"}, "must be fast, balanced or best"),
            ({"noise": "gausian"}, "must be auto, gaussian"),
            ({"sigma": -1}, "must be a number"),
            ({"strength": 2}, "(?i)strength"),
            ({"flags": ["--nonsense"]}, "unknown flag: --nonsense"),
            ({"flags": ["-o", "x.tif"]}, "unknown shorthand flag: 'o'"),
            ({"flags": ["x.tif"]}, "unexpected argument"),
            ({"flags": "--wrap"}, r"flags are a list, such as \['--wrap'\]"),
            ({"flags": ["--sigma"]}, "--sigma needs a value"),
            ({"flags": ["--help"]}, "help"),
            ({"crop": (0, 0, 1000, 10)}, "the crop 0,0,1000,10 is not inside the image"),
        ]:
            with self.subTest(options), self.assertRaisesRegex(ArgumentError, text) as caught:
                denoise(page, **options)
            self.assertNotIn("blorc-denoise", str(caught.exception))
            self.assertEqual(caught.exception.code, 2)
        with self.assertRaisesRegex(DenoiseError, "pixels") as caught:
            denoise(page, flags=["--max-pixels=100"])
        self.assertEqual(caught.exception.code, 5)
        self.assertNotIsInstance(caught.exception, ValueError)

    def test_name_of_a_file(self):
        for name in ["a.tif", Path("a.tif")]:
            with self.assertRaisesRegex(ArgumentError, "an array of numbers is needed"):
                denoise(name)

    def test_missing_program(self):
        before = os.environ.get("BLORC_DENOISE")
        os.environ["BLORC_DENOISE"] = "/nowhere/blorc"
        try:
            with self.assertRaisesRegex(FileNotFoundError, "/nowhere/blorc"):
                denoise(np.zeros(SIZE))
        finally:
            del os.environ["BLORC_DENOISE"]
            if before:
                os.environ["BLORC_DENOISE"] = before

    def test_what_was_found_stays_with_copies_and_parts(self):
        _, dirty = noisy()
        result = fast(np.stack([dirty] * 2))
        self.assertEqual(len(result.page_noise), 2)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            other = pickle.loads(pickle.dumps(result, protocol))
            np.testing.assert_array_equal(other, result)
            self.assertEqual((other.noise, other.page_noise), (result.noise, result.page_noise))
            self.assertEqual(other.margin, result.margin)
        for other in [result.copy(), copy.copy(result), copy.deepcopy(result), result.astype("f4"), result.view()]:
            self.assertEqual((other.noise, other.page_noise), (result.noise, result.page_noise))
        for other in [result[1], result[:, 2:, ::3], result[result > 0.5]]:
            self.assertEqual((other.noise, other.page_noise), (result.noise, ()))
        masked = fast(np.ma.MaskedArray(dirty, dirty > 0.8))
        for other in [masked, masked.copy(), masked[3:], masked.astype("f4")]:
            self.assertEqual(other.noise, masked.noise)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(masked)).mask, masked.mask)
        self.assertIs(type(result + 1), np.ndarray)
        self.assertIsInstance(result.mean(), float)
        self.assertIsInstance(result.max(), float)

    def test_return_noise(self):
        _, dirty = noisy()
        array, noise = fast(dirty, return_noise=True)
        want = fast(dirty)
        self.assertIs(type(array), np.ndarray)
        np.testing.assert_array_equal(array, want)
        self.assertEqual(noise, want.noise)
        array, _ = fast(np.ma.MaskedArray(dirty, dirty > 0.8), return_noise=True)
        self.assertIs(type(array), np.ma.MaskedArray)

    def test_workers(self):
        _, dirty = noisy()
        np.testing.assert_array_equal(fast(dirty, workers=1), fast(dirty))
        with self.assertRaisesRegex(ArgumentError, "workers"):
            fast(dirty, workers=-1)

    def test_progress_is_shown(self):
        _, dirty = noisy()
        for module, text in [(None, "\rdenoising: 100 %\n"), (mock.DEFAULT, "denoising: 100%")]:
            if module and not importlib.util.find_spec("tqdm"):
                continue
            with mock.patch.dict(sys.modules, {} if module else {"tqdm.auto": None}), contextlib.redirect_stderr(io.StringIO()) as told:
                fast(dirty, progress=True)
            self.assertIn(text, told.getvalue())
        with contextlib.redirect_stderr(io.StringIO()) as told:
            fast(dirty, progress=False)
        self.assertEqual(told.getvalue(), "")

    def test_no_temporary_files(self):
        _, dirty = noisy()
        tempfile.tempdir, before = "/nowhere", tempfile.tempdir
        try:
            fast(np.stack([dirty] * 2))
        finally:
            tempfile.tempdir = before

    def test_no_warnings(self):
        _, dirty = noisy()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fast(dirty)

    def test_typed(self):
        self.assertTrue(Path(blorc_denoise.__file__).with_name("py.typed").exists())


START = """
import numpy as np, os, sys
from blorc_denoise import Denoiser, _worker, denoise
start = _worker.subprocess.Popen
def noted(*args, **more):
    process = start(*args, **more)
    print(process.pid, flush=True)
    return process
_worker.subprocess.Popen = noted
small = np.random.default_rng(1).normal(100, 20, (40, 50))
"""
LONG = "denoise(np.random.default_rng(1).normal(100, 20, (900, 1000)).astype('f4'), quality='best')"


PROC = os.path.exists("/proc/self/stat")


def is_alive(pid):
    """Says whether there is a process, other than one that has ended and waits for its parent."""
    try:
        os.kill(pid, 0)
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:
        return not PROC


def ends(pid, seconds=10):
    end = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not is_alive(pid)


def cpu_seconds(pid):
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def pids(pool):
    return [w.process.pid for w in pool._free]


@unittest.skipIf(os.name == "nt", "signals")
class Processes(unittest.TestCase):
    def setUp(self):
        self.page = noisy(shape=(32, 32))[1]
        self.want = fast(self.page)

    def check(self, denoiser):
        np.testing.assert_array_equal(denoiser(self.page), self.want)

    @unittest.skipUnless(PROC, "looks at processes as Linux shows them")
    def test_one_process_does_a_thousand_calls(self):
        with Denoiser(quality="fast") as d:
            began = time.process_time()
            self.check(d)
            (pid,) = pids(d._pool)
            first = time.process_time() - began + cpu_seconds(pid)
            costs, before = [], None
            for _ in range(10):
                began = time.process_time() + cpu_seconds(pid)
                for _ in range(100):
                    self.check(d)
                costs.append((time.process_time() + cpu_seconds(pid) - began) / 100)
                now = len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/%d/fd" % pid)), threading.active_count()
                self.assertIn(before, (None, now))
                before = now
            self.assertEqual(pids(d._pool), [pid])
            print("a call of 32 x 32: %.1f ms of processor, the first %.1f ms" % (1000 * min(costs), 1000 * first))
            self.assertLess(min(costs), max(0.01, first / 3))
            with open("/proc/%d/status" % pid) as f:
                self.assertLess(int(f.read().split("VmRSS:")[1].split()[0]), 200_000)  # kB
        self.assertTrue(ends(pid))

    def test_the_plain_function_keeps_its_process(self):
        before = set(pids(SHARED))
        for _ in range(3):
            fast(self.page)
        self.assertEqual(set(pids(SHARED)), before)
        self.assertTrue(before)

    def test_threads(self):
        with Denoiser(quality="fast") as d, ThreadPoolExecutor(6) as threads:
            for result in threads.map(lambda _: d(self.page), range(60)):
                np.testing.assert_array_equal(result, self.want)
            all_of_them = pids(d._pool)
            self.assertLessEqual(len(all_of_them), 6)
        self.assertTrue(all(ends(pid) for pid in all_of_them))

    def test_options_of_calls_replace_its_own(self):
        with Denoiser(quality="fast", sigma=0.2) as d:
            self.check(lambda page: d(page, sigma=None))
            _, noise = d(self.page, return_noise=True)
            self.assertAlmostEqual(noise["sigma"], 0.2)
        self.check(lambda page: d(page, sigma=None))  # after its end, each call has a process of its own
        self.assertEqual(pids(d._pool), [])

    def test_idle_processes_end(self):
        pool = _worker.Pool(idle=0.2)
        fast(self.page, _pool=pool)
        (pid,) = pids(pool)
        self.assertTrue(ends(pid, 30))
        time.sleep(0.1)
        with self.assertRaises(ProcessLookupError):  # it does not wait for its parent either
            os.kill(pid, 0)
        self.check(lambda page: fast(page, _pool=pool))
        pool.close()

    def test_killed_process(self):
        with Denoiser(quality="fast") as d:
            self.check(d)
            (pid,) = pids(d._pool)
            os.kill(pid, signal.SIGKILL)
            self.check(d)

            def kill(share):
                for w in list(_worker.EVERY):
                    if w.process.pid not in keep:
                        os.kill(w.process.pid, signal.SIGKILL)

            keep = {w.process.pid for w in _worker.EVERY} - set(pids(d._pool))
            with self.assertRaisesRegex(DenoiseError, "was ended while it worked .exit code -9.") as caught:
                d(np.random.default_rng(1).normal(0.5, 0.1, (700, 700)), quality="best", progress=kill)
            self.assertNotIsInstance(caught.exception, ValueError)
            self.check(d)

    def test_another_program(self):
        for program, text in [("/bin/echo", "was ended"), ("/bin/false", "exit code 1"), ("/bin/cat", "unrecognized option")]:
            with mock.patch.dict(os.environ, BLORC_DENOISE=program), self.assertRaisesRegex(DenoiseError, text):
                denoise(self.page)
        self.check(fast)

    def test_interrupt_leaves_the_function_usable(self):
        with Denoiser(quality="fast") as d:
            self.check(d)
            (pid,) = pids(d._pool)
            timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                d(np.random.default_rng(1).normal(0.5, 0.1, (900, 900)), quality="best")
            self.assertTrue(ends(pid))
            self.check(d)

    def test_fork(self):
        with Denoiser(quality="fast") as d:
            self.check(d)
            before = pids(d._pool)
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    self.check(d)
                    self.assertFalse(set(pids(d._pool)) & set(before))
                    code = 0
                finally:
                    os._exit(code)
            self.check(d)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.check(d)
            self.assertEqual(pids(d._pool), before)
        with multiprocessing.get_context("fork").Pool(2) as children:
            for result in children.map(fast, [self.page] * 6):
                np.testing.assert_array_equal(result, self.want)
        self.assertTrue(ends(before[0]))

    def test_nothing_is_left_of_an_interpreter(self):
        for ending in ["", "sys.exit(3)", "1 / 0", "os._exit(0)", "os.kill(os.getpid(), 9)", "import threading; threading.Thread(target=denoise, args=(small,)).start()"]:
            with self.subTest(ending):
                text = START + "denoise(small, quality='fast'); d = Denoiser(quality='fast'); d(small); d.close(); d = Denoiser(); d(small)\n" + ending
                child = subprocess.run([sys.executable, "-c", text], capture_output=True, timeout=60)
                self.assertNotIn(b"Fatal", child.stderr)
                self.assertNotIn(b"Exception ignored", child.stderr)
                started = [int(line) for line in child.stdout.split()]
                self.assertGreaterEqual(len(started), 3)
                self.assertTrue(all(ends(pid) for pid in started))


class Ends(unittest.TestCase):
    @unittest.skipIf(os.name == "nt", "signals")
    def test_interrupt_ends_the_program(self):
        child = subprocess.Popen([sys.executable, "-c", START + LONG], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        pid = int(child.stdout.readline())
        time.sleep(0.5)  # it is at work
        os.kill(pid, 0)
        os.kill(child.pid, signal.SIGINT)  # to Python alone, as notebooks do
        _, text = child.communicate(timeout=30)
        self.assertIn(b"KeyboardInterrupt", text)
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)

    def test_exception_of_progress_ends_the_work(self):
        def stop(share):
            raise StopIteration("enough")

        with Denoiser() as d:
            with self.assertRaisesRegex(StopIteration, "enough"):
                d(np.random.default_rng(1).normal(0.5, 0.1, (900, 900)), quality="best", progress=stop)
            self.assertEqual(pids(d._pool), [])

    def test_module_starts_the_program(self):
        out = subprocess.run([sys.executable, "-m", "blorc_denoise", "--version"], capture_output=True, check=True).stdout
        self.assertIn(b"blorc-denoise version", out)
        code = subprocess.run([sys.executable, "-m", "blorc_denoise", "--nonsense"], capture_output=True).returncode
        self.assertEqual(code, 2)


if __name__ == "__main__":
    unittest.main()
