"""Models whose code reads numbers out of tensors, grows what it has made, lists its features and cuts windows by strides."""

import math
from typing import List

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from catalogue import deployed, image, normal, whole


@deployed(normal(2, 24, 3))
class LaggedForecast(nn.Module):
    """The lags of the strongest correlation, found in the frequency domain, say by how much the series is turned."""

    def __init__(self):
        super().__init__()
        self.token = nn.Conv1d(3, 16, 3, padding=1, padding_mode="circular", bias=False)
        self.query, self.key, self.value, self.out = (nn.Linear(16, 16) for _ in range(4))
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        h = self.token(x.transpose(1, 2)).transpose(1, 2)
        q, k, v = self.query(h).transpose(1, 2), self.key(h).transpose(1, 2), self.value(h).transpose(1, 2)
        both = torch.fft.irfft(torch.fft.rfft(q, dim=-1) * torch.conj(torch.fft.rfft(k, dim=-1)), dim=-1).mean(1)
        lags = torch.topk(both.mean(0), 3)[1]
        weights = torch.softmax(torch.stack([both[:, lags[i]] for i in range(3)], -1), -1)
        start = torch.arange(24).view(1, 1, -1).expand(2, 16, 24)
        twice, turned = v.repeat(1, 1, 2), torch.zeros_like(v)
        for i in range(3):
            turned = turned + torch.gather(twice, -1, start + lags[i]) * weights[:, i].view(-1, 1, 1)
        return self.head(h + self.out(turned.transpose(1, 2)))


@deployed(normal(8, 16))
class ExpertOfEachToken(nn.Module):
    """Tokens one by one, each multiplied by the weights of the expert whose number is read, and the load of each expert."""

    def __init__(self):
        super().__init__()
        self.before, self.router = nn.Linear(16, 16), nn.Linear(16, 3)
        self.wide, self.narrow = nn.Parameter(torch.randn(3, 32, 16) * 0.1), nn.Parameter(torch.randn(3, 16, 32) * 0.1)

    def forward(self, x):
        x = F.relu(self.before(x))
        expert = self.router(x).argmax(-1)
        out: List[Tensor] = []
        for t in range(x.size(0)):
            i = int(expert[t])
            out.append(self.narrow[i].mv(F.gelu(self.wide[i].mv(x[t]))))
        load = torch.bincount(expert, minlength=3).float() / x.size(0)
        return torch.stack(out), load


@deployed(normal(1, 32, 8))
class OverlappingChunks(nn.Module):
    """Long texts attend within chunks that overlap by half, which are cut by strides, and within windows."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.out = (
            nn.Linear(8, 16),
            nn.Linear(8, 16),
            nn.Linear(8, 16),
            nn.Linear(16, 5),
        )

    def chunks(self, x, half: int):
        x = x.view(x.size(0), x.size(1) // (half * 2), half * 2, x.size(2))
        size, stride = list(x.size()), list(x.stride())
        size[1], stride[1] = size[1] * 2 - 1, stride[1] // 2
        return x.as_strided(size, stride)

    def forward(self, x):
        value = self.value(x)
        scores = torch.einsum("bcxd,bcyd->bcxy", self.chunks(self.query(x), 4), self.chunks(self.key(x), 4)) / 4
        mixed = torch.einsum("bcxy,bcyd->bcxd", scores.softmax(-1), self.chunks(value, 4))
        return self.out((mixed + value.unfold(1, 8, 4).transpose(2, 3)).mean(2))


@deployed(normal(1, 3, 8, 12, 12))
class TwoSpeedVideo(nn.Module):
    """A slow path of few frames and a fast one, pooled in windows of which the last are partial."""

    def __init__(self):
        super().__init__()
        self.fast, self.slow = (
            nn.Conv3d(3, 4, (5, 3, 3), (1, 2, 2), (2, 1, 1)),
            nn.Conv3d(3, 8, (1, 3, 3), (1, 2, 2), (0, 1, 1)),
        )
        self.across, self.last = nn.Conv3d(4, 4, (5, 1, 1), (4, 1, 1), (2, 0, 0)), nn.Conv3d(12, 8, 3, padding=1)
        self.pool, self.smooth = (
            nn.AvgPool3d((2, 4, 4), ceil_mode=True),
            nn.AvgPool3d((2, 3, 3), 1, (1, 1, 1), count_include_pad=False),
        )
        self.head = nn.Linear(12, 6)

    def forward(self, x):
        fast = F.relu(self.fast(x))
        slow = F.relu(self.slow(torch.index_select(x, 2, torch.linspace(0, 7, 2).long())))
        y = self.smooth(F.relu(self.last(torch.cat([slow, self.across(fast)], 1))))
        return self.head(torch.cat([self.pool(y).mean([2, 3, 4]), self.pool(fast).amax([2, 3, 4])], 1))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.after = nn.LayerNorm(16), nn.LayerNorm(16)
        self.three, self.out, self.wide, self.narrow = (
            nn.Linear(16, 48),
            nn.Linear(16, 16),
            nn.Linear(16, 64),
            nn.Linear(64, 16),
        )
        self.register_buffer("seen", torch.tril(torch.ones(16, 16)).view(1, 1, 16, 16))

    def forward(self, x):
        n, t, c = x.size()
        q, k, v = self.three(self.before(x)).split(c, dim=2)
        q, k, v = (
            q.view(n, t, 2, 8).transpose(1, 2),
            k.view(n, t, 2, 8).transpose(1, 2),
            v.view(n, t, 2, 8).transpose(1, 2),
        )
        scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(8))
        scores = scores.masked_fill(self.seen[:, :, :t, :t] == 0, float("-inf")).softmax(-1)
        x = x + self.out((scores @ v).transpose(1, 2).contiguous().view(n, t, c))
        return x + self.narrow(F.gelu(self.wide(self.after(x))))


@deployed(whole(40, 1, 6))
class GrowingText(nn.Module):
    """Writes as many tokens as an argument says, each appended to what goes in next; all but the best are left out."""

    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(40, 16), nn.Embedding(16, 16)
        self.blocks, self.norm = nn.ModuleList([Block(), Block()]), nn.LayerNorm(16)
        self.head = nn.Linear(16, 40, bias=False)

    def forward(self, ids, steps: int = 4):
        for _ in range(steps):
            seen = ids if ids.size(1) <= 16 else ids[:, -16:]
            x = self.tokens(seen) + self.places(torch.arange(0, seen.size(1)).unsqueeze(0))
            for block in self.blocks:
                x = block(x)
            scores = self.head(self.norm(x)[:, [-1], :])[:, -1, :] / 0.8
            best, _ = torch.topk(scores, min(5, scores.size(-1)))
            scores[scores < best[:, [-1]]] = -float("Inf")
            ids = torch.cat((ids, scores.softmax(-1).argmax(-1, keepdim=True)), dim=1)
        return ids


@deployed(image(1, 3, 48, 48))
class ListedFeatures(nn.Module):
    """A backbone that rectifies in place and lists its maps, which a caller may leave out."""

    def __init__(self):
        super().__init__()

        def stage(channels, out):
            return nn.Sequential(
                nn.Conv2d(channels, out, 3, 2, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU(inplace=True)
            )

        self.stages = nn.ModuleDict({"first": stage(3, 32), "second": stage(32, 48), "third": stage(48, 64)})
        self.head = nn.Linear(64, 7)

    def forward(self, x, listed: bool = True):
        maps: List[Tensor] = []
        for _, stage in self.stages.items():
            x = stage(x)
            maps.append(x)
        none: List[Tensor] = []
        return self.head(x.mean([2, 3])), maps if listed else none
