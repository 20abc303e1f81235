#!/usr/bin/python3
"""How far last digits hang on the processor: elements of results that differ from those of genuine PyTorch with the instructions that it chooses
on x86-64 (AVX2), in genuine PyTorch with others, and in this library; by how many units in the last place in the latter; and how far the farthest
element of PyTorch with AVX2 and of this library is from what PyTorch computes in float64.

    ci/interop/digits.py
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy
import torch
import torch.nn.functional as F

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPERATIONS = {
    "sum": "x.sum(1)",
    "mean": "x.mean(1)",
    "norm, p = 1": "torch.norm(x, 1, [1])",
    "norm, p = 2": "torch.norm(x, 2, [1])",
    "norm, p = 3": "torch.norm(x, 3, [1])",
    "logsumexp": "torch.logsumexp(x, 1)",
    "softmax": "torch.softmax(x, 1)",
    "layer_norm": "F.layer_norm(x, (388,))",
    "exp": "torch.exp(x)",
    "log": "torch.log(x.abs())",
    "tanh": "torch.tanh(x)",
    "sigmoid": "torch.sigmoid(x)",
    "sin": "torch.sin(x)",
    "bicubic": "F.interpolate(x.reshape(1, 8, 97, 32), scale_factor=1.7, mode='bicubic')",
    "bilinear": "F.interpolate(x.reshape(1, 8, 97, 32), scale_factor=1.7, mode='bilinear')",
}
OTHERS = ("default", "avx512")


class All(torch.nn.Module):
    def forward(self, x):
        return tuple(eval(expression, {"torch": torch, "F": F, "x": x}) for expression in OPERATIONS.values())


def given():
    torch.manual_seed(1)
    return torch.randn(64, 388)


def answers(folder, instructions):
    file = folder / instructions
    subprocess.run(
        [sys.executable, __file__, file],
        env={**os.environ, "ATEN_CPU_CAPABILITY": instructions, "OMP_NUM_THREADS": "1"},
        check=True,
    )
    return [answer.numpy() for answer in torch.load(file)]


def own(folder):
    torch.jit.trace(All(), given()).save(str(folder / "all.pt"))
    numpy.save(folder / "x.npy", given().numpy())
    subprocess.run(
        [ROOT / "torch-nnapi", "run", folder / "all.pt", "-i", folder / "x.npy", "-o", folder / "own"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return [numpy.load(folder / f"own{i}.npy") for i in range(len(OPERATIONS))]


def ordered(values):
    """Whole numbers that are neighbours where floats are."""
    bits = values.view(numpy.int32).astype(numpy.int64)
    return numpy.where(bits < 0, -(bits & 0x7FFFFFFF), bits)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        chosen = answers(folder, "avx2")
        others = {instructions: answers(folder, instructions) for instructions in OTHERS}
        here = own(folder)
    doubles = [answer.numpy() for answer in All()(given().double())]
    print(
        f"{'':12}{'elements':>9}"
        + "".join(f"{instructions:>9}" for instructions in OTHERS)
        + f"{'here':>9}{'ulp here':>9}{'avx2 off':>10}{'here off':>10}"
    )
    for i, operation in enumerate(OPERATIONS):
        counts = [int((other[i] != chosen[i]).sum()) for other in others.values()]
        distance = int(numpy.abs(ordered(here[i]) - ordered(chosen[i])).max())
        print(
            f"{operation:12}{chosen[i].size:9}"
            + "".join(f"{count:9}" for count in counts)
            + f"{int((here[i] != chosen[i]).sum()):9}{distance:9}"
            + "".join(f"{numpy.abs(answer - doubles[i]).max():10.1e}" for answer in (chosen[i], here[i]))
        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        torch.save(All()(given()), sys.argv[1])
    else:
        main()
