"""Denoises numpy arrays with the program blorc-denoise, through a pipe: floats go in and come out as TIFF."""

import io
import os
import subprocess

import tifffile


def denoise(image, *flags, white=1.0):
    """Returns a denoised copy of an array of height x width (x 3) samples, as float32.

    White is the sample that counts as full scale. Flags are those of the program, such as "--sigma", "12", and
    "--quality", "best". Raises ValueError with the message of the program if that fails, and OSError (FileNotFoundError if it is
    missing) if it cannot be started.
    """
    if image.ndim != 2 and (image.ndim != 3 or image.shape[2] != 3):
        raise ValueError(f"an array of {image.shape} is neither height x width nor height x width x 3; denoise the slices of a stack one by one")
    source = io.BytesIO()
    tifffile.imwrite(source, image.astype("float32"), photometric="rgb" if image.ndim == 3 else "minisblack", metadata=None)
    program = os.environ.get("BLORC_DENOISE", "blorc-denoise")
    done = subprocess.run([program, "-q", "--white", repr(float(white)), *flags, "-"], input=source.getvalue(), capture_output=True)
    if done.returncode:
        raise ValueError(done.stderr.decode(errors="replace").strip())
    return tifffile.imread(io.BytesIO(done.stdout))


def filters(path):
    """Returns the transforms of the first stage of a model file: clusters x filters x pixels of a patch."""
    from safetensors.numpy import load_file

    return load_file(path)["stage0.transforms"]
