#!/usr/bin/env python3
"""Compares blorc-denoise with other denoisers of white noise: how well, and how long.

    python3 compare.py FOLDER [--sigma 25] [--threads 1]

FOLDER has clean pictures, which are read as gray. The script needs numpy, OpenCV (cv2), and blorc-denoise in PATH or
in BLORC_DENOISE. scikit-image, ImageMagick, G'MIC and ffmpeg are measured where they are installed. Each of these gets
several strengths, and the row has the one that is best against the clean pictures, which no user knows. ONNX Runtime
times FFDNet, if node finds onnxruntime-node (npm) in this folder. Its weights are random, because those of others are
not shipped here. So it has no quality, but its time does not depend on them.

A row has the mean PSNR and the processor seconds for a megapixel. Those of blorc-denoise include the start of the
program and its files.
"""
import argparse, os, resource, shutil, subprocess, sys, tempfile, time
from pathlib import Path

import cv2
import numpy as np

program = os.environ.get("BLORC_DENOISE", "blorc-denoise")
here = Path(__file__).resolve().parent


def pictures(folder):
    """The clean pictures by name, as gray of 8 bits."""
    found = {p.name: cv2.imread(str(p), cv2.IMREAD_GRAYSCALE) for p in sorted(Path(folder).iterdir()) if p.is_file()}
    return {name: picture for name, picture in found.items() if picture is not None}


def add_noise(clean, sigma, seed):
    noise = np.random.default_rng(seed).normal(0, sigma, clean.shape)
    return np.clip(np.rint(clean + noise), 0, 255).astype(np.uint8)


def psnr(clean, other):
    error = np.mean((clean.astype(np.float64) - other) ** 2)
    return 10 * np.log10(255**2 / max(error, 1e-10))


def run_blorc(noisy, sigma, threads, quality):
    """Denoises all pictures in one call of the program. Returns them and the seconds of the processor."""
    with tempfile.TemporaryDirectory() as place:
        inputs, outputs = Path(place, "in"), Path(place, "out")
        inputs.mkdir()
        for i, picture in enumerate(noisy):
            cv2.imwrite(str(inputs / f"{i}.png"), picture)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, "--quiet", "-o", outputs, "--sigma", str(sigma), "--quality", quality,
                        "--workers", str(threads), inputs], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return [cv2.imread(str(outputs / f"{i}.png"), cv2.IMREAD_GRAYSCALE) for i in range(len(noisy))], seconds


def run_opencv(noisy, h):
    """Non-local means (Buades et al. 2005) of OpenCV, with the windows that it has by default."""
    start = time.process_time()
    denoised = [cv2.fastNlMeansDenoising(picture, h=h) for picture in noisy]
    return denoised, time.process_time() - start


def run_skimage(noisy, sigma, h):
    from skimage.restoration import denoise_nl_means

    start = time.process_time()
    denoised = [255 * denoise_nl_means(picture / 255, sigma=sigma / 255, h=h / 255) for picture in noisy]
    return denoised, time.process_time() - start


