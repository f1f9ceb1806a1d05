"""Makes the small files that train.py reads: 54 MB, so that they are soon on a machine that has a GPU.

    python3 tools/unet/prepare.py DATA PHOTOGRAPHS OUT

DATA holds cbsd432, urban100/train, photos with shifts.csv, polyu and polyu-shifts.csv; PHOTOGRAPHS any clean
photographs of high resolution. Needs jpegtran, which cuts JPEG files without loss.
"""
import csv
import os
import subprocess
import sys

import numpy as np
from PIL import Image
from scipy import ndimage

from pictures import PAIRS

# Of photos, the cameras and scenes that are only for reporting; of polyu, the pairs to train on are the first by name.
REPORTED = ("Canon5D2_recie", "Canon80D_corne", "Nikon800_stair", "SonyA7II_door")
POLYU = 30
CROP, CROPS = 704, 2  # of each shot of photos


def files(folder, ending=""):
    return [os.path.join(folder, n) for n in sorted(os.listdir(folder)) if n.endswith(ending)]


def stem(path):
    return os.path.basename(path).rsplit(".", 1)[0]


def read(path):
    with Image.open(path) as image:
        return np.array(image.convert("RGB"))


def reduce(path, out, factor=1.0, longest=10**9):
    """A smaller picture, whose chroma is as large as its luma."""
    with Image.open(path) as image:
        factor = min(factor, longest / max(image.size))
        small = image.convert("RGB").resize([round(v * factor) for v in image.size], Image.LANCZOS)
    small.save(os.path.join(out, stem(path) + ".jpg"), quality=92, subsampling=0, optimize=True)


def jpegtran(source, out, *options):
    subprocess.run(["jpegtran", "-copy", "none", "-optimize", "-progressive", *options, "-outfile", out, source],
                   check=True)


def shifts(path):
    with open(path) as f:
        return {r["name"]: (float(r["dy"]), float(r["dx"])) for r in csv.DictReader(f)}


def moved(mean, shift):
    planes = [ndimage.shift(mean[..., i].astype(np.float32), shift, order=3, mode="nearest") for i in range(3)]
    return np.stack(planes, -1)


def save_clean(mean, noisy, out):
    """The colours of lamps change from shot to shot: the average takes those of its shot."""
    mean = mean + (noisy.astype(np.float32) - mean).mean((0, 1))
    Image.fromarray(np.rint(mean.clip(0, 255)).astype("u1")).save(out + "_mean.jpg", quality=96, subsampling=0)


def polyu_pairs(data, out):
    by = shifts(os.path.join(data, "polyu-shifts.csv"))
    for path in files(os.path.join(data, "polyu"), "_real.JPG")[:POLYU]:
        name = stem(path)[: -len("_real")]
        jpegtran(path, os.path.join(out, name + ".jpg"))
        mean = read(path.replace("_real", "_mean"))
        save_clean(moved(mean, by.get(name, (0, 0))), read(path), os.path.join(out, name))


def photo_pairs(data, out):
    folder, random = os.path.join(data, "photos"), np.random.default_rng(5)
    by = shifts(os.path.join(folder, "shifts.csv"))
    for path in trained_photos(data):
        name = stem(path)[: -len("_mean")]
        mean = moved(read(path), by[name])
        for k in range(CROPS):
            y, x = (16 * int(random.integers(1, (side - CROP) // 16)) for side in mean.shape[:2])
            part = os.path.join(out, "%s%d" % (name, k))
            jpegtran(os.path.join(folder, name + ".jpg"), part + ".jpg", "-crop", "%dx%d+%d+%d" % (CROP, CROP, x, y))
            save_clean(mean[y : y + CROP, x : x + CROP], read(part + ".jpg"), part)


def trained_photos(data):
    return [p for p in files(os.path.join(data, "photos"), "_mean.jpg") if not stem(p).startswith(REPORTED)]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    data, photographs, out = sys.argv[1:]
    Image.MAX_IMAGE_PIXELS = None
    to = {n: os.path.join(out, n) for n in ("cbsd432", "urban100/train", "photos", "photographs", PAIRS)}
    for folder in to.values():
        os.makedirs(folder)
    for path in files(os.path.join(data, "cbsd432")):
        jpegtran(path, os.path.join(to["cbsd432"], os.path.basename(path)))
    for path in files(os.path.join(data, "urban100/train")):
        reduce(path, to["urban100/train"], 0.7)
    for path in trained_photos(data):
        reduce(path, to["photos"], 0.35)
    for path in files(photographs):
        reduce(path, to["photographs"], 0.5, 1000)
    polyu_pairs(data, to[PAIRS])
    photo_pairs(data, to[PAIRS])


if __name__ == "__main__":
    main()
