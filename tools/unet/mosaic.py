"""Mosaics of sensors with the noise of photons and of the amplifier, made even: what the network for raw pictures sees.

Red is at even rows and columns, blue at odd ones. The transform is the generalised Anscombe transform of each colour,
less its value at black, so that colours with different read noise have the same black.
"""
import torch

import camera
from camera import chance, log_uniform, uniform
from pictures import other_colours, pictures

# Nodes and weights of the mean over a normal distribution (Gauss and Hermite).
NODES = ((0, 0.53333333), (1.35562618, 0.22207592), (-1.35562618, 0.22207592), (2.85697001, 0.01125741),
         (-2.85697001, 0.01125741))
ZOOMS = (1.25, 1.6, 2.2)  # raw pictures are softer than pictures on the web


def by_colour(mosaic, values):
    """A mosaic of what red, green and blue have in each picture."""
    return (torch.cat(values, 1) * camera.masks(mosaic)).sum(1, keepdim=True)


def stabilised(v, shot, read):
    """Samples with noise of variance shot v + read to samples with noise of variance 1. Below black it is straight."""
    root = torch.sqrt(0.375 + read / shot**2)
    x = v / shot
    return torch.where(x < 0, x / root, 2 * (torch.sqrt(x.clamp(min=0) + root**2) - root))


def noise_of(mosaic):
    """The shot noise and the read noise of each sample: of cameras at ISO 100 to 102,400, and somewhat beyond."""
    green = log_uniform(mosaic, 3e-6, 6e-3)
    shots = [green * torch.exp(uniform(mosaic, low, high)) for low, high in ((-0.3, 1.1), (0, 0), (-0.3, 1.1))]
    ratio = log_uniform(mosaic, 0.5, 2000)
    reads = [(ratio * torch.exp(1.2 * torch.randn_like(ratio)) * s * s).clamp(max=0.0016) for s in shots]
    return by_colour(mosaic, shots), by_colour(mosaic, reads)


def raw(x):
    """Mosaics of pictures. The two greens of some cameras differ."""
    soft = x[len(x) // 3 :: 2]
    x[len(x) // 3 :: 2] = camera.blurred(soft, uniform(soft, 0.25, 0.8))
    light = camera.Camera(x, None).raw(x) * torch.where(chance(x, 0.5), log_uniform(x, 0.03, 1), uniform(x, 1, 1))
    m = (light * camera.masks(x)).sum(1, keepdim=True)
    m[:, :, 1::2, 0::2] *= 1 + 0.01 * torch.randn_like(m[:, :, :1, :1]) * chance(m, 0.4)
    return m


def noisy_of(m):
    """Stabilised mosaics with noise and what their mean is, both of about 0 to 1, and levels."""
    shot, read = noise_of(m)
    noisy = torch.poisson(m / shot) * shot + read.sqrt() * torch.randn_like(m)
    noisy = torch.where(chance(m, 0.5), noisy.clamp(max=1), noisy)
    deviation = torch.sqrt(shot * m + read)
    mean = sum(w * stabilised(m + z * deviation, shot, read) for z, w in NODES)
    full = stabilised(torch.ones_like(m), shot, read).amax((1, 2, 3), keepdim=True)
    return stabilised(noisy, shot, read) / full, mean / full, (1 / full).view(-1)


class Mosaics:
    """Noisy crops, clean ones, and the levels that the network is told. About a half are enlarged."""

    def __init__(self, data, planes, device):
        self.store = pictures(data, 3, device)

    def batch(self, n, side):
        enlarged = n * 9 // 16
        smaller = 2 * round(side / camera.pick(ZOOMS) / 2)
        crops = [self.store.crops(n - enlarged, side), camera.resized(self.store.crops(enlarged, smaller), side)]
        x = torch.cat(crops).clamp(0, 1)
        return noisy_of(raw(other_colours(x)))

    @staticmethod
    def shot(x, side):
        return noisy_of(raw(x))
