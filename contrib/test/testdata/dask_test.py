"""Tests blorc_denoise.dask with dask of the system: threads, and a cluster of two processes of which one is killed."""

import os
import signal
import tempfile
import threading
import time
import unittest
import warnings

import dask.array as da
import numpy as np
import zarr
from distributed import Client, LocalCluster

import blorc_denoise.dask
from blorc_denoise import ArgumentError, denoise


def scene(height, width):
    y, x = np.mgrid[:height, :width]
    smooth = 0.4 + 0.12 * np.sin(x / 9) * np.cos(y / 13) + 0.1 * np.sin((x + 2 * y) / 3.1) + 0.15 * np.sin(x / 200) * np.cos(y / 170)
    return smooth + 0.15 * (((x % 37) < 15) != ((y % 29) < 12))


def photons(height, width, seed=1):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(scene(height, width) * 60)
    return (100 + 2 * counts + rng.normal(0, 3, counts.shape)).clip(0).round().astype("u2")


def lazily(array, **options):
    return blorc_denoise.dask.denoise(array, quality="fast", **options)


class Blocks(unittest.TestCase):
    def compare(self, array, chunks, step, more=0.001, **options):
        """Blocks have the samples of the whole within one step, but for a share of more: the network rounds in another way."""
        blocks = da.from_array(array, chunks=chunks)
        noise = denoise(array, quality="fast", **{k: v for k, v in options.items() if k != "noise"}).noise
        result = lazily(blocks, noise=noise, **options)
        self.assertGreater(np.prod(result.numblocks), 1)
        self.assertEqual((result.shape, result.dtype), (array.shape, array.dtype))
        out = result.compute(scheduler="threads", num_workers=2)
        flags = ["--keep-mean"] if noise["kind"] == "camera" else []
        whole = np.asarray(denoise(array, quality="fast", noise=noise, flags=flags, **options), float)
        away = abs(out - whole) / step
        self.assertLessEqual(np.mean(away > 1), more)
        self.assertLessEqual(away.max(), 3)
        self.assertGreater(np.std(whole - array), 3 * step)
        x = array.ndim - 2 if array.shape[-1] == 3 else array.ndim - 1
        at_edges = [np.take(away, range(e - 2, e + 2), x) for e in np.cumsum(result.chunks[x])[:-1]]
        self.assertLess(np.mean(at_edges), 1.5 * away.mean() + 0.01, "a seam")

    def test_photons(self):
        self.compare(photons(700, 900), 300, 1)

    def test_white_noise(self):
        noisy = scene(700, 900) + np.random.default_rng(2).normal(0, 0.08, (700, 900))
        self.compare(noisy.astype("f4"), 300, 1 / 255)
        self.compare((noisy * 255).clip(0, 255).astype("u1"), 300, 1)

    def test_camera_noise(self):
        n = np.random.default_rng(3).normal(0, 0.04, (700, 900))
        noisy = scene(700, 900) + n + np.roll(n, 1, 0) + np.roll(n, 1, 1)
        self.compare((noisy * 255).clip(0, 255).astype("u1"), 300, 1, more=0)

    def test_stacks_and_colours(self):
        rng = np.random.default_rng(4)
        stack = np.stack([photons(400, 700, seed) for seed in range(3)])
        self.compare(stack, (1, 400, 350), 1, axes="ZYX")
        rgb = (np.stack([scene(400, 700)] * 3, -1) + rng.normal(0, 0.08, (400, 700, 3))) * 255
        self.compare(rgb.clip(0, 255).astype("u1"), (400, 350, 1), 1)

    def test_noise_is_measured_where_light_is(self):
        stack = np.stack([photons(200, 300, seed) for seed in range(6)])
        stack[[0, 1, 4, 5]] = np.random.default_rng(5).normal(100, 3, (4, 200, 300)).round()
        measured = blorc_denoise.dask._measured(da.from_array(stack, chunks=(1, 100, 100)), "ZYX", "auto", None, {})
        self.assertEqual(measured.noise["kind"], "poisson")
        self.assertAlmostEqual(measured.noise["gain"], 2, delta=0.2)

    def test_floats_have_one_full_scale(self):
        noisy = scene(400, 800) + np.random.default_rng(6).normal(0, 0.05, (400, 800))
        noisy[:, :400] *= 0.004  # blocks there look as if white were 1, others as if it were 255
        lazy = lazily(da.from_array(noisy * 200, chunks=(400, 400)), noise={"kind": "gaussian", "sigma": 10})
        whole = denoise(noisy * 200, quality="fast", noise={"kind": "gaussian", "sigma": 10})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the noise is stronger than half of the picture
            self.assertLess(abs(lazy.compute() - whole).max(), 3)

    def test_nothing_to_do(self):
        flat = da.zeros((300, 300), dtype="u2", chunks=100)
        self.assertIs(lazily(flat), flat)

    def test_margin_can_be_smaller(self):
        array = da.from_array(photons(900, 900), chunks=300)
        noise = {"kind": "poisson", "gain": 2.0, "offset": 100.0, "read_noise": 3.0}
        wide = blorc_denoise.dask.denoise(array, noise=noise)
        narrow = blorc_denoise.dask.denoise(array, noise=noise, margin=100)
        self.assertEqual((wide.numblocks, narrow.chunks[0]), ((1, 1), (384, 516)))

    def test_refused(self):
        array = da.zeros((300, 300), dtype="u2", chunks=100)
        for options, text in [({"together": True}, "together has no meaning"), ({"axes": "ZYX"}, "name 3 axes"), ({"quality": "quick"}, "must be fast")]:
            with self.subTest(options), self.assertRaisesRegex(ArgumentError, text):
                blorc_denoise.dask.denoise(array, **options)


