"""Random modules as cases: text that makes a module and its calls, genuine PyTorch's answers, and folders that `torch-nnapi conformance torch` reads."""

import copy
import itertools
import json
import linecache
import os
import sys
import types

import numpy
import torch
from torch.jit.mobile import _load_for_lite_interpreter

import comparison

PRELUDE = """import torch, math
import torch.nn as nn
import torch.nn.functional as F
from typing import Dict, List, Optional, Tuple
from math import inf, nan


def g(s):
    return torch.Generator().manual_seed(s)


"""
COUNTER = itertools.count()
# Last bits of these, of what comes in: what differs by more than that is no answer to hold anybody to.
DRAWS = 2
CHANGE = 2.0**-21
# The same where everything is rounded to 8 bits.
QUANTIZED_CHANGE = 2.0**-9


class Unfit(Exception):
    """There is nothing to compare with."""


def namespace(text: str) -> dict:
    """What the text defines. TorchScript reads sources from files, here from a file that there is not."""
    name = f"random_module_{next(COUNTER)}"
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    made = types.ModuleType(name)
    made.__file__ = file
    sys.modules[name] = made
    try:
        exec(compile(text, file, "exec"), made.__dict__)
    finally:
        del sys.modules[name]
    return made.__dict__


def module(text: str, form: str):
    """The scripted or traced module, in evaluation mode, and its calls."""
    found = namespace(text)
    torch.manual_seed(0)
    made = found["M"]().eval()
    calls = found["inputs"]
    if form == "scripted":
        return torch.jit.script(made), calls, found.get("open")
    return torch.jit.trace(made, tuple(copy.deepcopy(calls[0])), check_trace=False), calls, found.get("open")


def answers(made, calls) -> list:
    """Of each call its result and the arguments after it; a call that raises is the last."""
    found = []
    for given in calls:
        arguments = copy.deepcopy(given)
        torch.manual_seed(0)
        try:
            with torch.no_grad():
                found.append((copy.deepcopy(made(*arguments)), arguments))
        except Exception as e:
            found.append((e, None))
            break
    return found


def changed(v, chooser: torch.Generator, by: float = CHANGE):
    """The same with other last bits."""
    if isinstance(v, torch.Tensor):
        if v.dtype not in (torch.float32, torch.float64, torch.complex64) or v.numel() == 0:
            return v
        return v * (1 + by * (torch.randint(0, 2, v.shape, generator=chooser) * 2 - 1)).to(v.dtype)
    if isinstance(v, (list, tuple)):
        return type(v)(changed(x, chooser, by) for x in v)
    return {k: changed(x, chooser, by) for k, x in v.items()} if isinstance(v, dict) else v


def require_steady(file: str, calls, wanted):
    """Raises where last bits of inputs and weights decide what is answered."""
    for draw in range(DRAWS):
        chooser = torch.Generator().manual_seed(draw)
        made = torch.jit.load(file)
        for t in itertools.chain(made.parameters(), made.buffers()):
            if t.is_contiguous() and t._base is None:
                t.data.copy_(changed(t.data, chooser))
        got = answers(made, [changed(given, chooser) for given in calls])
        wrong = comparison.compare([w for w, _ in wanted], [v for v, _ in got], "answer", share=0.25)
        if wrong:
            raise Unfit("last bits decide: " + wrong)
    # What rounding leaves of nothing is something else in finer steps.
    got = answers(torch.jit.load(file).double(), [with_types(given, None) for given in calls])
    if not any(isinstance(v, Exception) for v, _ in got) and len(got) == len(wanted):
        wrong = comparison.compare(
            [w for w, _ in wanted], [with_types(v, w) for (v, _), (w, _) in zip(got, wanted)], "answer"
        )
        if wrong:
            raise Unfit("rounding decides: " + wrong)


def require_steady_quantized(file: str, calls, wanted, atol: float):
    """Raises where what 8 bits leave of inputs decides what is answered."""
    for draw in range(DRAWS):
        chooser = torch.Generator().manual_seed(draw)
        got = answers(torch.jit.load(file), [changed(given, chooser, QUANTIZED_CHANGE) for given in calls])
        if not near([w for w, _ in wanted], [v for v, _ in got], atol):
            raise Unfit("a quantum decides")


