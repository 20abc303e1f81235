#!/usr/bin/env python3
"""Loads programs that torch-nnapi wrote in today's PyTorch, and compares with the answers of what they were written from.

    ci/today/check.py CASES WRITTEN

CASES is what models.py wrote, WRITTEN has NAME.pt2 for each. All calls of a case are made; one whose sizes the original leaves open has to
be as open, and to refuse what the original refuses. Fails where a program is missing, too.
"""

import json
import pathlib
import sys
import warnings

import numpy
import torch
import torchvision  # noqa: F401, whose operators programs call
from torch.utils import _pytree


def value(tree, folder):
    if "tensor" in tree:
        return torch.from_numpy(numpy.load(folder / tree["tensor"])).to(getattr(torch, tree["dtype"]))
    if "none" in tree:
        return None
    if "complex" in tree:
        return complex(*tree["complex"])
    for kind in (bool, int, float):
        if kind.__name__ in tree:
            return kind(tree[kind.__name__])
    if "string" in tree:
        return tree["string"]
    if "dict" in tree:
        return {key: value(part, folder) for key, part in tree["dict"]}
    kind = "tuple" if "tuple" in tree else "list"
    parts = [value(part, folder) for part in tree[kind]]
    return tuple(parts) if kind == "tuple" else parts


def wrong(case, folder, file):
    """What is not as it should be, or None."""
    if not file.exists():
        return "not written"
    module = torch.export.load(file).module()
    for number, run in enumerate(case["runs"]):
        arguments = [value(tree, folder) for tree in run["args"]]
        with torch.no_grad():
            made = module(*arguments)
        wanted = value(run["outputs"], folder)
        if "args_after" in run:
            wanted, made = (wanted, [value(tree, folder) for tree in run["args_after"]]), (made, arguments)
        want, have = _pytree.tree_flatten(wanted), _pytree.tree_flatten(made)
        if want[1] != have[1]:
            return f"run {number}: {have[1]} (expected: {want[1]})"
        for one, other in zip(want[0], have[0]):
            if not isinstance(one, torch.Tensor):
                if type(one) is not type(other) or one != other and one == one:
                    return f"run {number}: {other} (expected: {one})"
                continue
            if one.shape != other.shape or one.dtype != other.dtype:
                return f"run {number}: {other.dtype}{list(other.shape)} (expected: {one.dtype}{list(one.shape)})"
            if not torch.allclose(other, one, rtol=case["rtol"], atol=case["atol"], equal_nan=True):
                return f"run {number}: other numbers, by as much as {(one - other).abs().max()}"
    for number, refusal in enumerate(case["refusals"]):
        if refusal["torch_says"] is not None:
            try:
                module(*(value(tree, folder) for tree in refusal["args"]))
                return f"refusal {number}: no error (expected: {refusal['torch_says']})"
            except Exception:  # PyTorch's guards raise several kinds
                continue
    return None


def main():
    cases, written = (pathlib.Path(text) for text in sys.argv[1:])
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    failed = count = 0
    for file in sorted(cases.glob("*/*/case.json")):
        count += 1
        try:
            told = wrong(json.loads(file.read_text()), file.parent, written / f"{file.parent.name}.pt2")
        except Exception as error:  # whatever PyTorch says of a file is for the log
            told = f"{type(error).__name__}: {error}"
        if told:
            failed += 1
            print(f"FAILED {file.parent.name}: {told[:400]}")
    print(
        f"{count - failed} programs written here answer in PyTorch {torch.__version__} as their originals do, {failed} do not"
    )
    sys.exit(1 if failed or not count else 0)


if __name__ == "__main__":
    main()
