"""PyTorch's own samples of its operators (torch.testing's op_db), each as a module of that one operator."""

import math
import random
import sys
import types
import unittest

import torch

from source import module as source_module

# Debian does not have this package, of which only the import is needed.
sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase, ACCEPT=False))

from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402

# What nobody defines: elements that memory held; the order of eigenvalues, and the sign of vectors; which of equal elements is meant; noise.
UNDEFINED = {
    "empty",
    "empty_like",
    "new_empty",
    "new_empty_strided",
    "empty_strided",
    "resize_",
    "resize_as_",
    "linalg.eig",
    "linalg.eigvals",
    "linalg.eigh",
    "symeig",
    "linalg.svd",
    "svd",
    "svd_lowrank",
    "pca_lowrank",
    "linalg.det-singular",
    "kthvalue",
    "mode",
    "masked.argmin",
    "masked.argmax",
}
# Debian's PyTorch takes nothing from its BLAS, which returns complex numbers in another way, and answers 0.
BROKEN = {"dot", "vdot", "linalg.vecdot", "inner", "linalg.multi_dot"}
# A unit in the last place of the largest element, since the steps that PyTorch rounds are not the result alone.
SLACK = {torch.bfloat16: 2.0**-7, torch.float16: 2.0**-10, torch.complex32: 2.0**-10}


# Answers of what is sorted without being asked for stability, where elements are equal.
ORDERING = {"sort", "argsort", "msort", "topk"}
PRODUCTS = {"matmul", "__rmatmul__"}


# Of a single number these are 0 whatever it is; PyTorch multiplies before it subtracts, and what it gives is what rounding leaves.
NORMS = {"native_layer_norm", "nn.functional.layer_norm"}


def undefined(op, name: str, sample) -> bool:
    given = sample.input
    if op.name in NORMS and math.prod(sample.args[0]) == 1:
        return True
    if op.name == "unique" and sample.kwargs.get("sorted") is False and sample.kwargs.get("dim") is None:
        # The order is that of a hash table of the C++ library, here ascending.
        return True
    if op.name not in ORDERING or not isinstance(given, torch.Tensor) or sample.kwargs.get("stable"):
        ties = False
    else:
        # PyTorch has no unique of halves, which are all floats.
        ties = len((given.float() if given.dtype == torch.float16 else given).unique()) != given.numel()
    return ties or name in UNDEFINED or op.name in UNDEFINED


def broken(op, name: str, dtype: torch.dtype, sample) -> bool:
    vectors = op.name in PRODUCTS and all(t.dim() == 1 for t in flat((sample.input, sample.args)))
    return dtype.is_complex and (name in BROKEN or vectors)


def is_tensors(v) -> bool:
    return isinstance(v, (list, tuple)) and len(v) > 0 and all(isinstance(x, torch.Tensor) for x in v)


class Call:
    """A sample as text: what the module declares, what it is given, and the call."""

    def __init__(self, op, sample):
        self.declared, self.given = [], []
        parts = [self.argument(v) for v in (sample.input, *sample.args)] + [
            f"{k}={self.argument(v)}" for k, v in sample.kwargs.items()
        ]
        self.texts = [f"torch.{op.name}({', '.join(parts)})"]
        if isinstance(sample.input, torch.Tensor):
            self.texts.append(f"{parts[0]}.{op.name}({', '.join(parts[1:])})")

    def argument(self, v) -> str:
        if isinstance(v, torch.Tensor):
            return self.name("Tensor", v)
        if is_tensors(v):
            return self.name("List[Tensor]", list(v))
        if isinstance(v, (list, tuple)):
            inner = ", ".join(map(self.argument, v))
            return f"[{inner}]" if isinstance(v, list) else f"({inner},)"
        if isinstance(v, slice):
            raise ValueError("slices are no arguments")
        if isinstance(v, float) and not math.isfinite(v):
            return f'float("{v}")'
        if isinstance(v, torch.device):
            return f'torch.device("{v}")'
        return repr(v)

    def name(self, kind: str, v) -> str:
        name = f"a{len(self.given)}"
        self.declared.append(f"{name}: {kind}")
        self.given.append(v)
        return name

    def sources(self):
        for text in self.texts:
            yield f"def forward(self, {', '.join(self.declared)}):\n    return {text}\n"


def scripted(call: Call):
    """The module, or None if TorchScript has no form for it."""
    for source in call.sources():
        try:
            return source_module(source)
        except Exception:
            continue
    return None


class Traced(torch.nn.Module):
    def __init__(self, op, sample):
        super().__init__()
        self.op, self.sample = op, sample

    def forward(self, *given):
        queue = list(given)

        def fill(v):
            if isinstance(v, torch.Tensor):
                return queue.pop(0)
            return type(v)(map(fill, v)) if isinstance(v, (list, tuple)) else v

        return self.op(
            fill(self.sample.input), *map(fill, self.sample.args), **{k: fill(v) for k, v in self.sample.kwargs.items()}
        )


def flat(v):
    if isinstance(v, torch.Tensor):
        yield v
    elif isinstance(v, (list, tuple)):
        for x in v:
            yield from flat(x)


def traced(op, sample):
    given = tuple(flat((sample.input, sample.args, tuple(sample.kwargs.values()))))
    try:
        return torch.jit.trace(Traced(op.op, sample), given, check_trace=False), given
    except Exception:
        return None, given


def detached(v):
    if isinstance(v, torch.Tensor):
        return v.detach()
    return type(v)(map(detached, v)) if type(v) in (list, tuple) else v


def modules(only: str, samples: int, dtypes: int, seed: int, part: int = 0, parts: int = 1):
    """Name, module, arguments, whether its elements are undefined and their slack, of each sample chosen; 0 stands for all of them.

    Of so many parts only one, whose samples are those of every so many operators and types.
    """
    chooser = random.Random(seed)
    turn = -1
    for op in sorted(op_db, key=lambda o: (o.name, o.variant_test_name)):
        name = op.name + ("-" + op.variant_test_name if op.variant_test_name else "")
        if only not in name:
            continue
        supported = sorted(op.supported_dtypes("cpu"), key=str)
        others = [d for d in supported if d != torch.float32]
        chosen = (
            supported
            if dtypes == 0
            else [d for d in supported if d == torch.float32] + chooser.sample(others, k=min(dtypes - 1, len(others)))
        )
        for dtype in chosen:
            turn += 1
            if turn % parts != part:
                continue
            torch.manual_seed(seed)
            random.seed(seed)
            try:
                found = list(op.sample_inputs("cpu", dtype))
            except Exception:  # some have none of some types
                continue
            indices = (
                range(len(found))
                if samples == 0
                else sorted(chooser.sample(range(len(found)), k=min(samples, len(found))))
            )
            for i in indices:
                sample = found[i]
                sample.input, sample.args = detached(sample.input), tuple(map(detached, sample.args))
                sample.kwargs = {k: detached(v) for k, v in sample.kwargs.items()}
                if any(
                    t.layout != torch.strided for t in flat((sample.input, sample.args, tuple(sample.kwargs.values())))
                ):
                    continue
                if broken(op, name, dtype, sample):
                    continue
                try:
                    call = Call(op, sample)
                    module, given = scripted(call), tuple(call.given)
                except ValueError:
                    module, given = None, ()
                if module is None:
                    module, given = traced(op, sample)
                if module is not None:
                    yield (
                        f"{name}-{str(dtype)[6:]}-{i}",
                        module,
                        given,
                        undefined(op, name, sample),
                        SLACK.get(dtype, 0),
                    )
