"""Texts, and sequences of other things: classifiers, transformers, recommenders, graphs, forecasts, points."""

import math
from typing import Dict, List, Tuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from catalogue import deployed, fixed, image, normal, whole


@deployed(whole(50, 1, 20))
class TextConvolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(50, 12, padding_idx=0)
        self.convs = nn.ModuleList([nn.Conv1d(12, 8, k) for k in (2, 3, 4)])
        self.out = nn.Linear(24, 4)

    def forward(self, tokens):
        y = self.table(tokens).transpose(1, 2)
        parts: List[Tensor] = []
        for conv in self.convs:
            z = F.relu(conv(y))
            parts.append(F.adaptive_max_pool1d(z, 1).squeeze(2))
        return self.out(torch.cat(parts, 1))


@deployed(whole(60, 1, 16), quantized="dynamic")
class TextLstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(60, 12)
        self.lstm = nn.LSTM(12, 12, num_layers=2, bidirectional=True, batch_first=True)
        self.out = nn.Linear(24, 3)

    def forward(self, tokens):
        y, (h, _) = self.lstm(self.table(tokens))
        return self.out(torch.cat([h[-2], h[-1]], 1))


@deployed(whole(60, 18), fixed(0, 7, 12))
class TextBag(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(60, 12, mode="mean")
        self.out = nn.Linear(12, 4)

    def forward(self, tokens, offsets):
        return self.out(self.bag(tokens, offsets))


@deployed(whole(40, 1, 24))
class CharacterHighway(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(40, 8)
        self.convs = nn.ModuleList([nn.Conv1d(8, 8, k, padding=k // 2) for k in (1, 3, 5)])
        self.plain = nn.Linear(24, 24)
        self.gate = nn.Linear(24, 24)
        self.lstm = nn.LSTMCell(24, 12)
        self.out = nn.Linear(12, 5)

    def forward(self, tokens):
        y = self.table(tokens).transpose(1, 2)
        y = torch.cat([torch.tanh(conv(y)) for conv in self.convs], 1).max(2)[0]
        g = torch.sigmoid(self.gate(y))
        y = g * F.relu(self.plain(y)) + (1 - g) * y
        h, c = torch.zeros(1, 12), torch.zeros(1, 12)
        for _ in range(3):
            h, c = self.lstm(y, (h, c))
        return self.out(h)


@deployed(whole(50, 2, 12), lambda: torch.tensor([[1] * 12, [1] * 8 + [0] * 4]), quantized="dynamic")
class BertLike(nn.Module):
    """Embeddings of words, places and segments; attention that a mask of 0 and 1 bounds; the first token pooled."""

    def __init__(self):
        super().__init__()
        self.words, self.places, self.kinds = nn.Embedding(50, 16), nn.Embedding(16, 16), nn.Embedding(2, 16)
        self.norm = nn.LayerNorm(16, eps=1e-12)
        self.query, self.key, self.value, self.out = (nn.Linear(16, 16) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(16, eps=1e-12), nn.LayerNorm(16, eps=1e-12)
        self.up, self.down = nn.Linear(16, 32), nn.Linear(32, 16)
        self.pool, self.classes = nn.Linear(16, 16), nn.Linear(16, 3)

    def heads(self, x: Tensor) -> Tensor:
        return x.view(x.size(0), x.size(1), 4, 4).permute(0, 2, 1, 3)

    def forward(self, tokens, mask):
        places = torch.arange(tokens.size(1), dtype=torch.long, device=tokens.device).unsqueeze(0).expand_as(tokens)
        x = self.norm(self.words(tokens) + self.places(places) + self.kinds(torch.zeros_like(tokens)))
        bias = (1.0 - mask[:, None, None, :].to(torch.float32)) * -10000.0
        q, k, v = self.heads(self.query(x)), self.heads(self.key(x)), self.heads(self.value(x))
        weights = F.softmax(torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(4) + bias, dim=-1)
        y = torch.matmul(weights, v).permute(0, 2, 1, 3).contiguous().view(x.size(0), x.size(1), 16)
        x = self.norm1(x + self.out(y))
        x = self.norm2(x + self.down(F.gelu(self.up(x))))
        return self.classes(torch.tanh(self.pool(x[:, 0]))), x


@deployed(fixed([5, 9, 23, 7, 1, 1, 1, 1]))
class RobertaPlaces(nn.Module):
    """Places counted from the tokens that are no padding."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(30, 12, padding_idx=1), nn.Embedding(12, 12, padding_idx=1)
        self.layer = nn.TransformerEncoderLayer(12, 2, 24, batch_first=True)
        self.out = nn.Linear(12, 30)

    def forward(self, tokens):
        mask = tokens.ne(1)
        places = (torch.cumsum(mask.int(), dim=1).type_as(mask.int()) * mask.int()).long() + 1
        y = self.words(tokens) + self.places(places)
        y = self.layer(y)
        scores = self.out(y)
        return torch.where(mask.unsqueeze(-1), scores, torch.zeros_like(scores))


@deployed(whole(40, 1, 10))
class GptLike(nn.Module):
    """Attention to what came before, tanh approximation of gelu, words' table used twice, the best next word."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(40, 16), nn.Embedding(16, 16)
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(16), nn.LayerNorm(16), nn.LayerNorm(16)
        self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 16)
        self.up, self.down = nn.Linear(16, 64), nn.Linear(64, 16)
        self.register_buffer("past", torch.tril(torch.ones(16, 16)).view(1, 1, 16, 16))

    def forward(self, tokens):
        b, t = tokens.size()
        x = self.words(tokens) + self.places(torch.arange(0, t, dtype=torch.long, device=tokens.device))[None]
        q, k, v = self.qkv(self.norm1(x)).split(16, dim=2)
        q = q.view(b, t, 2, 8).transpose(1, 2)
        k = k.view(b, t, 2, 8).transpose(1, 2)
        v = v.view(b, t, 2, 8).transpose(1, 2)
        weights = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(8))
        weights = weights.masked_fill(self.past[:, :, :t, :t] == 0, float("-inf"))
        y = (F.softmax(weights, dim=-1) @ v).transpose(1, 2).contiguous().view(b, t, 16)
        x = x + self.out(y)
        z = self.up(self.norm2(x))
        z = 0.5 * z * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (z + 0.044715 * torch.pow(z, 3.0))))
        x = self.norm3(x + self.down(z))
        scores = F.linear(x, self.words.weight)
        return scores, torch.argmax(scores[:, -1], dim=-1)


@deployed(normal(2, 6, 8), normal(2, 9, 8))
class CrossAttention(nn.Module):
    """nn.MultiheadAttention between two sequences, with its weights."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.norm = nn.LayerNorm(8)

    def forward(self, x, memory):
        y, weights = self.attention(x, memory, memory)
        return self.norm(x + y), weights


@deployed(normal(2, 7, 16))
class SelfAttention(nn.Module):
    """nn.MultiheadAttention by its fast path, with a causal mask by the other."""

    def __init__(self):
        super().__init__()
        self.fast = nn.MultiheadAttention(16, 4, batch_first=True)
        self.causal = nn.MultiheadAttention(16, 4, batch_first=True)
        self.register_buffer("mask", torch.triu(torch.full((7, 7), float("-inf")), 1))

    def forward(self, x):
        y, _ = self.fast(x, x, x, need_weights=False)
        z, _ = self.causal(y, y, y, attn_mask=self.mask, need_weights=False)
        return x + z


@deployed(normal(2, 8, 16), lambda: torch.tensor([[False] * 8, [False] * 5 + [True] * 3]))
class PaddedEncoder(nn.Module):
    """nn.TransformerEncoder with a mask of what is padding."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, norm_first=True), 1, enable_nested_tensor=False
        )
        self.out = nn.Linear(16, 4)

    def forward(self, x, padding):
        y = self.encoder(x, src_key_padding_mask=padding)
        return self.out(y.masked_fill(padding.unsqueeze(-1), 0.0).sum(1))


@deployed(normal(9, 1, 12), normal(5, 1, 12))
class SequenceToSequence(nn.Module):
    """nn.Transformer, whose decoder sees what came before."""

    def __init__(self):
        super().__init__()
        self.transformer = nn.Transformer(12, 2, 1, 1, 24)
        self.register_buffer("mask", torch.triu(torch.full((5, 5), float("-inf")), 1))
        self.out = nn.Linear(12, 6)

    def forward(self, source, target):
        return self.out(self.transformer(source, target, tgt_mask=self.mask))


@deployed(normal(1, 24, 8))
class LinearAttention(nn.Module):
    """Causal attention without softmax, by running sums."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(8, 24)
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        q, k = F.elu(q) + 1, F.elu(k) + 1
        sums = torch.cumsum(torch.einsum("btd,bte->btde", k, v), dim=1)
        norm = 1.0 / (torch.einsum("btd,btd->bt", q, k.cumsum(1)) + 1e-6)
        return self.out(torch.einsum("btd,btde,bt->bte", q, sums, norm))


@deployed(normal(1, 128, 3))
class PointCloud(nn.Module):
    def __init__(self):
        super().__init__()
        self.turn = nn.Sequential(nn.Conv1d(3, 12, 1), nn.BatchNorm1d(12), nn.ReLU())
        self.angles = nn.Linear(12, 9)
        self.body = nn.Sequential(
            nn.Conv1d(3, 12, 1), nn.BatchNorm1d(12), nn.ReLU(), nn.Conv1d(12, 24, 1), nn.BatchNorm1d(24), nn.ReLU()
        )
        self.out = nn.Sequential(nn.Linear(24, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 5))
        self.parts = nn.Conv1d(48, 3, 1)

    def forward(self, points):
        x = points.transpose(2, 1)
        t = torch.max(self.turn(x), 2, keepdim=True)[0].view(-1, 12)
        t = self.angles(t) + torch.eye(3).flatten().view(1, 9).repeat(x.size(0), 1)
        x = torch.bmm(points, t.view(-1, 3, 3)).transpose(2, 1)
        y = self.body(x)
        whole = torch.max(y, 2, keepdim=True)[0]
        parts = self.parts(torch.cat([y, whole.repeat(1, 1, y.size(2))], 1))
        return F.log_softmax(self.out(whole.view(-1, 24)), dim=1), parts.transpose(1, 2)


@deployed(normal(1, 32, 3))
class NearestNeighbours(nn.Module):
    """Edges to the nearest points, which the distances tell."""

    def __init__(self):
        super().__init__()
        self.edge = nn.Sequential(nn.Conv2d(6, 12, 1, bias=False), nn.BatchNorm2d(12), nn.LeakyReLU(0.2))
        self.out = nn.Linear(12, 4)

    def forward(self, points):
        x = points.transpose(1, 2)
        inner = -2 * torch.matmul(points, x)
        squares = (points**2).sum(2, keepdim=True)
        places = (-(squares + inner + squares.transpose(2, 1))).topk(6, dim=-1)[1]
        near = points.view(-1, 3)[places.view(-1), :].view(1, 32, 6, 3)
        own = points.view(1, 32, 1, 3).repeat(1, 1, 6, 1)
        y = self.edge(torch.cat([near - own, own], 3).permute(0, 3, 1, 2)).max(dim=-1)[0]
        return self.out(y.max(2)[0])


@deployed(normal(4, 6), whole(30, 3, 8), lambda: torch.tensor([[0, 2, 4, 5], [0, 1, 3, 6], [0, 3, 4, 7]]))
class RecommenderBags(nn.Module):
    """Dense numbers, bags of things, and the products of all pairs."""

    def __init__(self):
        super().__init__()
        self.bottom = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 8), nn.ReLU())
        self.bags = nn.ModuleList([nn.EmbeddingBag(30, 8, mode="sum") for _ in range(3)])
        self.top = nn.Sequential(nn.Linear(8 + 6, 12), nn.ReLU(), nn.Linear(12, 1), nn.Sigmoid())
        at = [(i, j) for i in range(4) for j in range(i)]
        self.rows, self.columns = [i for i, _ in at], [j for _, j in at]

    def forward(self, dense, things, offsets):
        x = self.bottom(dense)
        parts = [x]
        for i, bag in enumerate(self.bags):
            parts.append(bag(things[i], offsets[i]))
        t = torch.cat(parts, 1).view(x.size(0), -1, 8)
        pairs = torch.bmm(t, t.transpose(1, 2))
        flat = pairs[:, torch.tensor(self.rows), torch.tensor(self.columns)]
        return self.top(torch.cat([x, flat], 1))


@deployed(whole(20, 4, 3), normal(4, 5))
class WideAndDeep(nn.Module):
    """A table for each field, factors of pairs, and a deep part."""

    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(20, 6) for _ in range(3)])
        self.wide = nn.Embedding(60, 1)
        self.register_buffer("first", torch.tensor([0, 20, 40]))
        self.deep = nn.Sequential(nn.Linear(23, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, fields, numbers):
        parts = [table(fields[:, i]) for i, table in enumerate(self.tables)]
        stacked = torch.stack(parts, 1)
        pairs = 0.5 * (stacked.sum(1).pow(2) - stacked.pow(2).sum(1)).sum(1, keepdim=True)
        wide = self.wide(fields + self.first.unsqueeze(0)).sum(1)
        return torch.sigmoid(self.deep(torch.cat(parts + [numbers], 1)) + pairs + wide).squeeze(1)


@deployed(whole(30, 2, 6), whole(30, 2))
class SequenceRecommender(nn.Module):
    """What was bought before, weighed by what is looked at; kinds by one_hot."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(30, 8)
        self.weigh = nn.Sequential(nn.Linear(32, 8), nn.PReLU(), nn.Linear(8, 1))
        self.out = nn.Linear(16 + 30, 1)

    def forward(self, before, now):
        x = self.table(before)
        y = self.table(now).unsqueeze(1).expand(-1, x.size(1), -1)
        w = self.weigh(torch.cat([x, y, x - y, x * y], -1))
        w = w.masked_fill((before == 0).unsqueeze(-1), -1e9).softmax(1)
        return torch.sigmoid(self.out(torch.cat([(w * x).sum(1), y[:, 0], F.one_hot(now, 30).float()], 1)))


@deployed(normal(6, 8))
class MixtureOfExperts(nn.Module):
    """The best two of four experts for each row, the others' weights being none."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4, bias=False)
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8)) for _ in range(4)])

    def forward(self, x):
        values, places = torch.topk(self.gate(x), 2, dim=-1)
        weights = torch.zeros(x.size(0), 4).scatter(1, places, F.softmax(values, -1))
        y = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            y = y + weights[:, i : i + 1] * expert(x)
        return y, weights


@deployed(normal(2, 5, 8))
class DenseExperts(nn.Module):
    """All experts at once, gathered by einsum, places of the best by gather."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 3)
        self.weights = nn.Parameter(torch.randn(3, 8, 6))
        self.bias = nn.Parameter(torch.randn(3, 6))

    def forward(self, x):
        gates = F.softmax(self.gate(x), dim=-1)
        every = torch.einsum("btd,edo->bteo", x, self.weights) + self.bias
        best = gates.argmax(-1, keepdim=True)
        one = torch.gather(every, 2, best.unsqueeze(-1).expand(-1, -1, -1, 6)).squeeze(2)
        return torch.einsum("bte,bteo->bto", gates, every) + one


@deployed(normal(12, 8), lambda: (torch.rand(12, 12) > 0.6).float())
class GraphConvolution(nn.Module):
    """Neighbours' features, scaled by degrees."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 4)

    def forward(self, x, adjacency):
        a = adjacency + torch.eye(adjacency.size(0))
        d = a.sum(1).pow(-0.5)
        d = torch.where(torch.isinf(d), torch.zeros_like(d), d)
        a = d.unsqueeze(1) * a * d.unsqueeze(0)
        x = F.relu(a @ self.first(x))
        return F.log_softmax(torch.mm(a, self.second(x)), dim=1)


@deployed(normal(12, 8), lambda: ((torch.rand(12, 12) > 0.5) | torch.eye(12).bool()).float())
class GraphAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(8, 16, bias=False)
        self.source, self.target = nn.Parameter(torch.randn(2, 8)), nn.Parameter(torch.randn(2, 8))
        self.out = nn.Linear(16, 3)

    def forward(self, x, adjacency):
        h = self.project(x).view(-1, 2, 8)
        scores = F.leaky_relu((h * self.source).sum(-1).unsqueeze(1) + (h * self.target).sum(-1).unsqueeze(0), 0.2)
        scores = scores.masked_fill(adjacency.unsqueeze(-1) == 0, -9e15)
        weights = F.softmax(scores, dim=1)
        return self.out(F.elu(torch.einsum("ijh,jhd->ihd", weights, h).reshape(-1, 16)))


@deployed(normal(10, 6), lambda: torch.randint(0, 10, (2, 24)))
class MessagePassing(nn.Module):
    """Messages along edges that are given as pairs of places, summed at their targets."""

    def __init__(self):
        super().__init__()
        self.message = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 8))
        self.update = nn.GRUCell(8, 6)
        self.out = nn.Linear(6, 2)

    def forward(self, x, edges):
        source, target = edges[0], edges[1]
        m = self.message(torch.cat([x[source], x[target]], 1))
        total = torch.zeros(x.size(0), 8).index_add(0, target, m)
        return self.out(self.update(total, x))


@deployed(normal(1, 24, 3))
class ForecastAttention(nn.Module):
    """An LSTM over the past, attention to its states, and a cell for each step to come."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.LSTM(3, 12, batch_first=True)
        self.score = nn.Linear(24, 1)
        self.cell = nn.LSTMCell(13, 12)
        self.out = nn.Linear(12, 1)

    def forward(self, x):
        states, (h, c) = self.encoder(x)
        h, c = h[0], c[0]
        y = x[:, -1, :1]
        steps: List[Tensor] = []
        for _ in range(4):
            w = torch.softmax(self.score(torch.cat([states, h.unsqueeze(1).expand(-1, states.size(1), -1)], -1)), 1)
            h, c = self.cell(torch.cat([y, (w * states).sum(1)], 1), (h, c))
            y = self.out(h)
            steps.append(y)
        return torch.stack(steps, 1)


@deployed(normal(2, 20))
class ForecastStacks(nn.Module):
    """Blocks that explain what the ones before left, with trends and seasons."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Linear(16, 6)) for _ in range(3)])
        t = torch.arange(25.0) / 25
        self.register_buffer(
            "basis",
            torch.stack(
                [t**0, t, t**2, torch.sin(2 * math.pi * t), torch.cos(2 * math.pi * t), torch.sin(4 * math.pi * t)]
            ),
        )

    def forward(self, x):
        mean = x.mean(1, keepdim=True)
        spread = torch.sqrt(torch.var(x, dim=1, keepdim=True, unbiased=False) + 1e-5)
        rest = (x - mean) / spread
        forecast = torch.zeros(x.size(0), 5)
        for block in self.blocks:
            both = block(rest) @ self.basis
            rest = rest - both[:, :20]
            forecast = forecast + both[:, 20:]
        return forecast * spread + mean


@deployed(normal(1, 48, 2))
class ForecastDecomposition(nn.Module):
    """Moving averages padded by the ends, differences, a linear layer for each part; patches by unfold."""

    def __init__(self):
        super().__init__()
        self.trend, self.season = nn.Linear(48, 8), nn.Linear(48, 8)
        self.patch = nn.Linear(12, 4)

    def forward(self, x):
        front, end = x[:, 0:1].repeat(1, 3, 1), x[:, -1:].repeat(1, 3, 1)
        trend = F.avg_pool1d(torch.cat([front, x, end], 1).permute(0, 2, 1), 7, 1)
        season = x.permute(0, 2, 1) - trend
        patches = self.patch(season.unfold(-1, 12, 6))
        return (self.trend(trend) + self.season(season)).permute(0, 2, 1), patches


@deployed(image(1, 3, 48, 48), forms=("scripted",))
class GreedyDecoder(nn.Module):
    """What a picture shows, word after word until the end's one comes: the loop depends on the data."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(3, 12, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2d(12, 16, 3, 1, 1),
            nn.ReLU(),
            nn.Conv2d(16, 16, 3, 1, 1),
            nn.ReLU(),
        )
        self.table = nn.Embedding(20, 12)
        self.cell = nn.GRUCell(12, 16)
        self.out = nn.Linear(16, 20)

    def forward(self, picture):
        h = self.encoder(picture).mean([2, 3])
        last = torch.zeros(1, dtype=torch.long)
        said: List[Tensor] = []
        while len(said) < 8:
            h = self.cell(self.table(last), h)
            last = self.out(h).argmax(1)
            said.append(last)
            if bool(last[0] == 3):
                break
        return torch.cat(said), h


