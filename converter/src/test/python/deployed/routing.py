"""Models that pick rows, edges and places by what they compute: graph nets, experts, point groups, matching, filters and flows."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from catalogue import deployed, fixed, image, normal

EDGES = [[0, 1, 2, 3, 4, 4, 1, 2, 5, 3], [1, 0, 3, 2, 4, 0, 5, 2, 1, 3]]


@deployed(normal(6, 8), fixed(*EDGES))
class DroppedLoops(nn.Module):
    """Graph convolutions as graph libraries make them: self-loops that are there are dropped, one is added for each node, degrees are counted."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 3)

    def conv(self, x: Tensor, edges: Tensor, weight: Tensor):
        return torch.zeros_like(x).index_add_(0, edges[1], x[edges[0]] * weight.unsqueeze(-1))

    def forward(self, x, edges):
        n = x.size(0)
        keep = edges[0] != edges[1]
        edges = torch.cat([edges[:, keep], torch.arange(n).unsqueeze(0).repeat(2, 1)], dim=1)
        weight = torch.ones(edges.size(1))
        root = torch.zeros(n).scatter_add_(0, edges[1], weight).pow(-0.5)
        root.masked_fill_(root == float("inf"), 0.0)
        weight = root[edges[0]] * weight * root[edges[1]]
        return F.log_softmax(
            self.conv(self.second(F.relu(self.conv(self.first(x), edges, weight))), edges, weight), dim=-1
        )


@deployed(normal(6, 8), fixed(*EDGES))
class SparseAdjacency(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 3)

    def forward(self, x, edges):
        n = x.size(0)
        adjacency = torch.sparse_coo_tensor(edges, torch.ones(edges.size(1)), [n, n])
        return self.second(torch.sparse.mm(adjacency, torch.relu(self.first(torch.sparse.mm(adjacency, x)))))


@deployed(normal(2, 5, 16))
class RoutedExperts(nn.Module):
    """The two best experts of each token, which each expert looks for."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(16, 4, bias=False)
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 16)) for _ in range(4)])

    def forward(self, hidden):
        b, t, d = hidden.shape
        x = hidden.view(-1, d)
        weights, chosen = torch.topk(F.softmax(self.gate(x), dim=1), 2, dim=-1)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        out = torch.zeros((b * t, d))
        mask = F.one_hot(chosen, num_classes=4).permute(2, 1, 0)
        for e, expert in enumerate(self.experts):
            place, token = torch.where(mask[e])
            out.index_add_(0, token, expert(x[None, token].reshape(-1, d)) * weights[token, place, None])
        return out.reshape(b, t, d)


@deployed(normal(7, 16))
class ExpertsOfACapacity(nn.Module):
    """Each expert has room for three tokens, which are handed out by running sums."""

    def __init__(self):
        super().__init__()
        self.gate, self.up, self.down = (
            nn.Linear(16, 4),
            nn.Parameter(torch.randn(4, 16, 32) * 0.1),
            nn.Parameter(torch.randn(4, 32, 16) * 0.1),
        )

    def forward(self, x):
        value, chosen = self.gate(x).softmax(-1).max(-1)
        mask = F.one_hot(chosen, 4)
        place = (torch.cumsum(mask, 0) - 1) * mask
        keep = (place < 3) * mask
        dispatch = torch.einsum(
            "t,te,tc->tec", value * keep.sum(-1), keep.float(), F.one_hot((place * keep).sum(-1), 3).float()
        )
        rows = torch.einsum("tec,td->ecd", (dispatch > 0).float(), x)
        return torch.einsum("tec,ecd->td", dispatch, torch.bmm(F.relu(torch.bmm(rows, self.up)), self.down))


def points(all_points, places):
    """Of each of a batch the points at its places, of any number of dimensions."""
    ones, times = list(places.shape), list(places.shape)
    ones[1:] = [1] * (len(ones) - 1)
    times[0] = 1
    return all_points[torch.arange(all_points.shape[0]).view(ones).repeat(times), places, :]


@deployed(normal(2, 3, 32), forms=("traced",))
class BallQuery(nn.Module):
    """Set abstraction: centres far from each other, what lies around them, the first one again where there is too little."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.head = nn.Conv2d(6, 16, 1), nn.BatchNorm2d(16), nn.Linear(16, 4)

    @staticmethod
    def far(xyz, count):
        b, n, _ = xyz.shape
        centres = torch.zeros(b, count, dtype=torch.long)
        distance, latest, batch = torch.ones(b, n) * 1e10, torch.zeros(b, dtype=torch.long), torch.arange(b)
        for i in range(count):
            centres[:, i] = latest
            near = torch.sum((xyz - xyz[batch, latest, :].view(b, 1, 3)) ** 2, -1)
            mask = near < distance
            distance[mask] = near[mask]
            latest = torch.max(distance, -1)[1]
        return centres

    def forward(self, x):
        xyz = x.permute(0, 2, 1)
        b, n, _ = xyz.shape
        centres = points(xyz, self.far(xyz, 6))
        square = (
            -2 * torch.matmul(centres, xyz.permute(0, 2, 1))
            + torch.sum(centres**2, -1).view(b, 6, 1)
            + torch.sum(xyz**2, -1).view(b, 1, n)
        )
        group = torch.arange(n).view(1, 1, n).repeat([b, 6, 1])
        group[square > 0.8**2] = n
        group = group.sort(dim=-1)[0][:, :, :5]
        first = group[:, :, 0].view(b, 6, 1).repeat([1, 1, 5])
        mask = group == n
        group[mask] = first[mask]
        near = points(xyz, group)
        features = torch.cat([near - centres.view(b, 6, 1, 3), near], dim=-1).permute(0, 3, 2, 1)
        return self.head(torch.max(F.relu(self.norm(self.conv(features))), 2)[0].mean(-1))


