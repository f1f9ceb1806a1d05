"""Fits the networks of package level to what the command draw of this folder has written; docs/level.md says how the shipped ones were made.

    python3 fit.py DRAWN.jsonl OUT.safetensors [--final]

Without --final one source file in six is kept aside, and the loss on it is printed. Needs NumPy, SciPy and PyTorch; two minutes of one processor.
"""
import hashlib
import json
import struct
import sys

import numpy as np
import torch
from scipy.interpolate import PchipInterpolator

HIDDEN, MEMBERS, STEPS, BATCH = 24, 8, 8000, 64
RATE, DECAY = 2e-3, 3e-3
SEEN = 0.7  # share of the inputs that a member gets: members that see different things err in different ways
JITTER = 0.3  # noise of standardised inputs
CONTRAST = 0.3  # standard deviation of the logarithm of contrasts: the same picture with more or less of it
REACH = 3.5  # as in network.go
GRID = np.log(0.5) + np.log(2) / 4 * np.arange(33)  # logarithms of levels at which losses are known
HIDDEN_PSNR = 50  # dB: smaller errors hardly count
KEPT_PSNR = 54  # dB: how much a picture without noise may change at no cost
PRECISION = 0.4  # dB that a level loses besides if it is e times too high or too low: losses alone train poorly
SATURATION = 4  # dB from where more loss counts less and less
WEIGHTS = {"real": 2.0, "clean": 2.0, "white": 5.0}  # others count once
# Levels of cameras are this much higher than the best ones: too low a level is told for cameras that are not known, and too high a level costs less.
CAUTION, CAMERAS = np.log(1.1), ("real", "moved", "camera", "smoothed", "reduced", "dark")


def loss_curve(kind, mse, nodes):
    """The loss in dB over GRID, and whether the picture has no noise."""
    mse, clean = np.array(mse), mse[0] < 0.01
    psnr = 10 * np.log10(255**2 / (mse + (0.17 if clean else 255**2 * 10 ** (-HIDDEN_PSNR / 10))))
    if clean:
        psnr = np.minimum(psnr, KEPT_PSNR)
    x = np.log(np.maximum(nodes[: len(mse)], 0.5)) + (CAUTION if kind in CAMERAS else 0)
    loss = PchipInterpolator(x, psnr.max() - psnr, extrapolate=False)(GRID)
    beyond = psnr.max() - psnr[-1] + 6 * (GRID - x[-1])
    loss = np.where(GRID < x[0], psnr.max() - psnr[0], np.where(GRID > x[-1], beyond, loss))
    loss = np.maximum(loss - loss.min(), 0)
    best = GRID[0] if clean else GRID[loss.argmin()]
    return loss + PRECISION * (GRID - best) ** 2, clean


class Data:
    """Inputs and losses of the pictures of a number of planes; a picture may be seen in several sizes, with and without the steps of its file."""

    def __init__(self, rows, nodes, planes):
        inputs, losses, weights, known, clean = [], [], [], [], []
        for d in rows:
            if d["Planes"] != planes or not d["Inputs"]:
                continue
            loss, is_clean = loss_curve(d["Kind"], d["MSE"], nodes)
            views = [(x, 0) for x in d["Inputs"]] + [(x, 1) for x in d["Known"] or []]
            for x, k in views:
                inputs.append(x)
                losses.append(loss)
                weights.append(WEIGHTS.get(d["Kind"], 1.0) / len(views))
                known.append(k)
                clean.append(is_clean)
        self.inputs = np.array(inputs)
        self.losses = torch.tensor(np.array(losses), dtype=torch.float32)
        self.weights, self.known, self.clean = np.array(weights), torch.tensor(known), torch.tensor(clean)


class Members(torch.nn.Module):
    """Networks that are trained side by side, each on inputs of its own choice."""

    def __init__(self, inputs):
        super().__init__()
        new = lambda *shape: torch.nn.Parameter(torch.randn(*shape))
        self.mask = (torch.rand(MEMBERS, inputs, 1) < SEEN).float()
        self.hidden, self.bias = new(MEMBERS, inputs, HIDDEN), new(MEMBERS, 1, HIDDEN)
        self.output = new(MEMBERS, HIDDEN, 1)
        self.linear, self.offset = new(MEMBERS, inputs, 1), new(MEMBERS, 1, 1)
        for p, scale in ((self.hidden, (inputs * SEEN) ** -0.5), (self.bias, 0.3), (self.output, 0.3 * HIDDEN**-0.5), (self.linear, 0), (self.offset, 0)):
            p.data *= scale
        self.offset.data += 1.5

    def forward(self, x):
        units = torch.relu(torch.bmm(x, self.hidden * self.mask) + self.bias)
        return (torch.bmm(units, self.output) + torch.bmm(x, self.linear * self.mask) + self.offset)[..., 0]


