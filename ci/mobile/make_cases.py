"""make_cases.py MODELS OUT: the models of PyTorch's mobile tests (gen_test_model.py in MODELS), in both forms, with genuine PyTorch's answers.

Writes what `torch-nnapi conformance captured OUT [--lite]` reads: KEY.pt, KEY.ptl, KEY.args, KEY.out, KEY.lout and KEY.json.
"""

import json
import os
import sys
import warnings

warnings.filterwarnings("ignore")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "differential"))
sys.path.insert(0, sys.argv[1])

import torch
import torchvision
from torch.jit.mobile import _load_for_lite_interpreter

import values

# Weights of their own, since those that were trained would be downloaded.
UNTRAINED = torchvision.models.mobilenet_v2
torchvision.models.mobilenet_v2 = lambda *args, **kwargs: UNTRAINED()
torch.manual_seed(0)

import gen_test_model

CALLS = 2


def calls(module, arguments, seeds):
    answers = []
    for seed in seeds:
        torch.manual_seed(seed)
        try:
            answers.append(values.outcome("k", values.value(module(*arguments))))
        except Exception as e:
            answers.append(values.outcome("e", str(e).encode("utf-8", "replace")))
    return answers


def arguments_of(module):
    if hasattr(module, "get_all_bundled_inputs"):
        return module.get_all_bundled_inputs()[0]
    # The lite interpreter does not miss arguments that a method does not use.
    return [torch.ones(2, 2)] * (len(module.forward.schema.arguments) - 1)


def write(out: str, name: str, module):
    stem = os.path.join(out, name)
    made = module if isinstance(module, torch.nn.Module) else module.getModule()
    scripted = torch.jit.trace(made, []) if name in gen_test_model.models_need_trace else torch.jit.script(made)
    torch.jit.save(scripted, stem + ".pt")
    scripted._save_for_lite_interpreter(stem + ".ptl")
    arguments = arguments_of(scripted)
    with open(stem + ".args", "wb") as f:
        f.write(values.value(tuple(arguments)))
    answers = calls(torch.jit.load(stem + ".pt"), arguments, range(CALLS))
    other = calls(torch.jit.load(stem + ".pt"), arguments, range(CALLS, 2 * CALLS))
    with open(stem + ".out", "wb") as f:
        f.write(b"".join(answers))
    with open(stem + ".lout", "wb") as f:
        f.write(b"".join(calls(_load_for_lite_interpreter(stem + ".ptl"), arguments, range(CALLS))))
    with open(stem + ".json", "w") as f:
        json.dump({"test": "gen_test_model." + name, "method": "forward", "random": answers != other}, f)


def main():
    out = sys.argv[2]
    os.makedirs(out, exist_ok=True)
    made = 0
    for name, module in gen_test_model.all_modules.items():
        try:
            write(out, name, module)
            made += 1
        except Exception as e:
            print(f"not made: {name}: {str(e).strip().splitlines()[-1][:150]}")
    print(f"{made} models")


main()
