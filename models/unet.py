"""Trains the U-Nets unet-colour and unet-gray on a GPU; models/TRAINING.md tells how the shipped ones were made.

    python3 models/unet.py colour|gray DATA OUT.safetensors SECONDS [FROM.safetensors]

DATA holds cbsd432, whose last 36 files by name are left out, urban100/train and photographs: folders of image files.
"""
import hashlib
import json
import math
import os
import struct
import sys
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from PIL import Image

CHANNELS, BLOCKS = (48, 96, 160, 192), (1, 2, 1, 2)  # of the levels
SIDE, BATCH = 160, 64  # of crops
RATE = 6e-4
# The folders, by how much their pictures are made smaller, and how often each picture is drawn.
SOURCES = (("cbsd432", (1.0,), 1.0), ("urban100/train", (0.8, 0.48), 2.5), ("photographs", (1.0,), 3.0))
FLOOR = (0.7 / 255) ** 2  # errors below this count little
dev = "cuda" if torch.cuda.is_available() else "cpu"
GRAY = torch.tensor([0.299, 0.587, 0.114], device=dev).view(1, 3, 1, 1)


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.a, self.b = nn.Conv2d(c, c, 3, padding=1, bias=False), nn.Conv2d(c, c, 3, padding=1, bias=False)
        nn.init.kaiming_normal_(self.a.weight)
        nn.init.kaiming_normal_(self.b.weight)
        self.b.weight.data *= 0.1

    def forward(self, x):
        return x + self.b(F.relu(self.a(x)))


class Net(nn.Module):
    """What package internal/unet runs."""

    def __init__(self, planes):
        super().__init__()
        c, n = CHANNELS, len(CHANNELS)
        self.head = nn.Conv2d(4 * planes + 1, c[0], 3, padding=1, bias=False)
        self.enc = nn.ModuleList(nn.Sequential(*[Block(c[l]) for _ in range(BLOCKS[l])]) for l in range(n - 1))
        self.dec = nn.ModuleList(nn.Sequential(*[Block(c[l]) for _ in range(BLOCKS[l])]) for l in range(n - 1))
        self.down = nn.ModuleList(nn.Conv2d(c[l], c[l + 1], 2, stride=2, bias=False) for l in range(n - 1))
        self.up = nn.ModuleList(nn.ConvTranspose2d(c[l + 1], c[l], 2, stride=2, bias=False) for l in range(n - 1))
        self.body = nn.Sequential(*[Block(c[-1]) for _ in range(BLOCKS[-1])])
        self.tail = nn.Conv2d(c[0], 4 * planes, 3, padding=1, bias=False)
        self.tail.weight.data *= 0.1

    def forward(self, x, sigma):
        h = F.pixel_unshuffle(x, 2)
        h = self.head(torch.cat([h, sigma.view(-1, 1, 1, 1).expand(-1, 1, h.shape[2], h.shape[3])], 1))
        skips = []
        for enc, down in zip(self.enc, self.down):
            h = enc(h)
            skips.append(h)
            h = down(h)
        h = self.body(h)
        for l in reversed(range(len(self.up))):
            h = self.dec[l](self.up[l](h) + skips[l])
        return x + F.pixel_shuffle(self.tail(h), 2)


def in_file(name):
    return name.replace(".a.", ".0.").replace(".b.", ".1.")


