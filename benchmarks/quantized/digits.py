#!/usr/bin/python3
"""What forms on bytes cost in accuracy: networks trained on one half of the bundled digits and quantized by genuine PyTorch 1.13 (qnnpack), how many
of the other half PyTorch's model and the converted ones read, and how many they read as PyTorch's does. TORCH_NNAPI is the command to use in place of
./torch-nnapi.

    benchmarks/quantized/digits.py FOLDER
"""

import os
import pathlib
import subprocess
import sys

import numpy
import torch
import torch.ao.quantization as quantization
import torch.ao.quantization.quantize_fx as fx
from torch import nn

ROOT = pathlib.Path(__file__).resolve().parents[2]
EPOCHS = 60
BATCH = 30
WAYS = {"exact": ["--exact"], "bytes": [], "bytes, for quantized-npu": ["--profile", "quantized-npu"]}


def block(inner, outer, stride, activation):
    return nn.Sequential(
        nn.Conv2d(inner, 2 * inner, 1, bias=False),
        nn.BatchNorm2d(2 * inner),
        activation(),
        nn.Conv2d(2 * inner, 2 * inner, 3, stride, 1, groups=2 * inner, bias=False),
        nn.BatchNorm2d(2 * inner),
        activation(),
        nn.Conv2d(2 * inner, outer, 1, bias=False),
        nn.BatchNorm2d(outer),
    )


def network(activation):
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, 1, 1, bias=False),
        nn.BatchNorm2d(16),
        activation(),
        *(block(inner, outer, stride, activation) for inner, outer, stride in ((16, 24, 2), (24, 32, 1), (32, 48, 2))),
        activation(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(48, 10),
    )


def moved(x):
    """Each image moved by a pixel at most; what comes in is background."""
    padded = nn.functional.pad(x, (1, 1, 1, 1), value=-1.0)
    places = torch.randint(0, 3, (len(x), 2)).tolist()
    return torch.stack([image[:, dy : dy + 8, dx : dx + 8] for image, (dy, dx) in zip(padded, places)])


def trained(activation, x, y):
    module = network(activation)
    optimizer = torch.optim.AdamW(module.parameters(), 4e-3, weight_decay=1e-2)
    steps = (len(x) + BATCH - 1) // BATCH
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, EPOCHS * steps)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(x)).split(BATCH):
            optimizer.zero_grad()
            nn.functional.cross_entropy(module(moved(x[rows])), y[rows]).backward()
            optimizer.step()
            schedule.step()
    return module.eval()


def quantized(module, x):
    prepared = fx.prepare_fx(module, quantization.get_default_qconfig_mapping("qnnpack"), (x,))
    with torch.no_grad():
        prepared(x)
    return fx.convert_fx(prepared)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    tool = os.environ.get("TORCH_NNAPI", str(ROOT / "torch-nnapi"))
    torch.set_num_threads(1)
    torch.backends.quantized.engine = "qnnpack"
    data = ROOT / "samples" / "digits"
    images = torch.from_numpy(numpy.load(data / "digits-test-images.npy").astype(numpy.float32)).unsqueeze(1) / 8 - 1
    labels = torch.from_numpy(numpy.load(data / "digits-test-labels.npy").astype(numpy.int64))
    x, y, others, wanted = images[::2], labels[::2], images[1::2], labels[1::2]
    numpy.save(folder / "others.npy", others.numpy())
    print(
        "| activation | functions of bytes | right | as PyTorch | largest difference, quanta |\n|---|---|---|---|---|"
    )
    for name, activation in (("hard-swish", nn.Hardswish), ("elu", nn.ELU)):
        torch.manual_seed(0)
        module = trained(activation, x, y)
        real = module(others).argmax(1)
        print(f"| {name} | (float, PyTorch) | {int((real == wanted).sum())} of {len(wanted)} | | |", flush=True)
        traced = torch.jit.trace(quantized(module, x), others, check_trace=False)
        traced.save(str(folder / f"{name}.pt"))
        answers = traced(others)
        own = answers.argmax(1)
        print(f"| {name} | (PyTorch) | {int((own == wanted).sum())} of {len(wanted)} | | |", flush=True)
        quantum = float(numpy.diff(numpy.unique(answers.numpy())).min())
        for way, options in WAYS.items():
            file, outputs = folder / f"{name}-nnapi.pt", folder / "out-"
            given = ["--input", folder / "others.npy"]
            for command in (
                ["convert", folder / f"{name}.pt", *given, *options, "-o", file],
                ["run", file, *given, "--output", outputs],
            ):
                subprocess.run([tool, *map(str, command)], check=True, stdout=subprocess.DEVNULL)
            got = torch.from_numpy(numpy.load(f"{outputs}0.npy"))
            right, same = int((got.argmax(1) == wanted).sum()), int((got.argmax(1) == own).sum())
            far = float((got - answers).abs().max()) / quantum
            print(f"| {name} | {way} | {right} of {len(wanted)} | {same} of {len(wanted)} | {far:.0f} |", flush=True)


main()
