"""check_captured.py CASES WRITTEN: what `conformance captured -o WRITTEN` wrote, as .pt and .ptl, answers in genuine PyTorch as PyTorch's own file did.

Files are loaded and called in processes of their own: one that ends PyTorch is told as such. Where PyTorch cannot load its own file, or the call from Python failed
beside the program, nothing is asked of ours. Where PyTorch's own byte code fails and its source does not, ours may do as either.
"""

import json
import os
import pickle
import signal
import sys
import warnings

warnings.filterwarnings("ignore")
os.environ.setdefault("GLOG_minloglevel", "2")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "differential"))

import torch
import torchvision  # noqa: F401 registers the operators that some models name
from torch.jit.mobile import _load_for_lite_interpreter

from archives import report, summary
from values import Opaque, Reader

cases, written = sys.argv[1:3]
torch.backends.quantized.engine = "qnnpack"
torch.set_num_threads(1)
# Seconds of one file, and files in one process.
LONGEST = 120
AT_ONCE = 100
# Relative, by type; as much of the largest element, at most 1e-5, is allowed besides.
TOLERANCE = {torch.float64: 1e-7, torch.complex128: 1e-7, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}
USUAL = 1.3e-4


def close(wanted: torch.Tensor, found: torch.Tensor, slack: float) -> bool:
    relative = TOLERANCE.get(wanted.dtype, USUAL)
    if wanted.is_complex():
        wanted, found = (torch.view_as_real(t.to(torch.complex128).resolve_conj()) for t in (wanted, found))
    wanted, found = wanted.double(), found.double()
    finite = wanted[torch.isfinite(wanted)].abs()
    largest = finite.max().item() if finite.numel() else 0.0
    return torch.allclose(found, wanted, relative, largest * max(slack, min(relative, 1e-5)), equal_nan=True)


def differ(wanted, found, types_only: bool, slack: float):
    """What differs, or None."""
    told = f"{str(found)[:150]} (expected: {str(wanted)[:150]})"
    if isinstance(wanted, Opaque):
        plain = found is None or isinstance(found, (int, float, str, list, tuple, dict))
        return f"{str(found)[:150]} (expected: {wanted.text[:150]})" if plain else None
    if isinstance(wanted, torch.Tensor):
        if (
            not isinstance(found, torch.Tensor)
            or found.dtype != wanted.dtype
            or found.shape != wanted.shape
            or found.is_quantized != wanted.is_quantized
        ):
            return told
        if types_only:
            return None
        if wanted.is_quantized:
            if (
                wanted.qscheme() != found.qscheme()
                or wanted.qscheme() == torch.per_tensor_affine
                and wanted.q_scale() != found.q_scale()
            ):
                return told
            wanted, found = wanted.int_repr(), found.int_repr()
        if wanted.is_floating_point() or wanted.is_complex():
            return None if close(wanted, found.detach(), slack) else told
        return None if torch.equal(wanted, found) else told
    if isinstance(wanted, (list, tuple)):
        if type(wanted) is not (
            tuple
            if isinstance(found, tuple)
            else list
            if isinstance(found, (list, torch._C.ScriptList))
            else type(found)
        ) or len(wanted) != len(found):
            return told
        return next((d for d in (differ(a, b, types_only, slack) for a, b in zip(wanted, found)) if d), None)
    if isinstance(wanted, dict):
        if not isinstance(found, (dict, torch._C.ScriptDict)) or len(wanted) != len(found):
            return told
        pairs = (
            ((wanted[key], found[key]) for key in wanted)
            if all(key in found for key in wanted)
            else zip(wanted.values(), found.values())
        )
        return next((d for d in (differ(a, b, types_only, slack) for a, b in pairs) if d), None)
    if type(wanted) is not type(found):
        return told
    if types_only or wanted == found or wanted != wanted and found != found:
        return None
    return None if isinstance(wanted, (float, complex)) and abs(wanted - found) <= USUAL * abs(wanted) else told


# What the call from Python, or the types that it hands results out by, failed at beside the program.
BINDING = (
    "Tracer cannot infer type of",
    "INTERNAL ASSERT FAILED",
    "Unknown reference to ScriptClass",
    "basic_string::_M_create",
    "std::bad_alloc",
    "Dynamic<",
    "NotImplementedError: ",
    "Declaration: ",
    "'utf-8' codec can't decode",
)


