"""Clean pictures, crops of them, and noise."""
import os

import numpy as np
import torch
from PIL import Image

import camera

# The folders of DATA, by how much their pictures are made smaller, and how often each picture is drawn. The last 36
# files of cbsd432 by name are held, to measure on. Of photos, the averages of cameras that are not reported.
SOURCES = (
    ("cbsd432", (1.0,), 1.0),
    ("urban100/train", (1.0, 0.6), 2.5),
    ("photos", (1.0, 0.6), 3.0),
    ("photographs", (1.0, 0.5), 2.5),
)
HELD = 36
PAIRS = "pairs"  # noisy pictures of cameras, NAME.png or NAME.jpg, and clean ones, NAME_mean.jpg
TOLD = 0.1  # the level that a network for cameras sees, whatever the noise


def names(data, folder):
    folder = os.path.join(data, folder)
    files = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    if folder.endswith("cbsd432"):
        files = files[:-HELD]
    return [os.path.join(folder, n) for n in files]


def held(data):
    folder = os.path.join(data, "cbsd432")
    return [os.path.join(folder, n) for n in sorted(os.listdir(folder))[-HELD:]]


def read(path, planes, factor=1.0):
    """An array of height x width x planes, bytes."""
    with Image.open(path) as image:
        image = image.convert("L" if planes == 1 else "RGB")
        if factor != 1:
            image = image.resize((round(image.width * factor), round(image.height * factor)), Image.BICUBIC)
        return np.array(image).reshape(image.height, image.width, planes)


class Store:
    """Arrays of any height and width in one tensor, from which the crops of a batch are gathered at once."""

    def __init__(self, arrays, weights, device):
        self.planes, self.device = arrays[0].shape[2], device
        self.flat = torch.cat([torch.from_numpy(a).view(-1, self.planes) for a in arrays]).to(device)
        h, w = (torch.tensor([a.shape[i] for a in arrays]) for i in (0, 1))
        self.base = torch.cat([torch.zeros(1, dtype=torch.long), (h * w).cumsum(0)[:-1]]).to(device)
        self.h, self.w = h.to(device), w.to(device)
        self.weights = torch.tensor(weights, device=device)

    def crops(self, n, side):
        """n crops, turned and mirrored at random. Small pictures are mirrored at their edges."""
        d = self.device
        i = torch.multinomial(self.weights, n, replacement=True)
        h, w = self.h[i].view(-1, 1, 1), self.w[i].view(-1, 1, 1)
        y0, x0 = ((torch.rand(n, 1, 1, device=d) * (v - side + 1).clamp(min=1)).long() for v in (h, w))
        fx, fy, ft = torch.randint(0, 2, (3, n, 1, 1), device=d).bool()
        a = torch.arange(side, device=d)
        y, x = a.view(1, side, 1).expand(n, side, side), a.view(1, 1, side).expand(n, side, side)
        y, x = torch.where(ft, x, y), torch.where(ft, y, x)
        y, x = torch.where(fy, side - 1 - y, y) + y0, torch.where(fx, side - 1 - x, x) + x0
        y, x = (torch.where(v % (2 * s) >= s, 2 * s - 1 - v % (2 * s), v % (2 * s)) for v, s in ((y, h), (x, w)))
        at = self.base[i].view(-1, 1, 1) + y * self.w[i].view(-1, 1, 1) + x
        return self.flat[at].permute(0, 3, 1, 2).float() / 255


def pictures(data, planes, device):
    arrays, weights = [], []
    for folder, factors, weight in SOURCES:
        for path in names(data, folder):
            for factor in factors:
                arrays.append(read(path, planes, factor))
                weights.append(weight)
    return Store(arrays, weights, device)


def pairs(data, device):
    """Real pairs, or None."""
    arrays = []
    for clean in names(data, PAIRS):
        if clean.endswith("_mean.jpg"):
            stem = clean[: -len("_mean.jpg")]
            noisy = next(stem + e for e in (".jpg", ".png", ".JPG") if os.path.exists(stem + e))
            arrays.append(np.concatenate([read(noisy, 3), read(clean, 3)], 2))
    return Store(arrays, [1.0] * len(arrays), device) if arrays else None


def other_colours(x):
    """Some pictures with more or less colour, and some whose colours change places."""
    y = camera.luma(x)
    x = torch.where(camera.chance(x, 0.3), y + (x - y) * camera.uniform(x, 0, 2), x).clamp(0, 1)
    order = torch.rand(len(x), 3, device=x.device).argsort(1).view(len(x), 3, 1, 1).expand_as(x)
    return torch.where(camera.chance(x, 0.3), torch.gather(x, 1, order), x)


class White:
    """Noisy crops, clean ones, and the levels that the network is told: white noise of 1 to 75 of 255."""

    def __init__(self, data, planes, device):
        self.store = pictures(data, planes, device)

    def batch(self, n, side):
        x = self.store.crops(n, side)
        d, noise = x.device, torch.randn_like(x)
        if self.store.planes > 1:
            x = other_colours(x)
            gray = camera.chance(x, 0.1)
            x = torch.where(gray, camera.luma(x).expand_as(x), x)
            noise = torch.where(gray, noise[:, :1].expand_as(noise), noise)
        u = torch.rand(n, device=d)
        sigma = torch.where(torch.rand(n, device=d) < 0.5, 1 + 74 * u, 75**u) / 255
        return x + sigma.view(-1, 1, 1, 1) * noise, x, sigma * torch.exp(0.02 * torch.randn_like(sigma))


class Cameras:
    """Noisy crops and clean ones as cameras show them. A sixth are real pairs, if there are some."""

    def __init__(self, data, planes, device):
        self.store, self.pairs, self.ready = pictures(data, planes, device), pairs(data, device), []

    def batch(self, n, side):
        if not self.ready:
            self.draw(n, side)
        noisy, clean = self.ready.pop()
        return noisy, clean, torch.full((n,), TOLD, device=noisy.device)

    @staticmethod
    def shot(x, side):
        return *camera.shot(x, side), TOLD

    def draw(self, n, side, groups=4):
        """Batches whose crops come from several cameras. Each group has its own scale and way of demosaicing."""
        real = n // 6 if self.pairs else 0
        drawn = []
        for _ in range(groups):
            larger = 2 * round(side / camera.pick(camera.SCALES) / 2)
            drawn.append(camera.shot(other_colours(self.store.crops(n - real, larger)), side))
        noisy, clean = (torch.cat(v) for v in zip(*drawn))
        order = torch.randperm(len(noisy), device=noisy.device)
        for part in order.chunk(groups):
            a, b = noisy[part], clean[part]
            if real:
                both = self.pairs.crops(real, side)
                a, b = torch.cat([a, both[:, :3]]), torch.cat([b, both[:, 3:]])
            self.ready.append((a, b))
