"""TorchScript as its users write it: texts, dictionaries, sorting, exceptions, enums, classes, interfaces, containers, hooks and attributes.

Run by pytorch_tests.py, which keeps what is scripted and called here with genuine PyTorch's answers.
"""

import enum
import math
import unittest
from collections import OrderedDict
from typing import Any, Dict, Final, List, NamedTuple, Optional, Tuple, Union

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 7


class Unit(enum.Enum):
    M = "meter"
    S = "second"


class Point(NamedTuple):
    x: Tensor
    y: int
    name: str = "p"


class Result(NamedTuple):
    boxes: List[Tensor]
    scores: Dict[str, float]
    count: Optional[int]


@torch.jit.script
class Counter:
    def __init__(self, start: int):
        self.total = start
        self.seen: List[int] = []

    def add(self, n: int) -> int:
        self.total += n
        self.seen.append(n)
        return self.total

    @staticmethod
    def twice(n: int) -> int:
        return n * 2

    @property
    def mean(self) -> float:
        return float(sum(self.seen)) / max(len(self.seen), 1)

    def __len__(self) -> int:
        return len(self.seen)

    def __getitem__(self, i: int) -> int:
        return self.seen[i]

    def __contains__(self, n: int) -> bool:
        return n in self.seen

    def __add__(self, other: int) -> int:
        return self.total + other

    def __eq__(self, other: "Counter") -> bool:
        return self.total == other.total

    def __lt__(self, other: "Counter") -> bool:
        return self.total < other.total

    def __bool__(self) -> bool:
        return self.total > 0

    def __int__(self) -> int:
        return self.total

    def __str__(self) -> str:
        return "Counter of " + str(self.total)


