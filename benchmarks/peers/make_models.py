#!/usr/bin/env python3
"""Writes the models of the peer comparison, with random weights, for every engine.

    python3 make_models.py DIR [NAME,...]

Needs PyTorch 1.13 and torchvision 0.14 (Debian's python3-torch and python3-torchvision). For each model:

    NAME.pt            traced TorchScript, for the CPU path of this project and of PyTorch
    NAME-scripted.pt   the float models scripted, for PyTorch's optimize_for_mobile
    NAME-convert.pt    what torch-nnapi convert gets: channels last, with a bundled input, and hard sigmoids
                       written in operators that PyTorch's own NNAPI converter knows
    NAME.onnx          for ONNX Runtime
    NAME-input.npy, NAME-output.npy    an input and what PyTorch computes for it

Names ending in -int8 are quantized after training for QNNPACK, per tensor.
"""

import os
import sys
import warnings

warnings.filterwarnings("ignore")
os.environ.setdefault("GLOG_minloglevel", "2")

import numpy as np
import torch
import torchvision.models as models
from torch import Tensor, nn
from torch.utils import bundled_inputs


class UNet(nn.Module):
    """A small segmentation network: three levels, skip connections by concatenation, nearest upsampling."""

    def __init__(self, width: int = 16):
        super().__init__()

        def block(inp: int, out: int) -> nn.Sequential:
            return nn.Sequential(
                nn.Conv2d(inp, out, 3, padding=1),
                nn.BatchNorm2d(out),
                nn.ReLU(),
                nn.Conv2d(out, out, 3, padding=1),
                nn.BatchNorm2d(out),
                nn.ReLU(),
            )

        self.down1, self.down2, self.bottom = block(3, width), block(width, 2 * width), block(2 * width, 4 * width)
        self.up2, self.up1 = block(6 * width, 2 * width), block(3 * width, width)
        self.pool, self.upsample = nn.MaxPool2d(2), nn.UpsamplingNearest2d(scale_factor=2)
        self.head = nn.Conv2d(width, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        a = self.down1(x)
        b = self.down2(self.pool(a))
        c = self.bottom(self.pool(b))
        b = self.up2(torch.cat([self.upsample(c), b], 1))
        return self.head(self.up1(torch.cat([self.upsample(b), a], 1)))


class HardSigmoid(nn.Module):
    """relu6(x + 3) / 6, and times x if that is asked for, in operators that convert to NNAPI: constants need x's rank."""

    def __init__(self, times_x: bool):
        super().__init__()
        self.times_x = times_x
        self.three = nn.ParameterDict({str(rank): nn.Parameter(torch.full((1,) * rank, 3.0)) for rank in (2, 4)})
        self.sixth = nn.ParameterDict({str(rank): nn.Parameter(torch.full((1,) * rank, 1 / 6)) for rank in (2, 4)})

    def forward(self, x: Tensor) -> Tensor:
        rank = str(x.dim())
        y = nn.functional.hardtanh(x + self.three[rank], 0.0, 6.0) * self.sixth[rank]
        return x * y if self.times_x else y


class KeywordGru(nn.Module):
    """Keyword spotting: one second of 40 mel bands at 100 frames through two GRU layers."""

    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(40, 128, 2, batch_first=True)
        self.head = nn.Linear(128, 12)

    def forward(self, x: Tensor) -> Tensor:
        y, _ = self.gru(x)
        return self.head(y[:, -1])


class AudioMask(nn.Module):
    """Long one-dimensional convolutions over ten seconds of audio, as networks that separate voices have them."""

    class Block(nn.Module):
        def __init__(self, channels: int, inner: int, dilation: int):
            super().__init__()
            self.layers = nn.Sequential(
                nn.Conv1d(channels, inner, 1),
                nn.PReLU(),
                nn.BatchNorm1d(inner),
                nn.Conv1d(inner, inner, 3, padding=dilation, dilation=dilation, groups=inner),
                nn.PReLU(),
                nn.BatchNorm1d(inner),
                nn.Conv1d(inner, channels, 1),
            )

        def forward(self, x: Tensor) -> Tensor:
            return x + self.layers(x)

    def __init__(self, channels: int = 128, inner: int = 256):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv1d(1, channels, 16, stride=8), nn.BatchNorm1d(channels), nn.ReLU())
        self.blocks = nn.Sequential(*(AudioMask.Block(channels, inner, 2**i) for i in range(6)))
        self.mask = nn.Sequential(nn.Conv1d(channels, channels, 5, padding=2), nn.BatchNorm1d(channels), nn.Sigmoid())
        self.head = nn.Conv1d(channels, 16, 3, stride=2, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        y = self.encoder(x)
        return self.head(y * self.mask(self.blocks(y)))


class Encoder(nn.Module):
    """A transformer's encoder over 512 embedded tokens, its attention written out."""

    class Layer(nn.Module):
        def __init__(self, width: int, heads: int):
            super().__init__()
            self.heads = heads
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x: Tensor) -> Tensor:
            batch, tokens, width = x.shape
            q, k, v = (
                self.qkv(x).view(batch, tokens, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
            )
            scores = torch.softmax(q @ k.transpose(-2, -1) * (width // self.heads) ** -0.5, -1)
            x = self.norm1(x + self.out((scores @ v).transpose(1, 2).reshape(batch, tokens, width)))
            return self.norm2(x + self.narrow(nn.functional.gelu(self.wide(x))))

    def __init__(self, width: int = 256, heads: int = 4, layers: int = 4):
        super().__init__()
        self.layers = nn.Sequential(*(Encoder.Layer(width, heads) for _ in range(layers)))

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)


class SpeechLstm(nn.Module):
    """A second of 80 mel bands through two LSTM layers that read both ways."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(80, 128, 2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(256, 30)

    def forward(self, x: Tensor) -> Tensor:
        y, _ = self.lstm(x)
        return self.head(y)


def settle(model: nn.Module, shape: tuple) -> nn.Module:
    """Batch statistics from random images, so that activations keep a natural size through random weights."""
    for m in model.modules():
        if isinstance(m, (nn.BatchNorm1d, nn.BatchNorm2d)):
            m.momentum = None
            m.reset_running_stats()
    model.train()
    for m in model.modules():
        if isinstance(m, nn.Dropout):
            m.eval()
    with torch.no_grad():
        model(torch.randn(4, *shape[1:]))
    return model.eval()


def quantize(model: nn.Module, shape: tuple) -> nn.Module:
    q = torch.ao.quantization
    model.fuse_model(is_qat=False)
    model.qconfig = q.QConfig(activation=q.default_observer, weight=q.default_weight_observer)
    q.prepare(model, inplace=True)
    model(torch.randn(4, *shape[1:]))
    return q.convert(model, inplace=True)


def convertible(model: nn.Module) -> nn.Module:
    for name, child in model.named_children():
        if isinstance(child, (nn.Hardswish, nn.Hardsigmoid)):
            setattr(model, name, HardSigmoid(isinstance(child, nn.Hardswish)))
        else:
            convertible(child)
    return model


IMAGE = (1, 3, 224, 224)
MODELS = {
    "mobilenet_v2": (lambda: models.mobilenet_v2(), IMAGE),
    "mobilenet_v2-int8": (lambda: models.quantization.mobilenet_v2(), IMAGE),
    "resnet18": (lambda: models.resnet18(), IMAGE),
    "resnet18-int8": (lambda: models.quantization.resnet18(), IMAGE),
    "mobilenet_v3_small": (lambda: models.mobilenet_v3_small(), IMAGE),
    "squeezenet1_1": (lambda: models.squeezenet1_1(), IMAGE),
    "unet": (UNet, (1, 3, 128, 128)),
    "gru": (KeywordGru, (1, 100, 40)),
    "audio": (AudioMask, (1, 1, 160000)),
    "encoder": (Encoder, (1, 512, 256)),
    "efficientnet_b3": (lambda: models.efficientnet_b3(), (1, 3, 300, 300)),
    "lstm": (SpeechLstm, (1, 100, 80)),
    "mobilenet_v2-64": (lambda: models.mobilenet_v2(), (1, 3, 64, 64)),
    "mobilenet_v2-768": (lambda: models.mobilenet_v2(), (1, 3, 768, 768)),
    "mobilenet_v3_large-odd": (lambda: models.mobilenet_v3_large(), (1, 3, 193, 251)),
    "resnet18-640": (lambda: models.resnet18(), (1, 3, 640, 640)),
    "resnet50-batch": (lambda: models.resnet50(), (8, 3, 224, 224)),
}


def write(folder: str, name: str) -> None:
    torch.manual_seed(0)
    make, shape = MODELS[name]
    model = settle(make(), shape)
    x = torch.randn(*shape)
    path = os.path.join(folder, name)
    with torch.no_grad():
        if name.endswith("-int8"):
            model = quantize(model, shape)
        traced = torch.jit.trace(model, x, check_trace=False)
        torch.jit.save(traced, path + ".pt")
        if not name.endswith("-int8"):
            torch.jit.save(torch.jit.script(model), path + "-scripted.pt")
        np.save(path + "-input.npy", x.numpy())
        np.save(path + "-output.npy", traced(x).numpy())
        torch.onnx.export(model, x, path + ".onnx", opset_version=13)
        image = x.clone(memory_format=torch.channels_last) if x.dim() == 4 else x.clone()
        convert = torch.jit.trace(convertible(model), image, check_trace=False)
        bundled_inputs.augment_model_with_bundled_inputs(convert, [(bundled_inputs.bundle_large_tensor(image),)])
        torch.jit.save(convert, path + "-convert.pt")
    print(f"{name}: {os.path.getsize(path + '.pt') / 1e6:.1f} MB", flush=True)


def main() -> None:
    folder = sys.argv[1]
    names = sys.argv[2].split(",") if len(sys.argv) > 2 else list(MODELS)
    torch.backends.quantized.engine = "qnnpack"
    torch.set_num_threads(1)
    os.makedirs(folder, exist_ok=True)
    for name in names:
        write(folder, name)


if __name__ == "__main__":
    main()
