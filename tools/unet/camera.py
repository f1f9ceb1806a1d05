"""Noise of cameras, drawn: from a picture to light, a mosaic with the noise of a sensor, and back, as cameras do it.

T. Brooks et al., "Unprocessing images for learned raw denoising", CVPR 2019; S. Guo et al., "Toward convolutional blind
denoising of real photographs", CVPR 2019. All functions take N x 3 x height x width, linear or displayed, 0 to 1.
"""
import math

import torch
import torch.nn.functional as F

# How much pictures are made smaller or larger after they are developed. Most are not.
SCALES = (1, 1, 1, 1, 0.5, 0.64, 0.8, 1.25, 1.6)
LUMA = (0.299, 0.587, 0.114)


def uniform(like, low, high):
    """A number for each picture."""
    return low + (high - low) * torch.rand(len(like), 1, 1, 1, device=like.device)


def log_uniform(like, low, high):
    return torch.exp(uniform(like, math.log(low), math.log(high)))


def chance(like, share):
    return torch.rand(len(like), 1, 1, 1, device=like.device) < share


def filtered(x, kernel):
    """Each plane with a kernel of odd sides; edges are mirrored."""
    ry, rx = len(kernel) // 2, len(kernel[0]) // 2
    h, w = x.shape[2:]
    p, out = F.pad(x, (rx, rx, ry, ry), mode="reflect"), 0
    for i, row in enumerate(kernel):
        for j, k in enumerate(row):
            if k:
                out = out + k * p[:, :, i : i + h, j : j + w]
    return out


def gaussian(n, radius):
    """For each picture the n x n matrix that blurs a column; edges are mirrored."""
    i = torch.arange(n, device=radius.device, dtype=radius.dtype)
    distances = torch.stack([i[:, None] - i, i[:, None] + i + 1, 2 * n - 1 - i[:, None] - i])
    m = torch.exp(-0.5 * (distances / radius.view(-1, 1, 1, 1)) ** 2).sum(1)
    return m / m.sum(2, keepdim=True)


def blurred(x, radius):
    """A Gaussian of a radius for each picture, N x 1 x 1 x 1."""
    rows, columns = gaussian(x.shape[2], radius), gaussian(x.shape[3], radius)
    return rows[:, None] @ x @ columns[:, None].transpose(2, 3)


def luma(x):
    return (x * torch.tensor(LUMA, device=x.device).view(1, 3, 1, 1)).sum(1, keepdim=True)


# The mosaic has red at even rows and columns, blue at odd ones.
def masks(x):
    h, w = x.shape[2:]
    m = torch.zeros(1, 3, h, w, device=x.device)
    m[:, 0, 0::2, 0::2] = m[:, 2, 1::2, 1::2] = 1
    m[:, 1] = 1 - m[:, 0] - m[:, 2]
    return m


BILINEAR = [[0.25, 0.5, 0.25], [0.5, 1, 0.5], [0.25, 0.5, 0.25]]
CROSS = [[0, 0.25, 0], [0.25, 1, 0.25], [0, 0.25, 0]]


def demosaiced(raw, way):
    """A mosaic, N x 1 x h x w, to colours. Ways: bilinear, differences to green, Hamilton and Adams, Malvar."""
    m = masks(raw)
    if way == "bilinear":
        red, blue = filtered(raw * m[:, :1], BILINEAR), filtered(raw * m[:, 2:], BILINEAR)
        return torch.cat([red, filtered(raw * m[:, 1:2], CROSS), blue], 1)
    if way == "malvar":
        return malvar(raw, m)
    green = filtered(raw * m[:, 1:2], CROSS) if way == "differences" else hamilton_adams(raw, m)
    red = green + filtered((raw - green) * m[:, :1], BILINEAR)
    blue = green + filtered((raw - green) * m[:, 2:], BILINEAR)
    return torch.cat([red, green, blue], 1)


def hamilton_adams(raw, m):
    """Green along the smaller gradient, corrected by the second derivative of the other colour (US patent 5629734)."""
    def along(k):
        return filtered(raw, k)

    def both(k):
        return along([k]), along([[v] for v in k])

    gh, gv = both([-0.25, 0.5, 0.5, 0.5, -0.25])
    (sh, sv), (bh, bv) = both([0, 1, 0, -1, 0]), both([-1, 0, 2, 0, -1])
    h, v = sh.abs() + bh.abs(), sv.abs() + bv.abs()
    green = torch.where(h < v, gh, torch.where(v < h, gv, (gh + gv) / 2))
    return torch.where(m[:, 1:2] > 0, raw, green)


# In eighths: green at another colour; a colour in its row; a colour at the opposite one.
AT_OTHER = [[0, 0, -1, 0, 0], [0, 0, 2, 0, 0], [-1, 2, 4, 2, -1], [0, 0, 2, 0, 0], [0, 0, -1, 0, 0]]
IN_ROW = [[0, 0, 0.5, 0, 0], [0, -1, 0, -1, 0], [-1, 4, 5, 4, -1], [0, -1, 0, -1, 0], [0, 0, 0.5, 0, 0]]
ACROSS = [[0, 0, -1.5, 0, 0], [0, 2, 0, 2, 0], [-1.5, 0, 6, 0, -1.5], [0, 2, 0, 2, 0], [0, 0, -1.5, 0, 0]]


