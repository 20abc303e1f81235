"""Models of pictures and of space: detectors that decode, flows, volumes that are rendered, codes, photographs as bytes."""

import math
from typing import Dict, List, Tuple

import torch
import torchvision
from torch import Tensor, nn
from torch.nn import functional as F

from catalogue import deployed, fixed, image, normal, whole


@deployed(lambda: torch.randint(0, 256, (1, 24, 24, 3), dtype=torch.uint8))
class PhotographBytes(nn.Module):
    """A photograph as bytes, its colours last; normalised within."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1))
        self.register_buffer("std", torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1))
        self.net = nn.Sequential(
            nn.Conv2d(3, 16, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2d(16, 24, 3, 2, 1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(24, 5),
        )

    def forward(self, x):
        x = x.permute(0, 3, 1, 2).float().div(255)
        return self.net((x - self.mean) / self.std)


@deployed(lambda: torch.randint(0, 256, (3, 20, 28), dtype=torch.uint8))
class MaskOfBytes(nn.Module):
    """Bytes in, bytes out: resized, segmented, and the classes as a picture."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 4, 1)
        )

    def forward(self, x):
        y = x.unsqueeze(0) / 255.0
        y = F.interpolate(y, size=(16, 16), mode="bilinear", align_corners=False)
        y = F.interpolate(self.net(y), size=x.shape[1:], mode="bilinear", align_corners=False)
        return (y.argmax(1)[0] * 60).to(torch.uint8)


@deployed(lambda: torch.randn(1, 3, 16, 16).half().double(), forms=("traced", "scripted"))
class DoubleRegressor(nn.Module):
    """Weights and inputs of float64."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(3, 8, 3), nn.Tanh(), nn.Conv2d(8, 8, 3, 2), nn.Tanh(), nn.Flatten(), nn.Linear(288, 6)
        ).double()

    def forward(self, x):
        return self.net(x) * math.pi


@deployed(image(1, 3, 32, 32))
class DistributedBoxes(nn.Module):
    """Distances to the edges of a box as distributions over sixteen steps, decoded by their means; scores beside."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 12, 3, 2, 1), nn.SiLU(), nn.Conv2d(12, 24, 3, 2, 1), nn.SiLU())
        self.split = nn.Conv2d(24, 24, 1)
        self.inner = nn.Sequential(
            nn.Conv2d(12, 12, 3, padding=1), nn.SiLU(), nn.Conv2d(12, 12, 3, padding=1), nn.SiLU()
        )
        self.join = nn.Conv2d(36, 24, 1)
        self.down = nn.Conv2d(24, 24, 3, 2, 1)
        self.boxes = nn.ModuleList([nn.Conv2d(24, 64, 1) for _ in range(2)])
        self.classes = nn.ModuleList([nn.Conv2d(24, 3, 1) for _ in range(2)])
        self.mean = nn.Conv2d(16, 1, 1, bias=False).requires_grad_(False)
        self.mean.weight.data[:] = torch.arange(16, dtype=torch.float).view(1, 16, 1, 1)

    def forward(self, x):
        y = self.stem(x)
        parts = list(self.split(y).chunk(2, 1))
        parts.append(self.inner(parts[-1]))
        y = F.silu(self.join(torch.cat(parts, 1)))
        maps = [y, F.silu(self.down(y))]
        all_boxes: List[Tensor] = []
        points: List[Tensor] = []
        strides: List[Tensor] = []
        for i, (edges, scores) in enumerate(zip(self.boxes, self.classes)):
            m = maps[i]
            h, w = m.shape[2], m.shape[3]
            all_boxes.append(torch.cat((edges(m), scores(m)), 1).view(1, 67, -1))
            sy, sx = torch.meshgrid(
                torch.arange(h, dtype=torch.float) + 0.5, torch.arange(w, dtype=torch.float) + 0.5, indexing="ij"
            )
            points.append(torch.stack((sx, sy), -1).view(-1, 2))
            strides.append(torch.full((h * w, 1), 4.0 * 2**i))
        box, kind = torch.cat(all_boxes, 2).split((64, 3), 1)
        b, _, a = box.shape
        distance = self.mean(box.view(b, 4, 16, a).transpose(2, 1).softmax(1)).view(b, 4, a)
        lt, rb = distance.chunk(2, 1)
        anchors, stride = torch.cat(points).transpose(0, 1).unsqueeze(0), torch.cat(strides).transpose(0, 1)
        x1y1, x2y2 = anchors - lt, anchors + rb
        return torch.cat((torch.cat(((x1y1 + x2y2) / 2, x2y2 - x1y1), 1) * stride, kind.sigmoid()), 1)