class Cluster(unittest.TestCase):
    def test_killed_worker_and_bounded_memory(self):
        array = photons(1200, 1600)
        noise = {"kind": "poisson", "gain": 2.0, "offset": 100.0, "read_noise": 3.0}
        with tempfile.TemporaryDirectory() as folder:
            zarr.save(folder + "/in.zarr", array)
            with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=folder) as cluster, Client(cluster) as client:
                source = da.from_zarr(folder + "/in.zarr").rechunk(300)
                result = lazily(source, noise=noise)
                pids = client.run(os.getpid)
                killed = threading.Timer(1, os.kill, (next(iter(pids.values())), signal.SIGKILL))
                killed.start()
                result.to_zarr(folder + "/out.zarr")
                killed.join()
                end = time.monotonic() + 30
                while len(client.scheduler_info()["workers"]) < 2 and time.monotonic() < end:
                    time.sleep(0.1)
                now = client.run(os.getpid)
                self.assertEqual(len(now), 2)
                self.assertNotEqual(set(now.values()), set(pids.values()))
                again = result.compute()
                largest = max(client.run(program_memory).values())
            out = zarr.load(folder + "/out.zarr")
        whole = denoise(array, quality="fast", noise=noise).astype(int)
        np.testing.assert_array_equal(out, again)
        self.assertLessEqual(np.mean(abs(out - whole) > 1), 0.001)
        self.assertLessEqual(abs(out - whole).max(), 2)
        print("the program of a worker takes %d MB" % (largest / 1e6))
        self.assertLess(largest, 400e6)


def program_memory():
    """Returns the largest memory of the processes that wait for pictures, in a worker."""
    from blorc_denoise import _worker

    most = 0
    for w in list(_worker.EVERY):
        try:
            with open("/proc/%d/status" % w.process.pid) as f:
                most = max(most, 1024 * int(f.read().split("VmHWM:")[1].split()[0]))
        except OSError:
            pass  # it has ended
    return most


if __name__ == "__main__":
    unittest.main()
