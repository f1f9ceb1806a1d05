"""Trains a U-Net on a GPU, or on a processor; models/TRAINING.md tells how the shipped ones were made.

    python3 tools/unet/train.py gray|colour|camera|mosaic small|middle DATA OUT.safetensors [--steps N] ...

DATA is what prepare.py makes. A run that was cut off goes on from OUT.state if it is started again: it draws the same
crops and noise as a run that was not.
"""
import argparse
import math
import os
import time

import numpy as np
import torch

from mosaic import Mosaics
from network import PLANES, SIZES, Net
from pictures import Cameras, White, held, read
from weights import load, save

KINDS = {"camera": Cameras, "mosaic": Mosaics}
FLOOR = (0.7 / 255) ** 2  # squared errors below this count little
LEAST = 0.01  # for mosaics, whose levels are from 0.2 of 255 on: the share of the noise


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("kind", choices=PLANES)
    p.add_argument("size", choices=SIZES)
    p.add_argument("data")
    p.add_argument("out")
    p.add_argument("--steps", type=int, default=30000)
    p.add_argument("--seconds", type=float, default=math.inf, help="end after this time, if it comes before the steps")
    p.add_argument("--batch", type=int, default=64, help="crops of a step")
    p.add_argument("--side", type=int, default=160, help="of a crop, a multiple of 16")
    p.add_argument("--rate", type=float, default=6e-4)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--from", dest="start", help="weights to start from")
    p.add_argument("--float32", action="store_true", help="not bfloat16, which cannot hold noise below 1 of 255")
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return p.parse_args()


def rate(o, step, share):
    """Half a cosine over the share of the training that is done, after a short rise."""
    return o.rate * min(1, (step + 1) / 300) * (0.5 + 0.5 * math.cos(math.pi * share)) + 1e-6


def loss_of(kind, got, clean, told):
    errors = ((got.float() - clean) ** 2).mean((1, 2, 3))
    if kind == "mosaic":
        return torch.log(errors / told**2 + LEAST).mean()
    return torch.log(errors + FLOOR).mean()


def psnr(net, pairs, device):
    """The mean over pairs of pictures, in dB."""
    results = []
    for noisy, clean, told in pairs:
        h, w, _ = clean.shape
        padded = np.pad(noisy, ((0, -h % 16), (0, -w % 16), (0, 0)), "reflect")
        x = torch.from_numpy(padded).to(device).permute(2, 0, 1)[None] / 255
        with torch.no_grad():
            got = net(x, torch.tensor([told], device=device))[0].permute(1, 2, 0)[:h, :w].cpu().numpy() * 255
        results.append(10 * np.log10(255**2 / np.mean((np.clip(got, 0, 255) - clean) ** 2)))
    return float(np.mean(results))


def held_pairs(o, planes):
    """Noisy and clean pictures that are not trained on, 0 to 255, and levels: white noise of 25.5, or drawn cameras."""
    torch.manual_seed(0)
    result = []
    for seed, path in enumerate(held(o.data)):
        if o.kind in KINDS:
            x = torch.from_numpy(read(path, 3)[:320, :320].astype(np.float32) / 255).permute(2, 0, 1)[None]
            noisy, clean, told = KINDS[o.kind].shot(x, 320)
            noisy, clean = (v[0].permute(1, 2, 0).numpy() * 255 for v in (noisy, clean))
            result.append((noisy, clean, float(told)))
            continue
        clean = read(path, planes).astype(np.float32)
        noisy = clean + 25.5 * np.random.default_rng(seed).standard_normal(clean.shape).astype(np.float32)
        result.append((noisy, clean, 25.5 / 255))
    return result


class Training:
    def __init__(self, o):
        self.o, self.planes = o, PLANES[o.kind]
        torch.manual_seed(o.seed)
        self.net, self.mean = Net(o.kind, o.size), Net(o.kind, o.size)
        if o.start:
            load(self.net, o.start)
        self.net = self.net.to(o.device).to(memory_format=torch.channels_last)
        self.mean = self.mean.to(o.device)
        self.mean.load_state_dict(self.net.state_dict())
        self.means, self.weights = list(self.mean.parameters()), list(self.net.parameters())
        self.optimizer = torch.optim.AdamW(self.weights, lr=o.rate, betas=(0.9, 0.99), weight_decay=1e-4)
        self.step, self.spent, self.state = 0, 0.0, o.out + ".state"
        if os.path.exists(self.state):
            self.resume()

    def resume(self):
        s = torch.load(self.state, map_location=self.o.device)
        self.net.load_state_dict(s["net"])
        self.mean.load_state_dict(s["mean"])
        self.optimizer.load_state_dict(s["optimizer"])
        self.step, self.spent = s["step"], s["spent"]

    def keep(self):
        s = {"net": self.net.state_dict(), "mean": self.mean.state_dict(), "optimizer": self.optimizer.state_dict(),
             "step": self.step, "spent": self.spent}
        torch.save(s, self.state + ".new")
        os.replace(self.state + ".new", self.state)
        save(self.mean, self.o.out, {
            "name": "unet-%s%s" % (self.o.kind, "" if self.o.size == "middle" else "-" + self.o.size),
            "training": "%d steps of %d crops of %d x %d" % (self.step, self.o.batch, self.o.side, self.o.side),
            "licence": "MIT", "source": "tools/unet"})

    def once(self, run, pictures):
        o = self.o
        torch.manual_seed(o.seed * 1000003 + self.step)  # a run that goes on draws what it would have drawn
        noisy, clean, told = pictures.batch(o.batch, o.side)
        for g in self.optimizer.param_groups:
            g["lr"] = rate(o, self.step, self.share())
        with torch.autocast(o.device, dtype=torch.bfloat16, enabled=not o.float32):
            got = run(noisy.contiguous(memory_format=torch.channels_last), told)
        loss = loss_of(o.kind, got, clean, told)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self.optimizer.step()
        self.step += 1
        share = min(0.999, self.step / (self.step + 9))
        with torch.no_grad():
            torch._foreach_mul_(self.means, share)
            torch._foreach_add_(self.means, self.weights, alpha=1 - share)
        return loss.detach()

    def share(self):
        return min(1.0, max(self.step / self.o.steps, self.spent / self.o.seconds))


def main():
    o = arguments()
    torch.backends.cudnn.benchmark, torch.backends.cudnn.allow_tf32 = True, False
    t = Training(o)
    pictures = KINDS.get(o.kind, White)(o.data, t.planes, o.device)
    scored = held_pairs(o, t.planes)
    run = torch.compile(t.net) if o.device == "cuda" else t.net
    last, losses = time.time(), []
    while t.share() < 1:
        losses.append(t.once(run, pictures))
        if t.step % 50 == 0:
            now = time.time()
            t.spent, last = t.spent + now - last, now
        if t.step % 500 == 0 or t.share() == 1:
            print("step %d, %.0f megapixels, %.3f s a step, loss %.3f" % (
                t.step, t.step * o.batch * o.side**2 / 1e6, t.spent / t.step, torch.stack(losses).mean()), flush=True)
            losses = []
        if t.step % 2000 == 0 or t.share() == 1:
            t.keep()
            print("held pictures: %.2f dB" % psnr(t.mean, scored, o.device), flush=True)


if __name__ == "__main__":
    main()
