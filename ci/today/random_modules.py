"""random_modules.py TEXTS OUT: random modules, as ci/differential/programs.py made their texts, exported by today's PyTorch in both dialects.

TEXTS is a JSON object of texts by name. OUT is a folder of cases as `torch-nnapi conformance pt2` takes them. What `torch.export` refuses, and what answers
otherwise once it is exported, is counted and left out: what the reader has to match is the file.
"""

import collections
import copy
import json
import pathlib
import shutil
import sys
import warnings

import torch
from torch.utils import _pytree as pytree

import models

# Where last bits of what comes in decide, no two implementations agree.
CHANGE = 2e-7
# Releases of PyTorch round what they compute of short floats once or after each step.
SHORT = {torch.bfloat16: 2**-6, torch.float16: 2**-9}


def changed(value, chooser):
    if isinstance(value, torch.Tensor):
        if value.dtype not in (torch.float32, torch.float64) or value.numel() == 0:
            return value
        signs = torch.randint(0, 2, value.shape, generator=chooser) * 2 - 1
        return value * (1 + CHANGE * signs).to(value.dtype)
    if isinstance(value, (list, tuple)):
        return type(value)(changed(part, chooser) for part in value)
    return value


def alike(a, b):
    if isinstance(a, torch.Tensor):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        if not (a.dtype.is_floating_point or a.dtype.is_complex):
            return torch.equal(a, b)
        return torch.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(alike(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(alike(x, y) for x, y in zip(a, b))
    return type(a) is type(b) and (a == b or a != a and b != b)


def answers(module, calls):
    """Of each call what it answers and the arguments after it, as long as none raises."""
    found = []
    for arguments in calls:
        given = copy.deepcopy(arguments)
        torch.manual_seed(0)
        try:
            with torch.no_grad():
                made = module(*given)
        except Exception:
            break
        found.append((copy.deepcopy(made), given))
    return found


def write(folder, program, calls):
    """Writes a case; why not, if last bits decide or the file does not answer."""
    folder.mkdir(parents=True)
    torch.export.save(program, folder / "model.pt2")

    def read():
        return torch.export.load(folder / "model.pt2").module()

    wanted = answers(read(), calls)
    if not wanted:
        return "no answer"
    for draw in range(3):
        chooser = torch.Generator().manual_seed(draw)
        got = answers(read(), [changed(given, chooser) for given in calls[: len(wanted)]])
        if not all(alike(w, v) for (w, _), (v, _) in zip(wanted, got)) or len(got) != len(wanted):
            return "last bits decide"
    case = {"name": folder.name, "model": "model.pt2", "check": "close", **models.TOLERANCE, "runs": [], "refusals": []}
    leaves = [leaf for answer in wanted for leaf in pytree.tree_leaves(answer) if isinstance(leaf, torch.Tensor)]
    case["rtol"] = max([case["rtol"], *(SHORT.get(leaf.dtype, 0) for leaf in leaves)])
    for number, (given, (made, after)) in enumerate(zip(calls, wanted)):
        run = {"args": [models.tree(a, f"r{number}a{i}", folder) for i, a in enumerate(given)], "kwargs": []}
        run["outputs"] = models.tree(made, f"r{number}o", folder)
        run["args_after"] = [models.tree(a, f"r{number}b{i}", folder) for i, a in enumerate(after)]
        case["runs"].append(run)
    (folder / "case.json").write_text(json.dumps(case))
    return None


def exported(name, text, out, told):
    space = {}
    torch.manual_seed(0)
    try:
        exec(compile(text, name, "exec"), space)
        module = space["M"]().eval()
    except Exception as error:
        told[f"not made: {type(error).__name__}"] += 1
        return
    calls = space["inputs"]
    forms = {"": None}
    if "open" in space:
        forms["-open"] = tuple(
            {d: torch.export.Dim.AUTO for d, size in enumerate(given["shape"]) if size < 0} for given in space["open"]
        )
    for form, sizes in forms.items():
        try:
            given = tuple(copy.deepcopy(calls[0]))
            program = torch.export.export(copy.deepcopy(module), given, dynamic_shapes=sizes)
        except Exception as error:
            told[f"not exported: {type(error).__name__}"] += 1
            continue
        for kind, made in (("", lambda: program), ("-core", lambda: program.run_decompositions())):
            folder = out / "model" / (name + form + kind)
            try:
                reason = write(folder, made(), calls)
            except Exception as error:
                reason = type(error).__name__
            if reason:
                shutil.rmtree(folder, ignore_errors=True)
            else:
                (folder / "module.py").write_text(text)
            told[reason or "written"] += 1


def main():
    texts, out = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2])
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    told = collections.Counter()
    for name, text in texts.items():
        exported(name, text, out, told)
    print(f"PyTorch {torch.__version__}:", ", ".join(f"{count} {what}" for what, count in told.most_common()))


if __name__ == "__main__":
    main()
