"""Models whose quantized forms matter: hand-made ones with stubs, those that were trained quantized, and limits, slopes and tables of bytes."""

import torch
from torch import Tensor, nn
from torch.ao.quantization import DeQuantStub, QuantStub
from torch.nn import functional as F
from torch.nn.quantized import FloatFunctional

from catalogue import deployed, image, normal, whole


class Stubs(nn.Module):
    """What hand-made quantized models have at their ends."""

    def __init__(self):
        super().__init__()
        self.quant, self.dequant = QuantStub(), DeQuantStub()


class Inverted(nn.Module):
    """An inverted residual whose limits stay modules of their own."""

    def __init__(self, channels, inner):
        super().__init__()
        self.widen = nn.Sequential(
            nn.Conv2d(channels, inner, 1, bias=False), nn.BatchNorm2d(inner), nn.ReLU6(inplace=True)
        )
        self.filter = nn.Sequential(
            nn.Conv2d(inner, inner, 3, 1, 1, groups=inner, bias=False), nn.BatchNorm2d(inner), nn.ReLU6()
        )
        self.narrow = nn.Sequential(nn.Conv2d(inner, channels, 1, bias=False), nn.BatchNorm2d(channels))
        self.sum = FloatFunctional()

    def forward(self, x):
        return self.sum.add(x, self.narrow(self.filter(self.widen(x))))


@deployed(image(1, 3, 24, 24), quantized="eager")
class LimitedResiduals(Stubs):
    """ReLU6 that is not part of a convolution: PyTorch's limits of channels-last bytes move elements, in place as well."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU6())
        self.blocks = nn.Sequential(Inverted(8, 16), Inverted(8, 16))
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        x = self.blocks(self.stem(self.quant(x)))
        return self.dequant(self.head(x.mean([2, 3])))


@deployed(image(1, 3, 24, 24), quantized="aware")
class AwareClassifier(Stubs):
    """Trained with quantization in mind: gates over channels, and averages and maxima over them."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 12, 3, 2, 1), nn.ReLU())
        self.gate = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(12, 4, 1), nn.ReLU(), nn.Conv2d(4, 12, 1), nn.Hardsigmoid()
        )
        self.place = nn.Sequential(nn.Conv2d(2, 1, 5, padding=2), nn.Sigmoid())
        self.product, self.placed, self.pair = FloatFunctional(), FloatFunctional(), FloatFunctional()
        self.head = nn.Linear(12, 5)

    def forward(self, x):
        x = self.stem(self.quant(x))
        x = self.product.mul(x, self.gate(x))
        x = self.placed.mul(x, self.place(self.pair.cat([x.mean(1, keepdim=True), x.max(1, keepdim=True)[0]], 1)))
        return self.dequant(self.head(x.mean([2, 3])))


@deployed(image(1, 3, 24, 24), quantized="static")
class SlopedFace(nn.Module):
    """PReLU with slopes below 1, whose scale has no 1: PyTorch multiplies what is positive by the largest of them."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Conv2d(3, 12, 3, 2, 1), nn.Conv2d(12, 12, 3, 2, 1, groups=12), nn.Conv2d(12, 16, 1)
        self.p, self.q = nn.PReLU(12), nn.PReLU(12)
        self.head = nn.Linear(16, 8)

    def forward(self, x):
        x = self.q(self.b(self.p(self.a(x))))
        return F.normalize(self.head(F.hardtanh(self.c(x), -2.0, 2.0).mean([2, 3])), dim=1)


@deployed(image(1, 3, 16, 16), quantized="static")
class GroupedUpsampling(nn.Module):
    """Transposed convolutions in groups, dilated, and with more padding of the result than of the input."""

    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(3, 8, 3, 2, 1)
        self.up = nn.ConvTranspose2d(8, 8, 4, 2, 1, groups=4)
        self.wide = nn.ConvTranspose2d(8, 4, 3, 1, 2, dilation=2)
        self.more = nn.ConvTranspose2d(4, 2, 2, 2, output_padding=1)

    def forward(self, x):
        return self.more(torch.relu(self.wide(torch.relu(self.up(torch.relu(self.down(x)))))))


@deployed(normal(2, 6, 6), quantized="eager")
class SteppedBytes(Stubs):
    """A recurrent layer that is quantized ahead, step by step: products of two gates whose scale is below that of the product."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 8)
        self.layer = nn.LSTM(8, 6, bidirectional=True, batch_first=True)
        self.head = nn.Linear(12, 3)

    def forward(self, x):
        x, _ = self.layer(torch.relu(self.first(self.quant(x))))
        return self.dequant(self.head(x))


@deployed(image(1, 3, 96, 96), quantized="eager")
class ConfidentExit(Stubs):
    """Stops early where it is sure."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU())
        self.early = nn.Linear(16, 4)
        self.deep = nn.Sequential(
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 16, 3, padding=1), nn.ReLU()
        )
        self.late = nn.Linear(16, 4)

    def forward(self, x):
        x = self.stem(self.quant(x))
        early = self.dequant(self.early(x.mean([2, 3]))).softmax(1)
        if float(early.max()) > 0.9:
            return early
        return self.dequant(self.late(self.deep(x).mean([2, 3]))).softmax(1)


@deployed(whole(20, 12), lambda: torch.tensor([0, 3, 7]), whole(20, 3, 4), quantized="nibbles")
class RowsOfFourBits(nn.Module):
    """Tables of 4 bits a number, a scale a row: bags and rows."""

    def __init__(self):
        super().__init__()
        self.bags = nn.EmbeddingBag(20, 16, mode="sum")
        self.rows = nn.EmbeddingBag(20, 8, mode="sum")
        self.head = nn.Linear(24, 3)

    def forward(self, indices: Tensor, offsets: Tensor, rows: Tensor):
        return self.head(torch.cat([self.bags(indices, offsets), self.rows(rows)], 1))
