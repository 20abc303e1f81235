#!/usr/bin/env python3
"""Models that today's PyTorch exports, in both dialects, with the answers that it gives itself.

    ci/today/models.py OUT [--vision SIZE] [--only TEXT] [--build NAMES]
    ci/today/models.py --builds

Writes a folder for each: model.pt2, tensors, and case.json, as `torch-nnapi conformance pt2` reads them. Without --vision these are
drawn by chance, the same ones each time: nets on pictures and on tokens, half of them of open sizes, and some that are about one thing.
Those whose elements decide sizes are TorchScript, model.pt, as `torch.export` does not take most of them.
With it they are torchvision's builds with random weights, on pictures of that size; --builds prints their names.
"""

import argparse
import json
import math
import pathlib
import random
import warnings

import numpy
import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional as F

NETS = 10
# Builds that take no smaller pictures.
LEAST = {"inception_v3": 96, "alexnet": 96, "maxvit_t": 224}
NUMPY_LACKS = {torch.bfloat16}
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}
# Of the largest number among the results, for deep nets, whose other numbers are differences of such.
SHARE = 2e-4


class Residual(nn.Module):
    def __init__(self, *parts):
        super().__init__()
        self.parts = nn.Sequential(*parts)

    def forward(self, x):
        return x + self.parts(x)


class Excited(nn.Module):
    """Channels scaled by what all places of them say."""

    def __init__(self, channels):
        super().__init__()
        self.layer = nn.Conv2d(channels, channels, 1)

    def forward(self, x):
        return x * torch.sigmoid(self.layer(F.adaptive_avg_pool2d(x, 1)))


class Pictures(nn.Module):
    """A net on pictures, of layers drawn by chance."""

    def __init__(self, draw):
        super().__init__()
        channels, layers = 3, []
        for _ in range(draw.randint(3, 6)):
            wide = draw.choice([4, 8, 12])
            choices = [
                lambda: nn.Conv2d(channels, wide, 3, draw.choice([1, 2]), draw.choice([0, 1])),
                lambda: nn.Sequential(nn.Conv2d(channels, wide, 1, bias=False), nn.BatchNorm2d(wide)),
                lambda: nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1, groups=channels), nn.SiLU()),
                lambda: nn.MaxPool2d(2, ceil_mode=draw.random() < 0.5),
                lambda: nn.AvgPool2d(3, 2, 1),
                lambda: Excited(channels),
                lambda: Residual(nn.Conv2d(channels, channels, 3, padding=1), draw.choice([nn.ReLU(), nn.Hardswish()])),
                lambda: nn.Upsample(scale_factor=2, mode=draw.choice(["nearest", "bilinear"])),
            ]
            layers.append(draw.choice(choices)())
            for part in layers[-1].modules():
                channels = wide if isinstance(part, nn.Conv2d) and part.out_channels == wide else channels
        self.layers = nn.Sequential(*layers)
        self.last = nn.Linear(channels, 5)

    def forward(self, x):
        return self.last(torch.flatten(F.adaptive_avg_pool2d(self.layers(x), 1), 1))


class Attention(nn.Module):
    def __init__(self, width, heads, causal):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.taken, self.given = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        rows, length, width = x.shape
        parts = self.taken(x).view(rows, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        made = F.scaled_dot_product_attention(*parts.unbind(0), is_causal=self.causal)
        return self.given(made.transpose(1, 2).reshape(rows, length, width))


class Along(nn.Module):
    """A convolution along the tokens."""

    def __init__(self, width):
        super().__init__()
        self.layer = nn.Conv1d(width, width, 3, padding=1)

    def forward(self, x):
        return self.layer(x.transpose(1, 2)).transpose(1, 2)


class Tokens(nn.Module):
    """A net on tokens, of layers drawn by chance."""

    def __init__(self, draw):
        super().__init__()
        width, layers = 16, []
        for _ in range(draw.randint(2, 4)):
            part = draw.choice(
                [
                    lambda: Attention(width, draw.choice([1, 2, 4]), draw.random() < 0.5),
                    lambda: nn.Sequential(nn.Linear(width, 24), nn.GELU(), nn.Linear(24, width)),
                    lambda: Along(width),
                ]
            )
            layers.append(Residual(nn.LayerNorm(width), part()))
        self.table, self.place = nn.Embedding(50, width), nn.Embedding(64, width)
        self.layers = nn.Sequential(*layers)

    def forward(self, ids):
        x = self.table(ids) + self.place(torch.arange(ids.shape[1]))
        return torch.log_softmax(self.layers(x) @ self.table.weight.T, -1)


class Numbers(nn.Module):
    """Sizes are numbers that are computed with."""

    def forward(self, x, y):
        half = x.shape[0] // 2
        joined = torch.cat([x, y], 1)
        return joined[half:] * half / x.shape[0], torch.arange(x.shape[0]) + y.shape[1], joined.view(-1)


class Counting(nn.Module):
    """A buffer that each call changes."""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(3))

    def forward(self, x):
        self.seen.add_(x.sum(0))
        return x * self.seen


