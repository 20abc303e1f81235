"""Images: detection, segmentation, enhancement, generation, pose, video."""

from typing import Dict, List, Optional

import torch
import torchvision  # noqa: F401
from torch import Tensor, nn
from torch.nn import functional as F

from catalogue import deployed, image, normal, whole


def conv(inputs, outputs, kernel=3, stride=1, groups=1, act=nn.ReLU):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
        act(),
    )


@deployed(image(1, 3, 64, 64))
class YoloDetector(nn.Module):
    """Two decoded heads: boxes in pixels, objectness and classes, joined."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(
            conv(3, 8, 3, 2, act=nn.SiLU), conv(8, 12, 3, 2, act=nn.SiLU), conv(12, 16, 3, 2, act=nn.SiLU)
        )
        self.deep = conv(16, 16, 3, 2, act=nn.SiLU)
        self.heads = nn.ModuleList([nn.Conv2d(16, 3 * 8, 1), nn.Conv2d(16, 3 * 8, 1)])
        self.register_buffer(
            "anchors", torch.tensor([[[10.0, 13], [16, 30], [33, 23]], [[30, 61], [62, 45], [59, 119]]])
        )
        self.strides = [8, 16]

    def forward(self, x):
        fine = self.stem(x)
        maps = [fine, self.deep(fine)]
        out: List[Tensor] = []
        for i, head in enumerate(self.heads):
            y = head(maps[i])
            b, _, h, w = y.shape
            y = y.view(b, 3, 8, h, w).permute(0, 1, 3, 4, 2).contiguous().sigmoid()
            ys, xs = torch.meshgrid([torch.arange(h), torch.arange(w)], indexing="ij")
            grid = torch.stack((xs, ys), 2).view(1, 1, h, w, 2).float()
            centre = (y[..., 0:2] * 2 - 0.5 + grid) * self.strides[i]
            size = (y[..., 2:4] * 2) ** 2 * self.anchors[i].view(1, 3, 1, 1, 2)
            out.append(torch.cat((centre, size, y[..., 4:]), -1).view(b, -1, 8))
        return torch.cat(out, 1)


@deployed(image(1, 3, 64, 64))
class FocusDetector(nn.Module):
    """Slices with steps, pooling pyramid, strides in a list."""

    def __init__(self):
        super().__init__()
        self.first = conv(12, 12, act=nn.SiLU)
        self.down = conv(12, 16, 3, 2, act=nn.SiLU)
        self.reduce = conv(16, 8, 1, act=nn.SiLU)
        self.pools = nn.ModuleList([nn.MaxPool2d(k, 1, k // 2) for k in (5, 9, 13)])
        self.join = conv(32, 16, 1, act=nn.SiLU)
        self.up = nn.Upsample(scale_factor=2.0, mode="nearest")
        self.head = nn.Conv2d(28, 6, 1)

    def forward(self, x):
        y = self.first(torch.cat([x[..., ::2, ::2], x[..., 1::2, ::2], x[..., ::2, 1::2], x[..., 1::2, 1::2]], 1))
        z = self.reduce(self.down(y))
        z = self.join(torch.cat([z] + [pool(z) for pool in self.pools], 1))
        return self.head(torch.cat([self.up(z), y], 1)).flatten(2).transpose(1, 2)


@deployed(image(1, 3, 96, 96))
class SuppressedDetector(nn.Module):
    """Boxes decoded from centres, then those of one object suppressed: the result's size depends on the image."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(3, 12, 3, 2), conv(12, 16, 3, 2), conv(16, 24), conv(24, 16, 3, 2))
        self.boxes = nn.Conv2d(16, 4, 3, padding=1)
        self.scores = nn.Conv2d(16, 1, 3, padding=1)
        ys, xs = torch.meshgrid(torch.arange(12.0), torch.arange(12.0), indexing="ij")
        self.register_buffer("centres", torch.stack([xs, ys], -1).view(-1, 2) * 8 + 4)

    def forward(self, x):
        y = self.body(x)
        reach = self.boxes(y).permute(0, 2, 3, 1).reshape(-1, 4).exp() * 8
        boxes = torch.cat([self.centres - reach[:, :2], self.centres + reach[:, 2:]], 1).clamp(0, 96)
        scores = self.scores(y).sigmoid().flatten()
        kept = torch.ops.torchvision.nms(boxes, scores, 0.5)
        return boxes[kept], scores[kept]