def near(wanted, got, atol: float) -> bool:
    if isinstance(wanted, torch.Tensor):
        if not isinstance(got, torch.Tensor) or wanted.shape != got.shape:
            return False
        if wanted.is_floating_point() or wanted.is_quantized:
            w, v = (t.dequantize() if t.is_quantized else t for t in (wanted, got))
            return torch.allclose(v.double(), w.double(), rtol=0, atol=atol, equal_nan=True)
        return torch.equal(wanted, got)
    if isinstance(wanted, (list, tuple)):
        return len(wanted) == len(got) and all(near(w, v, atol) for w, v in zip(wanted, got))
    return isinstance(wanted, Exception) or wanted == got


def shapes(v):
    """What a call's arguments have in common with others of these sizes."""
    if isinstance(v, torch.Tensor):
        return list(v.shape)
    if isinstance(v, dict):
        return {k: shapes(x) for k, x in v.items()}
    return [shapes(x) for x in v] if isinstance(v, (list, tuple)) else None


def has_nan(v) -> bool:
    if isinstance(v, torch.Tensor):
        return bool((v != v).any())
    if isinstance(v, dict):
        return any(map(has_nan, v.values()))
    return any(map(has_nan, v)) if isinstance(v, (list, tuple)) else v != v


def with_types(v, like):
    """Real numbers in the types of what they are like, or in float64."""
    if isinstance(v, torch.Tensor):
        if like is None:
            return v.double() if v.dtype == torch.float32 else v
        real = isinstance(like, torch.Tensor) and like.is_floating_point() and v.is_floating_point()
        return v.to(like.dtype) if real else v
    if isinstance(v, (list, tuple)):
        return type(v)(with_types(x, like[i] if like is not None and i < len(like) else None) for i, x in enumerate(v))
    if isinstance(v, dict):
        return {k: with_types(x, like.get(k) if isinstance(like, dict) else None) for k, x in v.items()}
    return v


class Folder:
    """A case's folder, with a file for each tensor."""

    def __init__(self, path: str):
        self.path = path
        self.files = 0
        os.makedirs(path, exist_ok=True)

    def value(self, v) -> dict:
        if isinstance(v, torch.Tensor):
            return self.tensor(v)
        if v is None:
            return {"kind": "none"}
        for kind, known in (("bool", bool), ("int", int), ("str", str)):
            if isinstance(v, known):
                return {"kind": kind, "value": v}
        if isinstance(v, float):
            return {"kind": "float", "value": v if numpy.isfinite(v) else str(v)}
        if isinstance(v, complex):
            return {"kind": "complex", "value": [v.real, v.imag]}
        if isinstance(v, (list, tuple)):
            return {"kind": "list" if isinstance(v, list) else "tuple", "items": [self.value(x) for x in v]}
        if isinstance(v, dict):
            return {"kind": "dict", "items": [[self.value(k), self.value(x)] for k, x in v.items()]}
        raise Unfit(f"{type(v)} has no written form")

    def tensor(self, t: torch.Tensor) -> dict:
        if t.layout != torch.strided:
            raise Unfit("sparse")
        described = {"kind": "tensor", "dtype": str(t.dtype)[6:], "shape": list(t.shape)}
        t = t.detach().resolve_conj().resolve_neg()
        strides = t.stride()
        if t.is_quantized:
            if t.qscheme() != torch.per_tensor_affine:
                raise Unfit("scales of channels")
            described["quant"] = {"scheme": "per_tensor_affine", "scale": t.q_scale(), "zero_point": t.q_zero_point()}
        if not t.is_contiguous() and min(strides) > 0:
            described.update(memory_format="strided", strides=list(strides))
        plain = t.int_repr() if t.is_quantized else t
        plain = plain.contiguous()
        if plain.dtype == torch.bfloat16:
            data = plain.view(torch.int16).numpy().view(numpy.uint16)
        elif plain.dtype == torch.complex32:
            raise Unfit("complex halves have no .npy form")
        else:
            data = plain.numpy()
        described["file"] = f"t{self.files}.npy"
        self.files += 1
        numpy.save(os.path.join(self.path, described["file"]), data)
        return described


