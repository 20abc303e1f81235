"""check_converted.py CASES WRITTEN: what our converter wrote loads in genuine PyTorch and is what its own converter writes.

Where PyTorch converts a case rightly, attributes, methods, code, serialized model and weights are compared; where it
refuses or errs, ours must load and hold an NNAPI module of the same make.
"""

import json
import os
import sys
import warnings

warnings.filterwarnings("ignore")
os.environ.setdefault("GLOG_minloglevel", "2")

import torch
import torchvision  # noqa: F401 registers the operators that some models name

from archives import Comparison, compare_loaded, report, summary

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
        problems = Comparison(ours, theirs).data().problems + compare_loaded(ours, theirs)
        compared += 1
    counts[report(name, problems)] += 1
print(f"{compared} compared with PyTorch's own conversions")
sys.exit(summary(counts[True], counts[False], skipped))
