"""Models of different kinds, each with arguments: what a file with NNAPI parts and TorchScript around them may hold.

models.py DIR       writes DIR/NAME.pt, DIR/NAME-N.npy and DIR/list.txt, a line of NAME and arguments as the command line takes them each;
                    DIR/open.txt has those that are converted for open sizes too, which come as the attribute "sizes" of a class says
"""

import pathlib
import sys
import warnings
from typing import Dict, List, NamedTuple, Optional, Tuple

import numpy
import torch
import torch.nn.functional as F
from torch import Tensor, nn

warnings.filterwarnings("ignore")
MODELS = []


def model(scripted, *arguments):
    """Registers a class of modules; scripted and, where it says so, traced."""

    def register(kind):
        for form in (
            ("scripted",) if scripted == "scripted" else ("traced",) if scripted == "traced" else ("scripted", "traced")
        ):
            MODELS.append((kind.__name__ + "-" + form, kind, form, arguments))
        return kind

    return register


X = torch.randn(1, 16, 32, 32, generator=torch.Generator().manual_seed(1))
Y = torch.randn(1, 16, 32, 32, generator=torch.Generator().manual_seed(2))
IDS = torch.arange(12).reshape(1, 12) % 7


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(16, 32, 3, padding=1)
        self.b = nn.Conv2d(32, 32, 3, padding=1)
        self.c = nn.Conv2d(32, 16, 3, padding=1)


@model("both", X)
class CumulativeSum(Base):
    open, sizes = "float32[1,16,-1,-1]", ((1, 16, 21, 34), (1, 16, 40, 17), (1, 16, 9, 61))

    def forward(self, x):
        return self.c(torch.cumsum(self.b(F.relu(self.a(x))), 2))


@model("both", X)
class Sorted(Base):
    def forward(self, x):
        return torch.sort(self.b(self.a(x)).flatten(2), 2)[0]


@model("both", X)
class Tuples(Base):
    def forward(self, x):
        y = self.a(x)
        return y, torch.cumsum(y, 1), self.b(y)


@model("scripted", X)
class Branch(Base):
    def forward(self, x):
        y = self.a(x)
        if bool(x.sum() > 0):
            y = self.b(y).relu()
        else:
            y = self.b(-y).sigmoid()
        return self.c(y)


@model("scripted", -X)
class OtherBranch(Branch):
    pass


@model("scripted", X)
class Loop(Base):
    def forward(self, x):
        h = self.a(x)
        seen: List[Tensor] = []
        for i in range(int((x.sum() > 0).int()) + 2):
            h = self.b(h).tanh()
            seen.append(h.mean())
        return h, seen


@model("scripted", X)
class While(Base):
    def forward(self, x):
        h = self.a(x)
        while bool(h.abs().mean() > 0.05):
            h = self.b(h) * 0.5
        return self.c(h)


@model("scripted", X, 3)
class Number(Base):
    def forward(self, x, turns: int):
        h = self.a(x)
        for i in range(turns):
            h = F.relu(self.b(h)) + i
        return h


@model("scripted", X, 0.5, True)
class Flags(Base):
    def forward(self, x, scale: float, twice: bool):
        y = self.a(x) * scale
        if twice:
            y = self.b(y)
        return self.c(y)


@model("scripted", [X, Y])
class Images(Base):
    def forward(self, images: List[Tensor]) -> Dict[str, List[Tensor]]:
        out: List[Tensor] = []
        sizes: List[Tensor] = []
        for image in images:
            out.append(self.b(self.a(image)))
            sizes.append(torch.tensor(image.shape))
        return {"out": out, "sizes": sizes}


@model("scripted", {"left": X, "right": Y})
class Named(Base):
    def forward(self, inputs: Dict[str, Tensor]) -> Dict[str, Tensor]:
        left = self.a(inputs["left"])
        right = self.a(inputs["right"])
        return {"both": self.b(left + right), "order": torch.argsort(left.mean(1).flatten())}


@model("scripted", (X, Y))
class Pair(Base):
    def forward(self, pair: Tuple[Tensor, Tensor]):
        return self.b(self.a(pair[0]) - self.a(pair[1])).cumsum(3)


