"""A miniature MobileNetV2 for 32x32 colour images: the network of the digits sample."""

import torch
from torch import Tensor, nn


class ConvBnRelu(nn.Sequential):
    """Convolution, batch normalization and ReLU; `groups` equal to the channels makes it depthwise."""

    def __init__(self, inp: int, out: int, kernel: int, stride: int = 1, groups: int = 1):
        super().__init__(
            nn.Conv2d(inp, out, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(out), nn.ReLU()
        )

    def fuse(self) -> None:
        torch.ao.quantization.fuse_modules(self, ["0", "1", "2"], inplace=True)


class InvertedResidual(nn.Module):
    """Expand 1x1, depthwise 3x3, project 1x1; added to its input where the shapes allow it."""

    def __init__(self, inp: int, out: int, stride: int, expand: int):
        super().__init__()
        hidden = inp * expand
        self.expand = ConvBnRelu(inp, hidden, 1)
        self.depthwise = ConvBnRelu(hidden, hidden, 3, stride, groups=hidden)
        self.project = nn.Sequential(nn.Conv2d(hidden, out, 1, bias=False), nn.BatchNorm2d(out))
        self.residual = stride == 1 and inp == out
        self.skip_add = nn.quantized.FloatFunctional()

    def forward(self, x: Tensor) -> Tensor:
        y = self.project(self.depthwise(self.expand(x)))
        return self.skip_add.add(x, y) if self.residual else y

    def fuse(self) -> None:
        self.expand.fuse()
        self.depthwise.fuse()
        torch.ao.quantization.fuse_modules(self.project, ["0", "1"], inplace=True)


class DigitsNet(nn.Module):
    """(N, 3, 32, 32) float images in [-1, 1] to (N, 10) scores.

    `quant` and `dequant` do nothing until the network is quantized.
    """

    def __init__(self):
        super().__init__()
        self.quant = torch.ao.quantization.QuantStub()
        self.stem = ConvBnRelu(3, 16, 3, stride=2)
        self.blocks = nn.Sequential(
            InvertedResidual(16, 16, 1, 2),
            InvertedResidual(16, 24, 2, 4),
            InvertedResidual(24, 24, 1, 4),
            InvertedResidual(24, 32, 2, 4),
            InvertedResidual(32, 32, 1, 4),
        )
        self.head = ConvBnRelu(32, 96, 1)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.dropout = nn.Dropout(0.2)
        self.classifier = nn.Linear(96, 10)
        self.dequant = torch.ao.quantization.DeQuantStub()

    def forward(self, x: Tensor) -> Tensor:
        x = self.quant(x)
        x = self.pool(self.head(self.blocks(self.stem(x))))
        x = self.classifier(self.dropout(torch.flatten(x, 1)))
        return self.dequant(x)

    def fuse(self) -> None:
        """Joins each convolution with what follows it; for a trained network in eval mode."""
        self.stem.fuse()
        for block in self.blocks:
            block.fuse()
        self.head.fuse()
