"""pytorch_tests.py OUT TEST [ARGUMENT...]: what one of PyTorch's own test files scripts and traces, with genuine PyTorch's answers.

Runs the test file with hooks on calls of functions and modules, and writes what `torch-nnapi conformance captured OUT [--lite]` reads: KEY.pt, KEY.args, KEY.out,
KEY.json and, where PyTorch can write a file for its lite interpreter, KEY.ptl and KEY.lout. An answer is made in a process of its own: what kills it, or
takes longer than some seconds, is passed over, and so is what starts tasks. Tests with one of the texts of $SKIP, separated by commas, in their names are passed
over as well. Of what is called the first $CALLS calls are kept, 2 unless it says more.
"""

import copy
import hashlib
import io
import json
import os
import runpy
import signal
import struct
import sys
import unittest
import warnings
import zipfile

warnings.filterwarnings("ignore")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "differential"))

import torch
from torch.jit.mobile import _load_for_lite_interpreter

import values

SEEDS = (0, 1, 2)
OTHER_SEEDS = (7, 8, 9)
LARGEST = 3_000_000
LONGEST_ANSWER = 15
CALLS_OF_ONE = int(os.environ.get("CALLS", 2))
PASSED_OVER = [part for part in os.environ.get("SKIP", "").split(",") if part]


class Unwritable(Exception):
    """A value that the files have no form for."""


def leaves(value):
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, dict):
        for pair in value.items():
            yield from leaves(pair)
    else:
        yield value


