"""check_written.py CASES WRITTEN: what the suite write wrote, as .pt, .ptl and .ff (a flat buffer), answers in genuine PyTorch as PyTorch's own file does."""

import glob
import json
import os
import sys
import warnings

warnings.filterwarnings("ignore")
os.environ.setdefault("GLOG_minloglevel", "2")

import numpy
import torch
import torchvision  # noqa: F401 registers the operators that some models name
from torch.jit.mobile import _load_for_lite_interpreter

from archives import report, summary

cases, written = sys.argv[1:3]
torch.backends.quantized.engine = "qnnpack"
torch.set_num_threads(1)


def value(spec, folder):
    kind = spec["kind"]
    if kind == "tensor":
        array = numpy.load(os.path.join(folder, spec["file"]))
        tensor = (
            torch.from_numpy(array.view(numpy.int16)).view(torch.bfloat16)
            if spec["dtype"] == "bfloat16"
            else torch.from_numpy(array)
        )
        quant = spec.get("quant")
        if quant and quant["scheme"] == "per_tensor_affine":
            tensor = torch._make_per_tensor_quantized_tensor(tensor, quant["scale"], quant["zero_point"])
        elif quant:
            tensor = torch._make_per_channel_quantized_tensor(
                tensor, torch.tensor(quant["scales"]), torch.tensor(quant["zero_points"]), quant["axis"]
            )
        return (
            tensor.contiguous(memory_format=torch.channels_last) if spec["memory_format"] == "channels_last" else tensor
        )
    if kind == "list":
        return [value(item, folder) for item in spec["items"]]
    if kind == "tuple":
        return tuple(value(item, folder) for item in spec["items"])
    if kind == "dict":
        return {value(key, folder): value(item, folder) for key, item in spec["items"]}
    return {"none": lambda v: None, "float": float}.get(kind, lambda v: v)(spec.get("value"))


def same(a, b):
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        if a.is_quantized:
            a, b = a.int_repr(), b.int_repr()
        return (
            torch.equal(a, b)
            or a.is_floating_point()
            and torch.allclose(a, b, 1e-5, 1e-6, equal_nan=True)
            or a.is_complex()
            and torch.allclose(torch.view_as_real(a), torch.view_as_real(b), 1e-5, 1e-6, equal_nan=True)
        )
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    return a == b or a != a and b != b


def answers(module, runs, folder, lite):
    """The answer of each run, or the first line of what it raised."""
    out = []
    for run in runs:
        arguments = [value(spec, folder) for spec in run["inputs"]]
        keywords = {name: value(spec, folder) for name, spec in run.get("kwargs", {}).items()}
        try:
            with torch.no_grad():
                out.append(
                    module(*arguments)
                    if lite
                    else getattr(module, run.get("method", "forward"))(*arguments, **keywords)
                )
        except Exception as error:
            out.append("raised " + type(error).__name__)
    return out


class NotWritten(Exception):
    """The suite write, whose floor holds how many there are, has judged it already."""


def crashes(work):
    """Whether a piece of work ends its process, which is one of its own here: PyTorch's flat buffers may."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except Exception:
            pass
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) < 0


def check(name, form):
    lite = form != "pt"
    folder = os.path.join(cases, name)
    with open(os.path.join(folder, "case.json")) as file:
        case = json.load(file)
    runs = case["runs"]
    theirs = os.path.join(folder, case["model"])
    ours = os.path.join(written, name + "." + form)
    if not os.path.exists(ours):
        raise NotWritten
    expected = torch.jit.load(theirs)
    if lite:
        runs = runs[: next((i for i, run in enumerate(runs) if "method" in run or "kwargs" in run), len(runs))]
        flat = form == "ff"
        kept = []
        theirs_lite = os.path.join(written, "theirs." + form)

        def answered(file):
            # Tensors of a flat buffer's module are gone with it, those that it answered with too.
            kept.append(_load_for_lite_interpreter(file))
            return answers(kept[-1], runs, folder, True)

        # PyTorch's own file for the lite interpreter tells what that one cannot do.
        try:
            torch.jit.load(theirs)._save_for_lite_interpreter(theirs_lite, _use_flatbuffer=flat)
            lost = flat and crashes(lambda: answered(theirs_lite))
        except Exception:
            lost = None
        if flat and crashes(lambda: answered(ours)):
            return [] if lost else ["ends PyTorch (expected: an answer, as of PyTorch's own flat buffer)"]
        found = answered(ours)
        wanted = answers(expected, runs, folder, False)
        try:
            also = wanted if lost is not False else answered(theirs_lite)
        except Exception:
            also = wanted
        wanted = [b if same(b, c) else a for a, b, c in zip(wanted, also, found)]
    else:
        wanted = answers(expected, runs, folder, False)
        found = answers(torch.jit.load(ours), runs, folder, False)
    return [
        f"run {i}: {str(b)[:200]} (expected: {str(a)[:200]})"
        for i, (a, b) in enumerate(zip(wanted, found))
        if not same(a, b)
    ]


FORMS = "pt", "ptl", "ff"
passed = failed = skipped = 0
for path in sorted(glob.glob(os.path.join(cases, "*", "case.json"))):
    name = os.path.basename(os.path.dirname(path))
    problems = []
    missing = 0
    for form in FORMS:
        try:
            problems += [form + ": " + problem for problem in check(name, form)]
        except NotWritten:
            missing += 1
        except Exception as error:
            problems.append(form + ": " + str(error).strip().split("\n")[-1])
    if missing == len(FORMS):
        skipped += 1
    elif report(name, problems):
        passed += 1
    else:
        failed += 1
sys.exit(summary(passed, failed, skipped))
