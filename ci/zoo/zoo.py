#!/usr/bin/env python3
"""Converts torchvision's builds, runs what comes of them, and compares with genuine PyTorch.

    ci/zoo/zoo.py --work DIR [--only TEXT] [--skip TEXTS] [--group GROUP] [--size N] [--scripted]
    ci/zoo/zoo.py --work DIR --table > docs/ZOO.md

Needs Debian's python3-torch and python3-torchvision. Weights are random, with statistics of batch normalisation that are
not trivial. Each build is one line of DIR/results.jsonl; builds that have one are not done again.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Builds whose code asks for their own size.
SIZES = {"vit_b_16": 224, "vit_b_32": 224, "vit_l_16": 224, "vit_l_32": 224, "vit_h_14": 224, "maxvit_t": 224, "inception_v3": 96,
         "quantized_inception_v3": 96, "alexnet": 96}
TOLERANCE = 2e-4
QUANTIZED_TOLERANCE = 0.05


def builds():
    import torchvision.models as models
    groups = {"classification": models, "quantized": models.quantization, "segmentation": models.segmentation,
              "detection": models.detection, "video": models.video, "optical flow": models.optical_flow}
    for group, module in groups.items():
        for name in sorted(vars(module)):
            build = getattr(module, name)
            if callable(build) and name == name.lower() and not name.startswith("_") and name not in ("get_model", "get_weight", "list_models",
                    "get_model_weights", "get_model_builder", "register_model") and hasattr(build, "__wrapped__"):
                yield group, ("quantized_" if group == "quantized" else "") + name, build
                if group == "quantized":
                    yield "quantizable, float", "quantizable_float_" + name, build


def randomise(module, torch):
    for part in module.modules():
        if isinstance(part, torch.nn.modules.batchnorm._BatchNorm) and part.running_mean is not None:
            part.running_mean.normal_(0, 0.1)
            part.running_var.uniform_(0.5, 1.5)
    for name, weight in module.named_parameters():
        if weight.abs().max() == 0:
            weight.normal_(0, 0.02)


def spread(module, example, torch):
    """Scales what gives detection models their scores of classes and objects, lest all scores tie and the last bits choose what is found."""
    ends = re.compile(r"cls_logits|cls_score|classification_head[.]module_list[.][0-9]+([.]1)?$")
    for name, part in module.named_modules():
        if ends.search(name) and isinstance(part, (torch.nn.Conv2d, torch.nn.Linear)):
            got = []
            hook = part.register_forward_hook(lambda _part, _inputs, out, got=got: got.append(out))
            part.bias.zero_()
            module(*example)
            hook.remove()
            part.weight.mul_(3 / max(torch.cat([out.flatten() for out in got]).std().item(), 1e-12))


def make(group, name, build, scripted, size, file):
    """Saves a build; returns its inputs, what it answers, and which share of detections is the same where the inputs change by a last bit."""
    import torch
    torch.manual_seed(0)
    torch.backends.quantized.engine = "qnnpack"
    size = SIZES.get(name, size)
    with torch.no_grad():
        if group == "quantized":
            return quantized(build, size, file)
        if group == "detection":
            module = build(weights=None, weights_backbone=None, num_classes=5).eval()
            example = [[torch.rand(3, 160, 160)]]
            scripted = True
        elif group == "video":
            module = build(weights=None).eval()
            example = [torch.rand(1, 3, 16, 224, 224) if name.startswith("mvit") else torch.rand(1, 3, 8, 64, 64)]
        elif group == "optical flow":
            module = build(weights=None).eval()
            example = [torch.rand(1, 3, 128, 128), torch.rand(1, 3, 128, 128)]
        elif group == "quantizable, float":
            module = build(weights=None, quantize=False).eval()
            module.fuse_model()
            example = [torch.randn(1, 3, size, size)]
        elif group == "segmentation":
            module = build(weights=None, weights_backbone=None).eval()
            example = [torch.rand(1, 3, size, size)]
        else:
            module = build(weights=None).eval()
            example = [torch.randn(1, 3, size, size)]
        randomise(module, torch)
        if group == "detection":
            spread(module, example, torch)
        saved = torch.jit.script(module) if scripted else torch.jit.trace(module, tuple(example), strict=False, check_trace=False)
        saved.save(str(file))
        # Scripted detection models return more than others.
        if group != "detection":
            return example, module(*example), 1
        want = saved(*example)
        return example, want, found(tensors(want), tensors(saved([example[0][0] * (1 + 2e-7)])))


def quantized(build, size, file):
    import torch
    module = build(weights=None, quantize=False).eval()
    randomise(module, torch)
    module.fuse_model()
    module.qconfig = torch.quantization.get_default_qconfig("qnnpack")
    torch.quantization.prepare(module, inplace=True)
    for _ in range(4):
        module(torch.randn(1, 3, size, size))
    torch.quantization.convert(module, inplace=True)
    example = [torch.randn(1, 3, size, size)]
    torch.jit.trace(module, tuple(example), strict=False, check_trace=False).save(str(file))
    return example, module(*example), 1


def tensors(value):
    import torch
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [t for item in value.values() for t in tensors(item)]
    if isinstance(value, (list, tuple)):
        return [t for item in value for t in tensors(item)]
    return []


def spelled(value, folder, numbers):
    """An argument as the command line takes it; its tensors are files."""
    if isinstance(value, list):
        return "[" + ", ".join(spelled(item, folder, numbers) for item in value) + "]"
    return str(folder / f"in{next(numbers)}.npy")


def error(want, got):
    """The largest difference as a fraction of the largest value, and the root mean square of differences as one of that of values."""
    import torch
    worst, mean = 0.0, 0.0
    for a, b in zip(want, got):
        a, b = a.double(), torch.as_tensor(b).double()
        if a.shape != b.shape:
            return float("inf"), float("inf")
        if a.numel():
            worst = max(worst, ((a - b).abs().max() / max(a.abs().max().item(), 1e-3)).item())
            mean = max(mean, ((a - b).square().mean().sqrt() / max(a.square().mean().sqrt().item(), 1e-3)).item())
    return worst, mean


def refusal(text):
    """The line that says why, of what the command wrote."""
    lines = [line.strip() for line in text.splitlines() if line.strip().startswith("1. ")] or text.strip().splitlines()[-1:] or [""]
    return lines[0][:200]


def found(want, got):
    """Which share of the wanted detections is among those that were got: the same class, a score and a box that agree."""
    import torch
    got = [torch.as_tensor(g) for g in got]
    def parts(values):
        boxes = next(v for v in values if v.dim() == 2 and v.shape[1] == 4).double()
        labels = next(v for v in values if v.dim() == 1 and not v.is_floating_point())
        scores = next(v for v in values if v.dim() == 1 and v.is_floating_point()).double()
        return boxes, labels, scores
    (a, b), (la, lb), (sa, sb) = zip(parts(want), parts(got))
    if not len(a) or not len(b):
        return float(len(a) == len(b))
    near = ((a[:, None] - b[None]).abs().max(2)[0] <= 0.01 * a.abs().max()) & (la[:, None] == lb[None]) & ((sa[:, None] - sb[None]).abs() <= 1e-3)
    return near.any(1).double().mean().item()


def one(group, name, build, arguments, folder):
    import numpy
    row = {"group": group, "name": name, "scripted": arguments.scripted or group == "detection", "date": datetime.date.today().isoformat()}
    source, target, report = (folder / file for file in ("model.pt", "model-nnapi.pt", "report.json"))
    for file in folder.iterdir():
        file.unlink()
    try:
        example, want, steady = make(group, name, build, arguments.scripted, arguments.size, source)
    except Exception as failure:  # what PyTorch cannot export is no case
        return dict(row, outcome="not exported", reason=str(failure).strip().splitlines()[-1][:200])
    row["shapes"] = [list(t.shape) for t in tensors(example)]
    for i, tensor in enumerate(tensors(example)):
        numpy.save(folder / f"in{i}.npy", tensor.numpy())
    numbers = iter(range(len(tensors(example))))
    given = [spelled(value, folder, numbers) for value in example]
    options = [text for value in given for text in ("--example", value)]
    started = time.time()
    convert = subprocess.run([arguments.command, "convert", source, "-o", target, "--json", report, *options], capture_output=True, text=True,
                             timeout=arguments.limit)
    row["seconds"] = round(time.time() - started, 1)
    if report.exists():
        text = json.loads(report.read_text())
        row.update({key: text[key] for key in ("coverage", "operations") if key in text})
        row["reasons"] = sorted({f'{r["node"]}: {r["rule"]}' for r in text["refusals"]})[:12]
    if convert.returncode != 0:
        return dict(row, outcome="refused", reason=refusal(convert.stderr))
    run = subprocess.run([arguments.command, "run", target, *(text for value in given for text in ("--input", value)), "-o", folder / "out"],
                         capture_output=True, text=True, timeout=arguments.limit)
    if run.returncode != 0:
        return dict(row, outcome="fails", reason=(run.stderr.strip().splitlines() or [""])[0][:200])
    got = []
    while (folder / f"out{len(got)}.npy").exists():
        got.append(numpy.load(folder / f"out{len(got)}.npy"))
    row["error"], row["meanError"] = error(tensors(want), got) if len(got) == len(tensors(want)) else (float("inf"), float("inf"))
    if group == "detection" and not any(tensor.numel() for tensor in tensors(want)):
        return dict(row, error=None, outcome="not compared", reason="PyTorch finds nothing with these weights")
    if group == "detection" and row["error"] > TOLERANCE:
        # Scores that tie are in another order, or chosen among, by the last bits.
        share = found(tensors(want), got)
        outcome = "right" if share == 1 else "unsteady" if share >= steady - 0.1 else "wrong"
        return dict(row, error=None, outcome=outcome, reason=f"{100 * share:.0f}% of PyTorch's detections are there"
                    + (f"; of its own {100 * steady:.0f}% are where its input changes by 2e-7" if share < 1 else ""))
    right = row["meanError"] <= QUANTIZED_TOLERANCE if group == "quantized" else row["error"] <= TOLERANCE
    return dict(row, outcome="right" if right else "wrong")


def table(rows):
    print("# torchvision's builds on NNAPI\n")
    print("Made by `ci/zoo/zoo.py` with genuine PyTorch " + rows[0].get("torch", "1.13") + f" on {rows[0].get('machine', '?')}; random weights, input sizes as given. "
          "*Right* is within 2e-4 of it, quantized builds within 0.05; detections may come in another order. *Unsteady* "
          "detections change in PyTorch too, about as much, where its input changes by a last bit: random weights give scores that tie. *Error* is the largest difference from genuine PyTorch, as a fraction of the largest value; for quantized builds the root mean square of the "
          "differences as one of that of the values.\n")
    counts = {}
    for row in rows:
        counts[row["outcome"]] = counts.get(row["outcome"], 0) + 1
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())) + ". Builds without a line were not tried. Multiply-adds are those of operators whose shapes follow from the input's; detection models have heads for regions, whose number does not.\n")
    print("| build | form | input | outcome | segments | operators on NNAPI | multiply-adds on NNAPI | transposes | error | convert, s | what stays TorchScript |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for row in sorted(rows, key=lambda r: (r["group"], r["name"], r["scripted"])):
        coverage = row.get("coverage", {}) if row["outcome"] in ("right", "wrong", "unsteady", "not compared") else {}
        operators = f'{coverage["operators"]} of {coverage["allOperators"]}' if coverage.get("allOperators") else "all" if row["outcome"] in ("right", "wrong", "unsteady", "not compared") else ""
        work = f'{100 * coverage["multiplyAdds"] / max(1, coverage["allMultiplyAdds"]):.1f}%' if coverage.get("allMultiplyAdds") else ""
        shown = row.get("meanError" if row["group"] == "quantized" else "error")
        reasons = "; ".join(([row["reason"]] if row.get("reason") else []) + row.get("reasons", [])[:3])
        print(f'| {row["name"]} | {"scripted" if row["scripted"] else "traced"} | {" ".join(str(s) for s in row.get("shapes", [])[:2])} | {row["outcome"]} '
              f'| {coverage.get("segments", "")} | {operators} | {work} | {row.get("operations", {}).get("TRANSPOSE", 0) if operators else ""} '
              f'| {"" if shown is None else f"{shown:.1e}"} | {row.get("seconds", "")} | {reasons.replace("|", "/")} |')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder of results and of the files that are being worked on")
    parser.add_argument("--only", default="", help="builds with this text in their name")
    parser.add_argument("--skip", default="", help="builds with one of these texts, separated by commas, in their name are left out")
    parser.add_argument("--group", default="", help="builds of this group")
    parser.add_argument("--size", type=int, default=64, help="height and width of images")
    parser.add_argument("--scripted", action="store_true", help="script the builds instead of tracing them")
    parser.add_argument("--limit", type=int, default=600, help="seconds that a command may take")
    parser.add_argument("--command", type=pathlib.Path, default=ROOT / "torch-nnapi", help="what converts and runs")
    parser.add_argument("--table", action="store_true", help="print the results as a table")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    arguments.work.mkdir(parents=True, exist_ok=True)
    results = arguments.work / "results.jsonl"
    rows = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    if arguments.table:
        table(rows)
        return 0
    import torch
    import torchvision
    torch.set_num_threads(1)
    folder = arguments.work / "files"
    folder.mkdir(exist_ok=True)
    known = {(row["name"], row["scripted"]) for row in rows}
    skipped = [text for text in arguments.skip.split(",") if text]
    wanted = [(g, n, b) for g, n, b in builds() if arguments.only in n and arguments.group in g and (n, arguments.scripted) not in known
              and not any(text in n for text in skipped)]
    for number, (group, name, build) in enumerate(wanted, 1):
        print(f"[{number}/{len(wanted)}] {name} ", end="", flush=True)
        try:
            row = one(group, name, build, arguments, folder)
        except subprocess.TimeoutExpired:
            row = {"group": group, "name": name, "scripted": arguments.scripted, "outcome": "too slow", "reason": f"over {arguments.limit} s"}
        row.update({"torch": torch.__version__, "torchvision": torchvision.__version__, "machine": f"{platform.machine()}, {os.cpu_count()} processors"})
        print(row["outcome"], row.get("reason", ""), f'{row["error"]:.1e}' if row.get("error") is not None else "", flush=True)
        with results.open("a") as out:
            out.write(json.dumps(row) + "\n")
    return 1 if any(row["outcome"] in ("wrong", "fails") for row in (json.loads(line) for line in results.read_text().splitlines())) else 0


if __name__ == "__main__":
    sys.exit(main())
