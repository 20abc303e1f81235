"""Compares TorchScript archives: once as genuine PyTorch loads them, once as bytes and pickles."""

import io
import pickle
import re
import zipfile

import torch

MANGLED = re.compile(r"\.?___torch_mangle_\d+")
SIZE_CHECK = re.compile(
    r'  if torch\.eq\(s_\d+_\d+, \d+\):\n    pass\n  else:\n    ops\.prim\.RaiseException\("AssertionError: "\)\n'
)


class Built:
    """Stands for whatever a pickle builds: the name of its global, the arguments, the state set afterwards."""

    name = ""

    def __new__(cls, *args):
        self = object.__new__(cls)
        self.args, self.state = list(args), None
        return self

    def __setstate__(self, state):
        self.state = state


class NeutralUnpickler(pickle._Unpickler):
    """Builds Built objects only, so that two pickles can be compared without the classes they name."""

    dispatch = dict(pickle._Unpickler.dispatch)

    def load_reduce(self):
        args = self.stack.pop()
        # PyTorch gives an enum's value as it is, not in a tuple.
        self.stack[-1] = self.stack[-1](*args) if isinstance(args, tuple) else self.stack[-1](args)

    dispatch[pickle.REDUCE[0]] = load_reduce

    def __init__(self, data: bytes):
        super().__init__(io.BytesIO(data))
        self.classes = {}

    def find_class(self, module, name):
        full = MANGLED.sub("", f"{module}.{name}")
        return self.classes.setdefault(full, type("Built", (Built,), {"name": full}))

    def persistent_load(self, pid):
        return Storage(pid)


class Storage:
    def __init__(self, pid):
        self.kind, self.key, self.numel = pid[1].name, pid[2], pid[4]


class Archive:
    def __init__(self, path: str):
        self.zip = zipfile.ZipFile(path)
        self.folder = self.zip.namelist()[0].split("/")[0]
        self.records = {n[len(self.folder) + 1 :] for n in self.zip.namelist()}

    def read(self, record: str) -> bytes:
        return self.zip.read(f"{self.folder}/{record}")


class Comparison:
    """Collects what differs between two archives; `problems` stays empty when they hold the same."""

    def __init__(self, ours: str, theirs: str):
        self.problems = []
        self.ours, self.theirs = Archive(ours), Archive(theirs)
        self.same = {}  # identity of one side to identity of the other: sharing must be the same
        self.keep = []

    def pickles(self, record: str, tensors: str) -> None:
        if (record in self.ours.records) != (record in self.theirs.records):
            self.problems.append(f"{record}: in one of the two only")
        elif record in self.ours.records:
            trees = [NeutralUnpickler(a.read(record)).load() for a in (self.ours, self.theirs)]
            self.keep.append(trees)
            self.values(record, *trees, tensors)

    def values(self, where: str, a, b, tensors: str) -> None:
        if len(self.problems) > 5:
            return
        if isinstance(a, Built) and isinstance(b, Built):
            if a.name != b.name:
                self.problems.append(f"{where}: {a.name} instead of {b.name}")
                return
        elif isinstance(a, type) and isinstance(b, type):
            if a.name != b.name:
                self.problems.append(f"{where}: {a.name} instead of {b.name}")
            return
        elif type(a) is not type(b):
            self.problems.append(f"{where}: {type(a).__name__} instead of {type(b).__name__}")
            return
        if isinstance(a, (Built, list, dict)):
            if id(a) in self.same or id(b) in self.same:
                if self.same.get(id(a)) != id(b) or self.same.get(id(b)) != id(a):
                    self.problems.append(f"{where}: shared with something else")
                return
            self.same[id(a)], self.same[id(b)] = id(b), id(a)
        if isinstance(a, Built):
            self.values(where, a.args, b.args, tensors)
            self.values(where, a.state, b.state, tensors)
        elif isinstance(a, Storage):
            x, y = (archive.read(f"{tensors}/{s.key}") for archive, s in ((self.ours, a), (self.theirs, b)))
            if (a.kind, a.numel) != (b.kind, b.numel) or x != y:
                self.problems.append(
                    f"{where}: storage {a.kind}[{a.numel}] instead of {b.kind}[{b.numel}], or other bytes"
                )
        elif isinstance(a, (list, tuple)):
            if len(a) != len(b):
                self.problems.append(f"{where}: {len(a)} elements instead of {len(b)}")
            for i, (x, y) in enumerate(zip(a, b)):
                self.values(f"{where}[{i}]", x, y, tensors)
        elif isinstance(a, dict):
            if list(map(str, a)) != list(map(str, b)):
                self.problems.append(f"{where}: keys {list(a)} instead of {list(b)}")
            for x, y, key in zip(a.values(), b.values(), a):
                self.values(f"{where}.{key}", x, y, tensors)
        elif a != b and not (a != a and b != b):
            text = [MANGLED.sub("", v) if isinstance(v, str) else v for v in (a, b)]
            if text[0] != text[1]:
                self.problems.append(f"{where}: {a!r} instead of {b!r}")

    def data(self) -> "Comparison":
        """Attributes, tensors and constants."""
        self.pickles("data.pkl", "data")
        self.pickles("constants.pkl", "constants")
        return self

    def records(self, *prefixes: str) -> "Comparison":
        """Records with these prefixes, byte for byte."""
        sides = [{r for r in a.records if r.startswith(prefixes)} for a in (self.ours, self.theirs)]
        if sides[0] != sides[1]:
            self.problems.append(
                f"records: only ours {sorted(sides[0] - sides[1])[:3]}, missing {sorted(sides[1] - sides[0])[:3]}"
            )
        for r in sorted(sides[0] & sides[1]):
            if self.ours.read(r) != self.theirs.read(r):
                self.problems.append(f"{r}: other bytes")
        return self


def describe(module: torch.jit.ScriptModule) -> list:
    """Every submodule with its class, attribute names, methods and their code, mangling removed."""
    lines = []
    for name, m in module.named_modules():
        c = m._c
        lines.append(
            f"{name}: {MANGLED.sub('', m.original_name)} training={c.hasattr('training') and c.getattr('training')}"
        )
        for method in sorted(c._method_names()):
            script = c._get_method(method)
            lines += [f"{name}.{method}", str(MANGLED.sub("", str(script.schema))), MANGLED.sub("", script.code)]
    return lines


def compare_loaded(ours: str, theirs: str) -> list:
    """Differences between two files as genuine PyTorch sees them."""
    try:
        a = describe(torch.jit.load(ours))
    except Exception as e:
        return [f"does not load: {type(e).__name__}: {str(e).strip().splitlines()[-1][:300]}"]
    b = describe(torch.jit.load(theirs))
    for x, y in zip(a, b):
        # Where a size was used at conversion, ours checks at load that it is still the same; PyTorch's does not always.
        if x != y and SIZE_CHECK.sub("", x) != y:
            return [f"as loaded: {x.strip()[:300]!r} instead of {y.strip()[:300]!r}"]
    return [] if len(a) == len(b) else [f"as loaded: {len(a)} parts instead of {len(b)}"]


def report(name: str, problems: list) -> bool:
    for p in problems:
        print(f"{name}: {p}", flush=True)
    return not problems


def summary(passed: int, failed: int, skipped: int) -> int:
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed or not passed else 0