@deployed(image(1, 3, 32, 32))
class DecodedPyramid(nn.Module):
    """A pyramid fused by learned weights, anchors made of sizes, boxes decoded and cut at the edges, the best of them."""

    def __init__(self):
        super().__init__()
        self.c1, self.c2, self.c3 = nn.Conv2d(3, 16, 3, 4, 1), nn.Conv2d(16, 16, 3, 2, 1), nn.Conv2d(16, 16, 3, 2, 1)
        self.w1, self.w2 = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(3))
        self.up = nn.Upsample(scale_factor=2.0, mode="nearest")
        self.fuse = nn.ModuleList(
            [
                nn.Sequential(nn.Conv2d(16, 16, 3, padding=1, groups=16), nn.Conv2d(16, 16, 1), nn.BatchNorm2d(16))
                for _ in range(2)
            ]
        )
        self.box, self.kind = nn.Conv2d(16, 8, 3, padding=1), nn.Conv2d(16, 6, 3, padding=1)

    def anchors(self, h: int, w: int, stride: int) -> Tensor:
        y, x = torch.meshgrid((torch.arange(h) + 0.5) * stride, (torch.arange(w) + 0.5) * stride, indexing="ij")
        centres = torch.stack([y, x, y, x], -1).view(-1, 1, 4)
        sizes = torch.tensor([[-1.0, -1.0, 1.0, 1.0], [-0.7, -1.4, 0.7, 1.4]]) * stride
        return (centres + sizes).view(-1, 4)

    def forward(self, x):
        p1 = F.silu(self.c1(x))
        p2 = F.silu(self.c2(p1))
        p3 = F.silu(self.c3(p2))
        w = F.relu(self.w1)
        w = w / (torch.sum(w, dim=0) + 1e-4)
        p2 = self.fuse[0](F.silu(w[0] * p2 + w[1] * self.up(p3)))
        v = F.relu(self.w2)
        v = v / (v.sum() + 1e-4)
        p3 = self.fuse[1](F.silu(v[0] * p3 + v[1] * F.max_pool2d(p2, 3, 2, 1) + v[2] * p3))
        boxes, scores, anchors = [], [], []
        for i, p in enumerate([p2, p3]):
            boxes.append(self.box(p).permute(0, 2, 3, 1).reshape(1, -1, 4))
            scores.append(self.kind(p).permute(0, 2, 3, 1).reshape(1, -1, 3))
            anchors.append(self.anchors(p.shape[2], p.shape[3], 8 * (i + 1)))
        d, a = torch.cat(boxes, 1), torch.cat(anchors).unsqueeze(0)
        ya, xa = (a[..., 0] + a[..., 2]) / 2, (a[..., 1] + a[..., 3]) / 2
        ha, wa = a[..., 2] - a[..., 0], a[..., 3] - a[..., 1]
        w, h = d[..., 3].exp() * wa, d[..., 2].exp() * ha
        y, x0 = d[..., 0] * ha + ya, d[..., 1] * wa + xa
        out = torch.stack([x0 - w / 2, y - h / 2, x0 + w / 2, y + h / 2], dim=2)
        out[:, :, 0] = torch.clamp(out[:, :, 0], min=0)
        out[:, :, 1] = torch.clamp(out[:, :, 1], min=0)
        out[:, :, 2] = torch.clamp(out[:, :, 2], max=31)
        out[:, :, 3] = torch.clamp(out[:, :, 3], max=31)
        best, kinds = torch.cat(scores, 1).sigmoid().max(dim=2)
        top, at = best[0].topk(5)
        return out[0][at], kinds[0][at], top