@torch.jit.interface
class Layer(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        pass

    def extra(self, x: Tensor, k: int) -> Tensor:
        pass


class Scaled(nn.Module):
    def __init__(self, factor: float):
        super().__init__()
        self.factor = factor

    def forward(self, x: Tensor) -> Tensor:
        return x * self.factor

    @torch.jit.export
    def extra(self, x: Tensor, k: int) -> Tensor:
        return x + k * self.factor


class Shifted(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("by", torch.arange(3.0))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.by

    @torch.jit.export
    def extra(self, x: Tensor, k: int) -> Tensor:
        return x - self.by * k


def overloaded_first(x: int) -> int:
    return x + 1


PROGRAMS = []


def program(*calls):
    def keep(function):
        PROGRAMS.append((function, calls))
        return function

    return keep


@program(("  Hello, World  ",), ("",), ("a\tb\nc  d",))
def texts(s: str):
    return [
        s.strip(),
        s.lower(),
        s.upper(),
        s.title(),
        s.capitalize(),
        s.swapcase(),
        s.lstrip(),
        s.rstrip(),
        s.replace("l", "L"),
        s.center(20),
        s.ljust(18, "*"),
        s.rjust(18, "-"),
        s.zfill(20),
        s.expandtabs(4),
        s[1:4],
        s + s,
    ]


@program(("a,b,,c",), ("",), (" x  y ",), ("k=v=w",))
def splitting(s: str):
    return (
        s.split(","),
        s.split(),
        s.rsplit(",", 1),
        s.split(",", 1),
        s.partition("="),
        s.rpartition("="),
        s.splitlines(),
        "-".join(s.split(",")),
    )


@program(("banana",), ("",), ("ana",))
def searching(s: str):
    return [s.find("an"), s.rfind("an"), s.count("an"), s.find("x"), s.find("a", 2), s.count("a", 1, 4)], [
        s.startswith("ba"),
        s.endswith("na"),
        "nan" in s,
        s.isdigit(),
        s.isalpha(),
        s.isalnum(),
        s.islower(),
        s.isupper(),
        s.isspace(),
        s.istitle(),
        s.isdecimal(),
        s.isidentifier(),
        s.isprintable(),
        s.isnumeric(),
    ]


@program((3, 0.5, "x"), (-17, 1e20, ""), (0, float("inf"), "é"))
def formatting(n: int, f: float, s: str):
    return [
        f"{n} and {f} and {s}",
        "{} {} {}".format(n, f, s),
        "%d %s %f" % (n, s, f),
        "%s %g %e" % (n, f, f),
        "%x %i %%" % (n if n > 0 else 1, n),
        str(n) + str(f) + s,
        "{0} {1} {0}".format(n, s),
        str([n, n]),
        str((n, s)),
        str({s: f}),
        str(n > 0),
        str(None),
    ]


@program((5,), (-3,), (0,))
def exceptions(n: int):
    if n < 0:
        raise ValueError("negative: {}".format(n))
    assert n != 0, f"zero is not allowed, was {n}"
    return n


@program((7, 2), (-7, 2), (7, -2), (1, 3))
def integers(a: int, b: int):
    return (
        [
            a // b,
            a % b,
            a ** abs(b),
            a & b,
            a | b,
            a ^ b,
            a << abs(b),
            a >> 1,
            -a,
            abs(a),
            max(a, b),
            min(a, b),
            int(a / b),
            round(a / b),
            pow(a, abs(b)),
        ],
        divmod(a, b),
        a / b,
    )


@program((7.5, 2.0), (-7.5, 2.0), (0.1, -0.3))
def floats(a: float, b: float):
    return (
        [
            a // b,
            a % b,
            a / b,
            abs(a),
            math.floor(a) * 1.0,
            math.ceil(a) * 1.0,
            math.sqrt(abs(a)),
            math.atan2(a, b),
            math.fmod(a, b),
            math.copysign(a, b),
            math.log1p(abs(a)),
            math.degrees(b),
            math.gamma(b + 3.5),
            math.erf(b),
        ],
        round(a),
        divmod(a, b),
        math.isnan(a),
        math.isinf(a),
        math.frexp(b),
        math.modf(b),
        math.gcd(12, 18),
        int(b),
    )


@program(([3, 1, 2],), ([],), ([5, 5, -1],))
def lists(xs: List[int]):
    ys = xs.copy()
    ys.append(4)
    ys.extend([9, 8])
    ys.insert(1, 77)
    popped = ys.pop()
    first = ys.pop(0)
    ys.reverse()
    zs = sorted(ys)
    ys.sort(reverse=True)
    ys.remove(4)
    ys[0] += 2
    del ys[0]
    return (
        ys,
        zs,
        popped,
        first,
        xs + zs,
        xs * 2,
        len(xs),
        sum(zs),
        max(zs),
        min(zs),
        77 in zs,
        zs.index(77),
        zs.count(5),
        xs == zs,
        all([x > 0 for x in xs]),
        any([x > 2 for x in xs]),
        xs[-1:],
        zs[::2],
    )


@program((["pear", "fig", "apple"],), ([],))
def texts_in_lists(xs: List[str]):
    ys = sorted(xs)
    xs.sort()
    return ys, xs, [x.upper() for x in xs], " ".join(xs), "fig" in xs


@program(({"a": 1, "b": 2},), ({},))
def dictionaries(d: Dict[str, int]):
    d["c"] = 3
    e = d.copy()
    e.update({"z": 26, "a": 5})
    got = e.get("q")
    other = e.get("z", 0)
    default = e.setdefault("new", 11)
    popped = e.pop("a")
    missing = e.pop("nothing", -1)
    del e["c"]
    pairs = [(k, v) for k, v in e.items()]
    return (
        d,
        e,
        got,
        other,
        default,
        popped,
        missing,
        pairs,
        list(d.keys()),
        list(d.values()),
        "a" in d,
        len(d),
        {k: v * 2 for k, v in d.items()},
        {i: i * i for i in range(4)},
    )


@program(({"x": torch.ones(2)}, "x"), ({"x": torch.ones(2)}, "y"))
def missing_key(d: Dict[str, Tensor], k: str):
    return d[k] + 1


@program((torch.tensor([1.0, -2.0]), 3), (torch.zeros(0), -1))
def named_tuples(t: Tensor, n: int):
    p = Point(t, n)
    q = Point(x=p.x * 2, y=p.y + 1, name="q")
    x, y, name = q
    return p, q, x, y, name, q.name + p.name, Result([x], {"a": 1.5}, None), p[1]


@program((3,), (None,))
def optionals(n: Optional[int]):
    if n is None:
        return -1, "none"
    m = n + 1
    k = torch.jit.annotate(Optional[int], None)
    if m > 2:
        k = m
    return (k if k is not None else 0), "some"


@program((torch.ones(2), None), (None, torch.zeros(3)), (None, None))
def refinement(a: Optional[Tensor], b: Optional[Tensor]):
    if a is not None and b is None:
        return a + 1
    elif a is None and b is not None:
        return b - 1
    assert a is not None
    return a


@program((1,), (2,), (7,))
def enums(n: int):
    c = Color.GREEN
    if n == Color.RED.value:
        c = Color.RED
    elif n == 7:
        c = Color.BLUE
    names = [e.name for e in [Color.RED, c]]
    return c == Color.RED, c is Color.BLUE, c.name, c.value, names, Unit.M.value + Unit.S.name, c != Color.GREEN


@program((4,), (-9,))
def classes(n: int):
    c = Counter(n)
    d = Counter(Counter.twice(n))
    c.add(3)
    c.add(-1)
    r = c if c < d else d
    t = "yes" if c else "no"
    return c.total, d.total, len(c), c[0], 3 in c, c + 10, c == d, r.total, t, c.mean, c.seen


@program((10,), (0,))
def loops(n: int):
    total = 0
    found: List[int] = []
    for i in range(n):
        if i % 3 == 0:
            continue
        if i > 7:
            break
        total += i
        for j in range(i, 0, -2):
            found.append(j * i)
    k = n
    while k > 0 and total < 100:
        k -= 1
        total += k * k
        if k == 2:
            break
    else_ = 0
    for i, (a, b) in enumerate(zip(found, found[1:])):
        else_ += i * a - b
    for a, i in zip([1.5, 2.5], range(2, 9)):
        total += int(a * i)
    return total, found, k, else_, [x * y for x, y in zip(found, range(3))]


@program(
    (["a", "b"], [1, 2]),
)
def zipping(names: List[str], values: List[int]):
    d: Dict[str, int] = {}
    for i, (n, v) in enumerate(zip(names, values), 5):
        d[n] = v + i
    out = dict(zip(names, values))
    return d, out, list(enumerate(names)), [f"{k}={v}" for k, v in out.items()]


@program((torch.arange(12).reshape(3, 4),), (torch.arange(24.0).reshape(4, 6),))
def indexing(t: Tensor):
    m = t.clone()
    m[0] = 9
    m[1:, ::2] += 1
    m[m > 10] = -1
    m[..., -1] *= 2
    i = torch.tensor([0, 2])
    return (
        m,
        t[1],
        t[:, 1],
        t[-1, -2],
        t[None].shape,
        t[i],
        t[i, i + 1],
        t[t > 3],
        t[0:2, [0, 1]],
        t[:, None, 1:3],
        t[..., 0],
        t.T[1],
    )


@program((torch.randn(2, 3, generator=torch.Generator().manual_seed(1)),), (torch.zeros(0, 4),))
def shapes(t: Tensor):
    a, b = t.shape
    n, *rest = t.size(), t.dim()
    return (
        a * b,
        rest,
        n,
        t.shape[-1],
        len(t),
        t.numel(),
        t.dtype,
        t.device,
        t.is_floating_point(),
        t.requires_grad,
        t.layout,
        t.stride(),
        t.is_contiguous(),
        list(t.shape),
        t.ndim,
    )


@program(
    (torch.tensor([[1.5, 2.0], [3.0, -4.25]]),),
    (torch.tensor(3),),
    (torch.tensor([True, False]),),
    (torch.tensor([1e10, 1e-5]),),
    (torch.arange(2000),),
    (torch.tensor([1 + 2j, 3.5 - 1e-3j]),),
    (torch.tensor([], dtype=torch.int32),),
    (torch.tensor([float("nan"), float("inf"), 1.0]),),
    (torch.arange(6, dtype=torch.float64).reshape(1, 2, 3),),
    (torch.tensor([0.1], dtype=torch.half),),
    (torch.tensor([1e5, 3], dtype=torch.bfloat16),),
    (torch.zeros(0, 3),),
    (torch.tensor(-0.0),),
    (torch.tensor([123456789.0, 0.5]),),
    (torch.tensor([200, 3], dtype=torch.uint8),),
    (torch.full((40, 40), 1.0),),
    (torch.tensor([1.0, 1000.0]),),
    (torch.tensor([1.0, 100000000.0]),),
    (torch.linspace(0, 1, 7, dtype=torch.float64),),
)
def printed(t: Tensor):
    return "{}".format(t), f"<{t}>", str(t)


@program((torch.tensor([2.0, 3.0]),), (torch.tensor(5.0),))
def conversions(t: Tensor):
    u = t.sum()
    return (
        float(u),
        int(u),
        bool(u > 1),
        u.item(),
        t.int(),
        t.half().float(),
        t.to(torch.int64),
        t.double(),
        t.to(torch.bool),
        t.type_as(u),
        complex(1, 2) * 2,
        t.long() + 1,
    )


@program((torch.ones(2, 2), 2), (torch.ones(2, 2), 2.5), (torch.ones(2, 2), "n"))
def anything(t: Tensor, v: Any):
    if isinstance(v, int):
        return t * v, "int"
    elif isinstance(v, float):
        return t / v, "float"
    elif isinstance(v, str):
        return t, v + "!"
    return t, "?"


@program((1,), ("a",), ([1, 2],))
def unions(v: Union[int, str, List[int]]):
    if isinstance(v, int):
        r = v + 1
    elif isinstance(v, str):
        r = len(v) + 100
    else:
        r = sum(v) + 1000
    return r, isinstance(v, (int, str))


@program(
    (3, 4),
)
def tuples(a: int, b: int):
    t = (a, "x", 2.5)
    u = t + (b,)
    (p, q), r = (a, b), [a, b]
    p, q = q, p
    return u, t[1], u[-1], len(u), p, q, r, t[0:2]


@program(
    (torch.randn(3, 4, generator=torch.Generator().manual_seed(4)),),
)
def functional(x: Tensor):
    w = torch.arange(20.0).reshape(5, 4) / 10
    return (
        F.linear(x, w),
        F.relu(x),
        F.gelu(x),
        F.softmax(x, dim=-1),
        F.layer_norm(x, [4]),
        F.normalize(x, dim=1),
        F.pad(x, [1, 2], value=3.0),
        F.one_hot(torch.arange(3), 5),
        F.cosine_similarity(x, x + 1, dim=1),
        F.mse_loss(x, x * 2),
        F.cross_entropy(x, torch.tensor([0, 1, 3])),
        F.glu(x),
        F.interpolate(x[None], scale_factor=2.0, mode="nearest"),
    )


@program(
    (torch.arange(6.0).reshape(2, 3),),
)
def tensor_methods(x: Tensor):
    values, indices = x.max(dim=1)
    s = x.sort(dim=1, descending=True)
    return (
        values,
        indices,
        s[0],
        x.topk(2)[0],
        x.mean(),
        x.std(),
        x.unbind(0),
        x.split(1),
        x.chunk(2, 1),
        torch.cat([x, x]),
        torch.stack([x, x], 1).shape,
        x.argmax(),
        x.cumsum(1),
        torch.where(x > 2, x, -x),
        torch.einsum("ij,kj->ik", x, x),
        x.clamp(1, 4),
        x.var(0, False),
        x.expand(2, 2, 3).shape,
        x @ x.t(),
        x.any(),
        x.all(dim=0),
    )


@program((4,), (1,))
def recursion(n: int):
    stack = [n]
    out: List[int] = []
    while len(stack) > 0:
        k = stack.pop()
        out.append(k)
        if k > 1:
            stack += [k - 1, k // 2]
    return out


@program(([2, 3, 4],))
def defaults(
    dims: List[int], scale: float = 2.0, flag: bool = True, name: str = "d", extra: Optional[List[int]] = None
):
    total = 1
    for d in dims:
        total *= d
    return total * scale, flag, name, extra if extra is not None else [0]


@program(("12", "3.5"), ("x", "1"), ("7", "1e3"))
def parsing(a: str, b: str):
    return int(a), float(b)


@program(("aéb€😀", "é"), ("plain text", "a"), ("é", "éé"))
def bytes_of_texts(s: str, t: str):
    cut: List[int] = []
    for i in range(len(s)):
        cut.append(ord(s[i]))
    back = [ord(c) for c in s[::-1] + t.center(5, "*") + s.upper()]
    return (
        len(s),
        cut,
        back,
        s[:1] + s[1:],
        "".join(list(s)),
        s.find(t),
        s.count(t),
        s < t,
        s.replace(t, "-"),
        t.isalpha(),
        s.split(t),
        len(t.rjust(4)),
    )


@program(
    ("\t7", " 1.5"),
    ("7 ", "1"),
    ("1", "1f"),
    ("+12", "0x1p3"),
    ("9223372036854775808", "1"),
    ("1", "1e-310"),
    ("007", "-Infinity"),
)
def numbers_of_texts(a: str, b: str):
    return int(a), float(b)


@program((1e300,), (-9.3e18,), (9.2e18,), (2.5,))
def wholes(x: float):
    return math.floor(x), math.ceil(x)


@program((65,), (8364,))
def characters(n: int):
    return chr(n), ord(chr(n)), hex(n), oct(n), bin(n), str(n)[0]


@program(([[1, 2], [3]],), ([],))
def nested(xs: List[List[int]]):
    flat = [len(x) for x in xs]
    d: Dict[int, List[str]] = {}
    for x in xs:
        for y in x:
            if y not in d:
                d[y] = torch.jit.annotate(List[str], [])
            d[y].append("-".join([str(y), str(x[0])]))
    return flat, d, [[y + 1 for y in x] for x in xs]


@program(([(2, "b"), (1, "z"), (2, "a")],))
def sorting_tuples(xs: List[Tuple[int, str]]):
    ys = sorted(xs)
    xs.sort(reverse=True)
    return ys, xs


@program((torch.tensor([1.0, 2.0, 3.0]), "mean"), (torch.tensor([1.0, 2.0]), "sum"), (torch.tensor([1.0]), "other"))
def dispatch(x: Tensor, mode: str):
    if mode == "mean":
        return x.mean()
    elif mode in ["sum", "total"]:
        return x.sum()
    else:
        raise RuntimeError("mode " + mode + " is unknown")


@program((2,), (5,))
def ternaries(n: int):
    a = "even" if n % 2 == 0 else "odd"
    b = n > 1 and n < 4 or n == 7
    c = not b
    d = 1 < n < 4
    e = n if n > 3 else None
    return a, b, c, d, e, 0 if e is None else e


@program((torch.tensor([0.5]),))
def randoms(t: Tensor):
    return (
        torch.rand(3),
        torch.randn(2, 2),
        torch.randint(0, 10, [4]),
        torch.randperm(5),
        F.dropout(torch.ones(8), 0.5, True),
        torch.bernoulli(torch.full([6], 0.3)),
        torch.normal(0.0, 1.0, [3]),
        torch.empty(4).uniform_(-1.0, 1.0),
        torch.multinomial(torch.ones(5), 3),
        torch.rand_like(t),
        torch.empty(3).exponential_(),
        torch.empty(17).normal_(),
    )


@program(
    (3,),
)
def makers(n: int):
    return (
        torch.zeros(n),
        torch.ones([n, 2], dtype=torch.int32),
        torch.full((2, n), 1.5),
        torch.arange(n),
        torch.arange(1, 10, n),
        torch.arange(0.0, 1.0, 0.25),
        torch.linspace(0, 1, n),
        torch.eye(n),
        torch.tensor([1, 2, n]),
        torch.tensor([[1.0], [2.5]]),
        torch.tensor(n > 2),
        torch.tensor(2.5, dtype=torch.float64),
        torch.logspace(0, 2, n),
        torch.tril(torch.ones(n, n)),
        torch.empty(0),
        torch.tensor([True, False]),
        torch.scalar_tensor(n),
        torch.zeros_like(torch.ones(2)),
        torch.combinations(torch.arange(n)),
        torch.meshgrid(torch.arange(2), torch.arange(n)),
    )


@program((torch.ones(1), 3))
def futures(x: Tensor, n: int):
    found: List[torch.jit.Future[Tensor]] = []
    for i in range(n):
        found.append(torch.jit.fork(torch.add, x, x * i))
    total = torch.zeros(1)
    for f in found:
        total = total + torch.jit.wait(f)
    return total


@program((3 + 4j,), (-1j,))
def complexes(c: complex):
    return abs(c), c * c, c + 1, c == complex(3, 4), str(c), c**2, -c


@program((torch.float32,), (torch.int64,))
def dtypes(d: int):
    x = torch.zeros(2, dtype=d)
    return x.dtype == d, x.is_floating_point(), x.element_size(), x.to(torch.uint8).dtype


@program((3,), (9,))
def calls_and_constants(n: int):
    limit = 7
    return n * limit, overloaded_first(n), overloaded_first(overloaded_first(n))


@program(("hello",), ("",))
def letters(s: str):
    out: List[str] = []
    count: Dict[str, int] = {}
    for c in s:
        out.append(c + c)
        count[c] = count.get(c, 0) + 1
    return out, count, [ord(c) for c in s], "".join(out), s > "h", s == "hello", max(s.count("l"), 1), list(s)


@program((torch.arange(6.0),))
def in_place(x: Tensor):
    y = x.clone()
    z = y.view(2, 3)
    z += 1
    z[0] *= 2
    y[1:3] -= 5
    z[:, 1] = torch.tensor([7.0, 8.0])
    y[-1] = 3
    w = y
    w /= 2
    y.clamp_(min=0).add_(w, alpha=2)
    z[z > 5] += 100
    return x, y, z, w


@program((torch.ones(2, 2), True), (torch.ones(2, 2), False))
def without_gradients(x: Tensor, flag: bool):
    with torch.no_grad():
        y = x * 2
        if flag:
            y = y + 1
    return y.detach(), y.requires_grad, x.data


@program((torch.tensor([3.0, 1.0, 2.0]), [1, 2]), (torch.tensor([1.0]), [0]))
def list_of_dicts(x: Tensor, sizes: List[int]):
    found: List[Dict[str, Tensor]] = []
    for n in sizes:
        d = {"v": x * n}
        d["s"] = x.sum() + n
        found.append(d)
    by: Dict[str, List[int]] = {"a": [1]}
    by["a"].append(5)
    by["b"] = sizes
    by["b"] += [7]
    deep: Dict[str, Dict[int, Tuple[int, str]]] = {"x": {1: (2, "y")}}
    deep["x"][3] = (4, "z")
    return found, by, deep, sizes, [k for k in by], [len(v) for v in by.values()]


@program((4,))
def generators(n: int):
    t = [i * 2 for i in range(n)]
    r = list(range(n, 0, -1))
    p = [(i, str(i)) for i in range(n)]
    m = {str(i): float(i) for i in range(n)}
    return t, r, p, m, t[::-1], r[1:], r[-2:], t[:-1], sum([float(x) for x in t]), [min(a, 3) for a in t]


@program((torch.ones(3), 2), (torch.ones(3), 0))
def early_returns(x: Tensor, n: int) -> Tensor:
    for i in range(10):
        if i == n:
            return x * i
        if i > 5:
            break
    while True:
        n += 1
        if n > 3:
            return x + n
    return x


@program(([1.5, 2.5, 3.5],), ([0.1],), ([],))
def numbers(xs: List[float]):
    total = 0.0
    for x in xs:
        total += x
    mean = total / len(xs)
    return (
        mean,
        [round(x) for x in xs],
        [int(x) for x in xs],
        [math.floor(x) for x in xs],
        sorted(xs),
        str(xs),
        str(mean),
        max(xs),
        torch.tensor(xs),
        [x**2 for x in xs],
    )


@program((1e-7,), (123456789.125,), (1e16,), (-0.0,), (float("nan"),), (1 / 3,), (100.0,))
def float_texts(x: float):
    return str(x), f"{x}", "{}".format(x), [x], str([x]), str((x, 1)), "%f" % x, "%g" % x, "%e" % x, "%s" % x


@program((torch.randn(4, 5, generator=torch.Generator().manual_seed(2)),))
def reductions(x: Tensor):
    return (
        x.sum(0),
        x.mean(1, True),
        x.prod(),
        x.amax((0, 1)),
        x.norm(),
        x.norm(1, 1),
        x.median(),
        x.median(1)[0],
        x.mode(0)[0],
        x.kthvalue(2)[0],
        x.cummax(0)[1],
        x.logsumexp(1),
        x.aminmax(),
        x.nonzero().shape,
        torch.unique(x).shape,
        torch.histc(x, 4),
        x.quantile(0.5),
        x.diff(),
        x.trace(),
        torch.count_nonzero(x),
        x.std(1, unbiased=False),
        torch.var_mean(x, 0),
        x.argsort(1),
        x.min(0)[1],
        x.isnan().any(),
    )


@program((torch.randn(2, 3, 8, 8, generator=torch.Generator().manual_seed(3)),))
def images(x: Tensor):
    w = torch.full([4, 3, 3, 3], 0.1)
    y = F.conv2d(x, w, padding=1, stride=2)
    return (
        y,
        F.max_pool2d(x, 2),
        F.avg_pool2d(x, 3, 1),
        F.adaptive_avg_pool2d(x, (2, 2)),
        F.interpolate(x, size=[5, 7], mode="bilinear", align_corners=False),
        F.interpolate(x, scale_factor=0.5),
        F.unfold(x, [2, 2]).shape,
        F.pixel_shuffle(torch.cat([x, x, x, x], 1), 2).shape,
        F.pad(x, [1, 1, 2, 2], mode="reflect").shape,
        F.grid_sample(x, torch.zeros(2, 2, 2, 2), align_corners=False),
        F.batch_norm(x, torch.zeros(3), torch.ones(3)),
        F.instance_norm(x),
        F.group_norm(x, 3),
        F.dropout2d(x, 0.5, False),
        F.conv_transpose2d(y, w),
        F.local_response_norm(x, 2),
        F.affine_grid(torch.zeros(2, 2, 3), [2, 3, 4, 4], False),
    )


@program((torch.tensor([1, 2, 3]),), (torch.tensor([0.5]),))
def checks(x: Tensor):
    if not torch.is_floating_point(x):
        raise TypeError("floats are wanted, not {}".format(x.dtype))
    if torch.jit.is_scripting():
        return x, "scripted"
    return x, "eager"


@program((torch.ones(1), "a"), (torch.ones(1), "b"))
def mixed_types(x: Tensor, s: str) -> Union[int, Tensor, str]:
    if s == "a":
        return x
    return s


@program(
    ({"a": [torch.ones(2)], "b": []},),
)
def any_values(d: Dict[str, List[Tensor]]):
    out: Dict[str, Any] = {}
    for k, v in d.items():
        if len(v) > 0:
            out[k] = v[0]
        else:
            out[k] = len(v)
    first = out["a"]
    assert isinstance(first, Tensor)
    return first + 1, isinstance(out["b"], int), torch.jit.isinstance(d, Dict[str, List[Tensor]])


@program((torch.tensor([[1.0, 2.0], [3.0, 4.0]]),))
def linear_algebra(a: Tensor):
    return (
        torch.inverse(a),
        torch.det(a),
        torch.linalg.solve(a, torch.ones(2)),
        torch.linalg.norm(a),
        torch.matrix_power(a, 3),
        torch.linalg.eigvalsh(a @ a.T),
        torch.cholesky(a @ a.T),
        torch.trapz(a),
        torch.outer(a[0], a[1]),
        torch.kron(a, a),
        torch.cross(torch.ones(3), torch.arange(3.0)),
        torch.logdet(a @ a.T),
        torch.linalg.matrix_rank(a),
        torch.pinverse(a),
        torch.tensordot(a, a, 1),
        torch.cdist(a, a),
    )


class Base(nn.Module):
    def __init__(self, n: int):
        super().__init__()
        self.n = n

    def shared(self, x: Tensor) -> Tensor:
        return x + self.n

    def forward(self, x: Tensor) -> Tensor:
        return self.shared(x)


class Derived(Base):
    sizes: List[int]

    def __init__(self):
        super().__init__(5)
        self.sizes = [1, 2]
        self.flags = {"a": True}
        self.names = ("p", "q")
        self.rate = 0.5
        self.empty: Optional[Base] = None
        self.kinds = {Color.RED.value: 1.5, Color.BLUE.value: 2.5}

    def forward(self, x: Tensor) -> Tensor:
        if self.empty is not None:
            x = x * 100
        for s in self.sizes:
            x = self.shared(x) * s
        if self.flags["a"] and hasattr(self, "rate"):
            x = x * self.rate
        if hasattr(self, "nothing"):
            x = x * 0
        return x + self.kinds[Color.BLUE.value] + len(self.names)


class Streaming(nn.Module):
    buffer: List[Tensor]

    def __init__(self):
        super().__init__()
        self.buffer = []
        self.state = torch.zeros(2)
        self.count = 0

    @torch.jit.export
    def reset(self):
        self.buffer.clear()
        self.state = torch.zeros(2)

    def forward(self, x: Tensor, reset: bool) -> Tuple[Tensor, int]:
        if reset:
            self.reset()
        self.buffer.append(x)
        if len(self.buffer) > 2:
            self.buffer = self.buffer[1:]
        self.state = 0.5 * self.state + x
        self.count += 1
        return torch.stack(self.buffer).sum(0) + self.state, self.count


class Attributes(nn.Module):
    scale: Final[int]
    history: List[float]
    table: Dict[str, Tensor]
    maybe: Optional[Tensor]

    def __init__(self):
        super().__init__()
        self.scale = 3
        self.counter = 0
        self.history = []
        self.table = {"a": torch.ones(2)}
        self.maybe = None
        self.pair = (1, "x")
        self.color = Color.BLUE
        self.register_buffer("steps", torch.zeros(1, dtype=torch.long))
        self.weight = nn.Parameter(torch.arange(3.0))

    def forward(self, x: Tensor):
        self.counter += 1
        self.history.append(float(x.sum()))
        self.table[str(self.counter)] = x
        if self.maybe is None:
            self.maybe = x * 2
        self.steps += 1
        kept = self.maybe
        assert kept is not None
        return (
            x * self.scale + self.weight,
            self.counter,
            self.history,
            len(self.table),
            kept,
            self.steps,
            self.pair,
            self.color.value,
            self.training,
        )


class Containers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3)])
        self.named = nn.ModuleDict({"one": nn.Tanh(), "two": nn.Sigmoid()})
        self.line = nn.Sequential(OrderedDict([("a", nn.Linear(3, 2)), ("b", nn.Softmax(dim=-1))]))
        self.weights = nn.ParameterList([nn.Parameter(torch.ones(3)), nn.Parameter(torch.zeros(3))])
        for p in self.parameters():
            p.data.fill_(0.25)

    def forward(self, x: Tensor):
        names: List[str] = []
        for i, layer in enumerate(self.layers):
            x = layer(x) + i
        for name, layer in self.named.items():
            names.append(name)
            x = layer(x)
        for w in self.weights:
            x = x + w
        y = self.layers[0](x) + self.named["one"](x)
        for k in self.named.keys():
            names.append(k)
        return self.line(x), y, names, len(self.layers), "two" in self.named, self.layers[-1](x), self.line[0](x)


