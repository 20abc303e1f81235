#!/usr/bin/python3
"""MobileNetV2 in genuine PyTorch, on PyTorch's own kernels and, converted, on this library's devices behind the C interface.

    LD_LIBRARY_PATH=FOLDER benchmarks/c-door/in_pytorch.py WORK [--rounds N] [--check]

FOLDER is where `torch-nnapi clib FOLDER` put libneuralnetworks.so; the models are made in WORK. Needs Debian's python3-torch and python3-torchvision. Weights are
random; the input is float32[1,3,224,224]. All forms take turns, each round a few runs of each, in one process, with as many threads as PyTorch takes by itself;
a figure is the median of all. --check fails unless the float model is faster than PyTorch's own and the int8 one at least three times as fast as PyTorch's float.
"""

import argparse
import pathlib
import statistics
import subprocess
import time
import warnings

warnings.filterwarnings("ignore")

import torch
import torchvision

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = 5


def models(work, x):
    torch.manual_seed(0)
    torch.backends.quantized.engine = "qnnpack"
    with torch.no_grad():
        plain = torch.jit.freeze(torch.jit.trace(torchvision.models.mobilenet_v2().eval(), x))
        bytes8 = torchvision.models.quantization.mobilenet_v2(quantize=False).eval()
        bytes8.fuse_model(is_qat=False)
        bytes8.qconfig = torch.quantization.get_default_qconfig("qnnpack")
        torch.quantization.prepare(bytes8, inplace=True)
        bytes8(x)
        bytes8 = torch.jit.trace(torch.quantization.convert(bytes8), x)
    forms = {}
    for name, model in (("float", plain), ("int8", bytes8)):
        torch.jit.save(model, str(work / f"{name}.pt"))
        converted = work / f"{name}-nnapi.pt"
        subprocess.run(
            [
                str(ROOT / "torch-nnapi"),
                "convert",
                str(work / f"{name}.pt"),
                "--input",
                "float32[1,3,224,224]",
                "-o",
                str(converted),
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        forms[name + ", PyTorch"] = torch.jit.load(str(work / f"{name}.pt"))
        forms[name + ", NNAPI"] = torch.jit.load(str(converted))
    return forms


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    x = torch.rand(1, 3, 224, 224)
    forms = models(arguments.work, x)
    times = {name: [] for name in forms}
    with torch.no_grad():
        for turn in range(arguments.rounds + 1):
            for name, model in forms.items():
                for _ in range(RUNS):
                    start = time.perf_counter()
                    model(x)
                    if turn > 0:
                        times[name].append(time.perf_counter() - start)
    median = {name: statistics.median(each) * 1000 for name, each in times.items()}
    print(f"{'':18} {'ms':>8} {'times as fast as PyTorch, float':>32}   ({torch.get_num_threads()} threads)")
    for name, each in median.items():
        print(f"{name:18} {each:8.2f} {median['float, PyTorch'] / each:32.2f}")
    if arguments.check:
        for name, least in (("float, NNAPI", 1), ("int8, NNAPI", 3)):
            if median["float, PyTorch"] / median[name] < least:
                raise SystemExit(
                    f"{name}: {median['float, PyTorch'] / median[name]:.2f} times as fast as PyTorch's float (expected: at least {least})"
                )


if __name__ == "__main__":
    main()
