#!/usr/bin/env python3
"""Trains the digits sample and writes its model files and test images beside this script.

    python3 make_digits.py [--out DIR] [--epochs N]

Needs Debian's python3-torch (1.13) and python3-sklearn; downloads nothing, since scikit-learn ships
the data: 1,797 handwritten digits of 8x8 pixels with 17 levels of grey (UCI ML "Optical Recognition of
Handwritten Digits"). A fifth of them is kept aside as test images. The same versions give the same files.

    digits-cpu.pt    float, traced, nothing prepared: the CPU baseline
    digits-cpu.ptl   the same for the lite interpreter
    digits-none.pt   float, batch norm and ReLU fused into the convolutions       converter input, mode none
    digits-core.pt   quantize, quantized network, dequantize: float in and out    converter input, mode core
    digits-full.pt   the quantized network alone: quantized tensors in and out    converter input, mode full
    digits-test-images.npy, digits-test-labels.npy    uint8 (N, 8, 8) in 0..16 and uint8 (N)

Preprocessing, which is the application's part: a pixel v becomes a square of 4x4 pixels with the value v/8 - 1,
the same in all three channels of a (1, 3, 32, 32) tensor.
The three converter inputs carry one bundled input, channels last, as PyTorch's NNAPI tutorial has it.
"""

import os
import sys

if __name__ == "__main__":
    # TorchScript records the Python stack of every operator. Running this file again under its path in the
    # repository keeps the folders of this machine out of the model files.
    boot = (
        "import sys; path = sys.argv.pop(1); "
        "exec(compile(open(path, encoding='utf-8').read(), 'samples/digits/make_digits.py', 'exec'), "
        "(scope := {'__name__': 'make_digits', '__file__': path})); scope['main']()"
    )
    os.execv(sys.executable, [sys.executable, "-c", boot, os.path.abspath(__file__)] + sys.argv[1:])

import argparse
import types
import warnings

os.environ.setdefault("GLOG_minloglevel", "2")
warnings.filterwarnings("ignore")

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import Tensor, nn
from torch.utils import bundled_inputs

HERE = os.path.dirname(os.path.abspath(__file__))
SEED = 20


def load_network() -> type:
    """The class DigitsNet, compiled under its path in the repository."""
    module = types.ModuleType("digits_net")
    with open(os.path.join(HERE, "digits_net.py"), encoding="utf-8") as source:
        exec(compile(source.read(), "samples/digits/digits_net.py", "exec"), module.__dict__)
    sys.modules["digits_net"] = module
    return module.DigitsNet


def preprocess(images: np.ndarray) -> Tensor:
    """uint8 (N, 8, 8) in 0..16 to float32 (N, 3, 32, 32) in [-1, 1]."""
    x = torch.from_numpy(images.astype(np.float32)) / 8 - 1
    return x.repeat_interleave(4, 1).repeat_interleave(4, 2).unsqueeze(1).repeat(1, 3, 1, 1)


def shifted(x: Tensor, generator: torch.Generator) -> Tensor:
    """Each image moved by up to 3 pixels; what comes in is background (-1)."""
    padded = nn.functional.pad(x, (3, 3, 3, 3), value=-1.0)
    offsets = torch.randint(0, 7, (len(x), 2), generator=generator).tolist()
    return torch.stack([p[:, dy : dy + 32, dx : dx + 32] for p, (dy, dx) in zip(padded, offsets)])


def train(model: nn.Module, x: Tensor, y: Tensor, epochs: int) -> None:
    generator = torch.Generator().manual_seed(SEED)
    batch = 64
    steps = (len(x) + batch - 1) // batch
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, epochs * steps)
    model.train()
    for epoch in range(epochs):
        total = 0.0
        for picked in torch.randperm(len(x), generator=generator).split(batch):
            loss = nn.functional.cross_entropy(model(shifted(x[picked], generator)), y[picked])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(picked)
        print(f"epoch {epoch + 1:2d} of {epochs}: loss {total / len(x):.4f}", flush=True)
    model.eval()