class Interfaces(nn.Module):
    chosen: Layer

    def __init__(self, first: nn.Module, second: nn.Module):
        super().__init__()
        self.chosen = first
        self.other = second
        self.many = nn.ModuleList([Scaled(2.0), Shifted(), Scaled(0.5)])

    def forward(self, x: Tensor, i: int):
        layer: Layer = self.many[i]
        return self.chosen.forward(x), self.chosen.extra(x, 2), self.other(x), layer.forward(x)


class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)
        nn.init.constant_(self.inner.weight, 0.5)
        nn.init.constant_(self.inner.bias, 0.1)

        def before(module, input: Tuple[Tensor]) -> Tuple[Tensor]:
            return (input[0] * 2,)

        def after(module, input: Tuple[Tensor], output: Tensor):
            return output + 1

        self.inner.register_forward_pre_hook(before)
        self.inner.register_forward_hook(after)

    def forward(self, x: Tensor):
        return self.inner(x)


class Methods(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = 4

    @torch.jit.export
    def exported(self, x: Tensor, times: int = 2) -> Tensor:
        return x * times + self.helper(self.k)

    @torch.jit.export
    def helper(self, n: int) -> int:
        return n * n

    @torch.jit.ignore
    def ignored(self, x: Tensor) -> Tensor:
        return x

    @torch.jit.unused
    def unused(self, x: Tensor) -> Tensor:
        return x.numpy()

    @property
    def squared(self) -> int:
        return self.k * self.k

    @squared.setter
    def squared(self, v: int):
        self.k = v

    def forward(self, x: Tensor, raising: bool):
        if raising:
            return self.unused(x)
        self.squared = 3
        return self.exported(x, 2) + self.squared + self.exported(x, times=5) + self.exported(times=1, x=x)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 5, num_layers=2, batch_first=True, bidirectional=True)
        self.gru = nn.GRUCell(4, 3)
        self.embed = nn.EmbeddingBag(10, 4, mode="mean")

    def forward(self, x: Tensor, state: Optional[Tuple[Tensor, Tensor]] = None):
        y, (h, c) = self.lstm(x, state)
        z = torch.zeros(x.size(0), 3)
        for t in range(x.size(1)):
            z = self.gru(x[:, t], z)
        return y, h, c, z, self.embed(torch.tensor([1, 2, 3, 4]), torch.tensor([0, 2]))