def outcomes(stem: str, suffix: str) -> list:
    """What PyTorch's own file did: statuses and values; None where that asks nothing of ours."""
    with open(stem + suffix, "rb") as file:
        own = Reader(file.read()).outcomes()
    return [
        None if status == "l" or status == "e" and any(part in value for part in BINDING) else (status, value)
        for status, value in own
    ]


def wanted_of(stem: str, lite: bool) -> list:
    of_source = outcomes(stem, ".out")
    if not lite:
        return of_source
    return [
        source if own is not None and own[0] == "e" and source is not None else own
        for own, source in zip(outcomes(stem, ".lout"), of_source)
    ]


def called(path: str, lite: bool, method: str, arguments: bytes, calls: int) -> list:
    """Statuses and values of calls of a file's module, as it was when PyTorch answered."""
    try:
        module = _load_for_lite_interpreter(path) if lite else torch.jit.load(path).eval()
    except Exception as error:
        return [("l", told(error))] * calls
    found = []
    for seed in range(calls):
        torch.manual_seed(seed)
        given = Reader(arguments).value()
        try:
            found.append(("k", module.run_method(method, *given) if lite else getattr(module, method)(*given)))
        except Exception as error:
            found.append(("e", told(error)))
    return found


def told(error: Exception) -> str:
    """An error in a line: what was wrong, without the lines of the program."""
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    last = next((line for line in reversed(lines) if "Error: " in line), "")
    return (lines[0] if lines and not lines[0].startswith("The following operation failed") else last or repr(error))[
        :300
    ]


def check(key: str, form: str) -> list:
    stem = os.path.join(cases, key)
    with open(stem + ".json") as file:
        case = json.load(file)
    lite = form == "ptl"
    wanted = wanted_of(stem, lite)
    with open(stem + ".args", "rb") as file:
        arguments = file.read()

    def call(path):
        return called(path, lite, case.get("method", "forward"), arguments, len(wanted))

    def problem(i, expected, status, value):
        if expected is None or expected[0] == status == "e":
            return None
        if status != "k":
            return (
                f"call {i}: {value} (expected: {'an error' if expected[0] == 'e' else 'an answer'})"
                if status == "e"
                else "does not load: " + value
            )
        if expected[0] == "e":
            return f"call {i}: {str(value)[:150]} (expected: {expected[1].strip().splitlines()[-1][:200]})"
        wrong = differ(expected[1], value, case["random"], case.get("slack", 0.0))
        return wrong and f"call {i}: {wrong}"

    found = call(os.path.join(written, key + "." + form))
    problems = [p for p in (problem(i, *each) for i, each in enumerate(zip(wanted, *zip(*found)))) if p]
    if problems:
        # Some answers hang on how PyTorch is set up: its own file tells.
        now = call(stem + "." + form)
        problems = [
            p
            for p in (
                problem(i, *each)
                for i, each in enumerate(zip([None if s == "l" else (s, v) for s, v in now], *zip(*found)))
            )
            if p
        ] and problems
    return problems[:1]


def batch(files: list):
    """The problems of each file, checked in a process of its own, up to one that ends it; and what it ended with, or 0."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        # What programs print is not ours to tell.
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        with os.fdopen(write, "wb") as pipe:
            for file in files:
                signal.alarm(LONGEST)
                try:
                    problems = check(*file)
                except BaseException as error:
                    problems = [f"{type(error).__name__}: {error}"[:300]]
                pickle.dump(problems, pipe)
                pipe.flush()
        os._exit(0)
    os.close(write)
    found = []
    with os.fdopen(read, "rb") as pipe:
        while len(found) < len(files):
            try:
                found.append(pickle.load(pipe))
            except EOFError:
                break
    return found, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main():
    # Of three calls none is worth compiling.
    torch._C._jit_set_profiling_executor(False)
    passed = failed = 0
    names = sorted(
        os.path.relpath(os.path.join(at, name), written) for at, _, files in os.walk(written) for name in files
    )
    left = [tuple(name.rsplit(".", 1)) for name in names]
    while left:
        some = left[:AT_ONCE]
        found, code = batch(some)
        if len(found) < len(some):
            # PyTorch's lite interpreter ends the process as it says that an argument has not the declared type, whatever file it is.
            asked = any(outcomes(os.path.join(cases, some[len(found)][0]), ".out"))
            found.append([f"ends PyTorch with {signal.Signals(-code).name if code < 0 else code}"] if asked else [])
        for (key, form), problems in zip(some, found):
            if report(f"{key}.{form}", problems):
                passed += 1
            else:
                failed += 1
        left = left[len(found) :]
    sys.exit(summary(passed, failed, 0))


main()
