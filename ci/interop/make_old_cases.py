"""make_old_cases.py TESTS OUT: files that releases before 1.13 wrote, from the folder of PyTorch's tests, with genuine PyTorch's answers.

Writes what `torch-nnapi conformance captured OUT [--lite]` reads: KEY.pt, KEY.args, KEY.out, KEY.json and, for files of the lite interpreter, KEY.ptl
and KEY.lout. These hold the source text too and so are loaded both ways. What genuine PyTorch cannot load is compared with the answer that its tests
expect, if they have one, or passed over.
"""

import json
import os
import shutil
import sys
import warnings

warnings.filterwarnings("ignore")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "differential"))

import torch
from torch.jit.mobile import _load_for_lite_interpreter

import values

CALLS = 2
ENGINE = torch.backends.quantized.engine
A = torch.tensor([[2.0, 3.5, -4.0], [7.0, -0.5, 11.0]])
B = torch.tensor([[3.0, -2.0, 1.5], [2.0, 0.25, -4.0]])
WHOLE = torch.tensor([[2, 3, -4], [7, -5, 11]])
NOTHING = ()
# Genuine PyTorch 1.13's lite interpreter dies of these, some now and then, or takes an int for no number; as source they say the same.
DEADLY = ("linspace_v7", "linspace_out_v7", "logspace_v8", "logspace_out_v8")
# Weights as large as bytes go: oneDNN's sums of two products saturate at 16 bits on processors without VNNI, QNNPACK's nowhere.
LARGE_BYTES = ("TestSerialization.test_lstm",)
# What the first that a file's name contains takes, as PyTorch's tests have it.
ARGUMENTS = {
    "scalar_scalar": [(5.0, 2, 3.0, 4), (-7.5, -2, 0.5, 3)],
    "inplace_float": [(A, 2.5)],
    "inplace_int": [(A, 3)],
    "_float": [(A, 2.5), (WHOLE, 2.5)],
    "_int_": [(A, 3), (WHOLE, 3)],
    "tensor_out": [(A, B, torch.empty(2, 3)), (WHOLE, WHOLE.flip(0), torch.empty(2, 3, dtype=torch.int64))],
    "tensor_inplace": [(A, B), (WHOLE, WHOLE.flip(0))],
    "tensor": [(A, B), (WHOLE, WHOLE.flip(0)), (A, WHOLE)],
    "full_integer": [(7,)],
    "full_preserved": [(7.5,)],
    "linspace_out": [(3, 10, torch.empty(100)), (4.0, 6.0, torch.empty(100))],
    "logspace_out": [(3, 10, torch.empty(100)), (4.0, 6.0, torch.empty(100))],
    "linspace": [(3, 10), (4.0, 6.0), (3 + 4j, 4 + 5j)],
    "logspace": [(3, 10), (4.0, 6.0), (3 + 4j, 4 + 5j)],
    "gelu": [(A,)],
    "script_module": [(2,)],
    "light_model": [NOTHING],
    "sequence": [(A,)],
    "profiled": [(A, B)],
}


def files(tests: str):
    for folder, _, names in sorted(os.walk(tests)):
        for name in sorted(names):
            if (
                name.endswith((".ptl", ".scripted.pt", ".traced.pt"))
                or name.endswith(".pt")
                and os.path.basename(folder) == "fixtures"
            ):
                yield os.path.join(folder, name)


def arguments_of(file: str) -> list:
    stored = file.rsplit(".", 2)[0] + ".input.pt"
    if os.path.exists(stored):
        return [(torch.load(stored),)]
    return next((given for part, given in ARGUMENTS.items() if part in os.path.basename(file)), [])


def outcomes(file: str, load, arguments) -> bytes:
    try:
        module = load(file)
    except Exception as e:
        expected = file.rsplit(".", 2)[0] + ".expected.pt"
        if os.path.exists(expected):
            return values.outcome("k", values.value(torch.load(expected))) * CALLS
        return values.outcome("l", str(e).encode("utf-8", "replace"))
    answers = []
    for _ in range(CALLS):
        copies = [a.clone() if isinstance(a, torch.Tensor) else a for a in arguments]
        try:
            answers.append(values.outcome("k", values.value(module(*copies))))
        except Exception as e:
            answers.append(values.outcome("e", str(e).encode("utf-8", "replace")))
    return b"".join(answers)


def write(stem: str, suffix: str, content: bytes):
    with open(stem + suffix, "wb") as f:
        f.write(content)


def main():
    tests, out = sys.argv[1], sys.argv[2]
    os.makedirs(out, exist_ok=True)
    made = 0
    for file in files(tests):
        calls = arguments_of(file)
        if not calls:
            print(f"not made: {os.path.basename(file)}: of backends and operators that PyTorch's tests bring along")
        for i, arguments in enumerate(calls):
            name = os.path.basename(file).rsplit(".", 1)[0]
            stem = os.path.join(out, f"{name}-{i}")
            torch.backends.quantized.engine = "qnnpack" if name.startswith(LARGE_BYTES) else ENGINE
            shutil.copyfile(file, stem + ".pt")
            write(stem, ".args", values.value(arguments))
            write(stem, ".out", outcomes(file, torch.jit.load, arguments))
            if file.endswith(".ptl"):
                shutil.copyfile(file, stem + ".ptl")
                write(
                    stem,
                    ".lout",
                    outcomes(file, torch.jit.load if name.endswith(DEADLY) else _load_for_lite_interpreter, arguments),
                )
            write(stem, ".json", json.dumps({"test": name, "method": "forward", "random": False}).encode())
            made += 1
    print(f"{made} cases")


main()
