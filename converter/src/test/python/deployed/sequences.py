"""Models of sequences: lengths that vary, states that go in and out, searches step by step, tables of relative places."""

import math
from typing import List, Optional, Tuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from catalogue import deployed, fixed, normal, whole


@deployed(whole(40, 3, 20), fixed(6, 20, 2))
class PackedTagger(nn.Module):
    """Sentences of several lengths, packed for a bidirectional LSTM, and tags."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(40, 64)
        self.lstm = nn.LSTM(64, 128, batch_first=True, bidirectional=True)
        self.out = nn.Linear(256, 6)

    def forward(self, words, lengths):
        packed = pack_padded_sequence(self.table(words), lengths, batch_first=True, enforce_sorted=False)
        y, _ = self.lstm(packed)
        y, _ = pad_packed_sequence(y, batch_first=True)
        return self.out(y)


@deployed(whole(40, 3, 7), fixed(3, 7, 1))
class PackedClassifier(nn.Module):
    """The last states of sentences of several lengths, of both directions and of the cells too."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(40, 16)
        self.gru = nn.GRU(16, 12, 2, batch_first=True, bidirectional=True)
        self.lstm = nn.LSTM(16, 8, batch_first=True)
        self.out = nn.Linear(40, 4)

    def forward(self, words, lengths):
        packed = pack_padded_sequence(self.table(words), lengths, batch_first=True, enforce_sorted=False)
        _, h = self.gru(packed)
        _, (g, c) = self.lstm(packed)
        return self.out(torch.cat([h[-2], h[-1], g[0], c[0]], dim=1))


@deployed(normal(2, 8, 10))
class PackedConstant(nn.Module):
    """Lengths that are the same in every run."""

    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(10, 12, 2, batch_first=True)
        self.out = nn.Linear(12, 4)
        self.register_buffer("lengths", torch.tensor([8, 5]))

    def forward(self, x):
        y, h = self.gru(pack_padded_sequence(x, self.lengths, batch_first=True))
        y, _ = pad_packed_sequence(y, batch_first=True, total_length=8)
        return self.out(y), h


@deployed(whole(30, 2, 6), fixed(6, 4))
class MaskedPooling(nn.Module):
    """A mean over as many steps as there are, by a mask made of lengths."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(30, 16, padding_idx=0)
        self.gru = nn.GRU(16, 16, batch_first=True)
        self.out = nn.Linear(16, 3)

    def forward(self, words, lengths):
        y, _ = self.gru(self.table(words))
        mask = torch.arange(words.shape[1], device=words.device)[None, :] < lengths[:, None]
        y = y * mask.unsqueeze(-1).float()
        return self.out(y.sum(1) / lengths.unsqueeze(1).to(y.dtype))


@deployed(whole(50, 1, 1), normal(2, 1, 24), normal(2, 1, 24))
class LanguageModelStep(nn.Module):
    """One step of a language model, its state a tuple that goes in and out."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(50, 24)
        self.lstm = nn.LSTM(24, 24, 2)
        self.out = nn.Linear(24, 50)

    def forward(self, word, h, c):
        y, (h, c) = self.lstm(self.table(word), (h, c))
        return F.log_softmax(self.out(y[-1]), -1), h, c


