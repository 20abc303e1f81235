#!/usr/bin/env python3
"""Small models of the kinds that people deploy, each a file with what goes in and what genuine PyTorch answers.

    make.py OUT [--only TEXT]

Needs PyTorch 1.13 and torchvision. Weights are random and the same each time. A file's extra files are its case: "input.0.float16.1x3x8x8" and so on,
the elements little-endian (float16 where no digit is lost), and "output.0.float32.1x5", the tensors of the result in order.
"""

import argparse
import copy
import os
import pathlib
import sys
import warnings
import zipfile

os.environ.setdefault("GLOG_minloglevel", "2")
warnings.filterwarnings("ignore")

import torch
from torch import nn

import bytes8  # noqa: F401 (registers its models)
import catalogue
import idioms  # noqa: F401 (registers its models)
import language  # noqa: F401 (registers its models)
import pictures  # noqa: F401
import routing  # noqa: F401
import sequences  # noqa: F401
import sound  # noqa: F401
import steps  # noqa: F401
import vision  # noqa: F401


def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    return [t for item in value for t in tensors(item)] if isinstance(value, (list, tuple, type({}.values()))) else []


def extra(role, values):
    files = {}
    for i, tensor in enumerate(values):
        if role == "input" and tensor.dtype == torch.float32 and torch.equal(tensor.half().float(), tensor):
            tensor = tensor.half()
        shape = "x".join(map(str, tensor.shape)) or "scalar"
        files[f"{role}.{i}.{str(tensor.dtype)[6:]}.{shape}"] = tensor.detach().contiguous().numpy().tobytes()
    return files


def randomise(module):
    """Statistics and weights that are not trivial, and short enough to pack well."""
    for part in module.modules():
        if isinstance(part, nn.modules.batchnorm._BatchNorm) and part.running_mean is not None:
            part.running_mean.normal_(0, 0.1)
            part.running_var.uniform_(0.5, 1.5)
    for value in module.parameters():
        if value.abs().max() == 0:
            value.normal_(0, 0.02)
        value.copy_((value * 128).round() / 128)


def quantized(module, kind, inputs):
    torch.backends.quantized.engine = "qnnpack"
    if kind == "mobile":
        from torch.utils.mobile_optimizer import optimize_for_mobile

        return optimize_for_mobile(torch.jit.script(module))
    if kind == "eager":
        return eager(copy.deepcopy(module), inputs)
    if kind == "aware":
        return aware(copy.deepcopy(module), inputs)
    if kind in ("cells", "tables", "nibbles"):
        from torch.ao.quantization import float_qparams_weight_only_qconfig, float_qparams_weight_only_qconfig_4bit

        if kind == "nibbles":
            return torch.quantization.quantize_dynamic(
                module, {nn.EmbeddingBag: float_qparams_weight_only_qconfig_4bit}, dtype=torch.quint4x2
            )
        if kind == "cells":
            return torch.quantization.quantize_dynamic(module, {nn.LSTMCell, nn.GRUCell, nn.RNNCell}, dtype=torch.qint8)
        return torch.quantization.quantize_dynamic(
            module,
            {nn.Embedding: float_qparams_weight_only_qconfig, nn.EmbeddingBag: float_qparams_weight_only_qconfig},
            dtype=torch.quint8,
        )
    if kind == "dynamic":
        return torch.quantization.quantize_dynamic(module, {nn.Linear, nn.LSTM}, dtype=torch.qint8)
    from torch.ao.quantization import get_default_qconfig_mapping, quantize_fx

    prepared = quantize_fx.prepare_fx(module, get_default_qconfig_mapping("qnnpack"), tuple(inputs))
    for _ in range(4):
        prepared(*[x + 0.1 * torch.randn_like(x) for x in inputs])
    return quantize_fx.convert_fx(prepared)


def fuse(module):
    """Convolutions with what normalises and rectifies them."""
    for part in [part for part in module.modules() if type(part) is nn.Sequential]:
        names = list(part._modules)
        for i in range(len(names) - 1):
            kinds = [type(part[j]) for j in range(i, min(i + 3, len(names)))]
            if kinds[0] is nn.Conv2d and kinds[1] in (nn.BatchNorm2d, nn.ReLU):
                count = 3 if kinds[1:] == [nn.BatchNorm2d, nn.ReLU] else 2
                join = torch.ao.quantization.fuse_modules_qat if module.training else torch.ao.quantization.fuse_modules
                join(part, names[i : i + count], inplace=True)


def eager(module, inputs):
    fuse(module)
    module.qconfig = torch.quantization.get_default_qconfig("qnnpack")
    recurrent = {"float_to_observed_custom_module_class": {nn.LSTM: nn.quantizable.LSTM}}
    prepared = torch.quantization.prepare(module, prepare_custom_config_dict=recurrent)
    for _ in range(4):
        prepared(*[x + 0.1 * torch.randn_like(x) for x in inputs])
    return torch.quantization.convert(prepared, convert_custom_config_dict=recurrent)


def aware(module, inputs):
    module.train()
    fuse(module)
    module.qconfig = torch.quantization.get_default_qat_qconfig("qnnpack")
    prepared = torch.quantization.prepare_qat(module)
    for _ in range(4):
        prepared(*[x + 0.1 * torch.randn_like(x) for x in inputs])
    return torch.quantization.convert(prepared.eval())


def pack(file):
    """Leaves out what only debuggers read, and compresses the rest."""
    with zipfile.ZipFile(file) as source:
        records = [
            (entry.filename, source.read(entry))
            for entry in source.infolist()
            if not entry.filename.endswith(".debug_pkl")
        ]
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target:
        for name, content in records:
            target.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def write(name, module, form, inputs, folder):
    want = tensors(module(*[x.clone() for x in inputs]))
    made = (
        torch.jit.script(module)
        if form == "scripted"
        else torch.jit.trace(module, tuple(inputs), strict=False, check_trace=False)
    )
    file = folder / f"{name}_{form}.pt"
    torch.jit.save(made, str(file), _extra_files={**extra("input", inputs), **extra("output", want)})
    pack(file)
    again = tensors(torch.jit.load(str(file))(*[x.clone() for x in inputs]))
    for a, b in zip(want, again):
        assert a.shape == b.shape and a.dtype == b.dtype and torch.allclose(a, b, 1e-4, 1e-4), (
            f"{name}: saved, it answers otherwise"
        )
    return file.stat().st_size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only", default="", help="models with this text in their name")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    sizes, failed = {}, []
    with torch.no_grad():
        for name, build, inputs, forms, kind in catalogue.MODELS:
            if arguments.only not in name:
                continue
            torch.manual_seed(0)
            module = build().eval()
            randomise(module)
            example = [make() for make in inputs]
            ways = [(name, module, form) for form in forms]
            if kind:
                suffix = "static" if kind in ("eager", "aware") else kind
                ways.append(
                    (f"{name}_{suffix}", quantized(module, kind, example), "traced" if kind == "static" else "scripted")
                )
            for file, way, form in ways:
                try:
                    sizes[f"{file} {form}"] = write(file, way, form, example, arguments.out)
                except Exception as failure:
                    failed.append(f"{file} {form}: {str(failure)[-1500:]}")
    for name, size in sorted(sizes.items(), key=lambda item: -item[1])[:5]:
        print(name, size)
    print(f"{len(sizes)} files, {sum(sizes.values())} bytes")
    print("\n".join(failed), file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