@deployed(image(1, 1, 16, 16), image(1, 1, 16, 16))
class MatchedPlaces(nn.Module):
    """Descriptors of two pictures matched by optimal transport; matches are mutual."""

    def __init__(self):
        super().__init__()
        self.net, self.bin = (
            nn.Sequential(nn.Conv2d(1, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 16, 3, 2, 1)),
            nn.Parameter(torch.tensor(1.0)),
        )

    def forward(self, left, right):
        a, b = [F.normalize(self.net(t).flatten(2), dim=1) for t in (left, right)]
        scores = torch.einsum("bdn,bdm->bnm", a, b) / 0.1
        n, rows, columns = scores.shape
        full = torch.cat([torch.cat([scores, self.bin.expand(n, rows, 1)], -1), self.bin.expand(n, 1, columns + 1)], 1)
        u, v = torch.zeros(n, rows + 1), torch.zeros(n, columns + 1)
        for _ in range(4):
            u = -torch.logsumexp(full + v.unsqueeze(1), dim=2)
            v = -torch.logsumexp(full + u.unsqueeze(2), dim=1)
        full = full + u.unsqueeze(2) + v.unsqueeze(1)
        best, back = full[:, :-1, :-1].max(2), full[:, :-1, :-1].max(1)
        mutual = torch.arange(rows)[None] == back.indices.gather(1, best.indices)
        return torch.where(mutual, best.values.exp(), torch.zeros(1)), torch.where(
            mutual, best.indices, torch.full_like(best.indices, -1)
        )