class CachedAttention(nn.Module):
    def __init__(self, width=24, heads=4):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: Tensor, past: Tuple[Tensor, Tensor]) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
        b, t, c = x.size()
        q, k, v = self.qkv(x).split(c, dim=2)
        q = q.view(b, t, self.heads, c // self.heads).transpose(1, 2)
        k = torch.cat([past[0], k.view(b, t, self.heads, c // self.heads).transpose(1, 2)], dim=2)
        v = torch.cat([past[1], v.view(b, t, self.heads, c // self.heads).transpose(1, 2)], dim=2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        y = F.softmax(scores, dim=-1) @ v
        return self.out(y.transpose(1, 2).reshape(b, t, c)), (k, v)


@deployed(whole(60, 1, 1), normal(2, 2, 1, 4, 7, 6))
class CachedGpt(nn.Module):
    """One word after seven others, whose keys and values come in and go out."""

    def __init__(self):
        super().__init__()
        self.table, self.places = nn.Embedding(60, 24), nn.Embedding(16, 24)
        self.norms = nn.ModuleList([nn.LayerNorm(24) for _ in range(4)])
        self.attentions = nn.ModuleList([CachedAttention() for _ in range(2)])
        self.mlps = nn.ModuleList([nn.Sequential(nn.Linear(24, 48), nn.GELU(), nn.Linear(48, 24)) for _ in range(2)])

    def forward(self, word, past):
        at = torch.arange(past.size(4), past.size(4) + word.size(1), device=word.device).unsqueeze(0)
        x = self.table(word) + self.places(at)
        keys: List[Tensor] = []
        for i, (attention, mlp) in enumerate(zip(self.attentions, self.mlps)):
            y, (k, v) = attention(self.norms[0](x) if i == 0 else self.norms[1](x), (past[i][0], past[i][1]))
            x = x + y
            x = x + mlp(self.norms[2](x) if i == 0 else self.norms[3](x))
            keys.append(torch.stack([k, v]))
        return F.linear(x, self.table.weight), torch.stack(keys)


@deployed(whole(40, 1, 9), fixed([1, 1, 1, 1, 1, 1, 1, 0, 0]))
class MaskedBert(nn.Module):
    """Attention masks as they are used: numbers that are hugely negative where nothing is; positions as a buffer."""

    def __init__(self):
        super().__init__()
        self.words, self.kinds, self.places = (
            nn.Embedding(40, 24, padding_idx=0),
            nn.Embedding(2, 24),
            nn.Embedding(16, 24),
        )
        self.register_buffer("position_ids", torch.arange(16).expand((1, -1)))
        self.norm = nn.LayerNorm(24, eps=1e-12)
        self.q, self.k, self.v, self.o = [nn.Linear(24, 24) for _ in range(4)]
        self.up, self.down = nn.Linear(24, 48), nn.Linear(48, 24)
        self.pool = nn.Linear(24, 24)

    def heads(self, x: Tensor) -> Tensor:
        return x.view(x.size()[:-1] + (4, 6)).permute(0, 2, 1, 3)

    def forward(self, ids: Tensor, attention_mask: Tensor, kinds: Optional[Tensor] = None):
        length = ids.size(1)
        if kinds is None:
            kinds = torch.zeros(ids.size(), dtype=torch.long, device=ids.device)
        x = self.norm(self.words(ids) + self.kinds(kinds) + self.places(self.position_ids[:, :length]))
        extended = (1.0 - attention_mask[:, None, None, :].to(x.dtype)) * -3.4028234663852886e38
        scores = torch.matmul(self.heads(self.q(x)), self.heads(self.k(x)).transpose(-1, -2)) / math.sqrt(6) + extended
        y = torch.matmul(scores.softmax(-1), self.heads(self.v(x))).permute(0, 2, 1, 3).contiguous()
        x = self.norm(x + self.o(y.view(y.size()[:-2] + (24,))))
        x = self.norm(x + self.down(F.gelu(self.up(x))))
        return x, torch.tanh(self.pool(x[:, 0]))


@deployed(whole(40, 1, 10))
class RelativeBias(nn.Module):
    """Attention without scaling, with a learned number for each class of distance, and norms without means."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(40, 24)
        self.bias = nn.Embedding(8, 4)
        self.q, self.k, self.v, self.o = [nn.Linear(24, 24, bias=False) for _ in range(4)]
        self.weight = nn.Parameter(torch.ones(24))
        self.wi, self.wg, self.wo = (
            nn.Linear(24, 48, bias=False),
            nn.Linear(24, 48, bias=False),
            nn.Linear(48, 24, bias=False),
        )

    def norm(self, x: Tensor) -> Tensor:
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))

    def buckets(self, distance: Tensor) -> Tensor:
        found = (distance > 0).to(torch.long) * 4
        distance = torch.abs(distance)
        far = 2 + (torch.log(distance.float() / 2) / math.log(16 / 2) * 2).to(torch.long)
        far = torch.min(far, torch.full_like(far, 3))
        return found + torch.where(distance < 2, distance, far)

    def forward(self, words):
        x = self.table(words)
        b, t = words.shape
        at = torch.arange(t, dtype=torch.long, device=words.device)
        bias = self.bias(self.buckets(at[None, :] - at[:, None])).permute(2, 0, 1).unsqueeze(0)
        y = self.norm(x)
        q, k, v = (
            self.q(y).view(b, t, 4, 6).transpose(1, 2),
            self.k(y).view(b, t, 4, 6).transpose(1, 2),
            self.v(y).view(b, t, 4, 6).transpose(1, 2),
        )
        scores = torch.matmul(q, k.transpose(3, 2))
        scores = scores + bias
        y = (
            torch.matmul(F.softmax(scores.float(), dim=-1).type_as(scores), v)
            .transpose(1, 2)
            .contiguous()
            .view(b, t, 24)
        )
        x = x + self.o(y)
        y = self.norm(x)
        return x + self.wo(F.gelu(self.wg(y)) * self.wi(y))


@deployed(whole(20, 1, 7), normal(1, 4, 10))
class AttendingDecoder(nn.Module):
    """Frames of a spectrogram one after the other, each attending to characters by contents and by where it attended before."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(20, 16)
        self.encoder = nn.LSTM(16, 8, batch_first=True, bidirectional=True)
        self.prenet = nn.Linear(10, 12)
        self.cell = nn.LSTMCell(12 + 16, 20)
        self.query, self.memory = nn.Linear(20, 12, bias=False), nn.Linear(16, 12, bias=False)
        self.location, self.place = nn.Conv1d(2, 4, 5, padding=2, bias=False), nn.Linear(4, 12, bias=False)
        self.score = nn.Linear(12, 1, bias=False)
        self.frame, self.gate = nn.Linear(36, 10), nn.Linear(36, 1)

    def forward(self, characters, frames):
        memory, _ = self.encoder(self.table(characters))
        keys = self.memory(memory)
        b = memory.size(0)
        h, c = torch.zeros(b, 20), torch.zeros(b, 20)
        context = torch.zeros(b, 16)
        weights, total = torch.zeros(b, memory.size(1)), torch.zeros(b, memory.size(1))
        made, gates = [], []
        for i in range(frames.size(1)):
            x = F.relu(self.prenet(frames[:, i]))
            h, c = self.cell(torch.cat((x, context), -1), (h, c))
            before = torch.cat((weights.unsqueeze(1), total.unsqueeze(1)), dim=1)
            energies = self.score(
                torch.tanh(self.query(h.unsqueeze(1)) + keys + self.place(self.location(before).transpose(1, 2)))
            ).squeeze(-1)
            weights = F.softmax(energies, dim=1)
            total = total + weights
            context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
            both = torch.cat((h, context), dim=1)
            made.append(self.frame(both))
            gates.append(self.gate(both))
        return torch.stack(made, dim=1), torch.cat(gates, dim=1)


@deployed(normal(1, 6, 12))
class BestPath(nn.Module):
    """A tagger whose best path of tags is searched for: scores forwards, then pointers backwards."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(12, 10, batch_first=True, bidirectional=True)
        self.out = nn.Linear(20, 5)
        self.transitions = nn.Parameter(torch.randn(5, 5))

    def forward(self, x):
        emissions = self.out(self.lstm(x)[0])
        score = emissions[:, 0]
        history: List[Tensor] = []
        for t in range(1, emissions.size(1)):
            best, index = (score.unsqueeze(2) + self.transitions + emissions[:, t].unsqueeze(1)).max(dim=1)
            score = best
            history.append(index)
        last = score.argmax(dim=1)
        path = [last]
        for i in range(len(history) - 1, -1, -1):
            last = history[i].gather(1, last.unsqueeze(1)).squeeze(1)
            path.append(last)
        path.reverse()
        return torch.stack(path, dim=1), score.max(dim=1)[0]


@deployed(normal(4, 1, 16), normal(3, 1, 16), normal(2, 1, 16))
class StreamingEncoder(nn.Module):
    """A chunk of sounds that attends to itself, to what came before and to a summary; its state goes in and out."""

    def __init__(self):
        super().__init__()
        self.q, self.kv, self.out = nn.Linear(16, 16), nn.Linear(16, 32), nn.Linear(16, 16)
        self.norm = nn.LayerNorm(16)
        self.mlp = nn.Sequential(nn.LayerNorm(16), nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16))

    def forward(self, x: Tensor, left: Tensor, memory: Tensor) -> Tuple[Tensor, List[Tensor]]:
        t, b, d = x.shape
        y = self.norm(x)
        summary = y.mean(0, keepdim=True)
        q = self.q(torch.cat([y, summary]))
        keys, values = self.kv(torch.cat([memory, left, y])).chunk(2, dim=2)
        q, k, v = [z.contiguous().view(-1, b * 4, d // 4).transpose(0, 1) for z in (q, keys, values)]
        weights = torch.bmm(q * (d // 4) ** -0.5, k.transpose(1, 2)).softmax(dim=-1)
        y = self.out(torch.bmm(weights, v).transpose(0, 1).contiguous().view(t + 1, b, d))
        x = x + y[:t]
        return x + self.mlp(x), [y[:t][-3:], torch.cat([memory, y[t:]])[-2:]]


@deployed(normal(1, 5, 8))
class MemoryReader(nn.Module):
    """A controller that reads from and writes to a memory, addressed by cosines, step by step."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(8 + 6, 16)
        self.key, self.beta, self.erase, self.add = (
            nn.Linear(16, 6),
            nn.Linear(16, 1),
            nn.Linear(16, 6),
            nn.Linear(16, 6),
        )
        self.start = nn.Parameter(torch.randn(7, 6))
        self.out = nn.Linear(22, 4)

    def forward(self, x):
        memory = self.start.unsqueeze(0).repeat(x.size(0), 1, 1)
        h = x.new_zeros(x.size(0), 16)
        read = x.new_zeros(x.size(0), 6)
        results = []
        for step in x.unbind(1):
            h = self.cell(torch.cat([step, read], 1), h)
            similar = F.cosine_similarity(memory, self.key(h).unsqueeze(1), dim=-1)
            w = F.softmax(F.softplus(self.beta(h)) * similar, dim=-1).unsqueeze(-1)
            memory = memory * (1 - w * torch.sigmoid(self.erase(h)).unsqueeze(1)) + w * self.add(h).unsqueeze(1)
            read = (w * memory).sum(1)
            results.append(self.out(torch.cat([h, read], 1)))
        return torch.stack(results, 1)


@deployed(normal(1, 32, 10), forms=("traced",))
class LocalConvolutions(nn.Module):
    """Causal, dilated convolutions with weights normalised, which are written out when it is made."""

    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(
            [nn.utils.weight_norm(nn.Conv1d(10 if i == 0 else 12, 12, 3, dilation=2**i)) for i in range(3)]
        )
        self.side = nn.Conv1d(10, 12, 1)
        self.out = nn.Linear(12, 5)

    def forward(self, x):
        y = x.transpose(1, 2)
        first = self.side(y)
        for i, conv in enumerate(self.convs):
            y = F.relu(conv(F.pad(y, (2 * 2**i, 0))))
        return self.out(torch.relu(y + first)[:, :, -1])


@deployed(normal(1, 8, 20))
class Vocoder(nn.Module):
    """Waves of a spectrogram: transposed convolutions, residual blocks of several dilations, leaky slopes."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(8, 16, 7, padding=3)
        self.ups = nn.ModuleList([nn.ConvTranspose1d(16 // 2**i, 8 // 2**i, 8, 4, padding=2) for i in range(2)])
        self.blocks = nn.ModuleList(
            [
                nn.ModuleList([nn.Conv1d(8 // 2**i, 8 // 2**i, 3, padding=d, dilation=d) for d in (1, 3)])
                for i in range(2)
            ]
        )
        self.last = nn.Conv1d(4, 1, 7, padding=3)

    def forward(self, x):
        x = self.first(x)
        for up, block in zip(self.ups, self.blocks):
            x = up(F.leaky_relu(x, 0.1))
            for conv in block:
                x = x + conv(F.leaky_relu(x, 0.1))
        return torch.tanh(self.last(F.leaky_relu(x)))


@deployed(normal(1, 4096))
class SpectrumClassifier(nn.Module):
    """A spectrogram by a Fourier transform, its logarithm in bands, convolutions."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(64))
        self.register_buffer("bands", torch.rand(33, 16))
        self.net = nn.Sequential(
            nn.Conv2d(1, 24, 3, padding=1),
            nn.BatchNorm2d(24),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(24, 24, 3, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(24, 5),
        )

    def forward(self, wave):
        spectrum = torch.stft(wave, 64, 32, 64, self.window, center=True, pad_mode="reflect", return_complex=True)
        power = spectrum.abs().pow(2.0)
        mel = torch.matmul(power.transpose(1, 2), self.bands).transpose(1, 2)
        return self.net(torch.log(mel + 1e-6).unsqueeze(1))


@deployed(normal(1, 10, 8), whole(10, 2, 24))
class EdgeAttention(nn.Module):
    """Attention over edges that come in: what is sent is weighed by a softmax over who receives, and summed there."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 4)
        self.towards, self.by = nn.Linear(16, 1), nn.Linear(16, 1)

    def forward(self, nodes, edges):
        x = self.first(nodes[0])
        source, target = edges[0], edges[1]
        e = F.leaky_relu(self.towards(x)[target] + self.by(x)[source], 0.2).squeeze(-1)
        e = torch.exp(e - e.max())
        total = torch.zeros(x.size(0), dtype=e.dtype).index_add(0, target, e)
        weights = e / (total[target] + 1e-9)
        y = torch.zeros_like(x).index_add_(0, target, weights.unsqueeze(-1) * x[source])
        degree = torch.zeros(x.size(0)).scatter_add_(0, target, torch.ones(target.size(0)))
        return self.second(F.elu(y)) / degree.clamp(min=1).unsqueeze(-1)


@deployed(normal(4, 1, 12), normal(2, 1, 16), quantized="cells")
class StackedSteps(nn.Module):
    """Cells of three kinds on top of each other, step by step."""

    def __init__(self):
        super().__init__()
        self.lstm, self.gru, self.rnn = nn.LSTMCell(12, 16), nn.GRUCell(16, 16), nn.RNNCell(16, 16)
        self.out = nn.Linear(16, 4)

    def forward(self, x, state):
        h, c = state[0], state[1]
        g, r = torch.zeros_like(h), torch.zeros_like(h)
        for i in range(4):
            h, c = self.lstm(x[i], (h, c))
            g = self.gru(h, g)
            r = self.rnn(g, r)
        return self.out(r), torch.stack([h, c])


@deployed(whole(40, 2, 5), whole(30, 8), fixed(0, 3), quantized="tables")
class TablesOfBytes(nn.Module):
    """Words and bags of words from two tables."""

    def __init__(self):
        super().__init__()
        self.words, self.bags = nn.Embedding(40, 16), nn.EmbeddingBag(30, 16, mode="sum")
        self.out = nn.Linear(32, 5)

    def forward(self, words, members, offsets):
        return self.out(torch.cat([self.words(words).mean(1), self.bags(members, offsets)], 1))


@deployed(normal(1, 2, 4, 6, 8), normal(1, 4, 1, 8), fixed(3))
class WrittenCache(nn.Module):
    """Keys and values written into a cache at a place that comes in, and attention over as much of it as is there."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(32, 6)

    def forward(self, cache, x, at):
        k, v = cache[:, 0].clone(), cache[:, 1].index_copy(2, at, x * 2)
        k[:, :, at] = x
        q = torch.tanh(x)
        scores = (q @ k.transpose(-2, -1)).masked_fill(torch.arange(6)[None, None, None] > at, float("-inf"))
        y = (scores.softmax(-1) @ v).transpose(1, 2).reshape(1, 1, 32)
        return self.out(y), torch.stack([k, v], 1)


@deployed(normal(2, 6, 16))
class SelectiveScan(nn.Module):
    """A selective state space scanned step by step."""

    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(16, 64)
        self.conv = nn.Conv1d(32, 32, 4, padding=3, groups=32)
        self.xp = nn.Linear(32, 2 + 8)
        self.dt = nn.Linear(2, 32)
        self.A = nn.Parameter(torch.log(torch.arange(1, 5).float().repeat(32, 1)))
        self.D = nn.Parameter(torch.ones(32))
        self.out = nn.Linear(32, 16)

    def forward(self, x):
        b, l, _ = x.shape
        x, z = self.inp(x).chunk(2, dim=-1)
        x = F.silu(self.conv(x.transpose(1, 2))[..., :l]).transpose(1, 2)
        dt, B, C = torch.split(self.xp(x), [2, 4, 4], dim=-1)
        dt = F.softplus(self.dt(dt))
        A = -torch.exp(self.A.float())
        dA = torch.exp(torch.einsum("bld,dn->bldn", dt, A))
        dB = torch.einsum("bld,bln,bld->bldn", dt, B, x)
        h = torch.zeros(b, 32, 4, device=x.device)
        ys: List[Tensor] = []
        for i in range(l):
            h = dA[:, i] * h + dB[:, i]
            ys.append(torch.einsum("bdn,bn->bd", h, C[:, i]))
        y = torch.stack(ys, dim=1) + x * self.D
        return self.out(y * F.silu(z))


@deployed(normal(1, 6, 20), quantized="cells")
class HandSteppedLayers(nn.Module):
    """Recurrent cells of a list of layers in a loop over the steps, their states a list of pairs."""

    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList([nn.LSTMCell(20, 12), nn.LSTMCell(12, 12)])
        self.g = nn.GRUCell(12, 12)
        self.o = nn.Linear(12, 4)

    def forward(self, x):
        hs = [
            (torch.zeros(x.size(0), 12), torch.zeros(x.size(0), 12)),
            (torch.zeros(x.size(0), 12), torch.zeros(x.size(0), 12)),
        ]
        g = torch.zeros(x.size(0), 12)
        outs: List[Tensor] = []
        for t in range(x.size(1)):
            y = x[:, t]
            for i, cell in enumerate(self.cells):
                hs[i] = cell(y, hs[i])
                y = hs[i][0]
            g = self.g(y, g)
            outs.append(self.o(g))
        return torch.stack(outs, dim=1)
