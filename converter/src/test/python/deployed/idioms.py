"""Models in idioms of their own: named results, writes into parts, columns, volumes, angles, statistics, sums named by letters."""

import math
from typing import NamedTuple, Tuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from catalogue import deployed, image, normal, whole


class Prediction(NamedTuple):
    scores: Tensor
    features: Tensor


@deployed(image(1, 3, 12, 12))
class NamedResults(nn.Module):
    """Padding by name, checks of what comes in, a named tuple."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding="same", bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True)
        )
        self.head = nn.Linear(8, 4)

    def forward(self, x: Tensor) -> Prediction:
        if x.dim() != 4:
            raise ValueError(f"{x.dim()} dimensions")
        assert x.shape[1] == 3, "three channels"
        y = self.stem(x)
        return Prediction(scores=self.head(y.mean(dim=(-2, -1))), features=y)


@deployed(image(1, 2, 10, 10))
class OverlappingPatches(nn.Module):
    """Columns of windows, mixed and added up again where they overlap."""

    def __init__(self):
        super().__init__()
        self.unfold, self.fold = nn.Unfold(3, padding=1, stride=2), nn.Fold((10, 10), 3, padding=1, stride=2)
        self.mix = nn.Conv1d(18, 18, 1)
        self.register_buffer("ones", torch.ones(1, 2, 10, 10))

    def forward(self, x):
        count = self.fold(self.unfold(self.ones))
        return self.fold(self.mix(self.unfold(x))) / count.clamp(min=1)


@deployed(normal(1, 16, 3), normal(1, 16, 3))
class PointGroups(nn.Module):
    """The nearest points of some of them, by distances of all pairs."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(6, 8, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.Conv2d(8, 12, 1)
        )
        self.head = nn.Linear(12, 4)

    def forward(self, points, features):
        centres = points[:, ::4, :].contiguous()
        nearest = torch.cdist(centres, points).topk(5, dim=-1, largest=False)[1]
        b, s, k = nearest.shape
        flat = nearest.reshape(b, -1).unsqueeze(-1).repeat(1, 1, 3)
        near = torch.gather(points, 1, flat).view(b, s, k, 3) - centres.unsqueeze(2)
        y = torch.cat([near, torch.gather(features, 1, flat).view(b, s, k, 3)], -1).permute(0, 3, 1, 2)
        return self.head(self.net(y).max(dim=-1).values.amax(-1))


@deployed(normal(1, 6, 8))
class Statistics(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(24, 4)

    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=1)
        deviation, middle = torch.std_mean(x, dim=1, unbiased=False, keepdim=True)
        skew = (((x - middle) / (deviation + 1e-5)) ** 3).mean(1)
        return (
            self.out(torch.cat([variance.sqrt(), mean, skew], -1))
            + x.median(dim=1)[0][:, :4]
            + torch.diff(x, dim=1).cumprod(1)[:, -1, :4]
        )


@deployed(normal(2, 10))
class Attitude(nn.Module):
    """Angles of a quaternion."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(10, 6)

    def forward(self, x):
        y = self.net(x)
        w, i, j, k = torch.unbind(F.normalize(y[:, :4], dim=-1), -1)
        turn = 2 * torch.acos(torch.clamp(w, -1 + 1e-6, 1 - 1e-6))
        yaw = torch.atan2(2 * (w * k + i * j), 1 - 2 * (j * j + k * k))
        pitch = torch.asin(torch.clamp(2 * (w * j - k * i), -1, 1))
        return torch.stack([turn, yaw, pitch, torch.atan(y[:, 4]), torch.sinh(y[:, 5]), torch.cosh(y[:, 5])], -1)


@deployed(normal(2, 6))
class WrittenParts(nn.Module):
    """Parts of tensors written to by places, steps, masks and in loops."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(6, 6)
        self.register_buffer("places", torch.tensor([3, 0, 5]))

    def forward(self, x) -> Tuple[Tensor, Tensor, Tensor]:
        y = self.net(x)
        z = torch.zeros_like(y)
        z[:, self.places] = y[:, :3]
        z[:, 1::2] += 1.0
        z[0] = y[1]
        z[..., -1] *= 2
        w = y.clone()
        w[w < 0] = 0
        rows = torch.empty(2, 6)
        for i in range(6):
            rows[:, i] = y[:, i] * (i + 1)
        rows -= rows.mean(-1, keepdim=True)
        return z, w, rows


@deployed(image(1, 1, 8, 8, 8))
class VolumeNet(nn.Module):
    """A U-Net of volumes, brought back to size by transposed convolutions and between neighbours."""

    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(
            nn.Conv3d(1, 4, 3, padding=1), nn.InstanceNorm3d(4, affine=True), nn.LeakyReLU(0.01, True)
        )
        self.middle = nn.Sequential(nn.Conv3d(4, 8, 3, stride=2, padding=1), nn.GroupNorm(2, 8), nn.ELU())
        self.up = nn.ConvTranspose3d(8, 4, 2, stride=2)
        self.smooth, self.out = nn.AvgPool3d(3, 2, padding=1), nn.Conv3d(16, 2, 1)

    def forward(self, x):
        y = self.down(x)
        z = self.middle(y)
        near = F.interpolate(self.smooth(y), size=[8, 8, 8], mode="nearest")
        between = F.interpolate(z[:, :4], scale_factor=2.0, mode="trilinear", align_corners=False)
        return torch.softmax(self.out(torch.cat((y, self.up(z), near, between), 1)), 1)


