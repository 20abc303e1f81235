"""make_quantized.py OUT [--only PATTERN] [--inputs N] [--part I/N]: models whose bits matter and what genuine PyTorch answers.

Writes cases that `torch-nnapi conformance torch OUT --suite run` runs without tolerance: torchvision's quantized builds with random
weights, calibrated on random images, a few inputs each; and small models of one quantized operator each with scales drawn at
random, on inputs whose values lie on rounding ties as often as not; and sums and linear
resizing of floats.
"""

import argparse
import fnmatch
import json
import os
import random
import shutil
import sys
import warnings
from typing import List, Optional

warnings.filterwarnings("ignore")
os.environ.setdefault("GLOG_minloglevel", "2")

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision.models as models
from torch.ao import quantization

Q = torch.ops.quantized


def image_size(name: str) -> int:
    return 299 if "inception" in name else 224


def torchvision_model(name: str):
    """A quantized build: batch norms hold the statistics of random images, so that activations keep their size through the depth."""
    size = image_size(name)
    model = models.get_model_builder(name)(weights=None)
    if hasattr(model, "aux_logits"):
        model.aux_logits = False
        for auxiliary in ("aux1", "aux2", "AuxLogits"):
            if hasattr(model, auxiliary):
                setattr(model, auxiliary, None)
    norms = [m for m in model.modules() if isinstance(m, nn.BatchNorm2d)]
    for m in norms:
        m.momentum = 1.0
        m.train()
    with torch.no_grad():
        model.eval()
        for m in norms:
            m.train()
        model(torch.randn(4, 3, size, size))
    model.eval()
    model.fuse_model(is_qat=False)
    model.qconfig = quantization.QConfig(
        activation=quantization.default_observer, weight=quantization.default_weight_observer
    )
    quantization.prepare(model, inplace=True)
    with torch.no_grad():
        for _ in range(2):
            model(torch.randn(1, 3, size, size))
    quantization.convert(model, inplace=True)
    return model, lambda: [torch.randn(1, 3, size, size)]


class Case(nn.Module):
    """A function of float tensors that quantizes, computes and dequantizes."""

    def __init__(self, **values):
        super().__init__()
        for key, value in values.items():
            setattr(self, key, value)


def scale() -> float:
    return float(np.float32(2.0 ** random.uniform(-9, 1)))


def byte() -> int:
    return random.randrange(256)


def parameters(bits=torch.quint8):
    return (scale(), byte()) if bits == torch.quint8 else (scale(), random.randrange(-128, 128))


def ties(shape, q):
    """Values whose quotient by the scale is a whole number and a half as often as not."""
    steps = torch.randint(-300, 600, shape).float() / 2 - q[1] / 2
    return torch.where(torch.rand(shape) < 0.5, steps * q[0], steps * q[0] * (1 + torch.rand(shape) * 0.01))


class Product(Case):
    def forward(self, x):
        return self.layer(torch.quantize_per_tensor(x, self.s, self.z, self.type))


def weight(shape, per_channel, axis=0):
    w = torch.randn(shape)
    if not per_channel:
        return torch.quantize_per_tensor(w, float(w.abs().max()) / 127, 0, torch.qint8)
    channels = shape[axis]
    scales = torch.rand(channels, dtype=torch.float64) * 0.05 + 0.01
    return torch.quantize_per_channel(w, scales, torch.zeros(channels, dtype=torch.int64), axis, torch.qint8)