@deployed(normal(3, 10))
class Tabular(nn.Module):
    """Features chosen step by step, gated units, ghost of batch norm folded."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(10)
        self.shared = nn.Linear(10, 16, bias=False)
        self.steps = nn.ModuleList([nn.Linear(8, 10) for _ in range(2)])
        self.out = nn.Linear(8, 3)

    def forward(self, x):
        x = self.norm(x)
        prior = torch.ones_like(x)
        total = torch.zeros(x.size(0), 8)
        y = F.glu(self.shared(x), -1)
        for step in self.steps:
            mask = torch.softmax(step(y) * prior, -1)
            prior = prior * (1.3 - mask)
            y = F.glu(self.shared(mask * x), -1) * math.sqrt(0.5)
            total = total + F.relu(y)
        return self.out(total)


@deployed(normal(1, 4), normal(1, 8))
class Policy(nn.Module):
    """An agent's action and value from what it sees and a state it keeps, bounded and sampled without noise."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 8), nn.Tanh())
        self.cell = nn.RNNCell(8, 8)
        self.action, self.value = nn.Linear(8, 2), nn.Linear(8, 1)
        self.spread = nn.Parameter(torch.zeros(2))

    def forward(self, seen, state) -> Tuple[Tensor, Tensor, Tensor]:
        h = self.cell(self.body(seen), state)
        action = torch.tanh(self.action(h)) * 2
        return torch.where(action.abs() < 0.05, torch.zeros_like(action), action), self.value(h).squeeze(-1), h


@deployed(whole(30, 1, 8), normal(1, 3, 16, 16))
class PictureAndText(nn.Module):
    """Two towers and the similarity of what they make, by their scale; results by name."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(30, 12)
        self.text = nn.TransformerEncoderLayer(12, 2, 24, batch_first=True)
        self.picture = nn.Sequential(nn.Conv2d(3, 12, 4, 4), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, tokens, picture) -> Dict[str, Tensor]:
        t = self.text(self.table(tokens)).mean(1)
        p = self.picture(picture)
        t = t / t.norm(p=2, dim=-1, keepdim=True)
        p = p / p.norm(p=2, dim=-1, keepdim=True)
        return {"similarity": self.scale.exp() * p @ t.t(), "text": t, "picture": p}