class Beam(nn.Module):
    """Greedy decoding with a loop that ends by what comes out."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(7, 6)
        self.cell = nn.LSTMCell(6, 6)
        self.out = nn.Linear(6, 7)

    def forward(self, start: int, longest: int):
        token = torch.tensor([start])
        h, c = torch.zeros(1, 6), torch.zeros(1, 6)
        out: List[int] = []
        while len(out) < longest:
            h, c = self.cell(self.embed(token), (h, c))
            token = self.out(h).argmax(-1)
            if int(token) == 6:
                break
            out.append(int(token))
        return out, h


class Tokenizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.vocabulary = {"<unk>": 0, "hello": 1, "world": 2, "!": 3}
        self.back = {v: k for k, v in self.vocabulary.items()}

    def forward(self, texts: List[str]):
        rows: List[List[int]] = []
        longest = 0
        for text in texts:
            ids = [self.vocabulary.get(w, 0) for w in text.lower().replace("!", " !").split()]
            rows.append(ids)
            longest = max(longest, len(ids))
        out = torch.zeros(len(rows), longest, dtype=torch.long)
        for i, row in enumerate(rows):
            if len(row) > 0:
                out[i, : len(row)] = torch.tensor(row)
        return out, [" ".join([self.back[j] for j in row]) for row in rows]


class Detector(nn.Module):
    def forward(self, boxes: Tensor, scores: Tensor, limit: float):
        order = scores.argsort(descending=True)
        kept: List[int] = []
        while order.numel() > 0:
            i = int(order[0])
            kept.append(i)
            if order.numel() == 1:
                break
            rest = order[1:]
            lt = torch.max(boxes[i, :2], boxes[rest, :2])
            rb = torch.min(boxes[i, 2:], boxes[rest, 2:])
            wh = (rb - lt).clamp(min=0)
            inter = wh[:, 0] * wh[:, 1]
            area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
            order = rest[inter / (area[i] + area[rest] - inter) <= limit]
        found: Dict[str, Tensor] = {"boxes": boxes[kept], "scores": scores[torch.tensor(kept)]}
        return found, kept


MODULES = [
    (Attributes, [(torch.ones(3),)]),
    (Derived, [(torch.ones(2),)]),
    (Streaming, [(torch.ones(2), False), (torch.ones(2) * 3, True)]),
    (Containers, [(torch.ones(2, 3),)]),
    (lambda: Interfaces(Scaled(3.0), Shifted()), [(torch.ones(3), 0), (torch.ones(3), 1)]),
    (Hooked, [(torch.ones(1, 2),)]),
    (Methods, [(torch.ones(2), False), (torch.ones(2), True)]),
    (Recurrent, [(torch.linspace(-1, 1, 24).reshape(2, 3, 4), None)]),
    (Beam, [(1, 5), (0, 9)]),
    (Tokenizer, [(["Hello world!", "what, world", ""],)]),
    (Detector, [(torch.tensor([[0.0, 0, 2, 2], [0, 0, 2, 1.9], [3, 3, 5, 5]]), torch.tensor([0.3, 0.9, 0.5]), 0.5)]),
    (
        lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval(),
        [(torch.linspace(-1, 1, 48).reshape(2, 3, 8),)],
    ),
    (lambda: nn.MultiheadAttention(8, 2).eval(), [(torch.linspace(-1, 1, 24).reshape(3, 1, 8),) * 3]),
]


class UserPrograms(unittest.TestCase):
    pass


def test_of(make, calls):
    def test(self):
        torch.manual_seed(0)
        scripted = make()
        for call in calls:
            try:
                scripted(*call)
            except Exception:  # an answer too
                pass

    return test


for function, calls in PROGRAMS:
    setattr(
        UserPrograms, "test_" + function.__name__, test_of(lambda function=function: torch.jit.script(function), calls)
    )
for number, (make, calls) in enumerate(MODULES):
    setattr(UserPrograms, f"test_module_{number}", test_of(lambda make=make: torch.jit.script(make()), calls))

if __name__ == "__main__":
    unittest.main()