def malvar(raw, m):
    """H. Malvar, L.-W. He, R. Cutler, "High-quality linear interpolation for demosaicing of Bayer-patterned color
    images", ICASSP 2004."""
    other, row, column, far = (filtered(raw, k) / 8 for k in (AT_OTHER, IN_ROW, list(zip(*IN_ROW)), ACROSS))
    red, green, blue = m[:, :1], m[:, 1:2], m[:, 2:]
    even = torch.zeros_like(red)
    even[:, :, 0::2] = 1  # rows that hold red
    r = red * raw + blue * far + green * (even * row + (1 - even) * column)
    b = blue * raw + red * far + green * ((1 - even) * row + even * column)
    return torch.cat([r, green * raw + (1 - green) * other, b], 1)


WAYS = ("bilinear", "differences", "differences", "hamilton-adams", "hamilton-adams", "malvar")


def colour_matrices(x):
    """From the colours of sensors to those of pictures, N x 3 x 3; rows sum to 1."""
    n, d = len(x), x.device
    red, blue = 0.05 + 0.55 * torch.rand(2, n, device=d)
    green = 0.02 + 0.28 * torch.rand(n, device=d)
    t = 0.07 * torch.randn(6, n, device=d)
    rows = torch.stack([1 + red + t[0] + t[1], -red - t[0], -t[1], -green - t[2], 1 + 2 * green + t[2] + t[3],
                        -green - t[3], -t[4], -blue - t[5], 1 + blue + t[4] + t[5]], 1)
    return rows.view(n, 3, 3)


def transformed(m, x):
    return torch.einsum("nij,njhw->nihw", m, x)


def tone(v, amount):
    """An S-shaped curve."""
    return v + amount * (3 * v * v - 2 * v**3 - v)


class Camera:
    """The settings of one camera for each picture of a batch."""

    def __init__(self, x, way):
        self.way = way
        self.gamma = uniform(x, 1.8, 2.4)
        self.exposure = torch.where(chance(x, 0.6), log_uniform(x, 0.2, 1), uniform(x, 1, 1))
        self.lifted = self.exposure ** -uniform(x, 0, 1)
        self.matrix = colour_matrices(x)
        self.balance = torch.cat([uniform(x, 1.2, 2.6), uniform(x, 1, 1), uniform(x, 1.2, 2.6)], 1)
        self.tone = uniform(x, 0, 0.7) * chance(x, 0.7)
        self.sharpen, self.radius = uniform(x, 0.1, 1.2) * chance(x, 0.45), uniform(x, 0.5, 1.6)

    def raw(self, x):
        """The light of a picture in the sensor's colours."""
        light = x.clamp(0, 1) ** self.gamma * self.exposure
        return (transformed(torch.linalg.inv(self.matrix), light) / self.balance).clamp(0, 1)

    def developed(self, mosaic):
        v = demosaiced(mosaic, self.way) * self.balance * self.lifted
        v = transformed(self.matrix, v).clamp(0, 1) ** (1 / self.gamma)
        return tone(v, self.tone)

    def sharpened(self, v):
        return (v + self.sharpen * (v - blurred(v, self.radius))).clamp(0, 1)


def sensor_noise(raw, weak):
    """Shot and read noise. Their ratio is that of 374 cameras (darktable's noise profiles), and beyond them for the
    dark: read variance = exp(1.2) * shot**2.18."""
    shot = torch.where(weak, log_uniform(raw, 2e-5, 2e-3), log_uniform(raw, 2e-4, 4e-2))
    read = torch.exp(2.18 * shot.log() + 1.2 + 0.5 * torch.randn_like(shot))
    noisy = raw + torch.randn_like(raw) * (raw * shot + read).sqrt()
    rows = torch.randn_like(raw[..., :1]) * read.sqrt() * uniform(raw, 0, 0.4) * chance(raw, 0.15)
    noisy = (noisy + rows).clamp(max=1)
    return torch.where(chance(raw, 0.4), noisy.clamp(min=0), noisy)


def reduced(noise):
    """Noise after a camera has reduced it: fine noise by more than coarse noise, colours by more than brightness."""
    y = luma(noise)
    parts = []
    for part, share, least in ((y, 0.5, 0.1), (noise - y, 0.6, 0.02)):
        rest, out = part, 0
        keep = uniform(noise, least, 1)
        for radius in (0.6, 1.2, 2.4):
            coarse = blurred(part, uniform(noise, 0.85 * radius, 1.15 * radius))
            out = out + keep * (rest - coarse)
            rest, keep = coarse, keep + uniform(noise, 0, 1) * (1 - keep)
        parts.append(torch.where(chance(noise, share), out + keep * rest, part))
    y, colours = parts
    return y + colours