@deployed(image(1, 3, 64, 64))
class CentreDetector(nn.Module):
    """Peaks of a heat map: those that equal their neighbourhood's maximum, the best of them, and what stands at their places."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(3, 12, 3, 2), conv(12, 16, 3, 2), conv(16, 16))
        self.heat = nn.Conv2d(16, 2, 1)
        self.size = nn.Conv2d(16, 2, 1)

    def forward(self, x):
        y = self.body(x)
        heat = self.heat(y).sigmoid()
        peaks = heat * (F.max_pool2d(heat, 3, 1, 1) == heat).float()
        scores, places = torch.topk(peaks.flatten(1), 10)
        cell = places % (16 * 16)
        size = self.size(y).flatten(2).gather(2, cell.unsqueeze(1).expand(-1, 2, -1))
        return scores, cell % 16, torch.div(cell, 16, rounding_mode="floor"), size


@deployed(image(1, 3, 64, 64))
class AnchorFreeDetector(nn.Module):
    """Heads that all levels share, group norm, scales that are learnt, distances decoded to boxes."""

    def __init__(self):
        super().__init__()
        self.c1 = nn.Sequential(conv(3, 8, 3, 2), conv(8, 16, 3, 2))
        self.c2 = conv(16, 16, 3, 2)
        self.tower = nn.Sequential(nn.Conv2d(16, 16, 3, padding=1), nn.GroupNorm(4, 16), nn.ReLU())
        self.classes = nn.Conv2d(16, 3, 3, padding=1)
        self.reach = nn.Conv2d(16, 4, 3, padding=1)
        self.centre = nn.Conv2d(16, 1, 3, padding=1)
        self.scale = nn.Parameter(torch.tensor([1.0, 1.25]))

    def forward(self, x):
        a = self.c1(x)
        outs: List[Tensor] = []
        for i, y in enumerate([a, self.c2(a)]):
            t = self.tower(y)
            reach = torch.exp(self.reach(t) * self.scale[i])
            score = (self.classes(t).sigmoid() * self.centre(t).sigmoid()).sqrt()
            outs.append(torch.cat([reach, score], 1).flatten(2))
        return torch.cat(outs, 2).transpose(1, 2)


class Twice(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.body = nn.Sequential(conv(inputs, outputs), conv(outputs, outputs))

    def forward(self, x):
        return self.body(x)


@deployed(image(1, 3, 32, 32), quantized="static")
class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([Twice(3, 8), Twice(8, 12)])
        self.middle = Twice(12, 16)
        self.up = nn.ModuleList([nn.ConvTranspose2d(16, 12, 2, 2), nn.ConvTranspose2d(12, 8, 2, 2)])
        self.back = nn.ModuleList([Twice(24, 12), Twice(16, 8)])
        self.out = nn.Conv2d(8, 1, 1)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        skips: List[Tensor] = []
        for part in self.down:
            x = part(x)
            skips.append(x)
            x = self.pool(x)
        x = self.middle(x)
        for i, (up, back) in enumerate(zip(self.up, self.back)):
            x = back(torch.cat([skips[1 - i], up(x)], 1))
        return torch.sigmoid(self.out(x))


@deployed(image(1, 3, 45, 37))
class UNetOfOddSizes(nn.Module):
    """Upsampled bilinearly, and padded to the size of what is joined."""

    def __init__(self):
        super().__init__()
        self.first = Twice(3, 8)
        self.deep = Twice(8, 12)
        self.up = nn.Upsample(scale_factor=2.0, mode="bilinear", align_corners=True)
        self.back = Twice(20, 8)
        self.out = nn.Conv2d(8, 2, 1)

    def forward(self, x):
        a = self.first(x)
        b = self.up(self.deep(F.max_pool2d(a, 2)))
        rows = a.size(2) - b.size(2)
        columns = a.size(3) - b.size(3)
        b = F.pad(b, [columns // 2, columns - columns // 2, rows // 2, rows - rows // 2])
        return self.out(self.back(torch.cat([a, b], 1)))


@deployed(image(1, 3, 40, 40))
class StyleTransfer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(
            nn.ReflectionPad2d(4), nn.Conv2d(3, 8, 9), nn.InstanceNorm2d(8, affine=True), nn.ReLU()
        )
        self.down = nn.Sequential(
            nn.ReflectionPad2d(1), nn.Conv2d(8, 12, 3, 2), nn.InstanceNorm2d(12, affine=True), nn.ReLU()
        )
        self.residual = nn.Sequential(
            nn.ReflectionPad2d(1),
            nn.Conv2d(12, 12, 3),
            nn.InstanceNorm2d(12, affine=True),
            nn.ReLU(),
            nn.ReflectionPad2d(1),
            nn.Conv2d(12, 12, 3),
            nn.InstanceNorm2d(12, affine=True),
        )
        self.up = nn.Sequential(
            nn.ReflectionPad2d(1), nn.Conv2d(12, 8, 3), nn.InstanceNorm2d(8, affine=True), nn.ReLU()
        )
        self.out = nn.Sequential(nn.ReflectionPad2d(4), nn.Conv2d(8, 3, 9))

    def forward(self, x):
        y = self.down(self.first(x))
        y = y + self.residual(y)
        y = F.interpolate(y, scale_factor=2.0, mode="nearest")
        return torch.clamp(self.out(self.up(y)) * 255, 0, 255)


@deployed(image(1, 1, 24, 24), quantized="static")
class SubPixelSuperResolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 12, 5, padding=2),
            nn.ReLU(),
            nn.Conv2d(12, 12, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(12, 9, 3, padding=1),
        )
        self.shuffle = nn.PixelShuffle(3)

    def forward(self, x):
        return self.shuffle(self.body(x))


@deployed(image(1, 3, 16, 16))
class BicubicSuperResolution(nn.Module):
    """What the net adds to the picture that is enlarged bicubically."""

    def __init__(self):
        super().__init__()
        self.head = nn.Conv2d(3, 12, 3, padding=1)
        self.blocks = nn.ModuleList(
            [
                nn.Sequential(nn.Conv2d(12, 12, 3, padding=1), nn.PReLU(12), nn.Conv2d(12, 12, 3, padding=1))
                for _ in range(2)
            ]
        )
        self.tail = nn.Sequential(nn.Conv2d(12, 12, 3, padding=1), nn.PixelShuffle(2))

    def forward(self, x):
        y = self.head(x)
        for block in self.blocks:
            y = y + block(y) * 0.1
        return F.interpolate(x, scale_factor=2.0, mode="bicubic", align_corners=False) + self.tail(y)


@deployed(image(1, 3, 32, 32))
class LowLightCurves(nn.Module):
    """Curves for each pixel, applied again and again."""

    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 8, 3, padding=1)
        self.b = nn.Conv2d(8, 8, 3, padding=1)
        self.c = nn.Conv2d(16, 12, 3, padding=1)

    def forward(self, x):
        a = F.relu(self.a(x))
        b = F.relu(self.b(a))
        curves = torch.tanh(self.c(torch.cat([a, b], 1)))
        for r in torch.split(curves, 3, dim=1):
            x = x + r * (torch.pow(x, 2) - x)
        return x


class Attention(nn.Module):
    """Heads over tokens, as in hybrids."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        weights = (q @ k.transpose(-2, -1) * (c // self.heads) ** -0.5).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(b, n, c))


