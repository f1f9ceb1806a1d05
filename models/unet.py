"""Trains the two U-Nets that models/TRAINING.md describes, on a GPU.

    python3 unet.py KIND DATA OUT SECONDS

KIND is white or camera. DATA holds the folders cbsd, urban, photographs and polyu.
"""
import hashlib, json, math, os, struct, sys, time
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from PIL import Image

CHANNELS, BLOCKS = (48, 96, 160, 192), (1, 2, 1, 2)  # of the levels
SIDE = 160      # of crops
MARGIN = 16     # around them, for the grid of JPEG blocks

dev = "cuda" if torch.cuda.is_available() else "cpu"


# ---- network

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
    def __init__(self, planes=3):
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


def tensors(net):
    """The names of the weights in the file."""
    for name, w in net.state_dict().items():
        yield name.replace(".a.", ".0.").replace(".b.", ".1."), w


def save(net, path, meta):
    """Writes 16-bit floats, with the checksum that package safetensors wants."""
    zeros = "0" * 64
    head, data, at = {"__metadata__": dict(meta, sha256=zeros)}, [], 0
    for name, w in sorted(tensors(net)):
        b = w.detach().float().cpu().numpy().astype("<f2").tobytes()
        head[name] = {"dtype": "F16", "shape": list(w.shape), "data_offsets": [at, at + len(b)]}
        data.append(b)
        at += len(b)
    h = json.dumps(head, separators=(",", ":")).encode()
    h += b" " * (-len(h) % 8)
    raw = struct.pack("<Q", len(h)) + h + b"".join(data)
    digest = hashlib.sha256(raw).hexdigest()
    with open(path, "wb") as f:
        f.write(raw.replace(b'"sha256":"' + zeros.encode(), b'"sha256":"' + digest.encode(), 1))


def load(net, path):
    raw = open(path, "rb").read()
    n = struct.unpack("<Q", raw[:8])[0]
    head = json.loads(raw[8:8 + n])
    state = {}
    for name, w in net.state_dict().items():
        t = head[name.replace(".a.", ".0.").replace(".b.", ".1.")]
        a, b = t["data_offsets"]
        kind = {"F16": "<f2", "F32": "<f4"}[t["dtype"]]
        if list(w.shape) != t["shape"]:
            state[name] = w  # of another number of planes
            continue
        state[name] = torch.from_numpy(np.frombuffer(raw[8 + n + a:8 + n + b], kind).astype(np.float32).reshape(t["shape"]).copy())
    net.load_state_dict(state)


# ---- pictures

class Atlas:
    """Pictures of any size on the GPU, from which crops of many pictures are gathered at once."""

    def __init__(self, pictures, weights=None):
        self.flat = torch.cat([torch.from_numpy(np.ascontiguousarray(p)).view(-1, 3) for p in pictures]).to(dev)
        h = torch.tensor([p.shape[0] for p in pictures])
        w = torch.tensor([p.shape[1] for p in pictures])
        self.h, self.w = h.to(dev), w.to(dev)
        self.base = torch.cat([torch.zeros(1, dtype=torch.long), (h * w).cumsum(0)[:-1]]).to(dev)
        self.p = torch.tensor(weights if weights is not None else [1.0] * len(pictures), device=dev)

    def pick(self, n):
        return torch.multinomial(self.p, n, replacement=True)

    def crops(self, i, side, same=None):
        """Crops of pictures i, turned and mirrored at random, mirrored at edges. With same, those of its places."""
        n = len(i)
        if same is None:
            h, w = self.h[i], self.w[i]
            y0 = (torch.rand(n, device=dev) * (h - side + 1).clamp(min=1)).long()
            x0 = (torch.rand(n, device=dev) * (w - side + 1).clamp(min=1)).long()
            flips = torch.randint(0, 2, (3, n, 1, 1), device=dev).bool()
            same = y0, x0, flips
        y0, x0, (fx, fy, ft) = same
        a = torch.arange(side, device=dev)
        gy, gx = a.view(1, side, 1).expand(n, side, side), a.view(1, 1, side).expand(n, side, side)
        gy, gx = torch.where(ft, gx, gy), torch.where(ft, gy, gx)
        gy, gx = torch.where(fy, side - 1 - gy, gy), torch.where(fx, side - 1 - gx, gx)
        y, x = self.mirror(gy + y0.view(-1, 1, 1), self.h[i]), self.mirror(gx + x0.view(-1, 1, 1), self.w[i])
        at = self.base[i].view(-1, 1, 1) + y * self.w[i].view(-1, 1, 1) + x
        return self.flat[at].permute(0, 3, 1, 2).float() / 255, same

    @staticmethod
    def mirror(v, n):
        n = n.view(-1, 1, 1)
        v = v % (2 * n)
        return torch.where(v >= n, 2 * n - 1 - v, v)