class Choosing(nn.Module):
    """Elements decide which way is taken."""

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda y: torch.sin(y), lambda y: y * 2, (x,))


class Halved(nn.Module):
    """Sizes are even."""

    def forward(self, x):
        return F.interpolate(F.avg_pool2d(x, 2), size=x.shape[2:], mode="bilinear", align_corners=False) + x


class Named(nn.Module):
    """Arguments and results in one another."""

    def forward(self, given):
        return {"sum": given["left"] + given["right"][0], "rows": [given["left"].mean(0)]}


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.GRU(6, 8, batch_first=True, bidirectional=True)

    def forward(self, x):
        made, last = self.layer(x)
        return made, last


def models():
    """Name, module, arguments by call, dynamic_shapes, and arguments that are refused."""
    for seed in range(2 * NETS):
        is_open = seed % 2 == 1
        torch.manual_seed(seed)
        rows, side = Dim.AUTO(max=64), Dim.AUTO(min=16, max=200)
        sizes = [(2, 3, 32, 40), (5, 3, 33, 57), (3, 3, 71, 48)]
        calls = [(torch.rand(*size),) for size in (sizes if is_open else sizes[:1])]
        yield (
            f"pictures-{seed:02}",
            Pictures(random.Random(seed)),
            calls,
            {"x": {0: rows, 2: side, 3: side}} if is_open else None,
            [(torch.rand(65, 3, 32, 40),)] if is_open else [(torch.rand(3, 3, 32, 40),)],
        )
        length = Dim.AUTO(min=2, max=64)
        sizes = [(2, 7), (4, 33), (3, 64)]
        calls = [(torch.randint(0, 50, size),) for size in (sizes if is_open else sizes[:1])]
        yield (
            f"tokens-{seed:02}",
            Tokens(random.Random(seed)),
            calls,
            {"ids": {0: rows, 1: length}} if is_open else None,
            [(torch.randint(0, 50, (2, 65)),)] if is_open else [(torch.randint(0, 50, (2, 8)),)],
        )
    rows, half = Dim("rows", min=4, max=100), Dim("half", min=2, max=50)
    yield (
        "numbers",
        Numbers(),
        [(torch.rand(n, 3), torch.rand(n, 5)) for n in (6, 9, 100)],
        {"x": {0: Dim.AUTO(max=100)}, "y": {0: Dim.AUTO(max=100)}},
        [(torch.rand(6, 3), torch.rand(7, 5))],
    )
    yield "counting", Counting(), [(torch.rand(5, 3),), (torch.rand(9, 3),)], {"x": {0: rows}}, []
    yield "choosing", Choosing(), [(torch.rand(4),), (-torch.rand(4),)], None, [(torch.rand(5),)]
    yield (
        "halved",
        Halved(),
        [(torch.rand(2, 3, 2 * h, 10),) for h in (8, 5, 50)],
        {"x": {2: 2 * half}},
        [(torch.rand(2, 3, 17, 10),), (torch.rand(2, 3, 102, 10),)],
    )
    yield (
        "named",
        Named(),
        [({"left": torch.rand(n, 2), "right": (torch.rand(n, 2),)},) for n in (5, 9)],
        {"given": {"left": {0: rows}, "right": ({0: rows},)}},
        [({"left": torch.rand(5, 2), "right": (torch.rand(6, 2),)},)],
    )
    yield "recurrent", Recurrent(), [(torch.rand(2, 5, 6),)], None, []


