#!/usr/bin/env python3
"""Our quantizer beside genuine PyTorch 1.13's: scales, operators and answers.

    check_quantizer.py make DIR      float models and calibration inputs, and what PyTorch's own flow makes of them
    check_quantizer.py check DIR     what our quantizer made of them (DIR/NAME/quantized.pt, report.json), and cases for the conformance suite

`exact` has numbers so small that every float32 sum in it is exact, whatever its order: its scales must be equal. Elsewhere PyTorch adds in an
order of its own, so that the extremes of activations differ in their last bits, and scales as much.
"""

import json
import os
import shutil
import sys
import warnings

warnings.filterwarnings("ignore")
os.environ.setdefault("GLOG_minloglevel", "2")

import numpy as np
import torch
import torch.nn as nn
import torchvision
from torch.ao import quantization
from torch.ao.quantization import quantize_fx

CLOSE = 2e-6
# Where a histogram ends up hangs on the last bits of activations.
CLOSE_HISTOGRAM = 2e-2
# Errors of float sums add up from layer to layer.
CLOSE_DEEP = 1e-4
DEEP = 20
DEEP_QUANTA = 3.5


class Block(nn.Module):
    def __init__(self, inp, out, groups=1, activation=nn.ReLU):
        super().__init__()
        self.conv = nn.Conv2d(inp, out, 3, padding=1, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(out)
        self.activation = activation()

    def forward(self, x):
        return self.activation(self.norm(self.conv(x)))


class Exact(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.relu = nn.ReLU()
        self.deep = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.point = nn.Conv2d(8, 8, 1)
        self.pool = nn.MaxPool2d(2)
        self.out = nn.Linear(8 * 16, 5)
        with torch.no_grad():
            for p in self.parameters():
                p.copy_(torch.randint(-8, 9, p.shape) / 8)

    def forward(self, x):
        x = self.relu(self.first(x))
        y = self.relu(self.deep(x))
        x = self.relu(x + self.point(y))
        return self.out(torch.flatten(self.pool(x), 1))


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = Block(3, 16)
        self.a = Block(16, 16, 16)
        self.b = nn.Conv2d(16, 16, 1)
        self.n = nn.BatchNorm2d(16)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.out = nn.Linear(16, 7)

    def forward(self, x):
        x = self.stem(x)
        x = x + self.n(self.b(self.a(x)))
        return self.out(torch.flatten(self.pool(x), 1))


class Excited(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = Block(3, 16, activation=nn.Hardswish)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.squeeze = nn.Conv2d(16, 8, 1)
        self.relu = nn.ReLU()
        self.excite = nn.Conv2d(8, 16, 1)
        self.gate = nn.Hardsigmoid()
        self.out = nn.Conv2d(16, 4, 1)

    def forward(self, x):
        x = self.stem(x)
        x = x * self.gate(self.excite(self.relu(self.squeeze(self.pool(x)))))
        return self.out(x)


class Hourglass(nn.Module):
    """For eager mode, where a join has a scale of its own; graph mode gives it and all it joins one scale."""

    def __init__(self):
        super().__init__()
        self.quant, self.dequant = quantization.QuantStub(), quantization.DeQuantStub()
        self.join = nn.quantized.FloatFunctional()
        self.a = Block(3, 8)
        self.b = Block(8, 12)
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ConvTranspose2d(12, 8, 2, 2)
        self.last = Block(16, 8)
        self.head = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        a = self.a(self.quant(x))
        y = self.up(self.b(self.pool(a)))
        return self.dequant(self.head(self.last(self.join.cat([y, a], 1))))

    def fuse(self):
        for block in (self.a, self.b, self.last):
            quantization.fuse_modules(block, ["conv", "norm", "activation"], inplace=True)


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(20, 32)
        self.n = nn.BatchNorm1d(32)
        self.relu = nn.ReLU()
        self.b = nn.Linear(32, 6)
        self.gate = nn.Sigmoid()

    def forward(self, x):
        return self.gate(self.relu(self.b(self.n(self.a(x)))))


class Words(nn.Module):
    """LSTM or GRU and a linear layer, which are quantized dynamically."""

    def __init__(self, kind):
        super().__init__()
        self.layer = kind(12, 10, num_layers=2, bidirectional=True, batch_first=True)
        self.out = nn.Linear(20, 3)

    def forward(self, x):
        y, _ = self.layer(x)
        return self.out(y)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(16)
        self.inward = nn.Linear(12, 16)
        self.query, self.key, self.value, self.out = (nn.Linear(16, 16) for _ in range(4))
        self.last = nn.LayerNorm(16)

    def forward(self, x):
        x = self.inward(x)
        y = self.norm(x)
        scores = torch.matmul(self.query(y), self.key(y).transpose(1, 2))
        y = torch.matmul(nn.functional.softmax(scores, -1), self.value(y))
        return self.last(x + self.out(y))


class Normal(nn.Module):
    """Norms that no convolution takes."""

    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 8, 3)
        self.instance = nn.InstanceNorm2d(8, affine=True)
        self.b = nn.Conv2d(8, 8, 1)
        self.pool = nn.MaxPool2d(2)
        self.batch = nn.BatchNorm2d(8)
        self.relu = nn.ReLU()
        self.c = nn.Conv2d(8, 4, 1)

    def forward(self, x):
        x = self.b(self.instance(self.a(x)))
        return self.c(self.relu(self.batch(self.pool(x))))


class Slopes(nn.Module):
    """PyTorch 1.13's graph mode leaves the slopes of its quantized PReLU at zero, so that only the scales compare."""

    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 8, 3)
        self.slopes = nn.PReLU(8)

    def forward(self, x):
        return self.slopes(self.a(x))


def mobilenet():
    """As torchvision's own quantizable one has it: ReLU in place of ReLU6, which graph mode does not fuse."""
    model = torchvision.models.mobilenet_v2()
    for block in model.modules():
        for name, child in block.named_children():
            if isinstance(child, nn.ReLU6):
                setattr(block, name, nn.ReLU())
    return model


class Rows(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv1d(4, 8, 5, stride=2, padding=2)
        self.n = nn.BatchNorm1d(8)
        self.relu = nn.ReLU()
        self.b = nn.ConvTranspose1d(8, 4, 4, stride=2, padding=1)

    def forward(self, x):
        return self.b(self.relu(self.n(self.a(x))))


class UNet(nn.Module):
    """Without joins across, which graph mode gives one scale: sums in their places."""

    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([Block(3, 16), Block(16, 24), Block(24, 32)])
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ModuleList([nn.ConvTranspose2d(32, 24, 2, 2), nn.ConvTranspose2d(24, 16, 2, 2)])
        self.after = nn.ModuleList([Block(24, 24), Block(16, 16)])
        self.head = nn.Conv2d(16, 1, 1)

    def forward(self, x):
        a = self.down[0](x)
        b = self.down[1](self.pool(a))
        c = self.down[2](self.pool(b))
        b = self.after[0](self.up[0](c) + b)
        a = self.after[1](self.up[1](b) + a)
        return self.head(a)


def image():
    return torch.randn(1, 3, 16, 16)


# Name: module, inputs, observer, per channel, whether to script.
CASES = {
    "exact": (Exact, lambda: torch.randint(-8, 9, (1, 3, 8, 8)) / 4, "minmax", False, False),
    "exact-channels": (Exact, lambda: torch.randint(-8, 9, (1, 3, 8, 8)) / 4, "minmax", True, True),
    "exact-histogram": (Exact, lambda: torch.randint(-8, 9, (1, 3, 8, 8)) / 4, "histogram", False, False),
    "residual": (Residual, image, "minmax", False, False),
    "residual-channels": (Residual, image, "minmax", True, True),
    "residual-histogram": (Residual, image, "histogram", False, True),
    "excited": (Excited, image, "minmax", False, False),
    "hourglass": (Hourglass, image, "minmax", False, False),
    "layers": (Layers, lambda: torch.randn(4, 20), "minmax", True, False),
    "attention": (Attention, lambda: torch.randn(2, 6, 12), "minmax", False, False),
    "normal": (Normal, image, "minmax", False, False),
    "slopes": (Slopes, image, "minmax", False, False),
    "rows": (Rows, lambda: torch.randn(2, 4, 20), "minmax", False, False),
    "u-net": (UNet, image, "minmax", False, True),
    "u-net-histogram": (UNet, image, "histogram", True, False),
    "mobilenet-v2": (mobilenet, lambda: torch.randn(1, 3, 64, 64), "minmax", False, False),
    "mobilenet-v2-channels": (mobilenet, lambda: torch.randn(1, 3, 64, 64), "minmax", True, True),
    "resnet18": (torchvision.models.resnet18, lambda: torch.randn(1, 3, 64, 64), "minmax", False, True),
    "lstm": (lambda: Words(nn.LSTM), lambda: torch.randn(2, 5, 12), "dynamic", False, True),
    "gru": (lambda: Words(nn.GRU), lambda: torch.randn(2, 5, 12), "dynamic", False, False),
}
COUNT = 8


def trained(module, inputs):
    """With statistics in its batch norms, so that activations have ordinary sizes."""
    module.train()
    with torch.no_grad():
        for _ in range(4):
            module(torch.cat([inputs() for _ in range(8)]) if not isinstance(module, Words) else inputs())
    return module.eval()


def by_pytorch(module, data, observer, per_channel):
    if observer == "dynamic":
        return quantization.quantize_dynamic(module, {nn.Linear, nn.LSTM, nn.GRU})
    watch = quantization.HistogramObserver if observer == "histogram" else quantization.MinMaxObserver
    weight = quantization.default_per_channel_weight_observer if per_channel else quantization.default_weight_observer
    mapping = quantization.QConfigMapping().set_global(
        quantization.QConfig(activation=watch.with_args(reduce_range=False), weight=weight)
    )
    for kind in (nn.ConvTranspose1d, nn.ConvTranspose2d):
        mapping.set_object_type(
            kind,
            quantization.QConfig(
                activation=watch.with_args(reduce_range=False), weight=quantization.default_weight_observer
            ),
        )
    for kind in (nn.Sigmoid, nn.Hardsigmoid):
        mapping.set_object_type(
            kind, quantization.QConfig(activation=quantization.default_fixed_qparams_range_0to1_observer, weight=weight)
        )
    if hasattr(module, "fuse"):
        module.fuse()
        module.qconfig = mapping.global_qconfig
        quantization.prepare(module, inplace=True)
        for x in data:
            module(x)
        return quantization.convert(module)
    prepared = quantize_fx.prepare_fx(
        module, mapping, (data[0],), backend_config=quantization.backend_config.get_native_backend_config()
    )
    with torch.no_grad():
        for x in data:
            prepared(x)
    return quantize_fx.convert_fx(prepared)


def layers(script):
    """Kind, scale and zero point of each quantized operator with a scale, in order."""
    frozen = torch.jit.freeze(script.eval(), optimize_numerics=False)
    found = []
    for node in frozen.graph.nodes():
        if node.kind().startswith("quantized::") and not node.kind().endswith(("dynamic", "prepack")):
            numbers = [i.toIValue() for i in node.inputs() if i.node().kind() == "prim::Constant"]
            scales = [n for n in numbers if isinstance(n, float)]
            zero_points = [n for n in numbers if isinstance(n, int) and not isinstance(n, bool)]
            found.append([node.kind(), scales[-1], zero_points[-1]])
    return found


def make(folder):
    shutil.rmtree(folder, ignore_errors=True)
    for index, (name, (kind, inputs, observer, per_channel, scripted)) in enumerate(CASES.items()):
        torch.manual_seed(index)
        at = os.path.join(folder, name)
        os.makedirs(at)
        module = trained(kind(), inputs)
        data = [inputs() for _ in range(COUNT)]
        np.save(os.path.join(at, "inputs.npy"), torch.cat(data).numpy())
        script = torch.jit.script(module) if scripted else torch.jit.trace(module, data[0])
        torch.jit.save(script, os.path.join(at, "float.pt"))
        own = by_pytorch(module, data, observer, per_channel)
        own_script = torch.jit.script(own)
        with open(os.path.join(at, "pytorch.json"), "w", encoding="utf-8") as file:
            json.dump(layers(own_script), file)
        torch.jit.save(own_script, os.path.join(at, "pytorch.pt"))
        rows = data[0].shape[0]
        flags = ["--dynamic"] if observer == "dynamic" else ["--observer", observer]
        with open(os.path.join(at, "options"), "w", encoding="utf-8") as file:
            file.write(" ".join(flags + ["--batch", str(rows)] + ["--per-channel"] * per_channel))


def described(tensor, folder, file):
    np.save(os.path.join(folder, file), tensor.detach().contiguous().numpy())
    return {
        "kind": "tensor",
        "file": file,
        "dtype": str(tensor.dtype).replace("torch.", ""),
        "shape": list(tensor.shape),
        "memory_format": "contiguous",
    }


def check(folder):
    wrong = []
    for name, (kind, _, observer, _, _) in CASES.items():
        at = os.path.join(folder, name)
        ours = torch.jit.load(os.path.join(at, "quantized.pt"))
        theirs = torch.jit.load(os.path.join(at, "pytorch.pt"))
        data = torch.from_numpy(np.load(os.path.join(at, "inputs.npy")))
        data = data.split(len(data) // COUNT)
        with open(os.path.join(at, "pytorch.json"), encoding="utf-8") as file:
            expected = json.load(file)
        found = layers(ours)
        kinds = [layer[0] for layer in found]
        if kinds != [layer[0] for layer in expected]:
            wrong.append(f"{name}: operators {kinds} (expected: {[layer[0] for layer in expected]})")
        else:
            deep = len(expected) >= DEEP
            for ours_layer, own in zip(found, expected):
                close = (
                    0
                    if name.startswith("exact") and observer == "minmax"
                    else CLOSE_HISTOGRAM
                    if observer == "histogram"
                    else CLOSE_DEEP
                    if deep
                    else CLOSE
                )
                if abs(ours_layer[1] - own[1]) > close * own[1] or abs(ours_layer[2] - own[2]) > deep:
                    wrong.append(f"{name}: {ours_layer} (expected: {own})")
        runs, same, total = [], 0, 0
        with torch.no_grad():
            for i, x in enumerate(data):
                answer = ours(x)
                # The same integers; their scales may differ in the last bits.
                # In deep models last bits of scales become last bits of integers.
                near = torch.isclose(
                    answer, theirs(x), rtol=1e-5, atol=1e-6 if len(expected) < DEEP else DEEP_QUANTA * expected[-1][1]
                )
                same += int(near.sum())
                total += answer.numel()
                runs.append(
                    {
                        "inputs": [described(x, at, f"run{i}_in0.npy")],
                        "output": described(answer, at, f"run{i}_out0.npy"),
                    }
                )
        scales = [[layer[1] for layer in all_layers] for all_layers in (found, expected)]
        if same < 0.99 * total and kind is not Slopes and np.allclose(*scales, rtol=CLOSE_DEEP):
            wrong.append(
                f"{name}: {same} of {total} results as PyTorch's own quantized model gives them (expected: 99 % of them)"
            )
        shutil.copy(os.path.join(at, "quantized.pt"), os.path.join(at, "model.pt"))
        with open(os.path.join(at, "case.json"), "w", encoding="utf-8") as file:
            json.dump(
                {
                    "name": name,
                    "model": "model.pt",
                    "tolerance": {"atol": 1e-6 * (observer == "dynamic"), "rtol": 0},
                    "runs": runs,
                },
                file,
            )
        print(
            f"{name}: {len(found)} layers as PyTorch's, {same} of {total} results as those of its own quantized model"
        )
    print("\n".join(wrong))
    return 1 if wrong else 0


torch.set_num_threads(1)
torch.backends.quantized.engine = "qnnpack"
sys.exit(make(sys.argv[2]) if sys.argv[1] == "make" else check(sys.argv[2]))
