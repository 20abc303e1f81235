"""check_converted.py CASES WRITTEN: what our converter wrote loads in genuine PyTorch and holds NNAPI modules of its make.

Where PyTorch converts a case rightly, ours is called as its own conversion is: it takes and returns values of the same types.
"""

import json
import os
import sys
import warnings

warnings.filterwarnings("ignore")
os.environ.setdefault("GLOG_minloglevel", "2")

import torch
import torchvision  # noqa: F401 registers the operators that some models name

from archives import report, summary

NNAPI_METHODS = {"init", "forward"}
NNAPI_ATTRIBUTES = {
    "ser_model",
    "weights",
    "inp_mem_fmts",
    "out_mem_fmts",
    "out_templates",
    "comp",
    "compilation_preference",
    "relax_f32_to_f16",
    "shape_compute_module",
}


def check_alone(path: str) -> list:
    try:
        module = torch.jit.load(path)
    except Exception as e:
        return [f"does not load: {type(e).__name__}: {str(e).strip().splitlines()[-1][:300]}"]
    nnapi = [m for _, m in module.named_modules() if m._c.hasattr("ser_model")]
    if not nnapi:
        return ["no NNAPI module in it"]
    problems = []
    for m in nnapi:
        missing = {a for a in NNAPI_ATTRIBUTES if not m._c.hasattr(a)} | (NNAPI_METHODS - set(m._c._method_names()))
        if missing:
            problems.append(f"NNAPI module without {sorted(missing)}")
    return problems


def compare_calls(ours: str, theirs: str) -> list:
    """What is wrong with how the one is called, beside the other; names of arguments are the original's."""
    texts = []
    for path in (ours, theirs):
        schema = torch.jit.load(path).forward.schema
        arguments = [str(argument.type) for argument in schema.arguments[1:]]
        texts.append(f"({', '.join(arguments)}) -> {', '.join(str(result.type) for result in schema.returns)}")
    return [] if texts[0] == texts[1] else [f"forward{texts[0]} (expected: {texts[1]}, as PyTorch's conversion)"]


cases, written = sys.argv[1:3]
torch.backends.quantized.engine = "qnnpack"
counts = {True: 0, False: 0}
skipped = compared = 0
for name in sorted(os.listdir(cases)):
    description = os.path.join(cases, name, "case.json")
    if not os.path.exists(description):
        continue
    with open(description, encoding="utf-8") as f:
        nnapi = json.load(f).get("nnapi")
    ours = os.path.join(written, name + ".pt")
    agrees = bool(nnapi and nnapi.get("agrees"))
    if not os.path.exists(ours):
        if agrees:
            counts[report(name, ["not written"])] += 1
        else:
            skipped += 1
        continue
    problems = check_alone(ours)
    if agrees and "model" in nnapi and not problems:
        theirs = os.path.join(cases, name, nnapi["model"])
        problems = compare_calls(ours, theirs)
        compared += 1
    counts[report(name, problems)] += 1
print(f"{compared} called as PyTorch's own conversions are")
sys.exit(summary(counts[True], counts[False], skipped))
