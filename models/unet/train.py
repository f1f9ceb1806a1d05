"""Trains a U-Net on a GPU, or on a processor; models/TRAINING.md tells how the shipped ones were made.

    python3 models/unet/train.py gray|colour small|middle DATA OUT.safetensors [--steps N] [--from FILE] ...

DATA holds cbsd432, urban100/train and photos: folders of image files. A run that was cut off goes on from OUT.state
if it is started again: it draws the same crops and noise as a run that was not.
"""
import argparse
import math
import os
import time

import numpy as np
import torch

from network import PLANES, SIZES, Net
from pictures import Pictures, held, read
from weights import load, save

FLOOR = (0.7 / 255) ** 2  # errors below this count little


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("kind", choices=PLANES)
    p.add_argument("size", choices=SIZES)
    p.add_argument("data")
    p.add_argument("out")
    p.add_argument("--steps", type=int, default=30000)
    p.add_argument("--batch", type=int, default=64, help="crops of a step")
    p.add_argument("--side", type=int, default=160, help="of a crop, a multiple of 16")
    p.add_argument("--rate", type=float, default=6e-4)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--from", dest="start", help="weights to start from")
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return p.parse_args()


def rate(o, step):
    """Half a cosine, after a short rise."""
    return o.rate * min(1, (step + 1) / 300) * (0.5 + 0.5 * math.cos(math.pi * step / o.steps)) + 1e-6


def loss_of(got, clean):
    return torch.log(((got.float() - clean) ** 2).mean((1, 2, 3)) + FLOOR).mean()


def psnr(net, pictures, sigma, device):
    """The mean over pictures with white noise, in dB."""
    results = []
    for seed, clean in enumerate(pictures):
        noisy = clean + sigma * np.random.default_rng(seed).standard_normal(clean.shape).astype(np.float32)
        h, w, _ = clean.shape
        padded = np.pad(noisy, ((0, -h % 16), (0, -w % 16), (0, 0)), "reflect")
        x = torch.from_numpy(padded).to(device).permute(2, 0, 1)[None] / 255
        with torch.no_grad():
            got = net(x, torch.tensor([sigma / 255], device=device))[0].permute(1, 2, 0)[:h, :w].cpu().numpy() * 255
        results.append(10 * np.log10(255**2 / np.mean((np.clip(got, 0, 255) - clean) ** 2)))
    return float(np.mean(results))


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
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=o.rate, betas=(0.9, 0.99), weight_decay=1e-4)
        self.step, self.state = 0, o.out + ".state"
        if os.path.exists(self.state):
            self.resume()

    def resume(self):
        s = torch.load(self.state, map_location=self.o.device)
        self.net.load_state_dict(s["net"])
        self.mean.load_state_dict(s["mean"])
        self.optimizer.load_state_dict(s["optimizer"])
        self.step = s["step"]

    def keep(self):
        s = {"net": self.net.state_dict(), "mean": self.mean.state_dict(), "optimizer": self.optimizer.state_dict(),
             "step": self.step}
        torch.save(s, self.state + ".new")
        os.replace(self.state + ".new", self.state)
        save(self.mean, self.o.out, {
            "name": "unet-%s%s" % (self.o.kind, "" if self.o.size == "middle" else "-" + self.o.size),
            "training": "%d steps of %d crops of %d x %d" % (self.step, self.o.batch, self.o.side, self.o.side),
            "licence": "MIT", "source": "models/unet"})

    def once(self, run, pictures):
        o = self.o
        torch.manual_seed(o.seed * 1000003 + self.step)  # a run that goes on draws what it would have drawn
        noisy, clean, sigma = pictures.batch(o.batch, o.side)
        told = sigma * torch.exp(0.02 * torch.randn_like(sigma))
        for g in self.optimizer.param_groups:
            g["lr"] = rate(o, self.step)
        with torch.autocast(o.device, dtype=torch.bfloat16):
            got = run(noisy.contiguous(memory_format=torch.channels_last), told)
        loss = loss_of(got, clean)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self.optimizer.step()
        self.step += 1
        share = min(0.999, self.step / (self.step + 9))
        with torch.no_grad():
            for m, w in zip(self.mean.parameters(), self.net.parameters()):
                m.mul_(share).add_(w, alpha=1 - share)
        return loss.item()


def main():
    o = arguments()
    torch.backends.cudnn.benchmark = torch.backends.cudnn.allow_tf32 = True
    t = Training(o)
    pictures = Pictures(o.data, t.planes, o.device)
    scored = [read(path, t.planes).astype(np.float32) for path in held(o.data)]
    run = torch.compile(t.net) if o.device == "cuda" else t.net
    began, first, losses = time.time(), t.step, []
    while t.step < o.steps:
        losses.append(t.once(run, pictures))
        if t.step % 500 == 0 or t.step == o.steps:
            seen = t.step * o.batch * o.side**2 / 1e6
            print("step %d, %.0f megapixels, %.3f s a step, loss %.3f" % (
                t.step, seen, (time.time() - began) / (t.step - first), np.mean(losses)), flush=True)
            losses = []
        if t.step % 4000 == 0 or t.step == o.steps:
            t.keep()
            print("held pictures at 25.5: %.2f dB" % psnr(t.mean, scored, 25.5, o.device), flush=True)


if __name__ == "__main__":
    main()
