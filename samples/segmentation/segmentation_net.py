"""The network of the segmentation sample: which pixels are the object and which its background."""

import torch
from torch import Tensor, nn

SIZE = 64


def separable(inp: int, out: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inp, inp, 3, stride, 1, groups=inp, bias=False),
        nn.BatchNorm2d(inp),
        nn.ReLU(),
        nn.Conv2d(inp, out, 1, bias=False),
        nn.BatchNorm2d(out),
        nn.ReLU(),
    )


class SegmentationNet(nn.Module):
    """(N, 3, 64, 64) float images in [0, 1] to (N, 1, 64, 64): above 0 where the object is. A U-Net of separable convolutions."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU())
        self.down1 = nn.Sequential(separable(16, 32, 2), separable(32, 32))
        self.down2 = nn.Sequential(separable(32, 64, 2), separable(64, 64))
        self.down3 = nn.Sequential(separable(64, 96, 2), separable(96, 96), separable(96, 96))
        self.up = nn.Upsample(scale_factor=2.0, mode="nearest")
        self.join2 = separable(96 + 64, 64)
        self.join1 = separable(64 + 32, 32)
        self.join0 = separable(32 + 16, 24)
        self.head = nn.Conv2d(24, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        a = self.stem(x)
        b = self.down1(a)
        c = self.down2(b)
        d = self.down3(c)
        d = self.join2(torch.cat([self.up(d), c], 1))
        d = self.join1(torch.cat([self.up(d), b], 1))
        d = self.join0(torch.cat([self.up(d), a], 1))
        return self.head(d)