class Picked(nn.Module):
    """Elements decide how many rows there are; for none there is a way of its own that gives the same."""

    def forward(self, x):
        rows = x[x[:, 0] > 0]
        if rows.numel() == 0:
            return torch.empty(0, 3), 0
        return (rows + torch.arange(rows.size(0)).unsqueeze(1)).reshape(rows.size(0), 3), rows.size(0)


class Lengths(nn.Module):
    """An element is read as a number."""

    def forward(self, lengths):
        most = int(lengths.max())
        return (torch.arange(most)[None, :] < lengths[:, None]).float(), torch.zeros(most, 2).flatten().size(0)


class Kinds(nn.Module):
    """How many different elements there are."""

    def forward(self, x):
        kinds, places, counts = torch.unique(x, return_inverse=True, return_counts=True)
        sums = torch.zeros(kinds.size(0)).index_add_(0, places, torch.ones(x.size(0)))
        return torch.cat([kinds, counts]).view(2, kinds.size(0)), sums


class First(nn.Module):
    """Views that end within their tensors or with them."""

    def forward(self, x):
        rows = x[x > 0][:4]
        places = torch.where(x > 0)[0][-2:]
        return rows * torch.arange(rows.size(0)), places + places.size(0)


def detector():
    """A small Faster R-CNN of torchvision: suppressed boxes, early returns, attributes that a call sets."""
    import torchvision

    torch.manual_seed(0)
    backbone = nn.Sequential(nn.Conv2d(3, 8, 3, 4, 1), nn.ReLU(), nn.Conv2d(8, 8, 3, 4, 1), nn.ReLU())
    backbone.out_channels = 8
    anchors = torchvision.models.detection.anchor_utils.AnchorGenerator(((16, 32),), ((0.5, 1.0),))
    limits = {"min_size": 64, "max_size": 80, "rpn_pre_nms_top_n_test": 30, "rpn_post_nms_top_n_test": 12}
    net = torchvision.models.detection.FasterRCNN(
        backbone, 3, rpn_anchor_generator=anchors, box_score_thresh=0.34, **limits
    )
    for part in net.modules():
        if isinstance(part, (nn.Conv2d, nn.Linear)):
            nn.init.normal_(part.weight, 0, 2 * part.weight[0].numel() ** -0.5)

    class Detector(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = net

        def forward(self, picture):
            found = self.net([picture])[1][0]
            return found["boxes"], found["scores"], found["labels"]

    return Detector().eval()


def scripted():
    """Name, module and arguments by call of models whose elements decide sizes; the first call has some rows."""
    yield "picked", Picked(), [(x,) for x in (torch.randn(6, 3), torch.randn(6, 3), -torch.rand(6, 3))]
    yield "lengths", Lengths(), [(torch.tensor(x),) for x in ([3, 2, 5], [1, 1, 1], [9, 0, 4])]
    yield "kinds", Kinds(), [(torch.tensor(x),) for x in ([3, 2, 5, 3], [1, 1, 1, 1], [9, 0, 4, 7])]
    yield "first", First(), [(x,) for x in (torch.randn(12), torch.rand(12), -torch.rand(12))]
    yield "detector", detector(), [(scale * torch.rand(3, 64, 80),) for scale in (0.5, 0.2, 0, 0.7)]


def builds():
    import torchvision

    return torchvision.models.list_models(module=torchvision.models)


def vision(size, wanted):
    """torchvision's builds, one after the other."""
    import torchvision

    for name in builds():
        if not wanted(name):
            continue
        torch.manual_seed(0)
        options = {}
        if name.startswith("vit_"):
            patch = int(name[-2:])
            options["image_size"] = size // patch * patch
        build = torchvision.models.get_model(name, weights=None, **options)
        for part in build.modules():
            if isinstance(part, nn.BatchNorm2d):
                part.running_mean.normal_(0, 0.1)
                part.running_var.uniform_(0.5, 1.5)
        side = options.get("image_size", max(size, LEAST.get(name, 0)))
        yield name, build, [(torch.rand(1, 3, side, side),)], None, []


def tree(value, stem, folder):
    """A value as case files have it."""
    if isinstance(value, torch.Tensor):
        value = value.detach()
        kind = {"dtype": str(value.dtype).replace("torch.", ""), "shape": list(value.shape)}
        if value.dtype in NUMPY_LACKS:
            kind["stored_as"] = "float32"
            value = value.float()
        plain = value.resolve_conj().resolve_neg().numpy()
        numpy.save(folder / f"{stem}.npy", numpy.ascontiguousarray(plain).reshape(value.shape))
        return {"tensor": f"{stem}.npy", **kind}
    if isinstance(value, dict):
        items = [[key, tree(part, f"{stem}_{i}", folder)] for i, (key, part) in enumerate(value.items())]
        return {"dict": items, "type": type(value).__name__}
    if value is None:
        return {"none": True}
    if isinstance(value, (bool, int)):
        return {type(value).__name__: value}
    if isinstance(value, float):
        return {"float": value if math.isfinite(value) else str(value)}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, str):
        return {"string": value}
    if not isinstance(value, (tuple, list)):
        raise TypeError(f"{type(value).__name__} (expected: something that a case has a form for)")
    kind = "tuple" if isinstance(value, tuple) else "list"
    return {kind: [tree(part, f"{stem}_{i}", folder) for i, part in enumerate(value)]}