@model("scripted", X, None)
class OptionalNone(Base):
    def forward(self, x, mask: Optional[Tensor]):
        y = self.b(self.a(x))
        if mask is not None:
            y = y * mask
        return y.cumsum(1)


@model("scripted", X, Y[:, :1])
class OptionalGiven(OptionalNone):
    pass


class Found(NamedTuple):
    scores: Tensor
    places: Tensor


@model("scripted", X)
class Named_Tuple(Base):
    # PyTorch 1.13's lite interpreter does not read its own files of named tuples.
    lite = False

    def forward(self, x) -> Found:
        y = self.b(self.a(x)).mean(1).flatten(1)
        scores, places = torch.topk(y, 5)
        return Found(scores, places)


@model("scripted", X)
class Stateful(Base):
    def __init__(self):
        super().__init__()
        self.steps = 1

    def forward(self, x):
        self.steps += 1
        return self.b(self.a(x)) * self.steps

    @torch.jit.export
    def reset(self, steps: int):
        self.steps = steps


class Causal(nn.Module):
    past: Optional[Tensor]

    def __init__(self, channels, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, 64, 3, dilation=dilation)
        self.reach = 2 * dilation
        self.past = None

    def forward(self, x):
        past = self.past
        if past is None:
            past = torch.zeros(x.size(0), x.size(1), self.reach, dtype=x.dtype)
        joined = torch.cat([past, x], 2)
        self.past = joined[:, :, -self.reach :]
        return torch.relu(self.conv(joined))


@model("scripted", torch.randn(1, 16, 40, generator=torch.Generator().manual_seed(3)))
class Streaming(nn.Module):
    """Speech in pieces: what it keeps is None before the first."""

    memory: Optional[Tuple[Tensor, Tensor]]
    hidden: Optional[Tensor]

    def __init__(self):
        super().__init__()
        self.first, self.second = Causal(16, 1), Causal(64, 2)
        self.lstm = nn.LSTM(64, 64, batch_first=True)
        self.gru = nn.GRU(64, 48, batch_first=True)
        self.out = nn.Linear(48, 16)
        self.memory, self.hidden, self.pieces = None, None, 0

    def forward(self, x):
        self.pieces += 1
        y, memory = self.lstm(self.second(self.first(x)).transpose(1, 2), self.memory)
        self.memory = memory
        y, hidden = self.gru(y, self.hidden)
        self.hidden = hidden
        return torch.sigmoid(self.out(y)).transpose(1, 2) * x


class Buffered(nn.Module):
    def __init__(self, channels, width):
        super().__init__()
        self.conv = nn.Conv1d(channels, 64, width)
        self.reach = width - 1
        self.register_buffer("past", torch.empty(0))

    def forward(self, x):
        if self.past.numel() == 0:
            self.past = torch.zeros(x.size(0), x.size(1), self.reach)
        joined = torch.cat([self.past, x], 2)
        self.past = joined[:, :, -self.reach :]
        return torch.relu(self.conv(joined))


