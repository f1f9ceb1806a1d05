"""The U-Net that package internal/unet runs. Its input is an image of 1 or 3 planes, and the level of the noise."""
import torch
import torch.nn as nn
import torch.nn.functional as F

# Channels and blocks of the levels. The first level has half the size of the image, each other half that of the one
# before. A small network multiplies 30,000 times for each gray sample, a middle one 88,000 times.
SIZES = {
    "small": ((32, 64, 96, 128), (1, 1, 1, 2)),
    "middle": ((48, 96, 160, 192), (1, 2, 1, 2)),
}
PLANES = {"gray": 1, "colour": 3, "camera": 3, "mosaic": 1}


def convolution(inputs, outputs):
    return nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.a, self.b = convolution(channels, channels), convolution(channels, channels)
        nn.init.kaiming_normal_(self.a.weight)
        nn.init.kaiming_normal_(self.b.weight)
        self.b.weight.data *= 0.1

    def forward(self, x):
        return x + self.b(F.relu(self.a(x)))


def enlarged(up, x):
    """A transposed convolution of 2 x 2 as one of 1 x 1, which takes processors half the time."""
    w = up.weight.permute(1, 2, 3, 0).reshape(-1, len(up.weight), 1, 1)
    return F.pixel_shuffle(F.conv2d(x, w), 2).contiguous(memory_format=torch.channels_last)


def blocks(channels, count):
    return nn.Sequential(*[Block(channels) for _ in range(count)])


class Net(nn.Module):
    def __init__(self, kind, size):
        super().__init__()
        planes, (c, b) = PLANES[kind], SIZES[size]
        pairs = list(zip(c, c[1:]))
        self.head = convolution(4 * planes + 1, c[0])
        self.enc = nn.ModuleList(blocks(*level) for level in zip(c[:-1], b))
        self.dec = nn.ModuleList(blocks(*level) for level in zip(c[:-1], b))
        self.down = nn.ModuleList(nn.Conv2d(wide, deep, 2, stride=2, bias=False) for wide, deep in pairs)
        self.up = nn.ModuleList(nn.ConvTranspose2d(deep, wide, 2, stride=2, bias=False) for wide, deep in pairs)
        self.body = blocks(c[-1], b[-1])
        self.tail = convolution(c[0], 4 * planes)
        self.tail.weight.data *= 0.1

    def forward(self, x, sigma):
        """x is N x planes x height x width, sides multiples of 16; sigma has N levels; both of pixel scale 0 to 1."""
        h = F.pixel_unshuffle(x, 2)
        h = torch.cat([h, sigma.view(-1, 1, 1, 1).expand(-1, 1, *h.shape[2:])], 1)
        h = self.head(h.contiguous(memory_format=torch.channels_last))
        skips = []
        for enc, down in zip(self.enc, self.down):
            h = enc(h)
            skips.append(h)
            h = down(h)
        h = self.body(h)
        for dec, up, skip in reversed(list(zip(self.dec, self.up, skips))):
            h = dec(enlarged(up, h) + skip)
        return x + F.pixel_shuffle(self.tail(h), 2)