def lite_error(made, path: str, calls, wanted):
    """Why there is nothing to ask of a lite module, or None; raises where PyTorch itself answers in two ways."""
    try:
        made._save_for_lite_interpreter(path)
        got = answers(_load_for_lite_interpreter(path), calls)
    except Exception as e:
        return str(e)[:200] or type(e).__name__
    finally:
        if os.path.exists(path):
            os.remove(path)
    wrong = comparison.compare(wanted, got, "answer")
    if wrong and not any(isinstance(v, Exception) for v, _ in got):
        # Its passes remove writes to what dropout returns, which is what came in.
        raise Unfit("the lite interpreter answers otherwise: " + wrong)
    return wrong


def write(path: str, text: str, form: str, steady: bool = True, pipelines=()):
    """Writes the case of a module; raises where genuine PyTorch cannot make or save it, or gives nothing to hold to.

    Only these pipelines are for it, where any are given.
    """
    made, calls, opened = module(text, form)
    folder = Folder(path)
    file = os.path.join(path, "model.pt")
    torch.jit.save(made, file)
    with open(os.path.join(path, "module.py"), "w") as f:
        f.write(text)
    describe(folder, file, calls, opened, steady, pipelines)


def largest(v) -> float:
    if isinstance(v, torch.Tensor):
        v = v.dequantize() if v.is_quantized else v
        v = v[torch.isfinite(v)].double() if v.is_floating_point() else v.new_zeros(0)
        return float(v.abs().max()) if v.numel() else 0
    return max(map(largest, v), default=0) if isinstance(v, (list, tuple)) else 0


def describe(folder: Folder, file: str, calls, opened=None, steady=True, pipelines=(), quantized=False):
    """Writes what genuine PyTorch makes of a file's calls."""
    wanted = answers(torch.jit.load(file), calls)
    if opened and isinstance(wanted[-1][0], Exception):
        # Sizes that the model does not take.
        wanted, calls = wanted[:-1] or wanted, calls[: len(wanted) - 1] or calls[:1]
    if isinstance(wanted[0][0], Exception) and len(calls) > 1:
        raise Unfit("the first call fails: " + comparison.one_line(wanted[0][0]))
    # Of quantized models NNAPI rounds elsewhere; what is quantized as it comes in it does not round.
    dynamic = quantized and os.path.basename(folder.path).endswith("d")
    atol = (0.15 if dynamic else 0.05) * largest([w for w, _ in wanted])
    if steady:
        require_steady(file, calls, wanted)
    if quantized:
        require_steady_quantized(file, calls, wanted, atol)
    runs = []
    for given, (answer, after) in zip(calls, wanted):
        run = {"inputs": [folder.value(v) for v in given]}
        if isinstance(answer, Exception):
            # Words are no part of the answer.
            run["raises"] = {"type": type(answer).__name__, "message": ""}
        else:
            run["output"] = folder.value(answer)
            run["inputs_after"] = [folder.value(v) for v in after]
        runs.append(run)
    # A state that nobody can bring into this form shows by what is answered later.
    lite = not pipelines or any(".ptl" in name for name in pipelines)
    error = lite and lite_error(torch.jit.load(file), os.path.join(folder.path, "lite.ptl"), calls, wanted)
    description = {
        "format": 1,
        "model": os.path.basename(file),
        "tolerance": {**comparison.TOLERANCE, "rtols": {str(k)[6:]: v for k, v in comparison.RTOLS.items()}},
        "lite": {"error": error} if error else {},
        "runs": runs,
    }
    if pipelines:
        description["pipelines"] = list(pipelines)
    if opened:
        description["open"] = opened
    if quantized:
        description["converted"] = {"atol": atol, "quanta": 2, "mismatch_fraction": 1}
    with open(os.path.join(folder.path, "case.json"), "w") as f:
        json.dump(description, f)
