"""Runs files with NNAPI parts in genuine PyTorch and in its lite interpreter, and compares with the originals.

LD_LIBRARY_PATH=... check.py DIR       DIR is what models.py and the conversion wrote
"""

import pathlib
import sys
import warnings

import torch
from torch.jit.mobile import _load_for_lite_interpreter

import models

warnings.filterwarnings("ignore")
TOLERANCE = 2e-4


def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [t for item in value.values() for t in tensors(item)]
    if isinstance(value, (list, tuple)):
        return [t for item in value for t in tensors(item)]
    return []


def difference(want, got):
    """What differs, or None."""
    want, got = tensors(want), tensors(got)
    if len(want) != len(got):
        return f"{len(got)} tensors (expected: {len(want)})"
    for i, (a, b) in enumerate(zip(want, got)):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"result {i} is {b.dtype}{list(b.shape)} (expected: {a.dtype}{list(a.shape)})"
        a, b = a.double(), b.double()
        error = (a - b).abs().max().item() if a.numel() else 0
        if not error <= TOLERANCE * max(a.abs().max().item() if a.numel() else 0, 1e-3):
            return f"result {i} differs by {error:.2g}"
    return None


def answers(loaded, original, kind):
    """What differs at each of the sizes, which come one after the other and once again."""
    generator = torch.Generator().manual_seed(5)
    for sizes in kind.sizes + kind.sizes:
        whole = kind.open.startswith("int")
        x = torch.randint(7, sizes, generator=generator) if whole else torch.randn(sizes, generator=generator)
        wrong = difference(original(x), loaded(x))
        if wrong:
            return f"for {list(sizes)} {wrong}"
    return None


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    torch.backends.quantized.engine = "qnnpack"
    failures, files = [], 0
    for name, kind, form, arguments in models.MODELS:
        original = torch.jit.load(str(folder / (name + ".pt")))
        # Each file twice: the second time its NNAPI models are compiled already.
        want = [original(*arguments) for _ in range(2)]
        for suffix, load in ((".pt", torch.jit.load), (".ptl", _load_for_lite_interpreter)):
            file = folder / (name + "-nnapi" + suffix)
            if suffix == ".ptl" and not getattr(kind, "lite", True):
                continue
            if not file.exists():
                failures.append(f"{file.name}: was not converted")
                continue
            files += 1
            try:
                loaded = load(str(file))
                wrong = [w for w in (difference(each, loaded(*arguments)) for each in want) if w]
            except Exception as failure:
                wrong = [str(failure).strip().splitlines()[-1][:300]]
            if wrong:
                failures.append(f"{file.name}: {wrong[0]}")
            if not hasattr(kind, "open"):
                continue
            files += 1
            file = folder / (name + "-open" + suffix)
            try:
                wrong = answers(load(str(file)), original, kind)
            except Exception as failure:
                wrong = str(failure).strip().splitlines()[-1][:300]
            if wrong:
                failures.append(f"{file.name}: {wrong}")
    print(*failures, sep="\n")
    print(f"{files} files in PyTorch {torch.__version__}, {len(failures)} failures")
    return 1 if failures or files < 80 else 0


if __name__ == "__main__":
    sys.exit(main())
