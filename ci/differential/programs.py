"""Random modules as text. What a program has is known by running it while it is made, so that nearly all of what is tried fits.

programs.py FROM COUNT      prints the texts of so many modules from a number on, by name, as JSON
"""

import copy
import json
import math
import random
import re
import string
import sys

import torch

import expressions
from cases import PRELUDE, Unfit, namespace

CALLS = 8
MOST_ELEMENTS = 4000
SIZES = [0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 12, 16, 17]
REAL = ["float32"] * 12 + ["float64", "float16", "bfloat16"]
WHOLE = ["int64"] * 4 + ["int32", "int32", "int16", "int8", "uint8", "bool", "bool"]
EXTREMES = "torch.tensor([nan, inf, -inf, -0.0, 1e-40, 3e38, -1.5, 2.5])"


def pick(chooser: random.Random, sizes, dtype: str, seed: int, special: bool) -> str:
    """An expression that makes a tensor."""
    shape = ", ".join(map(str, sizes))
    shape = f"[{shape}]"
    if dtype == "bool":
        return f"torch.randint(0, 2, {shape}, generator=g({seed})).bool()"
    if dtype in ("float32", "float64", "float16", "bfloat16"):
        scale = chooser.choice(["", "", "", " * 3", " * 20"])
        text = f"torch.randn({shape}, generator=g({seed})){scale}"
        if special:
            text = f"{EXTREMES}[torch.randint(0, 8, {shape}, generator=g({seed}))]"
        return text if dtype == "float32" else f"({text}).to(torch.{dtype})"
    low, high = (0, 9) if dtype == "uint8" else (-9, 10)
    if special:
        low, high = {"uint8": (0, 256), "int8": (-128, 128), "int16": (-(2**15), 2**15)}.get(dtype, (-(2**31), 2**31))
        if dtype == "int64":
            low, high = -(2**62), 2**62
    return f"torch.randint({low}, {high}, {shape}, generator=g({seed}), dtype=torch.{dtype})"