def files(folder):
    return sorted(os.path.join(folder, f) for f in os.listdir(folder))


def read(path):
    return Image.open(path).convert("RGB")


def shrunk(img, factor):
    return np.asarray(img.resize((max(16, round(img.width * factor)), max(16, round(img.height * factor))), Image.BICUBIC))


# ---- random numbers of each sample

def uni(n, a, b):
    return (a + (b - a) * torch.rand(n, device=dev)).view(-1, 1, 1, 1)


def log_uni(n, a, b):
    return (math.log(a) + math.log(b / a) * torch.rand(n, device=dev)).exp().view(-1, 1, 1, 1)


def chance(n, p):
    return (torch.rand(n, device=dev) < p).view(-1, 1, 1, 1)


# ---- filters

def blur(x, radius):
    """A Gaussian whose standard deviation differs from sample to sample; 0 leaves the sample."""
    d = torch.arange(x.shape[-1], device=dev).float()
    k = torch.exp(-0.5 * ((d.view(1, 1, -1, 1) - d.view(1, 1, 1, -1)) / radius.clamp(min=0.05)) ** 2)
    k = k / k.sum(3, keepdim=True)
    return k @ x @ k.transpose(2, 3)


GRAY = torch.tensor([0.299, 0.587, 0.114], device=dev).view(1, 3, 1, 1)


def blur_chroma(x, radius):
    b = blur(x, radius)
    return b + ((x - b) * GRAY).sum(1, keepdim=True)


def sharpen(x, radius, amount):
    return x + amount * (x - blur(x, radius))


def quantise(x):
    return (x.clamp(0, 1) * 255).round() / 255


def resized(x, side, soft):
    return F.interpolate(x, (side, side), mode="bilinear" if soft else "bicubic", antialias=True, align_corners=False)


# ---- JPEG

LUMA = torch.tensor([16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62,
    18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99], device=dev).float()
CHROMA = torch.full((8, 8), 99.0, device=dev)
CHROMA[:4, :4] = torch.tensor([[17, 18, 24, 47], [18, 21, 26, 66], [24, 26, 56, 99], [47, 66, 99, 99]], device=dev).float()
_k = torch.arange(8, device=dev).float()
DCT = torch.cos((2 * _k.view(1, 8) + 1) * _k.view(8, 1) * math.pi / 16) * 0.5
DCT[0] /= math.sqrt(2)
TO_YCC = torch.tensor([[0.299, 0.587, 0.114], [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]], device=dev)
FROM_YCC = torch.inverse(TO_YCC.cpu()).to(dev)


def matrix(x, m):
    return torch.einsum("ij,bjhw->bihw" if m.dim() == 2 else "bij,bjhw->bihw", m, x)


