"""PyTorch's samples of its operators with what samples lack: special values, no elements, numbers, five dimensions, other strides."""

import math
import os
import random
import signal

import torch

import operators
from source import module as source_module

INF = math.inf
REAL = [math.nan, INF, -INF, 0.0, -0.0, 1e-41, -1e-41, 2.2e-4, -1e-5, 89.5, -104.0, 0.5, -1.5, 2.5]
# What IEEE 754 calls subnormal in half precision, and what overflows there.
HALF = [math.nan, INF, -INF, 0.0, -0.0, 6e-8, -3e-6, 12.0, -17.5, 0.5, -1.5, 2.5]
# Zeros of these are what rounding leaves.
ROUNDED = ("fft.", "linalg.")
SECONDS = 60


def special_values(t: torch.Tensor, chooser: random.Random) -> torch.Tensor:
    made = t.clone(memory_format=torch.contiguous_format)
    flat = made.view(-1)
    if t.dtype == torch.bool or t.dtype.is_complex or t.is_quantized:
        return made
    if t.dtype.is_floating_point:
        drawn = HALF if t.dtype == torch.float16 else REAL
    else:
        range_of = torch.iinfo(t.dtype)
        drawn = [range_of.min, range_of.max, range_of.max - 1, 0, 1, 2, max(range_of.min, -1)]
    for i in range(flat.numel()):
        if chooser.random() < 0.4:
            flat[i] = chooser.choice(drawn)
    return made


class Values:
    """Every tensor of the tested type holds special values, and numbers sometimes are one."""

    def __init__(self, dtype, chooser, sample):
        self.dtype, self.chooser = dtype, chooser

    def tensor(self, t):
        return special_values(t, self.chooser) if t.dtype == self.dtype else t

    def number(self, n):
        real = isinstance(n, float) and self.chooser.random() < 0.3
        return self.chooser.choice([math.nan, INF, -INF, 0.0, -0.0]) if real else n


class Empty:
    """One dimension has no elements: of every tensor that has as many there as the first, or of the first alone."""

    def __init__(self, dtype, chooser, sample):
        first = next(operators.flat((sample.input, sample.args)), None)
        self.alone = first if chooser.random() < 0.3 else None
        self.d = chooser.randrange(-first.dim(), 0) if first is not None and first.dim() else None
        self.size = first.size(self.d) if self.d is not None else None

    def tensor(self, t):
        fits = self.d is not None and t.dim() >= -self.d and t.size(self.d) == self.size
        if not fits or self.alone is not None and t is not self.alone:
            return t
        return t.narrow(self.d, 0, 0).clone()

    def number(self, n):
        return n


class Numbers:
    """Tensors are of no dimension; whole numbers, which mostly are dimensions, are 0 half the time."""

    def __init__(self, dtype, chooser, sample):
        self.zero = chooser.random() < 0.5

    def tensor(self, t):
        return t.flatten()[0].clone() if t.numel() else t

    def number(self, n):
        return 0 if self.zero and type(n) is int else n


class Five:
    """Tensors have five dimensions."""

    def __init__(self, dtype, chooser, sample):
        pass

    def tensor(self, t):
        if t.dim() > 4 or t.dim() == 0:
            return t
        return t.expand(2, *[1] * (4 - t.dim()), *t.shape).contiguous()

    def number(self, n):
        return n


KINDS = {"values": Values, "empty": Empty, "numbers": Numbers, "five": Five, "strides": None}


def mapped(kind, v):
    if isinstance(v, torch.Tensor):
        return kind.tensor(v)
    if type(v) in (list, tuple):
        return type(v)(mapped(kind, x) for x in v)
    return kind.number(v) if type(v) in (int, float) else v


def strided(call: operators.Call):
    """The call on tensors that lie in memory in another order, and the strides of what it returns; None if that has no form."""
    given, lines = [], []
    for declared, t in zip(call.declared, call.given):
        name, kind = declared.split(": ")
        if kind == "Tensor" and t.dim() >= 2:
            lines.append(f"    {name} = {name}.transpose(0, -1)")
            t = t.transpose(0, -1).contiguous()
        given.append(t)
    if not lines:
        return None, ()
    for text in call.texts:
        for result in ("r", "r[0]"):
            source = f"def forward(self, {', '.join(call.declared)}):\n" + "\n".join(lines)
            try:
                return source_module(f"{source}\n    r = {text}\n    return r, {result}.stride()\n"), tuple(given)
            except Exception:
                continue
    return None, ()


def of_operator(op, samples: int, dtypes: int, seed: int):
    name = op.name + ("-" + op.variant_test_name if op.variant_test_name else "")
    chooser = random.Random(f"{seed} {name}")
    supported = sorted(op.supported_dtypes("cpu"), key=str)
    chosen = supported if dtypes == 0 else chooser.sample(supported, k=min(dtypes, len(supported)))
    for dtype in chosen:
        torch.manual_seed(seed)
        random.seed(seed)
        try:
            found = list(op.sample_inputs("cpu", dtype))
        except Exception:  # some have none of some types
            continue
        for word in KINDS if samples else [chooser.choice(list(KINDS))]:
            kind = KINDS[word]
            for i in sorted(chooser.sample(range(len(found)), k=min(max(samples, 1), len(found)))):
                sample = found[i]
                every = (sample.input, sample.args, tuple(sample.kwargs.values()))
                if any(t.layout != torch.strided for t in operators.flat(every)):
                    continue
                if operators.broken(op, name, dtype, sample):
                    continue
                made = type(sample)(sample.input)
                rule = kind(dtype, chooser, sample) if kind else None
                change = (lambda v: mapped(rule, operators.detached(v))) if rule else operators.detached
                made.input, made.args = change(sample.input), tuple(map(change, sample.args))
                made.kwargs = {k: change(v) for k, v in sample.kwargs.items()}
                try:
                    call = operators.Call(op, made)
                except ValueError:
                    continue
                module, given = (operators.scripted(call), tuple(call.given)) if kind else strided(call)
                if module is None and kind:
                    module, given = operators.traced(op, made)
                if module is not None:
                    yield (
                        f"{name}-{str(dtype)[6:]}-{i}-{word}",
                        module,
                        given,
                        operators.undefined(op, name, made),
                        operators.SLACK.get(dtype, 0),
                        word == "values" and not name.startswith(ROUNDED),
                    )


def write_all(write, only: str, samples: int, dtypes: int, seed: int, part: int = 0, parts: int = 1) -> int:
    """Writes the cases of all operators, in a process that is begun anew behind each at which genuine PyTorch ends."""
    chosen = [o for o in sorted(operators.op_db, key=lambda o: (o.name, o.variant_test_name)) if only in o.name]
    left = chosen[part::parts]
    made = 0
    while left:
        back, out = os.pipe()
        child = os.fork()
        if child == 0:
            for op in left:
                signal.alarm(SECONDS)
                for case in of_operator(op, samples, dtypes, seed):
                    if write(*case):
                        os.write(out, b".")
                os.write(out, b"\n")
            os._exit(0)
        os.close(out)
        with open(back, "rb") as told:
            text = told.read()
        os.waitpid(child, 0)
        made += text.count(b".")
        done = text.count(b"\n")
        if done < len(left):
            print(f"PyTorch ended: {left[done].name}")
        left = left[done + 1 :]
    return made
