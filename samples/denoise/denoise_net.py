"""The network of the denoise sample: noise taken out of speech, sound in and sound out."""

import math

import torch
from torch import Tensor, nn

RATE = 8000
WINDOW = 160
STEP = 80
LINES = WINDOW // 2 + 1


class Transform(nn.Module):
    """(N, 1, 1, samples) to the real and imaginary parts (N, 2 * LINES, 1, frames) of its short-time Fourier transform, and back."""

    def __init__(self):
        super().__init__()
        t = torch.arange(WINDOW).double()
        k = torch.arange(LINES).double()[:, None]
        window = torch.hann_window(WINDOW, periodic=True, dtype=torch.float64).sqrt()
        forward = (
            torch.cat([torch.cos(2 * math.pi * k * t / WINDOW), -torch.sin(2 * math.pi * k * t / WINDOW)]) * window
        )
        weight = torch.full((LINES, 1), 2.0, dtype=torch.float64)
        weight[0] = weight[-1] = 1.0
        backward = (
            torch.cat(
                [torch.cos(2 * math.pi * k * t / WINDOW) * weight, -torch.sin(2 * math.pi * k * t / WINDOW) * weight]
            )
            * window
            / WINDOW
        )
        self.register_buffer("analysis", forward.float()[:, None, None, :].contiguous())
        self.register_buffer("synthesis", backward.float()[:, None, None, :].contiguous())

    def forward(self, sound: Tensor) -> Tensor:
        return nn.functional.conv2d(sound, self.analysis, stride=(1, STEP), padding=(0, WINDOW - STEP))

    def back(self, parts: Tensor) -> Tensor:
        return nn.functional.conv_transpose2d(parts, self.synthesis, stride=(1, STEP), padding=(0, WINDOW - STEP))


class Layer(nn.Module):
    """A dilated convolution in time, added to its input: what came `2 * dilation` frames before and after counts."""

    def __init__(self, channels: int, dilation: int):
        super().__init__()
        self.time = nn.Conv2d(
            channels, channels, (1, 3), padding=(0, dilation), dilation=(1, dilation), groups=channels, bias=False
        )
        self.norm1 = nn.BatchNorm2d(channels)
        self.mix = nn.Conv2d(channels, channels, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)
        self.relu1 = nn.ReLU()
        self.relu2 = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        y = self.relu1(self.norm1(self.time(x)))
        return self.relu2(x + self.norm2(self.mix(y)))


class MaskNet(nn.Module):
    """(N, LINES, 1, frames) logarithms of magnitudes to as many factors between 0 and 1."""

    def __init__(self, channels: int = 56):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(LINES, channels, 1, bias=False), nn.BatchNorm2d(channels), nn.ReLU())
        self.layers = nn.Sequential(*[Layer(channels, d) for d in (1, 2, 4, 8, 1, 2, 4, 8)])
        self.last = nn.Conv2d(channels, LINES, 1)

    def forward(self, x: Tensor) -> Tensor:
        return torch.sigmoid(self.last(self.layers(self.first(x))))


class DenoiseNet(nn.Module):
    """(N, samples) noisy sound in [-1, 1], a multiple of 80 samples, to as much with the noise taken out."""

    def __init__(self):
        super().__init__()
        self.transform = Transform()
        self.mask = MaskNet()

    def forward(self, sound: Tensor) -> Tensor:
        parts = self.transform(sound[:, None, None, :])
        re, im = parts[:, :LINES], parts[:, LINES:]
        factors = self.mask(torch.log(re * re + im * im + 1e-4) * 0.2)
        return self.transform.back(torch.cat([re * factors, im * factors], 1))[:, 0, 0]
