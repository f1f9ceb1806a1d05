"""Clean pictures, crops of them, and white noise."""
import os

import numpy as np
import torch
from PIL import Image

# The folders of DATA, by how much their pictures are made smaller, and how often each picture is drawn. The last 36
# files of cbsd432 by name are held, to measure on. Of photos, the averages of cameras that are not reported.
SOURCES = (("cbsd432", (1.0,), 1.0), ("urban100/train", (0.8, 0.48), 2.5), ("photos", (0.4, 0.25), 3.0))
HELD = 36
REPORTED = ("Canon5D2_recie", "Canon80D_corne", "Nikon800_stair", "SonyA7II_door")


def names(data, folder):
    files = sorted(os.listdir(os.path.join(data, folder)))
    if folder == "cbsd432":
        files = files[:-HELD]
    if folder == "photos":
        files = [n for n in files if n.endswith("_mean.jpg") and not n.startswith(REPORTED)]
    return [os.path.join(data, folder, n) for n in files]


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


class Pictures:
    """Pictures of any size in one array, from which the crops of a batch are gathered at once."""

    def __init__(self, data, planes, device):
        pictures, weights = [], []
        for folder, factors, weight in SOURCES:
            for path in names(data, folder):
                for factor in factors:
                    pictures.append(read(path, planes, factor))
                    weights.append(weight)
        self.planes, self.device = planes, device
        self.flat = torch.cat([torch.from_numpy(p).view(-1, planes) for p in pictures]).to(device)
        h, w = (torch.tensor([p.shape[i] for p in pictures]) for i in (0, 1))
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

    def batch(self, n, side):
        """Noisy crops, clean ones, and the levels, 1 to 75 of 255. Some crops of a colour batch are gray."""
        x, d = self.crops(n, side), self.device
        noise = torch.randn_like(x)
        if self.planes > 1:
            gray = torch.rand(n, 1, 1, 1, device=d) < 0.1
            luma = torch.tensor([0.299, 0.587, 0.114], device=d).view(1, 3, 1, 1)
            x = torch.where(gray, (x * luma).sum(1, keepdim=True).expand_as(x), x)
            noise = torch.where(gray, noise[:, :1].expand_as(noise), noise)
        u = torch.rand(n, device=d)
        sigma = torch.where(torch.rand(n, device=d) < 0.5, 1 + 74 * u, 75**u) / 255
        return x + sigma.view(-1, 1, 1, 1) * noise, x, sigma