def jpeg_tables(x, low, high):
    """Steps of luma and chroma for a quality of each picture, N x 2 x 8 x 8 (ITU-T T.81, annex K)."""
    rows = torch.tensor([
        [16, 11, 10, 16, 24, 40, 51, 61], [12, 12, 14, 19, 26, 58, 60, 55], [14, 13, 16, 24, 40, 57, 69, 56],
        [14, 17, 22, 29, 51, 87, 80, 62], [18, 22, 37, 56, 68, 109, 103, 77], [24, 35, 55, 64, 81, 104, 113, 92],
        [49, 64, 78, 87, 103, 121, 120, 101], [72, 92, 95, 98, 112, 100, 103, 99.0]], device=x.device)
    chroma = torch.full((8, 8), 99.0, device=x.device)
    chroma[:4, :4] = torch.tensor([[17, 18, 24, 47], [18, 21, 26, 66], [24, 26, 56, 99], [47, 66, 99, 99.0]])
    q = uniform(x, low, high)
    scale = torch.where(q < 50, 5000 / q, 200 - 2 * q) / 100
    return (torch.stack([rows, chroma])[None] * scale).round().clamp(1, 255)


def dct_matrix(x):
    i = torch.arange(8, device=x.device, dtype=x.dtype)
    m = torch.cos(math.pi * (2 * i[None] + 1) * i[:, None] / 16) / 2
    m[0] /= math.sqrt(2)
    return m


def quantised(plane, table):
    """A plane of N x h x w, sides multiples of 8, on the scale 0 to 255."""
    n, h, w = plane.shape
    d = dct_matrix(plane)
    b = plane.view(n, h // 8, 8, w // 8, 8)
    c = torch.einsum("ui,nyixj,vj->nyxuv", d, b, d)
    t = table[:, None, None]
    c = (c / t).round() * t
    return torch.einsum("ui,nyxuv,vj->nyixj", d, c, d).reshape(n, h, w)


def jpeg(x, low, high, half):
    """What a JPEG file keeps of pictures. Its blocks begin anywhere."""
    n, _, h, w = x.shape
    dy, dx = torch.randint(0, 16, (2,)).tolist()
    H, W = -(-(h + dy) // 16) * 16, -(-(w + dx) // 16) * 16
    p = F.pad(x, (dx, W - w - dx, dy, H - h - dy), mode="replicate") * 255
    r, g, b = p.unbind(1)
    y = 0.299 * r + 0.587 * g + 0.114 * b
    cb, cr = (b - y) / 1.772, (r - y) / 1.402
    t = jpeg_tables(x, low, high)
    y = quantised(y - 128, t[:, 0]) + 128
    both = torch.stack([cb, cr], 1)
    if half:
        both = F.avg_pool2d(both, 2)
    both = torch.stack([quantised(both[:, i].contiguous(), t[:, 1]) for i in (0, 1)], 1)
    if half:
        both = F.interpolate(both, scale_factor=2, mode="bilinear", align_corners=False)
    cb, cr = both.unbind(1)
    p = torch.stack([y + 1.402 * cr, y - 0.344136 * cb - 0.714136 * cr, y + 1.772 * cb], 1)
    return (p[..., dy : dy + h, dx : dx + w].round() / 255).clamp(0, 1)


def resized(x, side):
    if x.shape[2] == side:
        return x
    return F.interpolate(x, size=(side, side), mode="bicubic", antialias=True, align_corners=False)


def pick(choices):
    return choices[int(torch.randint(0, len(choices), (1,)))]


def shot(x, side):
    """Noisy pictures of side x side and clean ones, from clean pictures that may be larger or smaller."""
    c = Camera(x, pick(WAYS))
    x = blurred(x, uniform(x, 0.25, 0.8))  # of lens and sensor; without it a mosaic has false colours at edges
    raw = (c.raw(x) * masks(x)).sum(1, keepdim=True)
    clean, noisy = c.developed(raw), c.developed(sensor_noise(raw, chance(x, 0.5)))
    noisy = (clean + reduced(noisy - clean)).clamp(0, 1)
    clean, noisy = (resized(c.sharpened(v), side).clamp(0, 1) for v in (clean, noisy))
    white = clean + torch.randn_like(clean) * log_uniform(clean, 1 / 255, 50 / 255)
    noisy = torch.where(chance(x, 0.1), white.clamp(0, 1), torch.where(chance(x, 0.06), clean, noisy))
    noisy = torch.where(chance(x, 0.85), (noisy * 255).round() / 255, noisy)
    if torch.rand(1) < 0.15:
        noisy = jpeg(noisy, 80, 99, pick((True, False)))
    low = pick((60, 80, 93, 93))
    compressed = jpeg(noisy, low, 99.4, pick((True, True, False)))
    return torch.where(chance(x, 0.6), compressed, noisy), clean