def save(net, path, metadata):
    """Writes weights of 8 bits with a scale for each row, and the checksum that package internal/safetensors wants."""
    zeros, parts = "0" * 64, {}
    for k, w in net.state_dict().items():
        w = w.detach().float().cpu()
        scale = (w.abs().amax((1, 2, 3)) / 127).clamp(min=1e-12)
        parts[in_file(k)] = "I8", (w / scale.view(-1, 1, 1, 1)).round().numpy().astype("<i1")
        parts[in_file(k).replace("weight", "scale")] = "F32", scale.numpy().astype("<f4")
    head, data, at = {"__metadata__": dict(metadata, sha256=zeros)}, [], 0
    for name, (kind, values) in sorted(parts.items()):
        b = values.tobytes()
        head[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": [at, at + len(b)]}
        data.append(b)
        at += len(b)
    h = json.dumps(head, separators=(",", ":")).encode()
    h += b" " * (-len(h) % 8)
    raw = struct.pack("<Q", len(h)) + h + b"".join(data)
    digest = hashlib.sha256(raw).hexdigest()
    with open(path, "wb") as f:
        f.write(raw.replace(b'"sha256":"' + zeros.encode(), b'"sha256":"' + digest.encode(), 1))


def load(net, path):
    """Takes over the weights of a file, but those for another number of planes."""
    with open(path, "rb") as f:
        raw = f.read()
    n = struct.unpack("<Q", raw[:8])[0]
    head, state = json.loads(raw[8 : 8 + n]), {}

    def values(name, kind):
        a, b = head[name]["data_offsets"]
        return torch.from_numpy(np.frombuffer(raw[8 + n + a : 8 + n + b], kind).astype(np.float32).reshape(head[name]["shape"]))

    for k, w in net.state_dict().items():
        v = values(in_file(k), "<i1") * values(in_file(k).replace("weight", "scale"), "<f4").view(-1, 1, 1, 1)
        state[k] = v if v.shape == w.shape else w
    net.load_state_dict(state)


class Pictures:
    """Pictures of any size on the GPU, from which the crops of a batch are gathered at once."""

    def __init__(self, data):
        pictures, weights = [], []
        for folder, factors, weight in SOURCES:
            names = sorted(os.listdir(os.path.join(data, folder)))
            if folder == "cbsd432":
                names = names[:-36]
            for name in names:
                img = Image.open(os.path.join(data, folder, name)).convert("RGB")
                for f in factors:
                    pictures.append(np.array(img.resize((round(img.width * f), round(img.height * f)), Image.BICUBIC)))
                    weights.append(weight)
        self.flat = torch.cat([torch.from_numpy(p).view(-1, 3) for p in pictures]).to(dev)
        h, w = (torch.tensor([p.shape[i] for p in pictures]) for i in (0, 1))
        self.base = torch.cat([torch.zeros(1, dtype=torch.long), (h * w).cumsum(0)[:-1]]).to(dev)
        self.h, self.w = h.to(dev), w.to(dev)
        self.weights = torch.tensor(weights, device=dev)

    def crops(self, n):
        """n crops, turned and mirrored at random. Small pictures are mirrored at their edges."""
        i = torch.multinomial(self.weights, n, replacement=True)
        h, w = self.h[i].view(-1, 1, 1), self.w[i].view(-1, 1, 1)
        y0, x0 = ((torch.rand(n, 1, 1, device=dev) * (v - SIDE + 1).clamp(min=1)).long() for v in (h, w))
        fx, fy, ft = torch.randint(0, 2, (3, n, 1, 1), device=dev).bool()
        a = torch.arange(SIDE, device=dev)
        y, x = a.view(1, SIDE, 1).expand(n, SIDE, SIDE), a.view(1, 1, SIDE).expand(n, SIDE, SIDE)
        y, x = torch.where(ft, x, y), torch.where(ft, y, x)
        y, x = torch.where(fy, SIDE - 1 - y, y) + y0, torch.where(fx, SIDE - 1 - x, x) + x0
        y, x = (torch.where(v % (2 * s) >= s, 2 * s - 1 - v % (2 * s), v % (2 * s)) for v, s in ((y, h), (x, w)))
        at = self.base[i].view(-1, 1, 1) + y * self.w[i].view(-1, 1, 1) + x
        return self.flat[at].permute(0, 3, 1, 2).float() / 255

    def batch(self, planes):
        """Noisy crops, clean ones, and the levels. Some crops of a colour batch are gray."""
        x = self.crops(BATCH)
        noise = torch.randn_like(x)
        gray = torch.rand(BATCH, 1, 1, 1, device=dev) < (1 if planes == 1 else 0.1)
        x = torch.where(gray, (x * GRAY).sum(1, keepdim=True).expand_as(x), x)[:, :planes]
        noise = torch.where(gray, noise[:, :1].expand_as(noise), noise)[:, :planes]
        u = torch.rand(BATCH, device=dev)
        sigma = torch.where(torch.rand(BATCH, device=dev) < 0.5, 1 + 74 * u, 75**u) / 255
        return x + sigma.view(-1, 1, 1, 1) * noise, x, sigma


def main():
    kind, data, out, seconds = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
    planes = {"gray": 1, "colour": 3}[kind]
    torch.manual_seed(1)
    torch.backends.cudnn.benchmark = torch.backends.cudnn.allow_tf32 = True
    pictures = Pictures(data)
    net, mean = Net(planes), Net(planes).to(dev)
    if len(sys.argv) > 5:
        load(net, sys.argv[5])
    net = net.to(dev).to(memory_format=torch.channels_last)
    mean.load_state_dict(net.state_dict())
    run = torch.compile(net) if dev == "cuda" else net
    weights, means = list(net.parameters()), list(mean.parameters())
    opt = torch.optim.AdamW(weights, lr=RATE, betas=(0.9, 0.99), weight_decay=1e-4)
    start, step, done = None, 0, 0.0
    while done < 1:
        noisy, clean, sigma = pictures.batch(planes)
        told = sigma * torch.exp(0.02 * torch.randn_like(sigma))
        for g in opt.param_groups:
            g["lr"] = RATE * min(1, (step + 1) / 300) * (0.5 + 0.5 * math.cos(math.pi * done)) + 1e-6
        with torch.autocast(dev, dtype=torch.bfloat16, enabled=dev == "cuda"):
            got = run(noisy.contiguous(memory_format=torch.channels_last), told)
        loss = torch.log(((got.float() - clean) ** 2).mean((1, 2, 3)) + FLOOR).mean()
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 0.5)
        opt.step()
        with torch.no_grad():
            keep = min(0.999, (step + 1) / (step + 10))
            torch._foreach_mul_(means, keep)
            torch._foreach_add_(means, weights, alpha=1 - keep)
        step += 1
        if step == 5:  # what was compiled is ready
            start = time.time()
        if start:
            done = (time.time() - start) / seconds
        if step % 500 == 0:
            print("step %d, %.0f %%, loss %.3f" % (step, 100 * done, loss.item()), flush=True)
    save(mean, out, {"name": "unet-" + kind, "training": "%d steps" % step, "licence": "MIT", "source": "models/unet.py"})


if __name__ == "__main__":
    main()