@deployed(image(1, 3, 24, 24))
class VolumetricPose(nn.Module):
    """Places of joints in three dimensions as means of heat maps along each."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 4 * 5, 3, 2, 1))

    def forward(self, x):
        maps = self.net(x)
        n, _, h, w = maps.shape
        maps = F.softmax(maps.reshape(n, 4, -1), 2).view(n, 4, 5, h, w)
        across, down, deep = maps.sum((2, 3)), maps.sum(dim=(2, 4)), maps.sum(dim=(3, 4))
        return torch.cat(
            [
                (part * torch.arange(size, dtype=torch.float32)).sum(2, keepdim=True) / size - 0.5
                for part, size in ((across, w), (down, h), (deep, 5))
            ],
            dim=2,
        )


@deployed(normal(1, 2, 40))
class HeartRhythm(nn.Module):
    """Blurred before it is made smaller, pooled by statistics; the class that most places vote for."""

    def __init__(self):
        super().__init__()
        self.stem, self.blocks = (
            nn.Conv1d(2, 8, 7, padding=3),
            nn.ModuleList([nn.Conv1d(8, 8, 3, padding=1) for _ in range(2)]),
        )
        self.register_buffer("blur", torch.tensor([1.0, 2, 1]).div(4).view(1, 1, 3).repeat(8, 1, 1))
        self.head, self.votes = nn.Linear(24, 5), nn.Linear(8, 3)

    def forward(self, x):
        y = self.stem(x)
        for block in self.blocks:
            y = F.conv1d(F.pad(F.relu(y + block(y)), (1, 1), mode="replicate"), self.blur, stride=2, groups=8)
        pooled = torch.cat([y.mean(-1), y.std(-1), y.amax(-1)], 1)
        return self.head(pooled), torch.mode(self.votes(y.transpose(1, 2)).argmax(-1), -1)[0]


@deployed(normal(2, 4), normal(2, 3))
class Rotations(nn.Module):
    """Turns as exponentials of what they turn about, blocks of them, pairs of what they turn."""

    def __init__(self):
        super().__init__()
        self.axis, self.out = nn.Linear(4, 3), nn.Linear(9, 5)

    def forward(self, x, v):
        r = self.axis(x)
        zero = torch.zeros_like(r[:, 0])
        turn = torch.matrix_exp(
            torch.stack([zero, -r[:, 2], r[:, 1], r[:, 2], zero, -r[:, 0], -r[:, 1], r[:, 0], zero], -1).view(-1, 3, 3)
        )
        signed = torch.copysign(torch.sqrt(v.abs()), v)
        return (
            torch.block_diag(turn[0], turn[1]),
            self.out(turn.flatten(1)),
            torch.cartesian_prod(v[0], v[1]),
            torch.combinations(v[0], 2),
            torch.zeros_like(v).masked_scatter(v > 0, signed),
            (turn @ signed.unsqueeze(-1)).squeeze(-1),
        )


@deployed(normal(4, 7, 3), fixed(7, 5, 3, 2))
class PooledSequences(nn.Module):
    """Sequences of lengths that come in, packed, run and filled up to one length, over which attention pools."""

    def __init__(self):
        super().__init__()
        self.run, self.score, self.out = (
            nn.GRU(3, 8, bidirectional=True, batch_first=True),
            nn.Linear(16, 1),
            nn.Linear(16, 2),
        )

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        y, _ = nn.utils.rnn.pad_packed_sequence(self.run(packed)[0], batch_first=True, total_length=7)
        behind = torch.arange(7)[None, :] >= lengths[:, None]
        weights = self.score(torch.tanh(y)).squeeze(-1).masked_fill(behind, float("-inf")).softmax(1)
        return self.out(torch.bmm(weights.unsqueeze(1), y).squeeze(1))


@deployed(normal(1, 5, 2))
class KalmanFilter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("step", torch.tensor([[1.0, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]]))
        self.register_buffer("seen", torch.eye(2, 4))
        self.drift, self.noise = nn.Parameter(torch.full((4,), -2.0)), nn.Parameter(torch.full((2,), 0.5))

    def forward(self, seen):
        state, spread, out = torch.zeros(seen.size(0), 4, 1), torch.eye(4).expand(seen.size(0), 4, 4), []
        for t in range(seen.size(1)):
            state, spread = self.step @ state, self.step @ spread @ self.step.t() + torch.diag(self.drift.exp())
            gain = (
                spread
                @ self.seen.t()
                @ torch.inverse(self.seen @ spread @ self.seen.t() + torch.diag_embed(self.noise.exp()))
            )
            state = state + gain @ (seen[:, t].unsqueeze(-1) - self.seen @ state)
            spread = (torch.eye(4) - gain @ self.seen) @ spread
            out.append(state.squeeze(-1))
        return torch.stack(out, 1)


@deployed(normal(4, 6))
class CouplingFlow(nn.Module):
    """A normalizing flow with the logarithm of its density."""

    def __init__(self):
        super().__init__()
        self.scales = nn.ModuleList(
            [nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(), nn.Linear(16, 6), nn.Tanh()) for _ in range(3)]
        )
        self.moves = nn.ModuleList(
            [nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(), nn.Linear(16, 6)) for _ in range(3)]
        )
        self.register_buffer("masks", torch.tensor([[0.0, 1] * 3, [1.0, 0] * 3, [0.0, 1] * 3]))

    def forward(self, z):
        density = z.new_zeros(z.shape[0])
        for i, (scale, move) in enumerate(zip(self.scales, self.moves)):
            kept, free = z * self.masks[i], 1 - self.masks[i]
            s = scale(kept) * free
            z = kept + free * (z * torch.exp(s) + move(kept))
            density = density + s.sum(1)
        return z, density - 0.5 * (z**2 + math.log(2 * math.pi)).sum(1)