@deployed(normal(1, 3, 24, 24))
class ModernConvolutions(nn.Module):
    """Wide depthwise convolutions, norms over channels that come last, a scale a channel."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 4, 4)
        self.depth = nn.ModuleList([nn.Conv2d(16, 16, 7, padding=3, groups=16) for _ in range(2)])
        self.norms = nn.ModuleList([nn.LayerNorm(16, eps=1e-6) for _ in range(2)])
        self.up = nn.ModuleList([nn.Linear(16, 64) for _ in range(2)])
        self.down = nn.ModuleList([nn.Linear(64, 16) for _ in range(2)])
        self.gamma = nn.ParameterList([nn.Parameter(torch.full((16,), 0.5)) for _ in range(2)])
        self.head = nn.Linear(16, 5)

    def forward(self, x):
        x = self.stem(x)
        u = x.mean(1, keepdim=True)
        s = (x - u).pow(2).mean(1, keepdim=True)
        x = (x - u) / torch.sqrt(s + 1e-6)
        for i, (depth, norm, up, down) in enumerate(zip(self.depth, self.norms, self.up, self.down)):
            y = down(F.gelu(up(norm(depth(x).permute(0, 2, 3, 1)))))
            x = x + (self.gamma[0] * y).permute(0, 3, 1, 2) if i == 0 else x + (self.gamma[1] * y).permute(0, 3, 1, 2)
        return self.head(x.mean([-2, -1]))


@deployed(normal(1, 6, 16), normal(1, 84, 16), normal(1, 6, 2))
class SampledAttention(nn.Module):
    """Each query samples a few points of maps of several sizes around its own place."""

    def __init__(self):
        super().__init__()
        self.value, self.offsets, self.weights, self.out = (
            nn.Linear(16, 16),
            nn.Linear(16, 4 * 2 * 3 * 2),
            nn.Linear(16, 4 * 2 * 3),
            nn.Linear(16, 16),
        )
        self.shapes: List[Tuple[int, int]] = [(8, 8), (5, 4)]

    def forward(self, query, flat, places):
        n, q, _ = query.shape
        s = flat.shape[1]
        value = self.value(flat).view(n, s, 4, 4)
        offsets = self.offsets(query).view(n, q, 4, 2, 3, 2)
        weights = F.softmax(self.weights(query).view(n, q, 4, 6), -1).view(n, q, 4, 2, 3)
        size = torch.tensor([[8.0, 8.0], [4.0, 5.0]])
        at = places.sigmoid()[:, :, None, None, None, :] + offsets / size[None, None, None, :, None, :]
        grids = 2 * at - 1
        sampled: List[Tensor] = []
        start = 0
        for level, (h, w) in enumerate(self.shapes):
            v = value[:, start : start + h * w].flatten(2).transpose(1, 2).reshape(n * 4, 4, h, w)
            start += h * w
            grid = grids[:, :, :, level].transpose(1, 2).flatten(0, 1)
            sampled.append(F.grid_sample(v, grid, mode="bilinear", padding_mode="zeros", align_corners=False))
        weights = weights.transpose(1, 2).reshape(n * 4, 1, q, 6)
        y = (torch.stack(sampled, dim=-2).flatten(-2) * weights).sum(-1).view(n, 16, q)
        return self.out(y.transpose(1, 2).contiguous())


@deployed(image(1, 3, 32, 32), image(1, 3, 32, 32))
class RecurrentFlow(nn.Module):
    """All pairs of two pictures' features correlated, looked up around the flow so far, which a GRU of convolutions mends."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 16, 3, 2, 1), nn.InstanceNorm2d(16), nn.ReLU(), nn.Conv2d(16, 16, 3, 2, 1)
        )
        self.context = nn.Conv2d(3, 24, 4, 4)
        self.encode = nn.Conv2d(2 * 9 + 2, 12, 3, padding=1)
        self.z, self.r, self.q = [nn.Conv2d(12 + 24, 12, 3, padding=1) for _ in range(3)]
        self.delta = nn.Conv2d(12, 2, 3, padding=1)

    def look(self, volume: Tensor, at: Tensor, scale: float) -> Tensor:
        b, _, h, w = at.shape
        d = torch.linspace(-1, 1, 3)
        delta = torch.stack(torch.meshgrid(d, d, indexing="ij"), dim=-1).view(1, 3, 3, 2)
        centre = at.permute(0, 2, 3, 1).reshape(b * h * w, 1, 1, 2) / scale
        x, y = (centre + delta).split([1, 1], dim=-1)
        x, y = 2 * x / (volume.shape[-1] - 1) - 1, 2 * y / (volume.shape[-2] - 1) - 1
        return (
            F.grid_sample(volume, torch.cat([x, y], dim=-1), align_corners=True).view(b, h, w, -1).permute(0, 3, 1, 2)
        )

    def forward(self, first, second):
        f, g = self.features(2 * first - 1), self.features(2 * second - 1)
        b, c, h, w = f.shape
        volume = torch.matmul(f.view(b, c, h * w).transpose(1, 2), g.view(b, c, h * w)).view(
            b * h * w, 1, h, w
        ) / math.sqrt(c)
        half = F.avg_pool2d(volume, 2, stride=2)
        hidden, inp = torch.split(self.context(first), [12, 12], dim=1)
        hidden, inp = torch.tanh(hidden), torch.relu(inp)
        y, x = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        start = torch.stack([x, y], dim=0).float()[None].repeat(b, 1, 1, 1)
        at = start
        for _ in range(2):
            found = torch.cat([self.look(volume, at, 1.0), self.look(half, at, 2.0)], dim=1)
            motion = F.relu(self.encode(torch.cat([found, at - start], dim=1)))
            both = torch.cat([hidden, inp, motion], dim=1)
            z, r = torch.sigmoid(self.z(both)), torch.sigmoid(self.r(both))
            q = torch.tanh(self.q(torch.cat([r * hidden, inp, motion], dim=1)))
            hidden = (1 - z) * hidden + z * q
            at = at + self.delta(hidden)
        return F.interpolate(4 * (at - start), scale_factor=4.0, mode="bilinear", align_corners=True)