def at(losses, levels):
    """Interpolates losses over GRID."""
    place = ((levels - GRID[0]) / (GRID[1] - GRID[0])).clamp(0, len(GRID) - 1.001)
    low = place.floor().long()[..., None]
    share = place - low[..., 0]
    return torch.gather(losses, -1, low)[..., 0] * (1 - share) + torch.gather(losses, -1, low + 1)[..., 0] * share


def fit(data, contrast):
    mean, scale = data.inputs.mean(0), 1 / (data.inputs.std(0) + 1e-3)
    x = torch.tensor(((data.inputs - mean) * scale).clip(-REACH, REACH), dtype=torch.float32)
    shift = torch.tensor((np.array(contrast) > 0.5) * scale, dtype=torch.float32)  # most inputs are logarithms; the others stay
    net = Members(x.shape[1])
    optimizer = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=DECAY)
    chance = torch.tensor(data.weights / data.weights.sum())
    for step in range(STEPS):
        optimizer.param_groups[0]["lr"] = RATE * 0.5 * (1 + np.cos(np.pi * step / STEPS))
        i = torch.multinomial(chance, MEMBERS * BATCH, True).view(MEMBERS, BATCH)
        more = CONTRAST * torch.randn(MEMBERS, BATCH) * ~data.clean[i]  # texture without noise stays what it is
        seen = x[i] + JITTER * torch.randn(MEMBERS, BATCH, x.shape[1]) + more[..., None] * shift[data.known[i]]
        told = net(seen) - more
        outside = 0.1 * torch.relu(GRID[0] - told) + torch.relu(told - GRID[-1])  # back to where there is a slope
        loss = (SATURATION * torch.log1p(at(data.losses[i], told) / SATURATION) + outside).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return net, mean, scale


def report(model, rows, nodes, planes):
    net, mean, scale = model
    for kind in sorted({d["Kind"] for d in rows}):
        data = Data([d for d in rows if d["Kind"] == kind], nodes, planes)
        if len(data.inputs) == 0:
            continue
        x = torch.tensor(((data.inputs - mean) * scale).clip(-REACH, REACH), dtype=torch.float32)
        told = net(x.expand(MEMBERS, -1, -1)).mean(0)
        print("  %-9s %4d views: loss %.2f dB, told %.1f (median)" % (kind, len(x), at(data.losses, told).mean(), told.exp().median()))


def tensors(model, prefix):
    net, mean, scale = model
    members = {
        "hidden": (net.hidden * net.mask).transpose(1, 2), "bias": net.bias[:, 0], "output": net.output[..., 0],
        "linear": (net.linear * net.mask)[..., 0], "offset": net.offset[:, 0, 0],
    }
    out = {prefix + "mean": mean.astype("<f4"), prefix + "scale": scale.astype("<f4")}
    for name, value in members.items():
        out[prefix + name] = value.detach().numpy().astype("<f2" if name == "hidden" else "<f4")
    return out


def save(path, parts, metadata):
    """Writes a file with the checksum that package internal/safetensors wants."""
    zeros = "0" * 64
    head, data, end = {"__metadata__": dict(metadata, sha256=zeros)}, [], 0
    for name, values in sorted(parts.items()):
        b = np.ascontiguousarray(values).tobytes()
        head[name] = {"dtype": {"<f2": "F16", "<f4": "F32"}[values.dtype.str], "shape": list(values.shape), "data_offsets": [end, end + len(b)]}
        data.append(b)
        end += len(b)
    h = json.dumps(head, separators=(",", ":")).encode()
    h += b" " * (-len(h) % 8)
    raw = struct.pack("<Q", len(h)) + h + b"".join(data)
    digest = hashlib.sha256(raw).hexdigest()
    with open(path, "wb") as f:
        f.write(raw.replace(b'"sha256":"' + zeros.encode(), b'"sha256":"' + digest.encode(), 1))


def aside(d):
    """One source file in six, with all that is made of it. Real pairs of one camera picture share its name but for the number."""
    name = d["File"].split("/")[-1].replace("_mean", "_real").split("_real")[0].rstrip("0123456789_")
    return hashlib.sha256(name.encode()).digest()[0] % 6 == 0


def main():
    torch.manual_seed(1)
    with open(sys.argv[1]) as f:
        head = json.loads(f.readline())
        rows = [json.loads(line) for line in f]
    rows.sort(key=lambda d: d["Number"])
    nodes, final, parts = np.array(head["Nodes"]), "--final" in sys.argv, {}
    for planes, prefix in ((1, "gray."), (3, "colour.")):
        learn = [d for d in rows if final or not aside(d)]
        model = fit(Data(learn, nodes, planes), head["Contrast"][str(planes)])
        parts.update(tensors(model, prefix))
        print(prefix, "trained on:")
        report(model, learn, nodes, planes)
        if not final:
            print(prefix, "kept aside:")
            report(model, [d for d in rows if aside(d)], nodes, planes)
    save(sys.argv[2], parts, {"made": "fit.py on %d pictures" % len(rows)})


if __name__ == "__main__":
    main()