@deployed(image(1, 3, 32, 32))
class MobileHybrid(nn.Module):
    """Convolutions, attention between like places of all patches, convolutions."""

    def __init__(self):
        super().__init__()
        self.stem = conv(3, 16, 3, 2, act=nn.SiLU)
        self.local = nn.Sequential(conv(16, 16, act=nn.SiLU), nn.Conv2d(16, 24, 1, bias=False))
        self.norm = nn.LayerNorm(24)
        self.attention = Attention(24, 2)
        self.back = conv(24, 16, 1, act=nn.SiLU)
        self.join = conv(32, 16, act=nn.SiLU)
        self.head = nn.Linear(16, 5)

    def forward(self, x):
        x = self.stem(x)
        y = self.local(x)
        b, c, h, w = y.shape
        t = (
            y.reshape(b * c * (h // 2), 2, w // 2, 2)
            .transpose(1, 2)
            .reshape(b, c, (h // 2) * (w // 2), 4)
            .transpose(1, 3)
            .reshape(b * 4, -1, c)
        )
        t = t + self.attention(self.norm(t))
        t = (
            t.view(b, 4, -1, c)
            .transpose(1, 3)
            .reshape(b * c * (h // 2), w // 2, 2, 2)
            .transpose(1, 2)
            .reshape(b, c, h, w)
        )
        y = self.join(torch.cat([x, self.back(t)], 1))
        return self.head(y.mean([2, 3]))


@deployed(image(1, 3, 32, 32))
class VisionTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 24, 8, 8)
        self.token = nn.Parameter(torch.randn(1, 1, 24))
        self.places = nn.Parameter(torch.randn(1, 17, 24))
        self.norm1 = nn.LayerNorm(24)
        self.attention = Attention(24, 3)
        self.norm2 = nn.LayerNorm(24)
        self.mlp = nn.Sequential(nn.Linear(24, 48), nn.GELU(), nn.Linear(48, 24))
        self.head = nn.Linear(24, 7)

    def forward(self, x):
        y = self.patches(x).flatten(2).transpose(1, 2)
        y = torch.cat([self.token.expand(y.size(0), -1, -1), y], 1) + self.places
        y = y + self.attention(self.norm1(y))
        y = y + self.mlp(self.norm2(y))
        return self.head(y[:, 0])


@deployed(image(1, 3, 32, 32))
class WindowTransformer(nn.Module):
    """Attention within windows that are shifted, with a mask and a table of relative places."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 16, 4, 4)
        self.norm = nn.LayerNorm(16)
        self.qkv = nn.Linear(16, 48)
        self.out = nn.Linear(16, 16)
        self.table = nn.Parameter(torch.randn(49, 2))
        at = torch.stack(torch.meshgrid(torch.arange(4), torch.arange(4), indexing="ij")).flatten(1)
        relative = (at[:, :, None] - at[:, None, :]).permute(1, 2, 0) + 3
        self.register_buffer("index", relative[..., 0] * 7 + relative[..., 1])
        self.merge = nn.Linear(64, 16, bias=False)

    def forward(self, x):
        x = self.patches(x).permute(0, 2, 3, 1)
        b, h, w, c = x.shape
        y = torch.roll(self.norm(x), shifts=(-2, -2), dims=(1, 2))
        windows = y.view(b, h // 4, 4, w // 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, c)
        mask = x.new_zeros((h, w))
        mask[h - 2 :, :] = 1.0
        mask[:, w - 2 :] += 2.0
        mask = mask.view(h // 4, 4, w // 4, 4).permute(0, 2, 1, 3).reshape(-1, 16)
        mask = mask.unsqueeze(1) - mask.unsqueeze(2)
        mask = mask.masked_fill(mask != 0, -100.0)
        qkv = self.qkv(windows).reshape(-1, 16, 3, 2, 8).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        weights = (q * 8**-0.5) @ k.transpose(-2, -1) + self.table[self.index.view(-1)].view(16, 16, 2).permute(
            2, 0, 1
        ).unsqueeze(0)
        weights = (weights + mask.unsqueeze(1)).softmax(-1)
        y = self.out((weights @ v).transpose(1, 2).reshape(-1, 16, c))
        y = y.view(b, h // 4, w // 4, 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, c)
        x = x + torch.roll(y, shifts=(2, 2), dims=(1, 2))
        x = torch.cat([x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]], -1)
        return self.merge(x)


@deployed(image(1, 3, 64, 64))
class WeightedPyramid(nn.Module):
    """Levels joined both ways with weights that are made positive and sum to 1."""

    def __init__(self):
        super().__init__()
        self.levels = nn.ModuleList(
            [nn.Sequential(conv(3, 8, 3, 2), conv(8, 12, 3, 2)), conv(12, 12, 3, 2), conv(12, 12, 3, 2)]
        )
        self.down = nn.ModuleList([conv(12, 12, groups=12), conv(12, 12, groups=12)])
        self.up = nn.ModuleList([conv(12, 12, groups=12), conv(12, 12, groups=12)])
        self.w1 = nn.Parameter(torch.rand(2, 2))
        self.w2 = nn.Parameter(torch.rand(2, 3))

    def forward(self, x):
        p3 = self.levels[0](x)
        p4 = self.levels[1](p3)
        p5 = self.levels[2](p4)
        w = F.relu(self.w1)
        w = w / (w.sum(1, keepdim=True) + 1e-4)
        v = F.relu(self.w2)
        v = v / (v.sum(1, keepdim=True) + 1e-4)
        m4 = self.down[0](w[0, 0] * p4 + w[0, 1] * F.interpolate(p5, scale_factor=2.0))
        o3 = self.down[1](w[1, 0] * p3 + w[1, 1] * F.interpolate(m4, size=p3.shape[-2:]))
        o4 = self.up[0](v[0, 0] * p4 + v[0, 1] * m4 + v[0, 2] * F.max_pool2d(o3, 3, 2, 1))
        o5 = self.up[1](v[1, 0] * p5 + v[1, 1] * F.max_pool2d(o4, 3, 2, 1))
        return o3, o4, o5


@deployed(image(1, 3, 48, 48))
class PoseSoftArgmax(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(3, 8, 3, 2), conv(8, 12, 3, 2))
        self.up = nn.ConvTranspose2d(12, 8, 4, 2, 1, bias=False)
        self.heat = nn.Conv2d(8, 5, 1)

    def forward(self, x):
        heat = self.heat(F.relu(self.up(self.body(x))))
        b, k, h, w = heat.shape
        p = F.softmax(heat.view(b, k, -1), dim=2).view(b, k, h, w)
        xs = torch.linspace(0, 1, w)
        ys = torch.linspace(0, 1, h)
        at_x = (p.sum(2) * xs).sum(-1)
        at_y = (p.sum(3) * ys).sum(-1)
        best, place = heat.view(b, k, -1).max(2)
        return torch.stack([at_x, at_y], 2), best, place


@deployed(image(1, 3, 48, 48))
class Hourglass(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = conv(3, 12, 3, 2)
        self.parts = nn.ModuleList([Twice(12, 12) for _ in range(4)])
        self.out = nn.Conv2d(12, 4, 1)

    def forward(self, x):
        x = self.stem(x)
        skip = self.parts[0](x)
        low = self.parts[1](F.avg_pool2d(x, 2, 2))
        low = self.parts[2](low) + F.interpolate(
            self.parts[3](F.max_pool2d(low, 2, 2, ceil_mode=True)),
            size=low.shape[2:],
            mode="bilinear",
            align_corners=False,
        )
        return self.out(skip + F.interpolate(low, scale_factor=2.0, mode="nearest"))


@deployed(image(1, 3, 32, 32), image(1, 3, 32, 32))
class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            conv(3, 8, 3, 2), conv(8, 12, 3, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(12, 16)
        )

    def forward(self, a, b):
        x = self.body(a)
        y = self.body(b)
        return F.cosine_similarity(x, y), F.pairwise_distance(x, y), torch.norm(x - y, 2.0, 1)


@deployed(image(1, 3, 32, 32))
class FaceEmbedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 8, 3, 2, 1, bias=False),
            nn.BatchNorm2d(8),
            nn.PReLU(8),
            nn.Conv2d(8, 8, 3, 2, 1, groups=8, bias=False),
            nn.BatchNorm2d(8),
            nn.PReLU(8),
            nn.Conv2d(8, 16, 1, bias=False),
            nn.BatchNorm2d(16),
        )
        self.all = nn.Conv2d(16, 16, 8, groups=16, bias=False)
        self.out = nn.Linear(16, 16, bias=False)
        self.norm = nn.BatchNorm1d(16)

    def forward(self, x):
        x = (x - 0.5) * 2.0
        return F.normalize(self.norm(self.out(torch.flatten(self.all(self.body(x)), 1))), p=2.0, dim=1)


@deployed(image(1, 3, 32, 32))
class AttentionOverChannelsAndSpace(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = conv(3, 16, 3, 2)
        self.shared = nn.Sequential(nn.Conv2d(16, 4, 1, bias=False), nn.ReLU(), nn.Conv2d(4, 16, 1, bias=False))
        self.space = nn.Conv2d(2, 1, 7, padding=3, bias=False)
        self.out = nn.Linear(16, 6)

    def forward(self, x):
        x = self.stem(x)
        x = x * torch.sigmoid(self.shared(F.adaptive_avg_pool2d(x, 1)) + self.shared(F.adaptive_max_pool2d(x, 1)))
        x = x * torch.sigmoid(self.space(torch.cat([x.mean(1, keepdim=True), x.max(dim=1, keepdim=True)[0]], 1)))
        return self.out(F.adaptive_avg_pool2d(x, 1).flatten(1))


@deployed(image(1, 3, 32, 32), quantized="static")
class SqueezeAndExcite(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = conv(3, 16, 3, 2, act=nn.Hardswish)
        self.deep = conv(16, 16, 3, 1, 16, act=nn.Hardswish)
        self.gate = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(16, 4, 1), nn.ReLU(), nn.Conv2d(4, 16, 1), nn.Hardsigmoid()
        )
        self.mul = torch.nn.quantized.FloatFunctional()
        self.out = nn.Linear(16, 6)

    def forward(self, x):
        x = self.deep(self.stem(x))
        return self.out(self.mul.mul(x, self.gate(x)).mean([2, 3]))


@deployed(normal(1, 16), quantized="mobile")
class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(16, 16 * 16)
        self.body = nn.Sequential(
            nn.GroupNorm(4, 16),
            nn.SiLU(),
            nn.ConvTranspose2d(16, 12, 4, 2, 1),
            nn.GroupNorm(3, 12),
            nn.LeakyReLU(0.2),
            nn.Upsample(scale_factor=2.0, mode="bilinear", align_corners=False),
            nn.Conv2d(12, 8, 3, padding=1),
            nn.GroupNorm(2, 8),
            nn.Mish(),
        )
        self.out = nn.ConvTranspose2d(8, 3, 3, 2, 1, output_padding=1)

    def forward(self, z):
        return torch.tanh(self.out(self.body(self.first(z).view(-1, 16, 4, 4))))


@deployed(normal(1, 8, 8, 8), normal(1, 16))
class ModulatedGenerator(nn.Module):
    """A convolution whose weights the style scales, and which are normalised: the weights are computed."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(8, 8, 3, 3))
        self.style = nn.Linear(16, 8)
        self.noise = nn.Parameter(torch.randn(1, 1, 8, 8))
        self.rgb = nn.Conv2d(8, 3, 1)

    def forward(self, x, style):
        b, c, h, w = x.shape
        weight = self.weight.unsqueeze(0) * self.style(style).view(b, 1, c, 1, 1)
        weight = weight * torch.rsqrt(weight.pow(2).sum([2, 3, 4], keepdim=True) + 1e-8)
        y = F.conv2d(x.view(1, b * c, h, w), weight.view(b * 8, c, 3, 3), padding=1, groups=b).view(b, 8, h, w)
        return self.rgb(F.leaky_relu(y + self.noise, 0.2))


@deployed(normal(1, 4, 16, 16), normal(1))
class DiffusionStep(nn.Module):
    """A noise predictor: sine embedding of time, group norms, attention between places."""

    def __init__(self):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(16, 16), nn.SiLU(), nn.Linear(16, 16))
        self.first = nn.Conv2d(4, 16, 3, padding=1)
        self.norm1 = nn.GroupNorm(4, 16)
        self.conv1 = nn.Conv2d(16, 16, 3, padding=1)
        self.norm2 = nn.GroupNorm(4, 16)
        self.qkv = nn.Conv1d(16, 48, 1)
        self.out = nn.Conv2d(16, 4, 3, padding=1)

    def forward(self, x, t):
        steps = torch.exp(torch.arange(8) * -1.15)
        angles = t[:, None] * steps[None]
        time = self.time(torch.cat([angles.sin(), angles.cos()], -1))
        h = self.first(x)
        h = h + self.conv1(F.silu(self.norm1(h))) + time[:, :, None, None]
        b, c, rows, columns = h.shape
        q, k, v = self.qkv(self.norm2(h).view(b, c, -1)).chunk(3, dim=1)
        weights = torch.softmax(torch.einsum("bct,bcs->bts", q * 0.25, k), -1)
        h = h + torch.einsum("bts,bcs->bct", weights, v).reshape(b, c, rows, columns)
        return self.out(F.silu(h))


@deployed(image(1, 3, 32, 32))
class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(3, 8, 3, 2, 1), nn.ELU(), nn.Conv2d(8, 8, 3, 2, 1), nn.ELU(), nn.Flatten()
        )
        self.mean = nn.Linear(512, 8)
        self.spread = nn.Linear(512, 8)
        self.back = nn.Linear(8, 512)
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(8, 8, 3, 2, 1, 1), nn.ELU(), nn.ConvTranspose2d(8, 3, 3, 2, 1, 1), nn.Sigmoid()
        )

    def forward(self, x):
        y = self.encoder(x)
        mean, spread = self.mean(y), self.spread(y)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * spread) if self.training else mean
        return self.decoder(self.back(z).view(-1, 8, 8, 8)), mean, spread


@deployed(image(1, 3, 64, 48), quantized="mobile")
class DepthEstimator(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = conv(3, 8, 3, 2)
        self.b = nn.Sequential(conv(8, 8, 3, 2, 8, nn.ReLU6), conv(8, 16, 1, act=nn.ReLU6))
        self.c = conv(16, 8)
        self.d = nn.Conv2d(16, 1, 3, padding=1)

    def forward(self, x):
        a = self.a(x)
        b = self.c(self.b(a))
        y = F.interpolate(b, size=a.shape[-2:], mode="bilinear", align_corners=False)
        y = F.softplus(self.d(torch.cat([y, a], 1)))
        return 1.0 / (F.interpolate(y, scale_factor=2.0, mode="bilinear", align_corners=True) + 1e-3)


@deployed(image(1, 3, 32, 32))
class SegmentationOfNames(nn.Module):
    """Results by their names, as torchvision's segmentation models have them."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(3, 8, 3, 2), conv(8, 16, 3, 2))
        self.rates = nn.ModuleList([nn.Conv2d(16, 8, 3, padding=r, dilation=r, bias=False) for r in (1, 2, 3)])
        self.whole = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(16, 8, 1))
        self.out = nn.Conv2d(32, 4, 1)
        self.aux = nn.Conv2d(16, 4, 1)

    def forward(self, x) -> Dict[str, Tensor]:
        y = self.body(x)
        parts = [F.relu(rate(y)) for rate in self.rates]
        parts.append(F.interpolate(self.whole(y), size=y.shape[-2:], mode="bilinear", align_corners=False))
        out = F.interpolate(self.out(torch.cat(parts, 1)), size=x.shape[-2:], mode="bilinear", align_corners=False)
        return {"out": out, "aux": F.interpolate(self.aux(y), size=x.shape[-2:], mode="bilinear", align_corners=False)}


@deployed(image(1, 3, 48, 48), image(1, 1, 48, 48))
class OptionalMask(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(3, 12), conv(12, 12), conv(12, 12, 3, 2))
        self.out = nn.Conv2d(12, 2, 1)

    def forward(self, x, mask: Optional[Tensor] = None):
        y = self.body(x)
        if mask is not None:
            y = y * F.avg_pool2d(mask, 2)
        return self.out(y)


@deployed(image(1, 3, 8, 16, 16))
class Video(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv3d(3, 8, (3, 5, 5), (1, 2, 2), (1, 2, 2), bias=False),
            nn.BatchNorm3d(8),
            nn.ReLU(),
            nn.MaxPool3d((1, 2, 2)),
            nn.Conv3d(8, 8, 3, padding=1),
            nn.ReLU(),
            nn.AvgPool3d(2),
            nn.Conv3d(8, 12, 1),
            nn.AdaptiveAvgPool3d(1),
        )
        self.out = nn.Linear(12, 5)

    def forward(self, x):
        return self.out(self.body(x).flatten(1))


@deployed(image(1, 4, 3, 32, 32))
class ShiftedVideo(nn.Module):
    """Frames as a batch, some channels moved in time."""

    def __init__(self):
        super().__init__()
        self.stem = conv(3, 16, 3, 2)
        self.next = conv(16, 16, 3, 2)
        self.out = nn.Linear(16, 5)

    def forward(self, x):
        b, t = x.shape[:2]
        y = self.stem(x.view(b * t, 3, 32, 32))
        y = y.view(b, t, 16, 16, 16)
        moved = torch.zeros_like(y)
        moved[:, :-1, :4] = y[:, 1:, :4]
        moved[:, 1:, 4:8] = y[:, :-1, 4:8]
        moved[:, :, 8:] = y[:, :, 8:]
        y = self.next(moved.view(b * t, 16, 16, 16)).mean([2, 3])
        return self.out(y).view(b, t, -1).mean(1)


@deployed(image(1, 4, 1, 16, 16))
class ConvolutionalLstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.gates = nn.Conv2d(1 + 8, 32, 3, padding=1)
        self.out = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        h = torch.zeros(x.size(0), 8, x.size(3), x.size(4))
        c = torch.zeros_like(h)
        for step in range(x.size(1)):
            i, f, o, g = torch.split(self.gates(torch.cat([x[:, step], h], 1)), 8, dim=1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return torch.sigmoid(self.out(h))


@deployed(image(1, 1, 28, 28))
class SpatialTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.locate = nn.Sequential(
            nn.Conv2d(1, 8, 7), nn.MaxPool2d(2, 2), nn.ReLU(), nn.Conv2d(8, 10, 5), nn.MaxPool2d(2, 2), nn.ReLU()
        )
        self.place = nn.Linear(90, 6)
        self.body = nn.Sequential(nn.Conv2d(1, 16, 5), nn.ReLU(), nn.Conv2d(16, 16, 5, 2), nn.ReLU())
        self.out = nn.Linear(16 * 100, 4)

    def forward(self, x):
        theta = self.place(self.locate(x).view(-1, 90)).view(-1, 2, 3) * 0.1 + torch.tensor(
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
        )
        grid = F.affine_grid(theta, x.size(), align_corners=False)
        x = F.grid_sample(x, grid, align_corners=False)
        return F.log_softmax(self.out(self.body(x).flatten(1)), 1)


@deployed(image(1, 3, 24, 24), image(1, 3, 24, 24))
class FlowAndWarp(nn.Module):
    """Correlation of two pictures' features, a flow from it, and one picture warped by it."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 12, 3, 1, 1), nn.LeakyReLU(0.1), nn.Conv2d(12, 8, 3, 1, 1))
        self.flow = nn.Sequential(nn.Conv2d(25, 16, 3, padding=1), nn.LeakyReLU(0.1), nn.Conv2d(16, 2, 3, padding=1))

    def forward(self, a, b):
        fa, fb = self.features(a), F.pad(self.features(b), [2, 2, 2, 2])
        h, w = fa.shape[2], fa.shape[3]
        cost: List[Tensor] = []
        for i in range(5):
            for j in range(5):
                cost.append((fa * fb[:, :, i : i + h, j : j + w]).mean(1, keepdim=True))
        flow = self.flow(torch.cat(cost, 1))
        ys, xs = torch.meshgrid([torch.arange(h), torch.arange(w)], indexing="ij")
        at = torch.stack([xs, ys], 0).float().unsqueeze(0) + flow
        grid = torch.stack([at[:, 0] * 2 / (w - 1) - 1, at[:, 1] * 2 / (h - 1) - 1], 3)
        return flow, F.grid_sample(b, grid, mode="bilinear", padding_mode="border", align_corners=True)


@deployed(image(1, 3, 32, 32))
class RegionClassifier(nn.Module):
    """Features of regions whose places the model computes."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(3, 16, 3, 2), conv(16, 16))
        self.places = nn.Linear(16, 8)
        self.head = nn.Linear(16 * 9, 4)

    def forward(self, x):
        y = self.body(x)
        centres = self.places(y.mean([2, 3])).sigmoid().view(-1, 4) * 24
        boxes = torch.cat([torch.zeros(2, 1), centres[:, :2], centres[:, :2] + 8], 1)
        regions = torch.ops.torchvision.roi_align(y, boxes, 0.5, 3, 3, 2, False)
        return self.head(regions.flatten(1)).softmax(1)


@deployed(image(1, 3, 32, 32))
class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 16, 8, 8)
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(16), nn.LayerNorm(16), nn.LayerNorm(16)
        self.places = nn.Sequential(nn.Linear(16, 24), nn.GELU(), nn.Linear(24, 16))
        self.channels = nn.Sequential(nn.Linear(16, 24), nn.GELU(), nn.Linear(24, 16))
        self.out = nn.Linear(16, 5)

    def forward(self, x):
        y = self.patches(x).flatten(2).transpose(1, 2)
        y = y + self.places(self.norm1(y).transpose(1, 2)).transpose(1, 2)
        y = y + self.channels(self.norm2(y))
        return self.out(self.norm3(y).mean(1))


@deployed(image(1, 3, 32, 32), quantized="static")
class Classifier(nn.Module):
    """Inverted residuals, as phones run them; the best three classes."""

    def __init__(self):
        super().__init__()
        self.stem = conv(3, 8, 3, 2, act=nn.ReLU)
        self.body = nn.Sequential(
            conv(8, 24, 1, act=nn.ReLU), conv(24, 24, 3, 1, 24), nn.Conv2d(24, 8, 1, bias=False), nn.BatchNorm2d(8)
        )
        self.add = torch.nn.quantized.FloatFunctional()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.out = nn.Linear(8, 10)

    def forward(self, x):
        x = self.stem(x)
        x = self.add.add(x, self.body(x))
        return self.out(self.pool(x).flatten(1))


@deployed(image(1, 3, 32, 32))
class BestClasses(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(3, 16, 3, 2), conv(16, 16, 3, 2))
        self.out = nn.Linear(16, 12)

    def forward(self, x):
        p = F.softmax(self.out(self.body(x).mean([2, 3])), 1)
        values, places = p.topk(3, 1, True, True)
        ordered, order = torch.sort(p, dim=1, descending=True)
        return values, places, ordered.cumsum(1), order


@deployed(normal(1, 32, 3), normal(9, 5), whole(9, 2, 24))
class GroupedPointsAndEdges(nn.Module):
    """Points within a distance, whose places are written by masks; and messages along edges, of which the largest and the mean count."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 1)
        self.message = nn.Linear(5, 8)

    def forward(self, points, nodes, edges):
        distance = (points.unsqueeze(2) - points[:, :4].unsqueeze(1)).pow(2).sum(-1).transpose(1, 2)
        places = torch.arange(32).view(1, 1, 32).repeat(1, 4, 1)
        places[distance > 1.5] = 31
        places = places.sort(dim=-1)[0][:, :, :6]
        first = places[:, :, :1].repeat(1, 1, 6)
        far = places == 31
        places[far] = first[far]
        groups = points[torch.zeros(1, 1, 1, dtype=torch.long), places] - points[:, :4].unsqueeze(2)
        messages = self.message(nodes)[edges[0]]
        to = edges[1].unsqueeze(-1).expand(24, 8)
        largest = torch.zeros(9, 8).scatter_reduce(0, to, messages, "amax", include_self=False)
        mean = torch.zeros(9, 8).scatter_reduce(0, to, messages, "mean", include_self=False)
        return torch.relu(self.conv(groups.permute(0, 3, 1, 2))).max(-1)[0], largest + mean


@deployed(image(1, 3, 64, 64))
class ThresholdedDetector(nn.Module):
    """As many boxes as have a score above a threshold, of which the suppression of those that overlap leaves some."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 32, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2d(32, 64, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2d(64, 64, 3, 2, 1),
            nn.ReLU(),
        )
        self.loc = nn.Conv2d(64, 4, 1)
        self.conf = nn.Conv2d(64, 3, 1)

    def forward(self, x):
        f = self.body(x)
        loc = self.loc(f).flatten(2)[0].t()
        score, label = self.conf(f).flatten(2)[0].t().softmax(-1)[:, 1:].max(-1)
        xy = torch.stack(torch.meshgrid(torch.arange(8), torch.arange(8), indexing="xy"), -1).reshape(-1, 2).float() * 8
        boxes = torch.cat([xy + loc[:, :2] * 4 - 8, xy + loc[:, 2:] * 4 + 8], 1).clamp(0, 64)
        keep = score > 0.2
        boxes, score, label = boxes[keep], score[keep], label[keep]
        kept = torch.ops.torchvision.nms(boxes + label.to(boxes)[:, None] * 100, score, 0.5)[:20]
        return boxes[kept], score[kept], label[kept]


@deployed(image(2, 3, 20, 20), quantized="static")
class BoundedResidual(nn.Module):
    """Joined and cut features, groups, limits other than 0 and 6."""

    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 16, 3, padding=1)
        self.g = nn.Conv2d(16, 16, 3, padding=1, groups=4)
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.ln = nn.Linear(16, 7)
        self.elu = nn.ELU()

    def forward(self, x):
        x = F.relu6(self.a(x))
        y = F.leaky_relu(self.g(x), 0.1) + x
        y = self.pool(torch.cat([y, x], 1)[:, 8:24])
        y = self.up(y)
        y = F.hardtanh(y, -1.0, 1.0)
        return self.ln(y.mean([2, 3])).sigmoid()