def product(kind: str, per_channel: bool, signed: bool):
    bits = torch.qint8 if signed else torch.quint8
    s, z = parameters(bits)
    relu = not kind.startswith("transposed") and random.random() < 0.5
    if kind == "linear":
        inputs, outputs = random.randrange(3, 40), random.randrange(2, 40)
        layer = (nn.intrinsic.quantized.LinearReLU if relu else nn.quantized.Linear)(inputs, outputs)
        layer.set_weight_bias(weight((outputs, inputs), per_channel), torch.randn(outputs))
        shape = (random.randrange(1, 9), inputs)
    elif kind.startswith("transposed"):
        inputs, outputs = random.randrange(1, 9), random.randrange(1, 9)
        layer = nn.quantized.ConvTranspose2d(inputs, outputs, 3, stride=2, padding=1, output_padding=1)
        layer.set_weight_bias(weight((inputs, outputs, 3, 3), False), torch.randn(outputs))
        shape = (1, inputs, 6, 7)
    else:
        groups = {"convolution": 1, "depthwise": random.randrange(2, 40), "grouped": 2}[kind]
        inputs, outputs = (
            (groups, groups) if kind == "depthwise" else (2 * random.randrange(1, 9), 2 * random.randrange(1, 9))
        )
        width = random.choice([1, 3, 5])
        made = nn.intrinsic.quantized.ConvReLU2d if relu else nn.quantized.Conv2d
        layer = made(inputs, outputs, width, stride=random.choice([1, 2]), padding=width // 2, groups=groups)
        layer.set_weight_bias(weight((outputs, inputs // groups, width, width), per_channel), torch.randn(outputs))
        shape = (random.randrange(1, 3), inputs, 7, 8)
    layer.scale, layer.zero_point = parameters(bits)
    layer.scale = float(np.float32(s * 2.0 ** random.uniform(0, 3)))
    return Product(layer=layer, s=s, z=z, type=bits), lambda: [ties(shape, (s, z))]


class Dynamic(Case):
    def forward(self, x):
        return self.layer(x)


def dynamic(per_channel: bool):
    inputs, outputs = random.randrange(3, 70), random.randrange(2, 40)
    layer = nn.quantized.dynamic.Linear(inputs, outputs)
    layer.set_weight_bias(weight((outputs, inputs), per_channel), torch.randn(outputs))
    rows = random.randrange(1, 9)
    return Dynamic(layer=layer), lambda: [torch.randn(rows, inputs) * random.choice([1e-6, 1e-3, 1, 50])]


class Add(Case):
    def forward(self, x, y):
        return Q.add(
            torch.quantize_per_tensor(x, self.s, self.z, self.type),
            torch.quantize_per_tensor(y, self.t, self.u, self.type),
            self.v,
            self.w,
        )


class AddRelu(Case):
    def forward(self, x, y):
        return Q.add_relu(
            torch.quantize_per_tensor(x, self.s, self.z, self.type),
            torch.quantize_per_tensor(y, self.t, self.u, self.type),
            self.v,
            self.w,
        )


class Mul(Case):
    def forward(self, x, y):
        return Q.mul(
            torch.quantize_per_tensor(x, self.s, self.z, self.type),
            torch.quantize_per_tensor(y, self.t, self.u, self.type),
            self.v,
            self.w,
        )


class MulRelu(Case):
    def forward(self, x, y):
        return Q.mul_relu(
            torch.quantize_per_tensor(x, self.s, self.z, self.type),
            torch.quantize_per_tensor(y, self.t, self.u, self.type),
            self.v,
            self.w,
        )


class Cat(Case):
    def forward(self, x, y):
        return Q.cat(
            [
                torch.quantize_per_tensor(x, self.s, self.z, self.type),
                torch.quantize_per_tensor(y, self.t, self.u, self.type),
            ],
            1,
            self.v,
            self.w,
        )


def pair(make, signed: bool):
    bits = torch.qint8 if signed else torch.quint8
    first, second, result = parameters(bits), parameters(bits), parameters(bits)
    shape = random.choice([(1, 5, 6, 7), (2, 8, 4, 4), (3, 37)])
    last = len(shape) == 4 and random.random() < 0.5

    def inputs():
        both = [ties(shape, first), ties(shape, second)]
        return [t.contiguous(memory_format=torch.channels_last) for t in both] if last else both

    return make(s=first[0], z=first[1], t=second[0], u=second[1], v=result[0], w=result[1], type=bits), inputs


class Broadcast(Case):
    def forward(self, x, y):
        return Q.mul(
            torch.quantize_per_tensor(x, self.s, self.z, self.type),
            torch.quantize_per_tensor(y, self.t, self.u, self.type),
            self.v,
            self.w,
        )


def broadcast():
    first, second, result = parameters(), parameters(), parameters()
    return Broadcast(
        s=first[0], z=first[1], t=second[0], u=second[1], v=result[0], w=result[1], type=torch.quint8
    ), lambda: [ties((2, 6, 5, 4), first), ties((2, 6, 1, 1), second)]


def unary(body: str):
    """A model whose forward computes `body` of a quantized x."""
    scope = {"torch": torch, "nn": nn, "Q": Q, "Case": Case, "F": nn.functional}
    source = f"class Unary(Case):\n    def forward(self, x):\n        x = torch.quantize_per_tensor(x, self.s, self.z, self.type)\n        return {body}\n"
    import linecache

    name = f"<{body}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    exec(compile(source, name, "exec"), scope)
    return scope["Unary"]


UNARY = {
    "relu": "torch.relu(x)",
    "relu6": "Q.relu6(x)",
    "hardtanh": "F.hardtanh(x, -0.7, 1.3)",
    "clamp": "torch.clamp(x, -0.7, 1.3)",
    "sigmoid": "torch.sigmoid(x)",
    "sigmoid_scaled": "Q.sigmoid(x, self.v, self.w)",
    "tanh": "torch.tanh(x)",
    "hardsigmoid": "F.hardsigmoid(x)",
    "hardswish": "Q.hardswish(x, self.v, self.w)",
    "leaky_relu": "Q.leaky_relu(x, 0.1, False, self.v, self.w)",
    "elu": "Q.elu(x, self.v, self.w)",
    "threshold": "Q.threshold(x, 0.2, 0.1)",
    "mean": "x.mean([2, 3])",
    "mean_kept": "x.mean([2, 3], keepdim=True)",
    "mean_channels": "x.mean([1])",
    "mean_all": "x.mean()",
    "max_pool": "F.max_pool2d(x, 3, 2, 1)",
    "avg_pool": "F.avg_pool2d(x, 3, 2, 1)",
    "avg_pool_whole": "F.avg_pool2d(x, 3, 2, 1, count_include_pad=False)",
    "avg_pool_ceil": "F.avg_pool2d(x, 3, 2, 0, ceil_mode=True)",
    "adaptive": "F.adaptive_avg_pool2d(x, [3, 2])",
    "adaptive_one": "F.adaptive_avg_pool2d(x, [1, 1])",
    "nearest": "F.interpolate(x, scale_factor=2.0, mode='nearest')",
    "bilinear": "F.interpolate(x, size=[13, 9], mode='bilinear', align_corners=False)",
    "bilinear_corners": "F.interpolate(x, size=[13, 9], mode='bilinear', align_corners=True)",
    "bilinear_scale": "F.interpolate(x, scale_factor=2.0, mode='bilinear')",
    "requantized": "torch.quantize_per_tensor(x.dequantize(), self.v, self.w, self.type)",
    "add_scalar": "Q.add_scalar(x, 0.37)",
    "mul_scalar": "Q.mul_scalar(x, -1.7)",
    "instance_norm": "Q.instance_norm(x, None, None, 1e-5, self.v, self.w)",
    "layer_norm": "Q.layer_norm(x, [x.size(3)], None, None, 1e-5, self.v, self.w)",
    "cat_self": "Q.cat([x, x], 1, self.v, self.w)",
}


def of_one(body: str, last: bool, signed: bool):
    bits = torch.qint8 if signed else torch.quint8
    q, result = parameters(bits), parameters(bits)
    channels = random.choice([3, 8, 19, 64])
    shape = (random.randrange(1, 3), channels, 7, 8)

    def inputs():
        x = ties(shape, q)
        return [x.contiguous(memory_format=torch.channels_last) if last else x]

    return unary(body)(s=q[0], z=q[1], v=result[0], w=result[1], type=bits), inputs


def cases() -> dict:
    """Name to a function that makes the module and its inputs."""
    made = {}
    for name in models.list_models():
        if models.get_model_builder(name).__module__.startswith("torchvision.models.quantization."):
            made["model-" + name] = lambda name=name: torchvision_model(name)
    for i in range(6):
        for kind in ("convolution", "depthwise", "grouped", "transposed", "linear"):
            for per_channel in (False, True):
                made[f"product-{kind}{'-channels' * per_channel}-{i}"] = lambda kind=kind, p=per_channel: product(
                    kind, p, False
                )
            made[f"product-{kind}-signed-{i}"] = lambda kind=kind: product(kind, False, True)
        for per_channel in (False, True):
            made[f"dynamic{'-channels' * per_channel}-{i}"] = lambda p=per_channel: dynamic(p)
        for make in (Add, AddRelu, Mul, MulRelu, Cat):
            for signed in (False, True):
                made[f"pair-{make.__name__.lower()}{'-signed' * signed}-{i}"] = lambda make=make, s=signed: pair(
                    make, s
                )
        made[f"pair-broadcast-{i}"] = broadcast
    for i in range(3):
        for name, body in UNARY.items():
            for last in (False, True):
                # QNNPACK has a sigmoid of one output scale only.
                for signed in (True,) if name == "sigmoid_scaled" else (False, True):
                    made[f"unary-{name}{'-last' * last}{'-signed' * signed}-{i}"] = (
                        lambda body=body, last=last, signed=signed: of_one(body, last, signed)
                    )
    return made


class Resized(torch.nn.Module):
    def __init__(self, size: Optional[List[int]], factor: Optional[float], mode: str, corners: bool):
        super().__init__()
        self.size, self.factor, self.mode, self.corners = size, factor, mode, corners

    def forward(self, x):
        return F.interpolate(x, size=self.size, scale_factor=self.factor, mode=self.mode, align_corners=self.corners)


def resized(mode: str, last: bool):
    """Linear resizing of floats; their last bits decide which box a detector keeps."""
    rank = {"linear": 1, "bilinear": 2, "trilinear": 3}[mode]
    extents = [random.randrange(2, 18) for _ in range(rank)]
    shape = [random.randrange(1, 3), random.choice([1, 3, 8, 19, 40])] + extents
    size = [random.randrange(1, 30) for _ in range(rank)] if random.random() < 0.6 else None
    factor = None if size else random.choice([2.0, 0.5, 1.5, random.uniform(0.6, 3)])
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}

    def inputs():
        x = torch.randn(shape)
        return [x.contiguous(memory_format=formats[rank + 2]) if last else x]

    return Resized(size, factor, mode, random.random() < 0.4), inputs


class Summed(torch.nn.Module):
    def __init__(self, dims: List[int], mean: bool):
        super().__init__()
        self.dims, self.mean = dims, mean

    def forward(self, x):
        return x.mean(self.dims) if self.mean else x.sum(self.dims)


def summed(mean: bool, wide: bool):
    rank = random.randrange(1, 6)
    shape = [random.choice([1, 2, 3, 5, 8, 17, 40]) for _ in range(rank)]
    shape[random.randrange(rank)] = random.choice([1, 9, 31, 64, 300, 1100])
    dims = random.sample(range(rank), random.randrange(1, rank + 1))
    # Float32 that does not lie row by row is summed by compiled code in the order of its dimensions.
    cut = wide and random.random() < 0.3 and shape[-1] > 1
    order = random.sample(range(rank), rank) if wide else list(range(rank))

    def inputs():
        return [torch.randn(shape, dtype=torch.float64 if wide else torch.float32)]

    return Lying(Summed(dims, mean), order, cut), inputs


class Lying(torch.nn.Module):
    """What is summed lies in another order than its dimensions', or has gaps."""

    def __init__(self, inner: torch.nn.Module, order: List[int], cut: bool):
        super().__init__()
        self.inner, self.order, self.cut = inner, order, cut

    def forward(self, x):
        x = x.permute(self.order)
        if self.cut:
            x = x[..., 1:]
        return self.inner(x)


def cases_of_floats() -> dict:
    made = {}
    for i in range(20):
        for mean in (False, True):
            for wide in (False, True):
                made[f"float-{'mean' if mean else 'sum'}{'-double' * wide}-{i}"] = lambda mean=mean, wide=wide: summed(
                    mean, wide
                )
    for i in range(12):
        made[f"float-linear-{i}"] = lambda: resized("linear", False)
        for mode in ("bilinear", "trilinear"):
            for last in (False, True):
                made[f"float-{mode}{'-last' * last}-{i}"] = lambda mode=mode, last=last: resized(mode, last)
    return made


def describe(tensor: torch.Tensor, folder: str, file: str) -> dict:
    described = {
        "kind": "tensor",
        "file": file,
        "dtype": str(tensor.dtype).replace("torch.", ""),
        "shape": list(tensor.shape),
    }
    last = {4: torch.channels_last, 5: torch.channels_last_3d}.get(tensor.dim())
    is_last = last is not None and tensor.is_contiguous(memory_format=last) and not tensor.is_contiguous()
    described["memory_format"] = str(last).replace("torch.", "") if is_last else "contiguous"
    if tensor.is_quantized:
        described["quant"] = {
            "scheme": "per_tensor_affine",
            "scale": tensor.q_scale(),
            "zero_point": tensor.q_zero_point(),
        }
        tensor = tensor.int_repr()
    np.save(os.path.join(folder, file), tensor.contiguous().numpy())
    return described


def write(name: str, make, count: int, out: str) -> None:
    folder = os.path.join(out, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    random.seed(name)
    torch.manual_seed(random.randrange(1 << 31))
    module, inputs = make()
    module.eval()
    with torch.no_grad():
        script = (
            torch.jit.trace(module, tuple(inputs()), check_trace=False)
            if name.startswith("model-")
            else torch.jit.script(module)
        )
        torch.jit.save(script, os.path.join(folder, "model.pt"))
        script = torch.jit.load(os.path.join(folder, "model.pt"))
        runs = []
        for i in range(count):
            given = inputs()
            answer = script(*given)
            runs.append(
                {
                    "inputs": [describe(t, folder, f"run{i}_in{n}.npy") for n, t in enumerate(given)],
                    "output": describe(answer, folder, f"run{i}_out0.npy"),
                }
            )
    with open(os.path.join(folder, "case.json"), "w", encoding="utf-8") as f:
        tolerance = {"atol": 0, "rtol": 0}
        json.dump({"name": name, "model": "model.pt", "tolerance": tolerance, "runs": runs}, f)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--only", default="*", help="shell pattern of case names")
    parser.add_argument("--inputs", type=int, default=20, help="inputs a torchvision model")
    parser.add_argument("--part", default="1/1", help="one of so many parts of the cases")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    torch.set_num_threads(1)
    torch.backends.quantized.engine = "qnnpack"
    os.makedirs(options.out, exist_ok=True)
    wanted = [
        (name, make)
        for name, make in {**cases(), **cases_of_floats()}.items()
        if fnmatch.fnmatchcase(name, options.only)
    ]
    for i, (name, make) in enumerate(wanted):
        if i % parts == part - 1:
            write(name, make, options.inputs if name.startswith("model-") else 4, options.out)
    return 0


sys.exit(main())
