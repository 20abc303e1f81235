"""make_cases.py OUT [--seed N] [--samples N] [--dtypes N] [--special N] [--only TEXT] [--part I/N]: modules, arguments and genuine PyTorch's answers.

Writes what `torch-nnapi conformance captured OUT` reads: KEY.pt, KEY.args, KEY.out and KEY.json. 0 samples or dtypes stand for all there are;
of special cases, 0 for one of a kind that is drawn for each operator, N for so many of each kind and type.
"""

import argparse
import copy
import json
import os
import warnings

warnings.filterwarnings("ignore")
os.environ.setdefault("GLOG_minloglevel", "2")

import torch

import operators
import special
import values

CALLS = 2


def write(out: str, name: str, module, given, undefined: bool, slack: float, special: bool = False) -> bool:
    stem = os.path.join(out, name.replace("/", "-"))
    try:
        torch.jit.save(module, stem + ".pt")
        saved = torch.jit.load(stem + ".pt")
    except Exception as e:
        print(f"not saved: {name}: {str(e).strip().splitlines()[-1][:120]}")
        return False
    frames = []
    for call in range(CALLS):
        arguments = copy.deepcopy(given)
        torch.manual_seed(call)
        try:
            frames.append(values.outcome("k", values.value(saved(*arguments))))
        except Exception as e:
            frames.append(values.outcome("e", str(e).encode("utf-8", "replace")))
    with open(stem + ".args", "wb") as f:
        f.write(values.value(tuple(given)))
    with open(stem + ".out", "wb") as f:
        f.write(b"".join(frames))
    with open(stem + ".json", "w") as f:
        json.dump({"test": name, "method": "forward", "random": undefined, "slack": slack, "special": special}, f)
    return True


def part_of(text: str):
    part, _, parts = text.partition("/")
    if not part.isdecimal() or not parts.isdecimal() or not 1 <= int(part) <= int(parts):
        raise argparse.ArgumentTypeError(f"{text} (expected: I/N with I from 1 to N, such as 2/16)")
    return int(part), int(parts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--samples", type=int, default=1)
    parser.add_argument("--dtypes", type=int, default=2)
    parser.add_argument("--special", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--part", type=part_of, default=(1, 1))
    args = parser.parse_args()
    part, parts = args.part
    if parts > 1 and args.samples > 0:
        # Which samples are drawn hangs on those that were drawn before, which another part would make.
        parser.error(
            f"argument --part: {part}/{parts} of {args.samples} samples of each type (expected: all of them, --samples 0)"
        )
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    out = os.path.join(args.out, "operators")
    os.makedirs(out, exist_ok=True)
    found = operators.modules(args.only, args.samples, args.dtypes, args.seed, part - 1, parts)
    made = sum(write(out, *case) for case in found)
    print(f"operators: {made} modules, seed {args.seed}")
    out = os.path.join(args.out, "special")
    os.makedirs(out, exist_ok=True)
    made = special.write_all(
        lambda *case: write(out, *case),
        args.only,
        args.special,
        args.dtypes,
        args.seed,
        part - 1,
        parts,
    )
    print(f"special: {made} modules, seed {args.seed}")


main()