@model("scripted", torch.randn(1, 16, 40, generator=torch.Generator().manual_seed(4)))
class BufferedStream(nn.Module):
    """Speech in pieces: what it keeps has no elements before the first."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Buffered(16, 5), Buffered(64, 3)
        self.lstm = nn.LSTM(64, 64, batch_first=True)
        self.out = nn.Linear(64, 16)
        self.hidden, self.memory, self.level = torch.zeros(0), torch.zeros(0), torch.zeros(0)

    def forward(self, x):
        y = self.second(self.first(x)).transpose(1, 2)
        if self.hidden.size(0) == 0:
            hidden, memory = torch.zeros(1, x.size(0), 64), torch.zeros(1, x.size(0), 64)
        else:
            hidden, memory = self.hidden, self.memory
        y, (hidden, memory) = self.lstm(y, (hidden, memory))
        self.hidden, self.memory = hidden, memory
        y = torch.sigmoid(self.out(y)).transpose(1, 2)
        if self.level.shape != y.shape:
            self.level = y
        else:
            self.level = 0.9 * self.level + 0.1 * y
        return self.level * x


@model("scripted", torch.randn(1, 20, 32, generator=torch.Generator().manual_seed(5)))
class BeamSearch(nn.Module):
    """The best three of all that may be said, of which those that end are marked in place."""

    def __init__(self):
        super().__init__()
        self.before = nn.Sequential(nn.Linear(32, 256), nn.ReLU(), nn.Linear(256, 128))
        self.words, self.cell, self.after = nn.Embedding(200, 128), nn.LSTMCell(128, 128), nn.Linear(128, 200)

    def forward(self, x):
        h = self.before(x).mean(1).expand(3, -1)
        c = torch.zeros_like(h)
        said = torch.full([3, 1], 1, dtype=torch.long)
        scores = torch.zeros(3)
        scores[1:] = -1e9
        ended: List[Tensor] = []
        for _ in range(4):
            h, c = self.cell(self.words(said[:, -1]), (h, c))
            each = (scores.unsqueeze(1) + F.log_softmax(self.after(h), -1)).view(-1)
            scores, best = each.topk(3)
            beam, word = torch.div(best, 200, rounding_mode="floor"), best % 200
            said, h, c = torch.cat([said[beam], word.unsqueeze(1)], 1), h[beam], c[beam]
            for k in range(3):
                if int(word[k]) % 3 == 2:
                    ended.append(said[k])
                    scores[k] = scores[k] - 1
        return said, scores, len(ended)


@model("scripted", X)
class Methods(Base):
    def forward(self, x):
        return self.decode(self.encode(x)).cumsum(1)

    @torch.jit.export
    def encode(self, x):
        return F.relu(self.a(x))

    @torch.jit.export
    def decode(self, x):
        return self.c(self.b(x))


@model("both", X)
class Masked(Base):
    def forward(self, x):
        y = self.b(self.a(x))
        y = torch.where(y > 0, y, torch.erfinv(torch.tanh(y) * 0.9))
        return self.c(y)


@model("both", X)
class NonZero(Base):
    def forward(self, x):
        y = self.b(self.a(x)).mean(1)
        return y, torch.nonzero(y > 0.1)


@model("both", X)
class InPlace(Base):
    def forward(self, x):
        y = self.a(x)
        y[:, 0] = y[:, 1] * 2
        return self.c(self.b(y).clamp_(0, 1))


@model("scripted", [X, Y])
class Batched(Base):
    def forward(self, images: List[Tensor]):
        batch = images[0].new_zeros([len(images), 16, 34, 34])
        for i in range(batch.shape[0]):
            batch[i, :, :32, :32].copy_(images[i][0])
        return self.b(self.a(batch))


@model("both", X)
class Whole(Base):
    open, sizes = "float32[-1,16,0,0]", ((1, 16, 21, 34),)

    def forward(self, x):
        return torch.softmax(F.adaptive_avg_pool2d(self.b(F.silu(self.a(x))), 1).flatten(1), 1)


@model("both", X)
class Grouped(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(16, 64, 3, padding=2, groups=4, dilation=2)
        self.n = nn.GroupNorm(8, 64)
        self.b = nn.Conv2d(64, 16, 1)

    def forward(self, x):
        return self.b(F.gelu(self.n(self.a(x)))).sigmoid().lgamma()


@model("both", X)
class UNet(Base):
    open, sizes = "float32[-1,16,-1,-1]", ((1, 16, 20, 34), (3, 16, 66, 18), (2, 16, 48, 62))

    def __init__(self):
        super().__init__()
        self.up = nn.ConvTranspose2d(32, 32, 2, stride=2)

    def forward(self, x):
        a = F.relu(self.a(x))
        b = F.relu(self.b(F.max_pool2d(a, 2)))
        return self.c(self.up(b) + a).sigmoid().lgamma()


@model("both", X)
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Conv2d(16, 64, 4, stride=4)
        self.q = nn.Linear(64, 192)
        self.o = nn.Linear(64, 64)

    def forward(self, x):
        y = self.e(x).flatten(2).transpose(1, 2)
        q, k, v = self.q(y).reshape(1, 64, 3, 4, 16).permute(2, 0, 3, 1, 4).unbind(0)
        z = torch.softmax(q @ k.transpose(-2, -1) / 4, -1) @ v
        return self.o(z.transpose(1, 2).reshape(1, 64, 64)).cumsum(1)


@model("both", IDS)
class Words(nn.Module):
    open, sizes = "int64[1,-1]", ((1, 5), (1, 61), (1, 130))

    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(7, 256)
        self.a = nn.Linear(256, 512)
        self.b = nn.Linear(512, 512)

    def forward(self, ids):
        return torch.cumsum(self.b(F.gelu(self.a(self.e(ids)))), 1), ids.bincount() if ids.dim() == 1 else ids


@model("both", X)
class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(16, 64, 3, stride=2, padding=1)
        self.r = nn.LSTM(64 * 16, 32, batch_first=True, bidirectional=True)

    def forward(self, x):
        y = F.relu(self.c(x))
        return self.r(y.permute(0, 3, 1, 2).flatten(2))[0]


@model("both", X)
class Grid(Base):
    def forward(self, x):
        grid = torch.tanh(self.c(self.a(x)))[:, :2].permute(0, 2, 3, 1)
        return F.grid_sample(self.a(x), grid, align_corners=False)


@model("both", X)
class Whole_Numbers(Base):
    def forward(self, x):
        y = self.b(self.a(x))
        return y.argmax(1), y > 0, (y * 10).int().cumsum(1)


@model("both", torch.randn(1, 4, 16, 24, 24, generator=torch.Generator().manual_seed(3)).mean(1))
class Volume(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(16, 64, 3)

    def forward(self, x):
        y = self.a(x)
        return y.reshape(1, 4, 16, 22, 22).cumsum(1), y.reshape(1, 2, 2, 16, 22, 22)


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.b = nn.Conv2d(32, 32, 3, padding=1)

    def forward(self, x, seen: Dict[str, Tensor], name: str):
        y = F.hardswish(self.b(x))
        seen[name] = y.cumsum(1)
        return y


@model("scripted", X)
class Modules(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(16, 32, 3, padding=1)
        self.blocks = nn.ModuleList([Inner(), Inner()])

    def forward(self, x) -> Dict[str, Tensor]:
        seen: Dict[str, Tensor] = {}
        y = self.a(x)
        for i, block in enumerate(self.blocks):
            y = block(y, seen, "block" + str(i))
        return seen


@model("traced", X)
class Quantized(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            torch.quantization.QuantStub(),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(32, 32, 3, padding=1),
            torch.quantization.DeQuantStub(),
        )

    def prepare(self):
        torch.backends.quantized.engine = "qnnpack"
        self.qconfig = torch.quantization.get_default_qconfig("qnnpack")
        torch.quantization.prepare(self, inplace=True)
        self(X)
        torch.quantization.convert(self, inplace=True)
        return self

    def forward(self, x):
        return self.body(x).cumsum(1)


def spelled(value, name, folder, numbers):
    """An argument as the command line takes it; tensors are written to files."""
    if isinstance(value, Tensor):
        file = folder / f"{name}-{next(numbers)}.npy"
        numpy.save(file, value.numpy())
        return str(file)
    if isinstance(value, list):
        return "[" + ", ".join(spelled(v, name, folder, numbers) for v in value) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(spelled(v, name, folder, numbers) for v in value) + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{k}": ' + spelled(v, name, folder, numbers) for k, v in value.items()) + "}"
    return str(value)


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    with (folder / "list.txt").open("w") as lines, (folder / "open.txt").open("w") as opened:
        for name, kind, form, arguments in MODELS:
            torch.manual_seed(0)
            module = kind().eval()
            module = module.prepare() if hasattr(module, "prepare") else module
            saved = (
                torch.jit.script(module)
                if form == "scripted"
                else torch.jit.trace(module, arguments, check_trace=False)
            )
            saved.save(str(folder / (name + ".pt")))
            numbers = iter(range(100))
            if hasattr(kind, "open"):
                opened.write(name + "\t" + kind.open + "\n")
            lines.write("\t".join([name] + [spelled(a, name, folder, numbers) for a in arguments]) + "\n")


if __name__ == "__main__":
    main()