def quantize(model: nn.Module, samples: Tensor) -> None:
    """Post-training quantization for QNNPACK, per tensor, as in PyTorch's NNAPI tutorial."""
    q = torch.ao.quantization
    model.qconfig = q.QConfig(activation=q.default_observer, weight=q.default_weight_observer)
    q.prepare(model, inplace=True)
    model(samples)
    q.convert(model, inplace=True)


def detach_quantization(model: nn.Module) -> tuple:
    """Takes the quantize and dequantize steps off the two ends and returns them."""
    steps = model.quant, model.dequant
    model.quant, model.dequant = nn.Identity(), nn.Identity()
    return steps


def trace(model: nn.Module, example: Tensor, bundled: bool = True) -> torch.jit.ScriptModule:
    traced = torch.jit.trace(model, example, check_trace=False)
    if bundled:
        bundled_inputs.augment_model_with_bundled_inputs(traced, [(bundled_inputs.bundle_large_tensor(example),)])
    return traced


def accuracy(model: torch.jit.ScriptModule, x: Tensor, y: Tensor, quantizer=None) -> float:
    """One image at a time, as the demo runs them."""
    right = 0
    for image, label in zip(x.split(1), y.tolist()):
        scores = model(quantizer(image) if quantizer else image)
        right += int(scores.dequantize().argmax()) == label
    return right / len(x)


def main() -> None:
    parser = argparse.ArgumentParser(
        "make_digits.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", default=HERE, help="folder to write to (this script's)")
    parser.add_argument("--epochs", type=int, default=25)
    options = parser.parse_args()
    torch.manual_seed(SEED)
    torch.set_num_threads(1)  # sums in one order
    torch.use_deterministic_algorithms(True)
    torch.backends.quantized.engine = "qnnpack"
    network = load_network()

    data = load_digits()
    images, labels = data.images.astype(np.uint8), data.target.astype(np.uint8)
    train_images, test_images, train_labels, test_labels = train_test_split(
        images, labels, test_size=360, random_state=SEED, stratify=labels
    )
    x, test_x = preprocess(train_images), preprocess(test_images)
    y, test_y = torch.from_numpy(train_labels).long(), torch.from_numpy(test_labels).long()

    model = network()
    train(model, x, y, options.epochs)

    def trained() -> nn.Module:
        copy = network()
        copy.load_state_dict(model.state_dict())
        return copy.eval()

    os.makedirs(options.out, exist_ok=True)
    example = test_x[:1].clone(memory_format=torch.channels_last)  # a copy, since a view would be saved with all images
    with torch.no_grad():
        cpu = trace(trained(), test_x[:1], bundled=False)

        fused = trained()
        fused.fuse()
        fused.quant, fused.dropout, fused.dequant = nn.Identity(), nn.Identity(), nn.Identity()
        none = trace(fused, example)

        inner = trained()
        inner.fuse()
        quantize(inner, x[:512])
        quantizer, dequantizer = detach_quantization(inner)
        full = trace(inner, quantizer(example))
        core = trace(nn.Sequential(quantizer, inner, dequantizer), example)

        for name, module in [("cpu", cpu), ("none", none), ("core", core), ("full", full)]:
            path = os.path.join(options.out, f"digits-{name}.pt")
            torch.jit.save(module, path)
            right = accuracy(torch.jit.load(path), test_x, test_y, quantizer if name == "full" else None)
            print(f"digits-{name}.pt: {os.path.getsize(path)} bytes, accuracy {right:.4f} on {len(test_x)} test images")
        cpu._save_for_lite_interpreter(os.path.join(options.out, "digits-cpu.ptl"))
    np.save(os.path.join(options.out, "digits-test-images.npy"), test_images)
    np.save(os.path.join(options.out, "digits-test-labels.npy"), test_labels)
