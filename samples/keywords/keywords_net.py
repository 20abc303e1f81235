"""The network of the keywords sample: spoken digits from a second of sound."""

import math

import torch
from torch import Tensor, nn

RATE = 8000
SAMPLES = 6000
WINDOW = 256
STEP = 128
BANDS = 32


def mel(hertz: float) -> float:
    return 2595 * math.log10(1 + hertz / 700)


def bands() -> Tensor:
    """(BANDS, WINDOW / 2 + 1): triangles evenly spaced in mel between 100 Hz and half the rate."""
    low, high = mel(100), mel(RATE / 2)
    edges = [700 * (10 ** ((low + (high - low) * i / (BANDS + 1)) / 2595) - 1) for i in range(BANDS + 2)]
    lines = torch.arange(WINDOW // 2 + 1) * RATE / WINDOW
    rows = [
        torch.minimum((lines - a) / (b - a), (c - lines) / (c - b)).clamp(min=0)
        for a, b, c in zip(edges, edges[1:], edges[2:])
    ]
    return torch.stack(rows)


class Spectrum(nn.Module):
    """(N, SAMPLES) in [-1, 1] to (N, 1, BANDS, frames): logarithms of band energies. A Fourier transform written as a convolution."""

    def __init__(self):
        super().__init__()
        t = torch.arange(WINDOW).float()
        lines = torch.arange(WINDOW // 2 + 1).float()[:, None]
        angle = 2 * math.pi * lines * t / WINDOW
        window = torch.hann_window(WINDOW, periodic=True)
        self.register_buffer(
            "filters", torch.cat([angle.cos() * window, angle.sin() * window])[:, None, None, :].contiguous()
        )
        self.register_buffer("bands", bands()[:, :, None, None].contiguous())

    def forward(self, sound: Tensor) -> Tensor:
        parts = nn.functional.conv2d(sound[:, None, None, :], self.filters, stride=(1, STEP))
        half = WINDOW // 2 + 1
        re, im = parts[:, :half], parts[:, half:]
        energy = nn.functional.conv2d(re * re + im * im, self.bands)
        return (torch.log(energy + 1e-3) * 0.3).permute(0, 2, 1, 3)


def block(inp: int, out: int, stride: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inp, inp, 3, stride, 1, groups=inp, bias=False),
        nn.BatchNorm2d(inp),
        nn.ReLU(),
        nn.Conv2d(inp, out, 1, bias=False),
        nn.BatchNorm2d(out),
        nn.ReLU(),
    )


class KeywordsNet(nn.Module):
    """(N, SAMPLES) float sound in [-1, 1] to (N, 10) scores of the words zero to nine: depthwise separable convolutions."""

    def __init__(self):
        super().__init__()
        self.spectrum = Spectrum()
        self.stem = nn.Sequential(nn.Conv2d(1, 24, 5, 2, 2, bias=False), nn.BatchNorm2d(24), nn.ReLU())
        self.blocks = nn.Sequential(block(24, 48, 1), block(48, 48, 2), block(48, 64, 1), block(64, 96, 2))
        self.dropout = nn.Dropout(0.2)
        self.classifier = nn.Linear(96, 10)

    def forward(self, sound: Tensor) -> Tensor:
        x = self.blocks(self.stem(self.spectrum(sound)))
        return self.classifier(self.dropout(x.mean([2, 3])))
