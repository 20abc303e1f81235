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

import cases
import comparison
import models


def write(folder, program, calls):
    """Writes a case; why not, if last bits decide or the file does not answer."""
    folder.mkdir(parents=True)
    torch.export.save(program, folder / "model.pt2")

    def read():
        return torch.export.load(folder / "model.pt2").module()

    wanted = [answer for answer in cases.answers(read(), calls) if not isinstance(answer[0], Exception)]
    if not wanted:
        return "no answer"
    for draw in range(cases.DRAWS):
        chooser = torch.Generator().manual_seed(draw)
        got = cases.answers(read(), [cases.changed(given, chooser) for given in calls[: len(wanted)]])
        if comparison.compare([w for w, _ in wanted], [v for v, _ in got], "answer", share=0.25):
            return "last bits decide"
    case = {"name": folder.name, "model": "model.pt2", "check": "close", **models.TOLERANCE, "runs": [], "refusals": []}
    leaves = [leaf for answer in wanted for leaf in pytree.tree_leaves(answer) if isinstance(leaf, torch.Tensor)]
    case["rtol"] = max([case["rtol"], *(comparison.RTOLS.get(leaf.dtype, 0) for leaf in leaves)])
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