def run_command(noisy, command):
    """Runs a command for each picture. {in} and {out} in it are the names of files."""
    with tempfile.TemporaryDirectory() as place:
        name, out = str(Path(place, "in.png")), str(Path(place, "out.png"))
        denoised, seconds = [], 0
        for picture in noisy:
            cv2.imwrite(name, picture)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([w.format(**{"in": name, "out": out}) for w in command], check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            denoised.append(cv2.imread(out, cv2.IMREAD_GRAYSCALE))
    return denoised, seconds


def peers(noisy, sigma):
    """The other programs that are installed: names, and functions of a strength relative to the noise."""
    yield f"OpenCV {cv2.__version__} fastNlMeansDenoising", lambda k: run_opencv(noisy, k * sigma)
    try:
        import skimage

        yield f"scikit-image {skimage.__version__} denoise_nl_means", lambda k: run_skimage(noisy, sigma, k * sigma)
    except ImportError:
        pass
    ffmpeg = ["ffmpeg", "-v", "error", "-y", "-i", "{in}", "-vf"]
    for name, command in [
        ("ImageMagick -wavelet-denoise",
         lambda k: ["convert", "{in}", "-wavelet-denoise", f"{k * sigma / 2.55}%", "{out}"]),
        ("G'MIC denoise", lambda k: ["gmic", "{in}", "denoise", f"10,{k * sigma}", "-o", "{out}"]),
        ("ffmpeg nlmeans", lambda k: ffmpeg + [f"nlmeans=s={min(30, max(1, k * sigma))}", "{out}"]),
    ]:
        if shutil.which(command(1)[0]):
            yield name, lambda k, command=command: run_command(noisy, command(k))


# FFDNet (Zhang et al. 2018) for gray: 15 convolutions of 64 channels on pictures of half the size, as an ONNX file.


def field(number, value):
    """A field of a protocol buffer: a whole number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def tensor(name, values):
    dims = b"".join(field(1, d) for d in values.shape)
    return dims + field(2, 1) + field(8, name.encode()) + field(9, values.astype("<f4").tobytes())


def value_info(name, shape):
    dims = b"".join(field(1, field(1, d)) for d in shape)
    return field(1, name.encode()) + field(2, field(1, field(1, 1) + field(2, dims)))


def node(kind, inputs, output, **lists):
    attributes = b"".join(field(5, field(1, name.encode()) + b"".join(field(8, v) for v in values) + field(20, 7))
                          for name, values in lists.items())
    names = b"".join(field(1, name.encode()) for name in inputs)
    return names + field(2, output.encode()) + field(4, kind.encode()) + attributes


def ffdnet(width, height):
    """The bytes of the file, for pictures of a size."""
    rng, channels = np.random.default_rng(1), [5] + 14 * [64] + [4]
    graph, last = field(2, b"ffdnet"), "x"
    for i, (n, m) in enumerate(zip(channels, channels[1:])):
        graph += field(5, tensor(f"w{i}", rng.normal(0, (2 / 9 / n) ** 0.5, (m, n, 3, 3))))
        out = f"c{i}" if m == 64 else "y"
        graph += field(1, node("Conv", [last, f"w{i}"], out, kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
        last = out
        if m == 64:
            graph += field(1, node("Relu", [out], f"r{i}"))
            last = f"r{i}"
    size = [height // 2, width // 2]
    graph += field(11, value_info("x", [1, 5] + size)) + field(12, value_info("y", [1, 4] + size))
    return field(1, 7) + field(8, field(1, b"") + field(2, 13)) + field(7, graph)


def time_ffdnet(threads):
    """The seconds for a megapixel, or None without ONNX Runtime."""
    with tempfile.TemporaryDirectory() as place:
        model = Path(place, "ffdnet.onnx")
        model.write_bytes(ffdnet(1024, 1024))
        try:
            done = subprocess.run(["node", here / "time_onnx.mjs", model, str(threads)], capture_output=True, text=True)
        except FileNotFoundError:
            return None
        if done.returncode:
            lines = done.stderr.strip().splitlines() or ["node failed"]
            print("FFDNet:", next((line for line in lines if "Error" in line), lines[-1]), file=sys.stderr)
            return None
        return float(done.stdout) * 1e6 / 1024**2


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder")
    p.add_argument("--sigma", type=float, default=25)
    p.add_argument("--threads", type=int, default=1)
    options = p.parse_args()
    clean = list(pictures(options.folder).values())
    if not clean:
        sys.exit(f"{options.folder} has no pictures")
    cv2.setNumThreads(options.threads)
    noisy = [add_noise(picture, options.sigma, i) for i, picture in enumerate(clean)]
    megapixels = sum(picture.size for picture in clean) / 1e6

    def row(name, denoised, seconds):
        quality = "-" if denoised is None else f"{np.mean([psnr(*pair) for pair in zip(clean, denoised)]):.2f}"
        spent = "-" if seconds is None else f"{seconds / megapixels:.2f}"
        print(f"| {name} | {quality} | {spent} |", flush=True)

    print("| denoiser | dB | processor s/megapixel |\n|---|---|---|")
    row("noisy", noisy, None)
    for quality in ["fast", "balanced", "best"]:
        row("blorc-denoise --quality " + quality,
            *run_blorc(noisy, options.sigma, options.threads, quality))
    for name, run in peers(noisy, options.sigma):
        tried = [(run(k), k) for k in (0.3, 0.5, 0.7, 1, 1.4)]
        best, k = max(tried, key=lambda t: np.mean([psnr(*pair) for pair in zip(clean, t[0][0])]))
        row(f"{name}, {k * options.sigma:g}", *best)
    seconds = time_ffdnet(options.threads)
    if seconds is not None:
        row("FFDNet, ONNX Runtime", None, seconds * megapixels)


if __name__ == "__main__":
    main()