@deployed(normal(12, 3), normal(12, 3))
class RadianceField(nn.Module):
    """Places and directions as sines and cosines of growing frequencies, densities and colours, summed along each ray."""

    def __init__(self):
        super().__init__()
        self.first = nn.ModuleList([nn.Linear(27, 32), nn.Linear(32, 32), nn.Linear(32 + 27, 32)])
        self.density, self.feature = nn.Linear(32, 1), nn.Linear(32, 32)
        self.direction, self.colour = nn.Linear(32 + 15, 16), nn.Linear(16, 3)

    def encoded(self, x: Tensor, count: int) -> Tensor:
        out = [x]
        for i in range(count):
            out.append(torch.sin(2.0**i * x))
            out.append(torch.cos(2.0**i * x))
        return torch.cat(out, -1)

    def forward(self, points, directions):
        p = self.encoded(points, 4)
        d = self.encoded(directions / directions.norm(p=2, dim=-1, keepdim=True), 2)
        h = p
        for i, layer in enumerate(self.first):
            h = F.relu(layer(torch.cat([p, h], -1) if i == 2 else h))
        sigma = F.relu(self.density(h)).view(3, 4)
        colour = torch.sigmoid(self.colour(F.relu(self.direction(torch.cat([self.feature(h), d], -1))))).view(3, 4, 3)
        alpha = 1.0 - torch.exp(-sigma * 0.5)
        through = torch.cumprod(torch.cat([torch.ones(3, 1), 1.0 - alpha + 1e-10], -1), -1)[:, :-1]
        weights = alpha * through
        return (weights[..., None] * colour).sum(-2), weights.sum(-1)


@deployed(normal(1, 20, 3))
class FarthestPoints(nn.Module):
    """Points that are farthest from each other, groups within a ball around them, their features' maxima."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 16, 1), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 24, 1), nn.ReLU())
        self.head = nn.Linear(24, 4)

    def forward(self, points):
        b, n, _ = points.shape
        chosen = torch.zeros(b, 5, dtype=torch.long)
        distance = torch.full((b, n), 1e10)
        farthest = torch.zeros(b, dtype=torch.long)
        rows = torch.arange(b)
        for i in range(5):
            chosen[:, i] = farthest
            centre = points[rows, farthest, :].view(b, 1, 3)
            distance = torch.min(distance, torch.sum((points - centre) ** 2, -1))
            farthest = torch.max(distance, -1)[1]
        centres = points.gather(1, chosen.unsqueeze(-1).expand(-1, -1, 3))
        square = torch.sum((centres.unsqueeze(2) - points.unsqueeze(1)) ** 2, -1)
        group = torch.arange(n).view(1, 1, n).repeat(b, 5, 1)
        group[square > 2.0] = n
        group = group.sort(dim=-1)[0][:, :, :6]
        first = group[:, :, 0:1].expand(-1, -1, 6)
        group = torch.where(group == n, first, group)
        around = points[rows.view(-1, 1, 1), group] - centres.unsqueeze(2)
        return self.head(self.net(around.permute(0, 3, 1, 2)).max(3)[0].max(2)[0])


@deployed(image(1, 3, 16, 16))
class QuantizedCodes(nn.Module):
    """Features replaced by the nearest of a table of codes, and decoded."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(3, 12, 4, 2, 1), nn.ReLU(), nn.Conv2d(12, 8, 4, 2, 1))
        self.codes = nn.Embedding(20, 8)
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(8, 12, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(12, 3, 4, 2, 1), nn.Sigmoid()
        )

    def forward(self, x):
        z = self.encoder(x).permute(0, 2, 3, 1).contiguous()
        flat = z.view(-1, 8)
        d = (
            torch.sum(flat**2, dim=1, keepdim=True)
            + torch.sum(self.codes.weight**2, dim=1)
            - 2 * torch.matmul(flat, self.codes.weight.t())
        )
        at = torch.argmin(d, dim=1)
        one = torch.zeros(at.shape[0], 20)
        one.scatter_(1, at.unsqueeze(1), 1)
        quantised = torch.matmul(one, self.codes.weight).view(z.shape)
        return self.decoder(quantised.permute(0, 3, 1, 2).contiguous()), at