def apart(value):
    """A copy in which a tensor that is given twice is two, as it is written."""
    if isinstance(value, (list, tuple)):
        items = [apart(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {key: apart(item) for key, item in value.items()}
    return copy.deepcopy(value)


def as_declared(value, declared):
    """What PyTorch's binding for Python makes of an argument, which a file's method is given as it is."""
    kind = declared.kind()
    if kind == "IntType" and isinstance(value, torch.Tensor):
        return int(value)
    if kind == "FloatType" and isinstance(value, torch.Tensor):
        return float(value)
    if kind == "ListType" and isinstance(value, tuple):
        return list(value)
    if kind == "DeviceObjType" and isinstance(value, str):
        raise Unwritable("device")
    return value


def encoded(value, declared=None) -> bytes:
    for leaf in leaves(value):
        if (
            not isinstance(leaf, (torch.Tensor, str, int, float, complex, bool, type(None), torch.dtype))
            or isinstance(leaf, torch.Tensor)
            and values.value(leaf)[:1] == b"O"
        ):
            raise Unwritable(type(leaf).__name__)
    return values.value(value, declared)


def answers(load, method: str, arguments: list, seeds) -> bytes:
    try:
        module = load()
    except Exception as e:
        return values.outcome("l", str(e).encode("utf-8", "replace")) * len(seeds)
    out = b""
    for seed in seeds:
        torch.manual_seed(seed)
        given = [apart(argument) for argument in arguments]
        try:
            result = (
                module.run_method(method, *given)
                if not isinstance(module, torch.jit.ScriptModule)
                else getattr(module, method)(*given)
            )
            out += values.outcome("k", values.value(result))
        except Exception as e:
            out += values.outcome("e", str(e).encode("utf-8", "replace"))
    return out


def write(path: str, content: bytes):
    with open(path, "wb") as file:
        file.write(content)


def answered(stem: str, test: str, method: str, arguments: list):
    """What the saved file answers, as source and as byte code."""
    torch.set_num_threads(1)
    torch.backends.quantized.engine = "qnnpack"
    # Some tests set another for their whole process, which a file does not say.
    torch.set_default_dtype(torch.float32)
    told = {"test": test, "method": method}
    # Our own run of the source is in evaluation too.
    out = answers(lambda: torch.jit.load(stem + ".pt").eval(), method, arguments, SEEDS)
    told["random"] = out != answers(lambda: torch.jit.load(stem + ".pt").eval(), method, arguments, OTHER_SEEDS)
    try:
        torch.jit.load(stem + ".pt")._save_for_lite_interpreter(stem + ".ptl")
        write(stem + ".lout", answers(lambda: _load_for_lite_interpreter(stem + ".ptl"), method, arguments, SEEDS))
    except Exception as e:
        told["lite_error"] = str(e)[:500]
        if os.path.exists(stem + ".ptl"):
            os.remove(stem + ".ptl")
    write(stem + ".out", out)
    write(stem + ".json", json.dumps(told).encode())


def starts_tasks(file) -> bool:
    """Tasks run in threads of this process, for which the one that answers would wait for ever."""
    with zipfile.ZipFile(file) as archive:
        return any(b"= fork(" in archive.read(name) for name in archive.namelist() if name.endswith(".py"))


class Capture:
    """Keeps what is called, the first calls of each."""

    def __init__(self, out: str):
        self.out = out
        self.test = "?"
        self.count = 0
        self.busy = False
        self.calls = {}
        os.makedirs(out, exist_ok=True)

    def called(self, owner, method: str, schema, positional, named):
        if self.busy or torch._C._get_tracing_state() is not None:
            return
        self.busy = True
        try:
            # The owner is kept, lest another object come to its place in memory.
            seen = self.calls.setdefault((id(owner), method), [owner, 0])
            seen[1] += 1
            if seen[1] <= CALLS_OF_ONE:
                self.keep(owner, method, schema, positional, named)
        except (Unwritable, RuntimeError, TypeError, AttributeError, OSError):
            pass  # What PyTorch does not save is no case.
        finally:
            self.busy = False

    def keep(self, owner, method, schema, positional, named):
        formal = [argument for argument in schema.arguments if argument.name != "self"]
        given = list(positional)
        for argument in formal[len(given) :]:
            given.append(named[argument.name] if argument.name in named else argument.default_value)
        if len(given) != len(formal):
            return
        given = [as_declared(value, argument.type) for value, argument in zip(given, formal)]
        args = b"U" + struct.pack("<i", len(given)) + b"".join(encoded(v, a.type) for v, a in zip(given, formal))
        file = io.BytesIO()
        torch.jit.save(owner, file)
        if max(len(args), len(file.getvalue())) > LARGEST or starts_tasks(file):
            return
        key = hashlib.sha1(
            b"\0".join([self.test.encode(), method.encode(), args, str(len(file.getvalue())).encode()])
        ).hexdigest()[:16]
        stem = os.path.join(self.out, key)
        if os.path.exists(stem + ".pt"):
            return
        write(stem + ".pt", file.getvalue())
        write(stem + ".args", args)
        child = os.fork()
        if child == 0:
            sys.stdout = sys.stderr = open(os.devnull, "w")
            signal.alarm(LONGEST_ANSWER)
            answered(stem, self.test, method, given)
            os._exit(0)
        if os.waitpid(child, 0)[1] != 0:
            for suffix in (".pt", ".args", ".json", ".ptl", ".lout", ".out"):
                if os.path.exists(stem + suffix):
                    os.remove(stem + suffix)
            return
        self.count += 1


def hook(capture: Capture):
    function_call, method_call, run = (
        torch._C.ScriptFunction.__call__,
        torch._C.ScriptMethod.__call__,
        unittest.TestCase.run,
    )

    def of_function(self, *args, **kwargs):
        capture.called(self, "forward", self.schema, args, kwargs)
        return function_call(self, *args, **kwargs)

    def of_method(self, *args, **kwargs):
        if not capture.busy:
            owner = self.owner
            capture.called(
                owner if isinstance(owner, torch.nn.Module) else torch.jit._recursive.wrap_cpp_module(owner),
                self.name,
                self.schema,
                args,
                kwargs,
            )
        return method_call(self, *args, **kwargs)

    def of_test(self, result=None):
        capture.test = self.id()
        return None if any(part in capture.test for part in PASSED_OVER) else run(self, result)

    torch._C.ScriptFunction.__call__ = of_function
    torch._C.ScriptMethod.__call__ = of_method
    unittest.TestCase.run = of_test


def main():
    out, test = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    capture = Capture(out)
    hook(capture)
    os.chdir(os.path.dirname(test))
    sys.path.insert(0, os.path.dirname(test))
    sys.argv = [test] + sys.argv[3:]
    try:
        runpy.run_path(test, run_name="__main__")
    except SystemExit:
        pass  # Failures of its own are PyTorch's affair.
    print(f"{os.path.basename(test)}: {capture.count} cases")


main()
