"""Files of weights: 8 bits, and a scale for each row, as package internal/safetensors reads them."""
import hashlib
import json
import struct

import numpy as np
import torch


def in_file(name):
    return name.replace(".a.", ".0.").replace(".b.", ".1.")


def save(net, path, metadata):
    """Writes the weights of a network, and the checksum of the file."""
    parts = {}
    for name, w in net.state_dict().items():
        w = w.detach().float().cpu()
        scale = (w.abs().amax((1, 2, 3)) / 127).clamp(min=1e-12)
        parts[in_file(name)] = "I8", (w / scale.view(-1, 1, 1, 1)).round().numpy().astype("<i1")
        parts[in_file(name).replace("weight", "scale")] = "F32", scale.numpy().astype("<f4")
    zeros = "0" * 64
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
    """Takes over the weights of a file, but those whose shape is another."""
    with open(path, "rb") as f:
        raw = f.read()
    n = struct.unpack("<Q", raw[:8])[0]
    head, state = json.loads(raw[8 : 8 + n]), {}

    def values(name, kind):
        a, b = head[name]["data_offsets"]
        flat = np.frombuffer(raw[8 + n + a : 8 + n + b], kind).astype(np.float32)
        return torch.from_numpy(flat.reshape(head[name]["shape"]))

    for name, w in net.state_dict().items():
        scale = values(in_file(name).replace("weight", "scale"), "<f4").view(-1, 1, 1, 1)
        v = values(in_file(name), "<i1") * scale
        state[name] = v if v.shape == w.shape else w
    net.load_state_dict(state)