@deployed(normal(2, 13), whole(30, 3, 2))
class CrossedFeatures(nn.Module):
    """Tables for categories, a net for numbers, and the products of all pairs below the diagonal."""

    def __init__(self):
        super().__init__()
        self.bottom = nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Linear(32, 8), nn.ReLU())
        self.tables = nn.ModuleList([nn.EmbeddingBag(30, 8, mode="sum") for _ in range(3)])
        self.top = nn.Sequential(nn.Linear(8 + 6, 32), nn.ReLU(), nn.Linear(32, 1), nn.Sigmoid())

    def forward(self, dense, sparse):
        x = self.bottom(dense)
        found = [x]
        for i, table in enumerate(self.tables):
            found.append(table(sparse[i].unsqueeze(1)))
        t = torch.cat(found, dim=1).view(x.size(0), -1, x.size(1))
        z = torch.bmm(t, torch.transpose(t, 1, 2))
        n = z.size(1)
        li, lj = torch.tril_indices(n, n, offset=-1)[0], torch.tril_indices(n, n, offset=-1)[1]
        return self.top(torch.cat([x, z[:, li, lj]], dim=1))


@deployed(image(1, 3, 24, 24), fixed(37))
class NoisePredictor(nn.Module):
    """A U-Net told the time of its noise by sines, with attention in the middle."""

    def __init__(self):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 32))
        self.first = nn.Conv2d(3, 16, 3, padding=1)
        self.norm1, self.conv1, self.bias1 = nn.GroupNorm(4, 16), nn.Conv2d(16, 16, 3, padding=1), nn.Linear(32, 16)
        self.down = nn.Conv2d(16, 32, 3, 2, 1)
        self.norm2, self.qkv, self.proj = nn.GroupNorm(8, 32), nn.Conv1d(32, 96, 1), nn.Conv1d(32, 32, 1)
        self.up = nn.Conv2d(32, 16, 3, padding=1)
        self.last = nn.Sequential(nn.GroupNorm(4, 32), nn.SiLU(), nn.Conv2d(32, 3, 3, padding=1))

    def forward(self, x, t):
        half = 8
        frequencies = torch.exp(-math.log(10000) * torch.arange(start=0, end=half, dtype=torch.float32) / half)
        angles = t[:, None].float() * frequencies[None]
        emb = self.time(torch.cat([torch.cos(angles), torch.sin(angles)], dim=-1))
        a = self.first(x)
        a = a + self.conv1(F.silu(self.norm1(a) + self.bias1(emb)[:, :, None, None]))
        b = self.down(a)
        n, c, h, w = b.shape
        q, k, v = self.qkv(self.norm2(b).reshape(n, c, -1)).reshape(n * 4, c // 4 * 3, h * w).split(c // 4, dim=1)
        scale = 1 / math.sqrt(math.sqrt(c // 4))
        weight = torch.softmax(torch.einsum("bct,bcs->bts", q * scale, k * scale).float(), dim=-1).type(b.dtype)
        b = b + self.proj(torch.einsum("bts,bcs->bct", weight, v).reshape(n, -1, h * w)).reshape(n, c, h, w)
        up = self.up(F.interpolate(b, scale_factor=2.0, mode="nearest"))
        return self.last(torch.cat([up, a], dim=1))


@deployed(image(1, 1, 20, 20))
class RoutedCapsules(nn.Module):
    """Capsules that agree by turns with those above them."""

    def __init__(self):
        super().__init__()
        self.conv, self.primary = nn.Conv2d(1, 16, 5, 2), nn.Conv2d(16, 16, 3, 2)
        self.w = nn.Parameter(torch.randn(1, 36, 5, 8, 4) * 0.3)

    def squash(self, x: Tensor) -> Tensor:
        square = (x**2).sum(-1, keepdim=True)
        return square * x / ((1.0 + square) * torch.sqrt(square + 1e-8))

    def forward(self, x):
        u = self.primary(F.relu(self.conv(x)))
        u = self.squash(u.view(u.size(0), -1, 4))
        hat = torch.matmul(self.w, u[:, :, None, :, None]).squeeze(-1)
        b = torch.zeros(u.size(0), hat.size(1), 5, 1)
        v = hat.sum(1)
        for i in range(3):
            c = F.softmax(b, dim=2)
            v = self.squash((c * hat).sum(dim=1))
            if i < 2:
                b = b + (hat * v.unsqueeze(1)).sum(-1, keepdim=True)
        return v.norm(p=2, dim=-1)


@deployed(image(1, 3, 20, 20))
class PooledScene(nn.Module):
    """Pools of sizes that do not divide the picture, and dilated branches."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU6())
        self.pools = nn.ModuleList([nn.Sequential(nn.AdaptiveAvgPool2d(s), nn.Conv2d(16, 4, 1)) for s in (1, 2, 3, 6)])
        self.branches = nn.ModuleList([nn.Conv2d(16, 4, 3, padding=d, dilation=d) for d in (1, 2, 3)])
        self.head = nn.Conv2d(16 + 16 + 12, 3, 1)

    def forward(self, x: Tensor) -> Dict[str, Tensor]:
        y = self.stem(x)
        parts = [y]
        for pool in self.pools:
            parts.append(F.interpolate(pool(y), size=y.shape[-2:], mode="bilinear", align_corners=False))
        for branch in self.branches:
            parts.append(F.relu(branch(y)))
        return {
            "out": F.interpolate(
                self.head(torch.cat(parts, 1)), size=x.shape[-2:], mode="bilinear", align_corners=False
            )
        }


@deployed(image(1, 8, 12, 12))
class Involution(nn.Module):
    """Kernels made for each place of what stands there, and places between pixels made the same way."""

    def __init__(self):
        super().__init__()
        self.reduce, self.span = nn.Conv2d(8, 4, 1), nn.Conv2d(4, 2 * 9, 1)
        self.kernel = nn.Conv2d(8, 4 * 9, 3, padding=1)

    def forward(self, x):
        b, c, h, w = x.shape
        weight = self.span(F.relu(self.reduce(x))).view(b, 2, 9, h, w).unsqueeze(2)
        y = (weight * F.unfold(x, 3, padding=1).view(b, 2, c // 2, 9, h, w)).sum(dim=3).view(b, c, h, w)
        k = F.softmax(F.pixel_shuffle(self.kernel(y), 2), dim=1)
        u = F.interpolate(F.unfold(y, 3, padding=1).view(b, c * 9, h, w), scale_factor=2.0, mode="nearest").view(
            b, c, 9, 2 * h, 2 * w
        )
        return (u * k.unsqueeze(1)).sum(2)


@deployed(image(1, 3, 96, 96))
class PriorBoxes(nn.Module):
    """Prior boxes in a buffer, locations decoded, and what overlaps left out, class by class."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(3, 16, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2d(16, 24, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2d(24, 24, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2d(24, 24, 3, 3, 1),
            nn.ReLU(),
        )
        self.loc, self.conf = nn.Conv2d(24, 8, 3, padding=1), nn.Conv2d(24, 6, 3, padding=1)
        grid = (
            torch.stack(torch.meshgrid(torch.arange(4), torch.arange(4), indexing="xy"), -1).view(-1, 1, 2) / 4 + 0.125
        )
        sizes = torch.tensor([[0.2, 0.3], [0.4, 0.25]])
        self.register_buffer("priors", torch.cat([grid.expand(-1, 2, -1), sizes.expand(16, -1, -1)], -1).reshape(-1, 4))

    def forward(self, x):
        y = self.net(x)
        loc = self.loc(y).permute(0, 2, 3, 1).contiguous().view(-1, 4)
        conf = F.softmax(self.conf(y).permute(0, 2, 3, 1).contiguous().view(-1, 3), -1)
        boxes = torch.cat(
            (
                self.priors[:, :2] + loc[:, :2] * 0.1 * self.priors[:, 2:],
                self.priors[:, 2:] * torch.exp(loc[:, 2:] * 0.2),
            ),
            1,
        )
        boxes[:, :2] -= boxes[:, 2:] / 2
        boxes[:, 2:] += boxes[:, :2]
        scores, kinds = conf[:, 1:].max(1)
        keep = torchvision.ops.batched_nms(boxes, scores, kinds, 0.45)[:5]
        return boxes[keep], scores[keep], kinds[keep]


@deployed(normal(2, 6, 6), normal(2, 6))
class ChainedProducts(nn.Module):
    """Products of many matrices, strided windows of a signal, Gaussian mixtures."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.randn(6, 12)), nn.Parameter(torch.randn(12, 5))
        self.mixture = nn.Linear(5, 9)

    def forward(self, x, y):
        m = torch.linalg.multi_dot([x[0], self.a, self.b])
        m = m + torch.chain_matmul(x[1], self.a, self.b)
        windows = y.reshape(-1).as_strided((5, 4), (2, 1))
        p = self.mixture(m)
        log_pi, mu, log_s = F.log_softmax(p[:, :3], -1), p[:, 3:6], p[:, 6:]
        z = (windows.mean(1).unsqueeze(0) - mu.mean(1, keepdim=True)).mean(1, keepdim=True)
        return torch.logsumexp(log_pi - 0.5 * ((z - mu) * torch.exp(-log_s)) ** 2 - log_s, dim=-1), windows


@deployed(image(1, 3, 96, 96), fixed([0.0, 2.0, 2.0, 64.0, 88.0], [0.0, 6.0, 0.0, 92.0, 29.0]))
class PooledRegions(nn.Module):
    """The largest values within regions, which come in."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, 2, 1), nn.ReLU())
        self.head = nn.Sequential(nn.Linear(16 * 9, 64), nn.ReLU(), nn.Linear(64, 5))

    def forward(self, x, regions):
        y = torchvision.ops.roi_pool(self.net(x), regions, (3, 3), 0.5)
        return self.head(y.flatten(1))


@deployed(image(1, 3, 16, 16), quantized="static")
class QuantizedUpsampling(nn.Module):
    """A small U-Net whose way up interpolates."""

    def __init__(self):
        super().__init__()
        self.down1, self.down2 = (
            nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.ReLU()),
            nn.Sequential(nn.Conv2d(12, 16, 3, 2, 1), nn.ReLU()),
        )
        self.up1, self.last = nn.Sequential(nn.Conv2d(28, 12, 3, padding=1), nn.ReLU()), nn.Conv2d(12, 2, 1)

    def forward(self, x):
        a = self.down1(x)
        b = F.interpolate(self.down2(a), scale_factor=2.0, mode="bilinear", align_corners=True)
        return self.last(self.up1(torch.cat([a, b], 1)))


@deployed(image(1, 3, 64, 64))
class StochasticEncoder(nn.Module):
    """Means and variances of a code; the code drawn by numbers that are seeded, decoded."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(3, 12, 4, 2, 1),
            nn.ReLU(),
            nn.Conv2d(12, 16, 4, 2, 1),
            nn.ReLU(),
            nn.Conv2d(16, 16, 4, 4),
            nn.Flatten(),
        )
        self.mu, self.var = nn.Linear(256, 6), nn.Linear(256, 6)
        self.up = nn.Linear(6, 256)
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(16, 16, 4, 4),
            nn.ReLU(),
            nn.ConvTranspose2d(16, 12, 4, 2, 1),
            nn.ReLU(),
            nn.ConvTranspose2d(12, 3, 4, 2, 1),
            nn.Sigmoid(),
        )

    def forward(self, x):
        h = self.encoder(x)
        mu, log_var = self.mu(h), self.var(h)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * log_var) * 0.0
        return self.decoder(F.relu(self.up(z)).view(-1, 16, 4, 4)), mu, log_var


@deployed(image(1, 3, 48, 48))
class CentrePeaks(nn.Module):
    """Peaks of heat maps found by pooling, ranked over places and then over classes, whose numbers are 32-bit; a dictionary of results."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.Mish(), nn.Conv2d(16, 24, 3, 2, 1), nn.Softplus())
        self.hm = nn.Conv2d(24, 3, 1)
        self.wh = nn.Conv2d(24, 2, 1)

    def forward(self, x):
        f = self.body(x)
        hm = torch.sigmoid(self.hm(f))
        keep = (F.max_pool2d(hm, 3, stride=1, padding=1) == hm).float()
        hm = hm * keep
        b, c, h, w = hm.size()
        score, ind = torch.topk(hm.view(b, c, -1), 5)
        ind = ind % (h * w)
        ys = torch.div(ind, w, rounding_mode="floor").float()
        xs = (ind % w).int().float()
        score, top = torch.topk(score.view(b, -1), 5)
        cls = torch.div(top, 5, rounding_mode="trunc").int()
        ind = ind.view(b, -1).gather(1, top)
        wh = self.wh(f).permute(0, 2, 3, 1).reshape(b, -1, 2)
        wh = wh.gather(1, ind.unsqueeze(2).expand(b, 5, 2))
        xs = xs.view(b, -1).gather(1, top)
        ys = ys.view(b, -1).gather(1, top)
        return {
            "scores": score,
            "classes": cls,
            "boxes": torch.stack(
                [xs - wh[..., 0] / 2, ys - wh[..., 1] / 2, xs + wh[..., 0] / 2, ys + wh[..., 1] / 2], -1
            ),
        }


@deployed(image(1, 3, 40, 40))
class DeformedConvolution(nn.Module):
    """A deformable convolution between parts that NNAPI computes."""

    def __init__(self):
        super().__init__()
        from torchvision.ops import DeformConv2d

        self.a = nn.Conv2d(3, 32, 3, 2, 1)
        self.off = nn.Conv2d(32, 18, 3, padding=1)
        self.d = DeformConv2d(32, 32, 3, padding=1)
        self.b = nn.Sequential(nn.Conv2d(32, 64, 3, 2, 1), nn.ReLU(), nn.Conv2d(64, 64, 3, padding=1))
        self.fc = nn.Linear(64, 5)

    def forward(self, x):
        x = F.relu(self.a(x))
        x = F.relu(self.d(x, self.off(x)))
        return self.fc(self.b(x).mean([2, 3]))


@deployed(image(1, 3, 64, 64))
class FaceMesh(nn.Module):
    """Boxes and points written column by column into a tensor of zeros, channels padded to add them."""

    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(3, 24, 5, 2)
        self.blocks = nn.ModuleList([nn.Conv2d(24, 24, 3, 1, groups=24), nn.Conv2d(24, 24, 3, 2, groups=24)])
        self.points = nn.ModuleList([nn.Conv2d(24, 24, 1), nn.Conv2d(24, 32, 1)])
        self.cls = nn.Conv2d(32, 2, 1)
        self.reg = nn.Conv2d(32, 2 * 16, 1)
        ys, xs = torch.meshgrid(torch.arange(16), torch.arange(16), indexing="ij")
        self.register_buffer(
            "anchors", torch.stack([xs, ys], -1).view(-1, 1, 2).repeat(1, 2, 1).view(-1, 2).float() / 16
        )

    def forward(self, x):
        x = x * 2.0 - 1.0
        x = F.relu(self.c(F.pad(x, (1, 2, 1, 2), "constant", 0.0)))
        x = F.relu(self.points[0](self.blocks[0](F.pad(x, (1, 1, 1, 1)))) + x)
        y = F.max_pool2d(x, 2, 2)
        x = F.relu(
            self.points[1](self.blocks[1](F.pad(x, (0, 2, 0, 2)))) + F.pad(y, (0, 0, 0, 0, 0, 8), "constant", 0.0)
        )
        c = self.cls(x).permute(0, 2, 3, 1).reshape(1, -1, 1)
        r = self.reg(x).permute(0, 2, 3, 1).reshape(1, -1, 16)
        boxes = torch.zeros_like(r)
        cx = r[..., 0] / 64.0 + self.anchors[:, 0]
        cy = r[..., 1] / 64.0 + self.anchors[:, 1]
        w = r[..., 2] / 64.0
        h = r[..., 3] / 64.0
        boxes[..., 0] = cy - h / 2.0
        boxes[..., 1] = cx - w / 2.0
        boxes[..., 2] = cy + h / 2.0
        boxes[..., 3] = cx + w / 2.0
        for k in range(6):
            o = 4 + k * 2
            boxes[..., o] = r[..., o] / 64.0 + self.anchors[:, 0]
            boxes[..., o + 1] = r[..., o + 1] / 64.0 + self.anchors[:, 1]
        return boxes, c.clamp(-100.0, 100.0).sigmoid().squeeze(dim=-1)