def blocks(x, table):
    """What quantising the DCT of 8 x 8 blocks leaves. x is n x c x h x w, table n x 8 x 8."""
    n, c, h, w = x.shape
    y = x.view(n, c, h // 8, 8, w // 8, 8)
    t = table.view(n, 1, 1, 8, 1, 8)
    y = torch.einsum("uy,vx,bciyjx->bciujv", DCT, DCT, y)
    y = (y / t).round() * t
    return torch.einsum("uy,vx,bciujv->bciyjx", DCT, DCT, y).reshape(n, c, h, w)


def jpeg(x, quality, half):
    n = x.shape[0]
    q = quality.view(-1)
    s = torch.where(q < 50, 5000 / q, 200 - 2 * q).view(-1, 1, 1)
    tables = [((t.view(1, 8, 8) * s + 50) / 100).floor().clamp(1, 255) for t in (LUMA, CHROMA)]
    y = matrix(x, TO_YCC) * 255
    luma = blocks(y[:, :1] - 128, tables[0]) + 128
    full = blocks(y[:, 1:].round(), tables[1])
    small = F.interpolate(blocks(F.avg_pool2d(y[:, 1:], 2).round(), tables[1]), scale_factor=2, mode="bilinear", align_corners=False)
    out = matrix(torch.cat([luma, torch.where(half, small, full)], 1) / 255, FROM_YCC)
    return quantise(out)


# ---- camera

def masks(side):
    a = torch.arange(side, device=dev)
    even = (a % 2 == 0).float()
    odd = 1 - even
    red, blue = even.view(-1, 1) * even.view(1, -1), odd.view(-1, 1) * odd.view(1, -1)
    return red, 1 - red - blue, blue


def shifted(x, dy, dx):
    h, w = x.shape[-2:]
    p = F.pad(x, (2, 2, 2, 2), mode="reflect")
    return p[..., 2 + dy:2 + dy + h, 2 + dx:2 + dx + w]


TENT = torch.tensor([[1.0, 2, 1], [2, 4, 2], [1, 2, 1]], device=dev).view(1, 1, 3, 3) / 4


def demosaic(raw, aware):
    red, green, blue = masks(raw.shape[-1])
    l, r, u, d = shifted(raw, 0, -1), shifted(raw, 0, 1), shifted(raw, -1, 0), shifted(raw, 1, 0)
    bx, by = 2 * raw - shifted(raw, 0, -2) - shifted(raw, 0, 2), 2 * raw - shifted(raw, -2, 0) - shifted(raw, 2, 0)
    sx, sy = (l - r).abs() + bx.abs(), (u - d).abs() + by.abs()
    ax, ay = (l + r) / 2 + bx / 4, (u + d) / 2 + by / 4
    edge = torch.where(sx < sy, ax, torch.where(sy < sx, ay, (ax + ay) / 2))
    g = torch.where(green > 0, raw, torch.where(aware, edge, (l + r + u + d) / 4))
    out = []
    for mask in (red, blue):
        base = torch.where(aware, g, torch.zeros_like(g))
        v = F.conv2d(F.pad((raw - base) * mask, (1, 1, 1, 1)), TENT)
        # at the border the sum of weights is less
        norm = F.conv2d(F.pad(mask.view(1, 1, *mask.shape), (1, 1, 1, 1)), TENT)
        out.append(v / norm.clamp(min=1e-3) + base)
    return torch.cat([out[0], g, out[1]], 1)


def camera(x):
    """Photographs of clean pictures x: noisy, clean."""
    n = x.shape[0]
    balance = torch.cat([1 / uni(n, 1.3, 2.4), torch.ones(n, 1, 1, 1, device=dev), 1 / uni(n, 1.2, 2.4)], 1)
    exposure = uni(n, 0.4, 1)
    s = uni(n, 0, 0.6).view(-1, 1, 1)
    colours = -s / 2 + (torch.eye(3, device=dev) * 1.5).view(1, 3, 3) * s + torch.eye(3, device=dev).view(1, 3, 3)
    kind = torch.randint(0, 4, (n,), device=dev).view(-1, 1, 1, 1)  # 2 smooths more, 3 has less noise of colour
    photons = torch.where(kind == 2, log_uni(n, 80, 4000), torch.where(kind == 3, log_uni(n, 150, 8000), log_uni(n, 250, 20000)))
    read_noise = log_uni(n, 0.0003, 0.006)
    aware = chance(n, 0.67)
    back = (torch.eye(3, device=dev).view(1, 3, 3) + s / 2) / (1 + 1.5 * s)  # the inverse of colours
    light = matrix(x.clamp(0, 1) ** 2.2, back).clamp(min=0) * balance * exposure
    red, green, blue = masks(x.shape[-1])
    raw = light[:, :1] * red + light[:, 1:2] * green + light[:, 2:] * blue
    # noise of neighbouring samples is the same in part in some cameras
    white = torch.randn_like(raw)
    mixed = blur(white, log_uni(n, 0.6, 3))
    mixed = mixed / mixed.std((1, 2, 3), keepdim=True).clamp(min=1e-3)
    share = torch.where(chance(n, 0.3), uni(n, 0.1, 0.6), torch.zeros(n, 1, 1, 1, device=dev))
    white = white * (1 - share ** 2).sqrt() + mixed * share
    noisy = (raw + white * (raw / photons + read_noise ** 2).sqrt()).clamp(-0.05, 1)

    zero = torch.zeros(n, 1, 1, 1, device=dev)
    luma = torch.where(kind == 2, uni(n, 0.6, 1.5), torch.where(kind == 3, uni(n, 0.3, 1), torch.where(chance(n, 0.5), uni(n, 0.4, 0.9), zero)))
    chroma = torch.where(kind == 2, uni(n, 1, 4), torch.where(kind == 3, uni(n, 1.2, 4), torch.where(chance(n, 0.5), uni(n, 0.6, 2.5), zero)))
    fade = torch.where(kind == 3, uni(n, 0.3, 0.9), zero)
    limit, strength = log_uni(n, 0.01, 0.1), torch.where(chance(n, 0.3), uni(n, 0.4, 0.95), zero)
    contrast = torch.where(chance(n, 0.5), uni(n, 0, 0.6), zero)
    sharp, radius = torch.where(chance(n, 0.5), uni(n, 0.2, 1.4), zero), uni(n, 0.6, 1.6)

    def develop(raw):
        p = blur(demosaic(raw, aware), luma)
        p = matrix(p / balance / exposure, colours).clamp(0, 1)
        p = (p + 1e-8) ** (1 / 2.2)
        p = p + contrast * p * (1 - p) * (2 * p - 1) / 1.5
        b = blur(p, 1.2 + zero)
        d = p - b
        p = p - strength * d * torch.exp(-(d / limit) ** 2)
        p = blur_chroma(p, chroma)
        p = p + fade * (blur_chroma(p, 6 + zero) - p)
        return sharpen(p, radius, sharp)

    return develop(noisy), develop(raw)


class Camera:
    """Batches of noisy pictures of all kinds but strong white noise, and their clean ones."""
    sizes = {"camera": 20, "scaled": 16, "moved": 8, "real": 7, "white": 3, "jpeg": 4, "grain": 4, "clean": 3}

    def __init__(self, data, pairs):
        pictures, weights = [], []
        for folder, factors, weight in [("cbsd", (0.55, 0.75), 1.0), ("urban", (0.6, 0.9), 3.0), ("photographs", (0.6, 1.0), 4.0)]:
            for f in files(os.path.join(data, folder)):
                img = read(f)
                for factor in factors:
                    pictures.append(shrunk(img, factor))
                    weights.append(weight)
        noisy = [f for f in files(os.path.join(data, "polyu")) if "_real" in f][:pairs]
        self.noisy = Atlas([np.asarray(read(f)) for f in noisy])
        self.mean = Atlas([np.asarray(read(f.replace("_real", "_mean"))) for f in noisy])
        means = [shrunk(read(f.replace("_real", "_mean")), 0.8) for f in noisy]
        self.clean = Atlas(pictures + means, weights + [2.0] * len(means))

    def pictures(self, n, side):
        x, _ = self.clean.crops(self.clean.pick(n), side)
        return (x * torch.where(chance(n, 0.5), uni(n, 0.5, 1.15), uni(n, 1, 1))).clamp(0, 1)

    def real(self, n, side):
        i = self.noisy.pick(n)
        noisy, same = self.noisy.crops(i, side)
        return noisy, self.mean.crops(i, side, same)[0]

    def batch(self):
        side = SIDE + MARGIN
        out = []
        soft = np.random.rand() < 0.5

        def scaled(low, high):  # the side before the picture is made larger or smaller
            return 16 * round(side / math.exp(np.random.uniform(math.log(low), math.log(high))) / 16)

        n = self.sizes["camera"]
        out.append(camera(self.pictures(n, side)))

        n = self.sizes["scaled"]
        a, b = camera(self.pictures(n, scaled(0.55, 2)))
        out.append((resized(quantise(a), side, soft), resized(quantise(b), side, soft)))

        n = self.sizes["moved"]
        s = scaled(0.5, 1.6) if np.random.rand() < 0.5 else side
        a, b = self.real(n, s)
        x = self.pictures(n, s)
        y = quantise(x + log_uni(n, 0.5, 2.5) * (a - b))
        out.append((resized(y, side, soft), resized(x, side, soft)) if s != side else (y, x))

        n = self.sizes["real"]
        s = scaled(0.45, 1.8) if np.random.rand() < 0.4 else side
        a, b = self.real(n, s)
        if s != side:
            a, b = resized(a, side, soft), resized(b, side, soft)
        gain = torch.where(chance(n, 0.3), torch.where(chance(n, 0.6), uni(n, 1.3, 2.2), uni(n, 0.3, 0.8)), uni(n, 1, 1))
        amount, radius = torch.where(chance(n, 0.2), uni(n, 0.4, 1.4), uni(n, 0, 0)), uni(n, 0.6, 1.6)
        out.append((sharpen(a * gain, radius, amount), sharpen(b * gain, radius, amount)))

        n = self.sizes["white"]
        x = self.pictures(n, side)
        out.append((x + log_uni(n, 1.5, 60) / 255 * torch.randn_like(x), x))
        n = self.sizes["jpeg"]
        x = self.pictures(n, side)
        out.append((x + log_uni(n, 2, 45) / 255 * torch.randn_like(x), x))

        n = self.sizes["grain"]
        x = self.pictures(n, side)
        radius, floor = uni(n, 0.4, 2.2), uni(n, 0.3, 1)
        common = torch.where(chance(n, 0.33), uni(n, 1, 1), uni(n, 0, 1))
        g = common * torch.randn_like(x[:, :1]) + (1 - common) * torch.randn_like(x)
        g = blur(g, radius)
        g = g / g.std((1, 2, 3), keepdim=True)
        out.append((x + log_uni(n, 2, 25) / 255 * (floor + (1 - floor) * 4 * x * (1 - x)) * g, x))

        n = self.sizes["clean"]
        x = self.pictures(n, side)
        x = torch.where(chance(n, 0.25), sharpen(x, uni(n, 0.6, 1.5), uni(n, 0.2, 1)), x)
        out.append((x, x))

        noisy, clean = quantise(torch.cat([a for a, _ in out])), quantise(torch.cat([b for _, b in out]))
        n = len(noisy)
        gray = chance(n, 0.15)
        noisy, clean = (torch.where(gray, (v * GRAY).sum(1, keepdim=True).expand_as(v), v) for v in (noisy, clean))
        p, at = {"camera": 0.6, "scaled": 0.6, "moved": 0.5, "real": 0.3, "white": 0, "jpeg": 1, "grain": 0.33, "clean": 0.25}, []
        for kind, size in self.sizes.items():
            at += [p[kind]] * size
        compress = (torch.rand(n, device=dev) < torch.tensor(at, device=dev)).view(-1, 1, 1, 1)
        noisy = torch.where(compress, jpeg(noisy, uni(n, 55, 99).round(), chance(n, 0.67)), noisy)
        y, x = np.random.randint(0, MARGIN + 1, 2)
        noisy, clean = noisy[..., y:y + SIDE, x:x + SIDE], clean[..., y:y + SIDE, x:x + SIDE]
        return noisy, clean, self.level(noisy - clean, gray)

    def wrong(self, s):
        """Levels as they are told, with an error. Pictures without noise are told some."""
        n = len(s)
        return torch.where(s < 0.7 / 255, log_uni(n, 0.7, 6.3).view(-1) / 255, s * torch.exp(0.35 * torch.randn(n, device=dev)))

    def level(self, noise, gray):
        """4 times the standard deviation of the mean luma of 4 x 4 samples. White noise has this level."""
        n = len(noise)
        luma = noise.sum(1, keepdim=True) / torch.where(gray, uni(n, 3, 3), uni(n, 3, 3).sqrt())
        return 4 * F.avg_pool2d(luma, 4).std((1, 2, 3))


class White:
    """Batches of pictures with white Gaussian noise of a known level."""
    size = 64

    def __init__(self, data, pairs, planes=3):
        self.planes = planes
        pictures, weights = [], []
        for folder, factors, weight in [("cbsd", (1.0,), 1.0), ("urban", (1.0, 0.6), 2.5), ("photographs", (1.0,), 3.0)]:
            for f in files(os.path.join(data, folder)):
                img = read(f)
                for factor in factors:
                    pictures.append(shrunk(img, factor))
                    weights.append(weight)
        self.clean = Atlas(pictures, weights)

    def batch(self):
        n = self.size
        x, _ = self.clean.crops(self.clean.pick(n), SIDE)
        gray = chance(n, 0.1)
        noise = torch.randn_like(x)
        x = torch.where(gray, (x * GRAY).sum(1, keepdim=True).expand_as(x), x)
        noise = torch.where(gray, noise[:, :1].expand_as(noise), noise)
        sigma = torch.where(chance(n, 0.5), uni(n, 1, 75), log_uni(n, 1, 75)) / 255
        if self.planes == 1:
            x = (x * GRAY).sum(1, keepdim=True)
            noise = noise[:, :1]
        return x + sigma * noise, x, sigma.view(-1)

    def wrong(self, s):
        return s * torch.exp(0.02 * torch.randn(len(s), device=dev))


# ---- training

def turned(batch):
    noisy, clean, sigma = batch
    i, k = torch.randperm(len(noisy), device=dev), np.random.randint(0, 4)
    both = [torch.rot90(v, k, (2, 3)).float() for v in (noisy[i], clean[i])]
    if np.random.rand() < 0.5:
        both = [v.flip(3) for v in both]
    return both[0], both[1], sigma[i]


def psnr(a, b):
    return 10 * torch.log10(1 / ((a - b) ** 2).mean((1, 2, 3)).clamp(min=1e-9))


def main():
    kind, data, out, seconds = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
    pairs = int(os.environ.get("PAIRS", "30"))
    peak = float(os.environ.get("RATE", "8e-4"))
    torch.manual_seed(1)
    np.random.seed(1)
    torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    start = time.time()
    source = Camera(data, pairs) if kind == "camera" else White(data, pairs, 1 if kind == "gray" else 3)
    planes = 1 if kind == "gray" else 3
    replays = 2 if kind == "camera" else 0  # its batches take longer to make than to learn from
    net = Net(planes)
    if os.environ.get("FROM"):
        load(net, os.environ["FROM"])
    net = net.to(dev).to(memory_format=torch.channels_last)
    ema = Net(planes).to(dev)
    ema.load_state_dict(net.state_dict())
    print(kind, sum(p.numel() for p in net.parameters()), "weights, data after", round(time.time() - start, 1), "s", flush=True)
    opt = torch.optim.AdamW(net.parameters(), lr=peak, betas=(0.9, 0.99), weight_decay=1e-4, **({"fused": True} if dev == "cuda" else {}))
    run = torch.compile(net) if os.environ.get("COMPILE", "1") == "1" and dev == "cuda" else net

    def batch():  # sizes differ, so there is nothing to tune
        with torch.no_grad(), torch.backends.cudnn.flags(enabled=True, benchmark=False, allow_tf32=True):
            return source.batch()

    old = []
    val = [batch() for _ in range(4)]
    begin, step, total, last = None, 0, 0.0, time.time()
    floor = ((1.5 if kind == "camera" else 0.7) / 255) ** 2
    report = float(os.environ.get("REPORT", "20"))
    mine, theirs = list(net.parameters()), list(ema.parameters())
    done = 0.0
    while done < 1:
        if replays and len(old) > 20 and step % (replays + 1):
            noisy, clean, sigma = turned(old[np.random.randint(len(old))])
        else:
            noisy, clean, sigma = batch()
            if replays:
                kept = noisy.half(), clean.half(), sigma
                if len(old) < 300:
                    old.append(kept)
                else:
                    old[np.random.randint(len(old))] = kept
        for g in opt.param_groups:
            g["lr"] = peak * min(1, (step + 1) / 300) * (0.5 + 0.5 * math.cos(math.pi * min(done, 1))) + 1e-6
        with torch.autocast(dev, dtype=torch.bfloat16, enabled=dev == "cuda"):
            got = run(noisy.contiguous(memory_format=torch.channels_last), source.wrong(sigma))
        loss = torch.log(((got.float() - clean) ** 2).mean((1, 2, 3)) + floor).mean()
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(mine, 0.5)
        opt.step()
        with torch.no_grad():
            decay = min(0.999, (step + 1) / (step + 10))
            torch._foreach_mul_(theirs, decay)
            torch._foreach_add_(theirs, mine, alpha=1 - decay)
        step += 1
        if step == 5:
            if dev == "cuda":
                torch.cuda.synchronize()
            begin = time.time()
            print("first steps after", round(begin - start, 1), "s", flush=True)
        if begin:
            done = (time.time() - begin) / (seconds - (begin - start))
        if step % 20 == 0 and (time.time() - last > report or done >= 1):
            with torch.no_grad(), torch.autocast(dev, dtype=torch.bfloat16, enabled=dev == "cuda"):
                ps = [(psnr(ema(a, source.wrong(s)).float(), b) - psnr(a, b)) for a, b, s in val]
            gains = torch.stack(ps).mean(0)
            text = ""
            if kind == "camera":
                at = 0
                for k, size in Camera.sizes.items():
                    text += " %s %.2f" % (k, gains[at:at + size].mean())
                    at += size
            print("%.0f s, step %d, loss %.4f, gain %.3f%s" % (time.time() - start, step, loss.item(), gains.mean(), text), flush=True)
            last = time.time()
    save(ema, out, {"kind": kind, "steps": str(step), "side": str(SIDE), "seconds": "%.0f" % seconds})
    print(kind, "saved after", step, "steps,", round(time.time() - start), "s", flush=True)


if __name__ == "__main__":
    main()
