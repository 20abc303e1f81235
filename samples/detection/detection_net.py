"""The network of the detection sample: which shapes are in a picture, and where."""

import torch
from torch import Tensor, nn

SIZE = 128
STEP = 8
CLASSES = ("circle", "square", "triangle", "star", "cross")


def separable(inp: int, out: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inp, inp, 3, stride, 1, groups=inp, bias=False),
        nn.BatchNorm2d(inp),
        nn.ReLU(),
        nn.Conv2d(inp, out, 1, bias=False),
        nn.BatchNorm2d(out),
        nn.ReLU(),
    )


class DetectionNet(nn.Module):
    """(N, 3, 128, 128) float images in [0, 1] to scores (N, 256, 5) in [0, 1] and boxes (N, 256, 4): left, top, right and bottom in pixels.

    A row of both is what a cell of 8x8 pixels says; a box is told by the distances of its sides from the cell's center.
    """

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU())
        self.down1 = separable(16, 32, 2)
        self.down2 = nn.Sequential(separable(32, 64, 2), separable(64, 64))
        self.down3 = nn.Sequential(separable(64, 96, 2), separable(96, 96), separable(96, 96))
        self.up = nn.Upsample(scale_factor=2.0, mode="nearest")
        self.join = nn.Sequential(separable(96 + 64, 64), separable(64, 64))
        self.kind = nn.Conv2d(64, len(CLASSES), 1)
        self.sides = nn.Conv2d(64, 4, 1)
        nn.init.constant_(self.kind.bias, -4.0)
        nn.init.constant_(self.sides.bias, 2.0)
        at = torch.arange(SIZE // STEP) * float(STEP) + STEP / 2
        y, x = torch.meshgrid(at, at, indexing="ij")
        self.register_buffer("centers", torch.stack([x, y, x, y])[None])
        self.register_buffer("steps", torch.tensor([-STEP, -STEP, STEP, STEP]).float()[None, :, None, None])

    def forward(self, x: Tensor):
        b = self.down2(self.down1(self.stem(x)))
        b = self.join(torch.cat([self.up(self.down3(b)), b], 1))
        boxes = self.centers + self.sides(b) * self.steps
        return torch.sigmoid(self.kind(b)).flatten(2).transpose(1, 2), boxes.flatten(2).transpose(1, 2)
