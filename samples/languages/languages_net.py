"""The network of the languages sample: which language a short text is in."""

import math

import torch
from torch import Tensor, nn

LENGTH = 96
LANGUAGES = ["cs", "de", "en", "es", "it", "pl", "pt", "ru"]


class Attention(nn.Module):
    """Every place looks at all others, by several heads."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.width = width // heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        n, length, width = x.shape
        parts = [
            f(x).reshape(n, length, self.heads, width // self.heads).transpose(1, 2)
            for f in (self.query, self.key, self.value)
        ]
        weights = torch.softmax(torch.matmul(parts[0], parts[1].transpose(2, 3)) / math.sqrt(self.width), -1)
        return self.out(torch.matmul(weights, parts[2]).transpose(1, 2).reshape(n, length, width))


class Layer(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.wide = nn.Linear(width, 2 * width)
        self.narrow = nn.Linear(2 * width, width)
        self.relu = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.narrow(self.relu(self.wide(self.norm2(x))))


class LanguagesNet(nn.Module):
    """(N, 96) int64 bytes of UTF-8, 0 behind the end, to (N, 8) scores of LANGUAGES: a transformer of two layers."""

    def __init__(self, width: int = 64):
        super().__init__()
        self.bytes = nn.Embedding(256, width)
        self.places = nn.Parameter(torch.randn(1, LENGTH, width) * 0.02)
        self.layers = nn.Sequential(Layer(width, 4), Layer(width, 4))
        self.norm = nn.LayerNorm(width)
        self.classifier = nn.Linear(width, len(LANGUAGES))

    def forward(self, text: Tensor) -> Tensor:
        x = self.bytes(text) + self.places
        return self.classifier(self.norm(self.layers(x)).mean(1))
