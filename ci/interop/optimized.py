"""optimized.py make OUT MODEL... | check OUT: torchvision's models before and after `torch-nnapi optimize`, in genuine PyTorch.

make writes OUT/MODEL-traced.pt and OUT/MODEL-scripted.pt with random weights, whose batch normalisations have seen a picture, and OUT/MODEL.input, a picture.
check loads what stands beside each as .opt.ptl, which is source and byte code, as either, and compares with the original.
"""

import glob
import os
import sys
import warnings

warnings.filterwarnings("ignore")
os.environ.setdefault("GLOG_minloglevel", "2")

import torch
import torchvision
from torch.jit.mobile import _load_for_lite_interpreter

from archives import report, summary

# Of the largest element of an output.
TOLERANCE = 1e-4
torch.backends.quantized.engine = "qnnpack"
torch.set_num_threads(1)


def make(out: str, names: list):
    for name in names:
        torch.manual_seed(0)
        model = (
            torchvision.models.get_model(name, weights=None)
            if hasattr(torchvision.models, "get_model")
            else getattr(torchvision.models, name)()
        )
        picture = torch.rand(2, 3, 96, 96)
        model.train()
        with torch.no_grad():
            # Statistics of a picture, without which deep networks of random weights let nothing through.
            for module in model.modules():
                if isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
                    module.momentum = None
            model(picture)
        model.eval()
        torch.save(picture[:1], f"{out}/{name}.input")
        torch.jit.trace(model, picture[:1], check_trace=False).save(f"{out}/{name}-traced.pt")
        torch.jit.script(model).save(f"{out}/{name}-scripted.pt")


def outputs(result) -> list:
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, (list, tuple)):
        return [tensor for part in result for tensor in outputs(part)]
    return []


def runs_lite(path: str, picture: torch.Tensor) -> bool:
    """Whether PyTorch's own byte code of the original answers; its lite interpreter cannot hand named tuples to Python."""
    lite = path + ".own.ptl"
    try:
        torch.jit.load(path)._save_for_lite_interpreter(lite)
        with torch.no_grad():
            _load_for_lite_interpreter(lite)(picture)
        return True
    except Exception:
        return False


def check(out: str) -> int:
    passed = failed = 0
    for path in sorted(glob.glob(f"{out}/*-traced.pt") + glob.glob(f"{out}/*-scripted.pt")):
        stem = path[: -len(".pt")]
        picture = torch.load(stem.rsplit("-", 1)[0] + ".input")
        with torch.no_grad():
            wanted = outputs(torch.jit.load(path)(picture))
        for form, load in (("source", torch.jit.load), ("byte code", _load_for_lite_interpreter)):
            problems = []
            try:
                with torch.no_grad():
                    found = outputs(load(f"{stem}.opt.ptl")(picture))
                if [t.shape for t in found] != [t.shape for t in wanted]:
                    problems.append(f"{[tuple(t.shape) for t in found]} (expected: {[tuple(t.shape) for t in wanted]})")
                for a, b in zip(wanted, found):
                    off = ((a - b).abs().max() / a.abs().max()).item()
                    # Not a number is off as well.
                    if not off <= TOLERANCE:
                        problems.append(f"off by {off:.2e} of the largest output (expected: at most {TOLERANCE})")
            except Exception as error:
                if form == "source" or runs_lite(path, picture):
                    problems.append(str(error).strip().split("\n")[-1][:300])
            if report(f"{os.path.basename(stem)} as {form}", problems[:1]):
                passed += 1
            else:
                failed += 1
    return summary(passed, failed, 0)


if sys.argv[1] == "make":
    make(sys.argv[2], sys.argv[3:])
else:
    sys.exit(check(sys.argv[2]))