@deployed(normal(2, 4, 6))
class RecurrentCells(nn.Module):
    """Cells in a loop of Python, which tracing writes as operators in place."""

    def __init__(self):
        super().__init__()
        self.gru, self.lstm, self.plain = nn.GRUCell(6, 5), nn.LSTMCell(5, 4), nn.RNNCell(4, 3, nonlinearity="relu")

    def forward(self, x):
        a, b = torch.zeros(x.size(0), 5), torch.zeros(x.size(0), 4)
        c, d = torch.zeros(x.size(0), 4), torch.zeros(x.size(0), 3)
        for i in range(4):
            a = self.gru(x[:, i], a)
            b, c = self.lstm(a, (b, c))
            d = self.plain(b, d)
        return d, a, c


@deployed(image(1, 3, 16, 16))
class PeakDecoder(nn.Module):
    """The highest places of maps as rows and columns, rounded towards zero."""

    def __init__(self):
        super().__init__()
        self.maps, self.sizes = nn.Conv2d(5, 3, 3, 2, 1), nn.Conv2d(5, 2, 3, 2, 1)

    def forward(self, x):
        n, c, h, w = x.shape
        down = torch.linspace(-1, 1, h).view(1, 1, h, 1).expand(n, 1, h, w)
        across = torch.linspace(-1, 1, w).view(1, 1, 1, w).expand(n, 1, h, w)
        x = torch.cat([x, across, down], 1)
        maps = self.maps(x).sigmoid_()
        maps = maps * (F.max_pool2d(maps, (3, 3), stride=1, padding=1) == maps).float()
        n, c, h, w = maps.shape
        scores, places = torch.topk(maps.view(n, -1), 4)
        inside = places % (h * w)
        rows = torch.div(inside, w, rounding_mode="trunc").float()
        columns = torch.fmod(inside, w).float()
        sizes = (
            self.sizes(x).permute(0, 2, 3, 1).contiguous().view(n, -1, 2).gather(1, inside.unsqueeze(2).expand(n, 4, 2))
        )
        return torch.stack([columns, rows], 2) + sizes, scores, torch.div(places, h * w, rounding_mode="floor")


@deployed(whole(30, 2, 6), lambda: torch.tensor([[1] * 6, [1] * 3 + [0] * 3]))
class SlopedAttention(nn.Module):
    """Attention to what came before, less the farther it is, among what a mask of 0 and 1 leaves."""

    def __init__(self):
        super().__init__()
        self.table, self.qkv = nn.Embedding(30, 12, padding_idx=0), nn.Linear(12, 36)
        self.register_buffer("slopes", torch.tensor([0.5, 0.25, 0.125]).view(3, 1, 1))

    def forward(self, tokens: Tensor, mask: Tensor):
        b, t = tokens.size(0), tokens.size(1)
        q, k, v = [z.reshape(b, t, 3, 4).permute(0, 2, 1, 3) for z in self.qkv(self.table(tokens)).chunk(3, -1)]
        past = torch.tril(torch.ones(t, t, dtype=torch.bool))
        keep = past[None, None] & mask.to(torch.bool)[:, None, None, :]
        far = torch.arange(t)[None, :] - torch.arange(t)[:, None]
        scores = torch.einsum("...id,...jd->...ij", q, k) / 2.0 + self.slopes * far
        y = torch.einsum("bhij,bhjd->bihd", scores.masked_fill(~keep, -1e9).softmax(-1), v).reshape(b, t, 12)
        return y[torch.arange(b), mask.sum(1) - 1], torch.tril(scores)


@deployed(normal(2, 3, 6, 6))
class LocalNorms(nn.Module):
    """Normalisation among neighbouring channels and by the batch, pools of dilated windows."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3, padding=1)
        self.near, self.batch = nn.LocalResponseNorm(3), nn.BatchNorm2d(6, track_running_stats=False)
        self.pool, self.slope = nn.MaxPool2d(2, 2, dilation=2, padding=1), nn.RReLU()

    def forward(self, x):
        return self.pool(self.slope(self.batch(self.near(self.conv(x)))))


@deployed(normal(2, 3, 4), normal(2, 4, 5))
class Contractions(nn.Module):
    """Products along dimensions that are named in every way."""

    def __init__(self):
        super().__init__()
        self.pairs = nn.Bilinear(4, 5, 3)

    def forward(self, a, b):
        x = torch.einsum("...ij,...jk->...ik", a, b)
        y = torch.tensordot(a, b, dims=([2], [1]))
        z = torch.kron(a[0], b[0]).mT
        angles = torch.deg2rad(torch.rot90(x, 1, [1, 2]))
        return (
            x,
            y,
            z,
            self.pairs(a[:, 0], b[:, 0]),
            torch.hstack([angles, torch.hypot(angles, angles)]),
            math.pi * torch.linalg.norm(a, dim=-1),
        )


@deployed(normal(1, 4, 20), quantized="static")
class WaveClassifier(nn.Module):
    """Convolutions of rows and curves of several kinds, which quantized tensors have as well."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv1d(4, 8, 5, padding=2), nn.Conv1d(8, 8, 3, stride=2)
        self.slope, self.curve, self.head = nn.LeakyReLU(0.1), nn.ELU(), nn.Linear(8, 5)

    def forward(self, x):
        y = self.slope(self.second(F.relu(self.first(x))))
        return self.curve(self.head(torch.sigmoid(y).mean(-1)).tanh())


@deployed(image(1, 3, 16, 16), quantized="static")
class MaskHead(nn.Module):
    """Features of two sizes joined, one of them of bands that overlap, the result brought to size."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.out = nn.Conv2d(3, 8, 3, 2, 1), nn.Conv2d(8, 8, 3, 2, 1), nn.Conv2d(16, 3, 1)

    def forward(self, x):
        y = F.relu(self.first(x))
        z = F.interpolate(F.adaptive_avg_pool2d(self.second(y), 3), size=[8, 8], mode="nearest")
        return F.interpolate(self.out(torch.cat([y, z], 1)), scale_factor=2.0, mode="nearest")