def reach(value):
    """The largest numbers of the tensors in a result."""
    if isinstance(value, torch.Tensor):
        if value.is_floating_point() and value.numel():
            yield value.abs().max().item()
    elif isinstance(value, (dict, list, tuple)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from reach(part)


def saved(folder, program):
    """The name of a program's file, and what is read again from it, which is what a user has."""
    if isinstance(program, torch.jit.ScriptModule):
        torch.jit.save(program, folder / "model.pt")
        return "model.pt", torch.jit.load(folder / "model.pt")
    torch.export.save(program, folder / "model.pt2")
    return "model.pt2", torch.export.load(folder / "model.pt2").module()


def write(folder, program, calls, refused, share=None):
    """Calls are tuples of arguments, or dictionaries of named ones; they come one after the other."""
    folder.mkdir(parents=True)
    file, module = saved(folder, program)
    case = {"name": folder.name, "model": file, "check": "close", **TOLERANCE, "runs": [], "refusals": []}
    for number, arguments in enumerate(calls + refused):
        named = arguments if isinstance(arguments, dict) else {}
        placed = () if named else arguments
        call = {
            "args": [tree(a, f"r{number}a{i}", folder) for i, a in enumerate(placed)],
            "kwargs": [[key, tree(a, f"r{number}k_{key}", folder)] for key, a in named.items()],
        }
        try:
            with torch.no_grad():
                made = module(*placed, **named)
            if number < len(calls):
                case["runs"].append({**call, "outputs": tree(made, f"r{number}o", folder)})
                if share:
                    case["atol"] = share * max(reach(made))
            else:
                case["refusals"].append({**call, "torch_says": None})
        except (RuntimeError, AssertionError) as error:
            # Sizes may be refused that nobody thought of: those for which the net would do something else.
            case["refusals"].append({**call, "torch_says": str(error)})
    if not case["runs"]:
        raise RuntimeError(f"{folder.name}: the example is refused (expected: an answer)")
    (folder / "case.json").write_text(json.dumps(case))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path, nargs="?")
    parser.add_argument("--vision", type=int, metavar="SIZE", help="torchvision's builds, on pictures of this size")
    parser.add_argument("--only", default="", metavar="TEXT", help="names that begin with this")
    parser.add_argument("--build", metavar="NAMES", help="these of --vision's alone, with commas between")
    parser.add_argument("--builds", action="store_true", help="the names of --vision's")
    arguments = parser.parse_args()
    if arguments.builds:
        print(*builds(), sep="\n")
        return
    if arguments.out is None:
        parser.error("OUT: none (expected: a folder that is made)")
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)

    def wanted(name):
        return name.startswith(arguments.only) and (arguments.build is None or name in arguments.build.split(","))

    for name, module, calls in () if arguments.vision else scripted():
        if wanted(name):
            write(arguments.out / "model" / name, torch.jit.script(module), calls, [])
            print(name, torch.__version__, flush=True)
    for name, module, calls, dynamic, refused in vision(arguments.vision, wanted) if arguments.vision else models():
        if not wanted(name):
            continue
        program = torch.export.export(module.eval(), calls[0], dynamic_shapes=dynamic)
        share = SHARE if arguments.vision else None
        write(arguments.out / "model" / name, program, calls, refused, share)
        write(arguments.out / "model" / f"{name}-core", program.run_decompositions(), calls, refused, share)
        print(name, torch.__version__, flush=True)


if __name__ == "__main__":
    main()