class Program:
    """A module that grows by statements; `have` are the values of its names once those were run."""

    def __init__(self, seed: int):
        self.chooser = random.Random(seed)
        self.seed = seed
        torch.manual_seed(seed)
        chance = self.chooser.random()
        self.kind = "layers" if chance < 0.25 else "open" if chance < 0.35 else "tensors"
        self.setup, self.lines, self.declared, self.arguments = [], [], [], []
        self.fields = []  # annotations of the class
        self.have, self.counter = {}, 0
        self.own = []  # names of tensors that were computed here
        self.scripted = False
        self.stated = False
        self.globals = namespace(PRELUDE)
        self.holder = torch.nn.Module()
        self.have["self"] = self.holder

    # What comes in.

    def sizes(self, rank=None):
        rank = self.chooser.choice([0, 1, 2, 2, 2, 3, 3, 4, 4, 5]) if rank is None else rank
        while True:
            sizes = [self.chooser.choice(SIZES) for _ in range(rank)]
            if math.prod(sizes) <= MOST_ELEMENTS:
                return sizes

    def inputs(self):
        first = self.sizes(self.chooser.choice([2, 2, 3, 3, 4, 4, 5]) if self.kind != "tensors" else None)
        if self.kind != "tensors":
            first = [max(size, 2) for size in first]
        for number in range(self.chooser.choice([1, 1, 2, 2, 3])):
            chance = self.chooser.random()
            sizes = first if number == 0 or chance < 0.7 else self.related(first) if chance < 0.85 else self.sizes()
            real = self.kind == "layers" or self.chooser.random() < 0.7
            dtype = self.chooser.choice(["float32"] if self.kind == "layers" else REAL if real else WHOLE)
            special = self.kind == "tensors" and self.chooser.random() < 0.06
            self.argument("Tensor", lambda call, z=sizes, t=dtype, s=special: self.tensor(z, t, s))
        if self.kind == "tensors" and self.chooser.random() < 0.25:
            self.argument("int", lambda call: str(self.chooser.randint(0, 3)))
            self.scripted = True
        if self.kind == "tensors" and self.chooser.random() < 0.1:
            self.argument("bool", lambda call: str(self.chooser.random() < 0.5))
            self.scripted = True
        if self.kind == "tensors" and self.chooser.random() < 0.1:
            sizes = first
            self.argument("List[torch.Tensor]", lambda call: f"[{self.tensor(sizes)}, {self.tensor(sizes)}]")
            self.scripted = True

    def related(self, sizes):
        """Sizes that broadcast with these."""
        return [1 if self.chooser.random() < 0.5 else size for size in sizes][self.chooser.randint(0, len(sizes)) :]

    def tensor(self, sizes, dtype="float32", special=False) -> str:
        return pick(self.chooser, sizes, dtype, self.chooser.randint(1, 99), special)

    def argument(self, kind: str, make):
        name = "xyzuvw"[len(self.arguments)]
        self.declared.append(name if kind == "Tensor" else f"{name}: {kind}")
        self.arguments.append([make(call) for call in range(CALLS)])
        self.have[name] = eval(self.arguments[-1][0], self.globals)

    def attribute(self):
        """A tensor, list, dict or tuple that stays from call to call."""
        sizes = self.related(list(self.have["x"].shape)) if self.chooser.random() < 0.3 else list(self.have["x"].shape)
        dtype = str(self.have["x"].dtype)[6:]

        def made():
            return (
                self.tensor(sizes, dtype)
                if self.chooser.random() < 0.5
                else f"torch.zeros({sizes}, dtype=torch.{dtype})"
            )

        name = f"h{self.counter}"
        self.counter += 1
        chance = self.chooser.random()
        if chance < 0.6:
            self.begin(f"self.register_buffer('{name}', {made()})")
        elif chance < 0.75:
            self.begin(f"self.{name} = nn.Parameter({self.tensor([max(1, s) for s in sizes])})")
        else:
            self.scripted = True
            kind, value = self.chooser.choice(
                [
                    ("List[torch.Tensor]", f"[{made()}, {made()}]"),
                    ("Dict[str, torch.Tensor]", f"{{'a': {made()}, 'b': {made()}}}"),
                    ("Tuple[torch.Tensor, torch.Tensor]", f"({made()}, {made()})"),
                    ("int", "1"),
                ]
            )
            self.fields.append(f"    {name}: {kind}")
            self.begin(f"self.{name} = {value}")
        self.stated = True

    def begin(self, line: str):
        self.run(line)
        self.setup.append(line)

    # What there is.

    def run(self, code: str, have=None):
        with torch.no_grad():
            exec(compile(code, "<statement>", "exec"), self.globals, self.have if have is None else have)

    def places(self, have, wanted):
        """Expressions of tensors, among them those in containers and attributes."""
        found = []
        attributes = {"self." + k: v for k, v in vars(self.holder).items() if not k.startswith("_") and k != "training"}
        attributes.update({"self." + k: v for k, v in self.holder._buffers.items()})
        attributes.update({"self." + k: v for k, v in self.holder._parameters.items()})
        for name, v in {**have, **attributes}.items():
            if name == "self":
                continue
            items = v.items() if isinstance(v, dict) else enumerate(v) if isinstance(v, (list, tuple)) else ()
            for text, t in [(name, v)] + [(f"{name}[{k!r}]", t) for k, t in items]:
                if isinstance(t, torch.Tensor) and wanted(t):
                    found.append(text)
        return found

    def shape(self, sizes):
        """Other sizes of as many elements."""
        count = math.prod(sizes)
        chance = self.chooser.random()
        divisors = [d for d in range(2, 10) if count and count % d == 0]
        if chance < 0.3 or not divisors:
            return "[-1]" if count else str([0] + list(sizes)[:0])
        d = self.chooser.choice(divisors)
        return str(self.chooser.choice([[d, -1], [-1, d], [1, d, -1], [d, 1, count // d]]))

    def index(self, size) -> str:
        chance = self.chooser.random()
        k = self.chooser.randint(-1, max(0, min(size, 3) - 1))
        return self.chooser.choice(
            [str(k), str(k), ":", "1:", ":-1", "::2", f":{max(k, 0) + 1}", "None", "...", "-2:"]
            if chance < 0.9
            else ["0:0", "[0]", "::3"]
        )

    def fill(self, form: str, have, target=None) -> str:
        """The form with what a program has in its places."""
        out, last = [], None
        sample = self.chooser

        def named(wanted):
            found = self.places(have, wanted)
            if not found:
                raise Unfit("nothing of the kind")
            # What came last is what programs go on with.
            return found[max(sample.randrange(len(found)), sample.randrange(len(found)))]

        for literal, field, _, _ in string.Formatter().parse(form):
            out.append(literal)
            if field is None:
                continue
            if field in ("x", "y", "f", "i", "b", "w"):
                kinds = {
                    "f": lambda t: t.is_floating_point(),
                    "i": lambda t: not t.is_floating_point() and t.dtype != torch.bool,
                    "b": lambda t: t.dtype == torch.bool,
                }
                if field == "w" and target:
                    text = target
                elif field == "y" and last is not None and sample.random() < 0.6:
                    text = named(lambda t: t.shape == last.shape)
                elif field in ("f", "x") and last is not None and sample.random() < 0.5:
                    text = named(lambda t: t.shape == last.shape and (field == "x" or t.is_floating_point()))
                else:
                    text = named(kinds.get(field, lambda t: True))
                last = eval(text, self.globals, have)
            else:
                rank = last.dim() if last is not None else 2
                d = sample.randrange(-rank, rank) if rank else 0
                text = {
                    "d": lambda: str(d),
                    "e": lambda: str(sample.randrange(rank) if rank else 0),
                    "k": lambda: str(sample.randint(0, 1)),
                    "n": lambda: str(sample.randint(1, 4)),
                    "m": lambda: str(sample.randint(-2, 0)),
                    "c": lambda: str(round(sample.uniform(0.2, 2.5), 2)),
                    "s": lambda: self.shape(last.shape),
                    "p": lambda: str(sample.sample(range(rank), rank)),
                    "h": lambda: self.index(last.shape[0] if rank else 1),
                }[field]()
            out.append(text)
        return "".join(out)

    # What happens.

    def expression(self, have) -> str:
        tables = [
            (expressions.POINTWISE, 5),
            (expressions.SHAPED, 4),
            (expressions.REDUCING, 2),
            (expressions.PRODUCTS, 1),
            (expressions.PICTURES, 1),
        ]
        table = self.chooser.choices([t for t, _ in tables], [w for _, w in tables])[0]
        return self.fill(self.chooser.choice(table), have)

    def layer(self, have) -> str:
        found = self.places(have, lambda t: t.dtype == torch.float32 and 0 < t.dim() <= 5)
        if not found:
            raise Unfit("no tensor for a layer")
        name = self.chooser.choice(found[-3:])
        t = eval(name, self.globals, have)
        forms = expressions.LAYERS[t.dim() if self.chooser.random() < 0.8 else 0]
        made, _, item = (
            self.chooser.choice(forms)
            .format(
                t.shape[-1],
                t.shape[1] if t.dim() > 1 else 1,
                n=self.chooser.choice([1, 3, 4, 8]),
                m2=self.chooser.choice([1, 2]),
            )
            .partition(" [")
        )
        attribute = f"a{self.counter}"
        self.counter += 1
        self.run(f"self.{attribute} = {made}.eval()", have)
        self.setup.append(f"self.{attribute} = {made}")
        return f"self.{attribute}({name})" + (f"[{item}" if item else "")

    def writable(self, have):
        return self.places(have, lambda t: t.numel() > 0)

    def statement(self, indent: str, have, names):
        """A line; `names` are those that may be set where a new one would be lost behind a block."""
        chance = self.chooser.random()
        if chance < (0.3 if self.kind == "tensors" else 0.1):
            line = self.fill(self.chooser.choice(expressions.WRITES), have, self.chooser.choice(self.writable(have)))
        elif chance < 0.42 and self.stated:
            line = self.state(have)
        else:
            layer = chance > (0.4 if self.kind == "layers" else 0.93)
            value = self.layer(have) if layer else self.expression(have)
            if names is not None and names and self.chooser.random() < 0.8:
                line = f"{self.chooser.choice(names)} = {value}"
            else:
                line = f"v{self.counter} = {value}"
                self.counter += 1
        self.run(line, have)
        self.check(have)
        self.lines.append(indent + line)

    def state(self, have) -> str:
        name = self.chooser.choice([p for p in self.places({}, lambda t: True)] or ["self.none"])
        t = eval(name, self.globals, have)
        same = self.places(have, lambda o: o.shape == t.shape and o.dtype == t.dtype)
        other = self.chooser.choice(same)
        new = self.chooser.choice(
            ["{o}", "{o} * 1", "{t} + {o}", "{t} * 0.5 + {o}", "torch.roll({t}, 1, 0)", "torch.cat([{t}[1:], {o}[:1]])"]
        )
        new = new.format(t=name, o=other)
        value = eval(new, self.globals, have)
        if value.shape != t.shape or value.dtype != t.dtype or name.endswith("]") and name[:-3] in ("",):
            raise Unfit("another shape would be kept")
        self.scripted = True
        return f"{name} = {new}"

    def container(self, indent: str, have):
        a, b = (self.chooser.choice(self.places(have, lambda t: True)) for _ in range(2))
        name = f"c{self.counter}"
        self.counter += 1
        line = self.chooser.choice(
            [
                f"{name} = [{a}, {b}]",
                f"{name} = ({a}, {b})",
                f"{name} = {{'a': {a}, 'b': {b}}}",
                f"{name} = [{a}]",
                f"{name} = torch.unbind({a})",
                f"{name} = torch.chunk({a}, 2)",
            ]
        )
        self.run(line, have)
        self.scripted = True
        self.lines.append(indent + line)

    def check(self, have):
        for v in have.values():
            for t in v if isinstance(v, (list, tuple)) else [v]:
                if isinstance(t, torch.Tensor) and (t.numel() > MOST_ELEMENTS or t.dim() > 6 or t.is_complex()):
                    raise Unfit("too large")

    def tried(self, make, have, times=8):
        """Makes a statement on a copy, and again on what there is once it went well."""
        for _ in range(times):
            kept = (len(self.lines), list(self.setup), self.scripted)
            trial = copy.deepcopy(have)
            holder, self.holder = self.holder, trial["self"]
            counter = self.counter
            try:
                make(trial)
            except Exception:
                del self.lines[kept[0] :]
                self.setup, self.scripted = kept[1], kept[2]
                self.holder = holder
                self.counter = counter
                continue
            have.clear()
            have.update(trial)
            return True
        return False

    def block(self, indent: str, have, count: int, names):
        before = len(self.lines)
        for _ in range(count):
            self.tried(lambda h: self.statement(indent, h, names), have)
        if len(self.lines) == before:
            self.lines.append(indent + "pass")

    def flow(self, indent: str, have, depth: int):
        """A branch or a loop; what is made within is lost behind it."""
        self.scripted = True
        names = [n for n, v in have.items() if isinstance(v, torch.Tensor) and (n.startswith("v") or n in "xy")]
        lists = [n for n, v in have.items() if isinstance(v, list) and v and isinstance(v[0], torch.Tensor)]
        numbers = [n for n, v in have.items() if type(v) is int]
        tensor = self.chooser.choice(self.places(have, lambda t: t.numel() > 0))
        kind = self.chooser.random()
        if kind < 0.5:
            condition = self.chooser.choice(
                [
                    f"bool(({tensor} > {self.chooser.randint(0, 3)}).any())",
                    f"{tensor}.dim() > 2",
                    f"{tensor}.size(-1) > 3",
                    f"bool({tensor}.sum() > 0)",
                ]
                + [f"{n} > {self.chooser.randint(0, 2)}" for n in numbers]
                + [f"bool({tensor}.max() > 1) or bool({tensor}.min() < -2)"]
            )
            other = copy.deepcopy(have)
            taken = eval(condition, self.globals, have)
            self.lines.append(f"{indent}if {condition}:")
            sides = (have, other) if taken else (other, have)
            for number, side in enumerate(sides):
                if number == 1:
                    if self.chooser.random() < 0.3:
                        break
                    self.lines.append(f"{indent}else:")
                self.holder = side["self"]
                known = set(side)
                if depth and self.chooser.random() < 0.2:
                    self.flow(indent + "    ", side, depth - 1)
                self.block(indent + "    ", side, self.chooser.randint(1, 3), names)
                for name in set(side) - known:
                    del side[name]
            self.holder = have["self"]
        else:
            times = self.chooser.choice(numbers + [str(self.chooser.randint(0, 3))] * 2)
            head = (
                f"for v{self.counter} in {self.chooser.choice(lists)}:"
                if lists and kind > 0.8
                else f"for i{self.counter} in range({times}):"
            )
            looping = head.split()[1]
            self.counter += 1
            known = set(have)
            start = len(self.lines)
            trial = copy.deepcopy(have)
            self.lines.append(indent + head)
            trial[looping] = trial[head.split()[-1][:-1]][0] if "range" not in head else 0
            self.holder = trial["self"]
            self.block(indent + "    ", trial, self.chooser.randint(1, 3), names)
            code = "\n".join(line[len(indent) :] for line in self.lines[start:])
            self.holder = have["self"]
            self.run(code, have)
            self.check(have)
            for name in set(have) - known:
                del have[name]

    def text(self) -> str:
        self.inputs()
        for _ in range(self.chooser.choice([0, 0, 1, 2]) if self.kind == "tensors" else 0):
            self.attribute()
        for _ in range(self.chooser.randint(2, 9)):
            chance = self.chooser.random()
            if chance < 0.15 and self.kind == "tensors":
                self.tried(lambda h: self.flow("        ", h, 1), self.have, 3)
            elif chance < 0.22 and self.kind == "tensors":
                self.tried(lambda h: self.container("        ", h), self.have)
            else:
                self.tried(lambda h: self.statement("        ", h, None), self.have)
        self.holder = self.have["self"]
        body = "\n".join(self.lines)
        results = [n for n, v in self.have.items() if n[0] in "vc" and not isinstance(v, dict)]
        # What nobody reads is computed by some and left out by others.
        unread = [n for n in results if len(re.findall(rf"\b{n}\b", body)) < 2]
        results = self.chooser.sample(results, min(len(results), self.chooser.randint(0, 3)))
        results = [*unread, *(n for n in results if n not in unread)]
        results += [p for p in self.places({}, lambda t: True) if self.chooser.random() < 0.5]
        if not results:
            raise Unfit("nothing to answer")
        calls = CALLS if self.stated else 3
        body = ["        super().__init__()"] + ["        " + line for line in self.setup]
        text = PRELUDE + "class M(nn.Module):\n" + "".join(f + "\n" for f in self.fields)
        text += "    def __init__(self):\n" + "\n".join(body) + "\n\n"
        text += f"    def forward(self, {', '.join(self.declared)}):\n" + "\n".join(self.lines)
        text += f"\n        return {', '.join(results)}\n\n\ninputs = [\n"
        for call in range(calls):
            text += f"    [{', '.join(a[call] for a in self.arguments)}],\n"
        return text + "]\n" + (self.opened() if self.kind == "open" else "")

    def opened(self) -> str:
        """Open sizes, and calls with others in their places."""
        tensors = [eval(made[0], self.globals) for made in self.arguments]
        sizes = sorted({s for t in tensors for s in t.shape if s > 1})
        free = [s for s in sizes if self.chooser.random() < 0.6] or sizes[:1]
        kept = [{"dtype": str(t.dtype)[6:], "shape": [-1 if s in free else s for s in t.shape]} for t in tensors]
        out = f"open = {kept}\n"
        for turn in range(2):
            to = {s: s + self.chooser.randint(1, 7) for s in free}
            made = [self.tensor([to.get(s, s) for s in t.shape], str(t.dtype)[6:]) for t in tensors]
            out += f"inputs.append([{', '.join(made)}])\n"
        return out


def program(seed: int):
    """The text of a module, and the form that it is saved in."""
    made = Program(seed)
    text = made.text()
    return text, "scripted" if made.scripted or made.chooser.random() < 0.4 else "traced"


def main():
    texts = {}
    for number in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):
        try:
            texts[f"m{number}"] = program(number)[0]
        except Unfit:
            continue
    json.dump(texts, sys.stdout)


if __name__ == "__main__":
    main()
