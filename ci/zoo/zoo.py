#!/usr/bin/python3
"""Converts torchvision's builds, runs what comes of them, and compares with genuine PyTorch.

    ci/zoo/zoo.py --work DIR [--only TEXT] [--skip TEXTS] [--group GROUP] [--size N] [--forms traced,scripted] [--again] [--time-only] [--originals]
    ci/zoo/zoo.py --table > docs/ZOO.md

Needs Debian's python3-torch and python3-torchvision. Weights are random, with statistics of batch normalisation that are
not trivial. Each form of each build is one line of ci/zoo/results.jsonl, or of what --results names, of which the last counts; what has one is not done
again, unless --again says so. --time-only converts without a check, measures what has a line without times, and adds these to it; --originals runs what was
converted as it came, where a line does not say how near that is to PyTorch, and adds this.
DIR has the files that are being worked on. Small builds come before large ones.

Times are the least of runs in turns, in one process, on one thread: what else the machine does disturbs their ratio little.
"""

import argparse
import collections
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time
import typing
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Builds whose code asks for their own size.
SIZES = {
    "vit_b_16": 224,
    "vit_b_32": 224,
    "vit_l_16": 224,
    "vit_l_32": 224,
    "vit_h_14": 224,
    "maxvit_t": 224,
    "inception_v3": 96,
    "quantized_inception_v3": 96,
    "quantizable_float_inception_v3": 96,
    "alexnet": 96,
}
TOLERANCE = 2e-4
QUANTIZED_TOLERANCE = 0.05
# Of builds that are run as they came.
ORIGINAL_TOLERANCE = 1e-4
# About what one thread does; only how often a model is measured hangs on it.
MULTIPLY_ADDS_A_SECOND = 2e10
# Outcomes of what was converted and compared.
COMPARED = ("right", "wrong", "unsteady", "not compared")


def builds():
    import torchvision.models as models

    groups = {
        "classification": models,
        "quantized": models.quantization,
        "segmentation": models.segmentation,
        "detection": models.detection,
        "video": models.video,
        "optical flow": models.optical_flow,
    }
    for group, module in groups.items():
        for name in sorted(vars(module)):
            build = getattr(module, name)
            if (
                callable(build)
                and name == name.lower()
                and not name.startswith("_")
                and name
                not in (
                    "get_model",
                    "get_weight",
                    "list_models",
                    "get_model_weights",
                    "get_model_builder",
                    "register_model",
                )
                and hasattr(build, "__wrapped__")
            ):
                yield group, ("quantized_" if group == "quantized" else "") + name, build
                if group == "quantized":
                    yield "quantizable, float", "quantizable_float_" + name, build


def parameters(build):
    """How many parameters a build has, of which torchvision knows without building it where it has weights for it."""
    for weights in typing.get_args(build.__wrapped__.__annotations__.get("weights")):
        known = [
            entry.meta["num_params"]
            for entry in getattr(weights, "__members__", {}).values()
            if "num_params" in entry.meta
        ]
        if known:
            return max(known)
    return 0


def randomise(module, torch):
    for part in module.modules():
        if isinstance(part, torch.nn.modules.batchnorm._BatchNorm) and part.running_mean is not None:
            part.running_mean.normal_(0, 0.1)
            part.running_var.uniform_(0.5, 1.5)
    for name, weight in module.named_parameters():
        if weight.abs().max() == 0:
            weight.normal_(0, 0.02)


def settle(module, example, torch):
    """Gives batch normalisations the means and variances of what they see, as training does: otherwise the input's differences from place to place
    fade from layer to layer until all places have one score, or grow until clamps leave the last bits to decide."""

    def observe(part, inputs):
        seen = inputs[0].double()
        whole = seen.square().mean()
        if seen[0, 0].numel() < 16:  # Few places would be told from their own mean by their last bits.
            part.running_mean.zero_()
            part.running_var.fill_(whole)
        else:
            part.running_mean.copy_(seen.mean((0, 2, 3)))
            part.running_var.copy_(torch.maximum(seen.var((0, 2, 3), unbiased=False), 0.01 * whole))

    hooks = [
        part.register_forward_pre_hook(observe) for part in module.modules() if isinstance(part, torch.nn.BatchNorm2d)
    ]
    module(*example)
    for hook in hooks:
        hook.remove()


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
            return quantized(build, scripted, size, file)
        if group == "detection":
            module = build(weights=None, weights_backbone=None, num_classes=5).eval()
            example = [[torch.rand(3, 160, 160)]]
        elif group == "video":
            module = build(weights=None).eval()
            example = [
                torch.rand(1, 3, 16, 224, 224) if name.startswith(("mvit", "s3d")) else torch.rand(1, 3, 8, 64, 64)
            ]
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
            settle(module, example, torch)
            spread(module, example, torch)
        saved = (
            torch.jit.script(module)
            if scripted
            else torch.jit.trace(module, tuple(example), strict=False, check_trace=False)
        )
        saved.save(str(file))
        # Scripted detection models return more than others.
        if group != "detection":
            return example, module(*example), 1
        want = saved(*example)
        return example, want, found(tensors(want), tensors(saved([example[0][0] * (1 + 2e-7)])))


def quantized(build, scripted, size, file):
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
    (
        torch.jit.script(module)
        if scripted
        else torch.jit.trace(module, tuple(example), strict=False, check_trace=False)
    ).save(str(file))
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
    lines = (
        [line.strip() for line in text.splitlines() if line.strip().startswith("1. ")]
        or text.strip().splitlines()[-1:]
        or [""]
    )
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
    near = (
        ((a[:, None] - b[None]).abs().max(2)[0] <= 0.01 * a.abs().max())
        & (la[:, None] == lb[None])
        & ((sa[:, None] - sb[None]).abs() <= 1e-3)
    )
    return near.any(1).double().mean().item()


def runs(report):
    """How many runs of a model, of which this was reported, take about two seconds."""
    work = report.get("coverage", {}).get("allMultiplyAdds", 0)
    return max(8, min(300, int(2 / (2 * max(work, 1e6) / MULTIPLY_ADDS_A_SECOND))))


def times(original, converted, given, count, arguments):
    """Milliseconds of a run, the least: of the original on the CPU path, and of the converted file on the fast device."""
    out = original.parent / "times.json"
    bench = subprocess.run(
        [
            arguments.command,
            "bench",
            f"--model={original}",
            f"--compare={converted}",
            "--input=" + ";".join(given),
            "--threads=1",
            f"--warmup={count // 2}",
            f"--iter={count}",
            f"--json={out}",
        ],
        capture_output=True,
        text=True,
        timeout=arguments.limit,
    )
    if bench.returncode != 0:
        raise RuntimeError(bench.stderr.strip())
    return [model["p0Micros"] / 1000 for model in json.loads(out.read_text())["models"]]


class Stages:
    """Seconds of processor that each stage takes, of this process and of those that it starts."""

    def __init__(self):
        self.seconds = {}
        self.before = os.times()

    def end(self, name):
        now = os.times()
        self.seconds[name] = round(sum(now[:4]) - sum(self.before[:4]), 1)
        self.before = now


def revision():
    """The commit of this tree, with a plus where it has changes."""
    git = ["git", "-C", str(ROOT)]
    changed = subprocess.run([*git, "status", "--porcelain", "-uno"], capture_output=True, text=True).stdout.strip()
    return subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip() + (
        "+" if changed else ""
    )


def prepared(group, name, build, scripted, arguments, folder):
    """Makes a build's file and those of its inputs; returns what {@code make} does, and the inputs as the command takes them."""
    import numpy

    for file in folder.iterdir():
        file.unlink()
    made = make(group, name, build, scripted, arguments.size, folder / "model.pt")
    for i, tensor in enumerate(tensors(made[0])):
        numpy.save(folder / f"in{i}.npy", tensor.numpy())
    numbers = iter(range(len(tensors(made[0]))))
    return made, [spelled(value, folder, numbers) for value in made[0]]


def originally(row, build, arguments, folder):
    """The row with what the build gives as it came."""
    (_, want, steady), given = prepared(row["group"], row["name"], build, row["scripted"], arguments, folder)
    return dict(row, **original(row["group"], want, given, steady, arguments, folder))


def timed(row, build, arguments, folder):
    """The row with times."""
    source, target, report = (folder / file for file in ("model.pt", "model-nnapi.pt", "report.json"))
    _, given = prepared(row["group"], row["name"], build, row["scripted"], arguments, folder)
    options = [text for value in given for text in ("--example", value)]
    subprocess.run(
        [arguments.command, "convert", source, "-o", target, "--no-self-check", "--json", report, *options],
        check=True,
        capture_output=True,
        timeout=arguments.limit,
    )
    return dict(
        row,
        times=times(source, target, given, runs(json.loads(report.read_text())), arguments),
        timed=datetime.date.today().isoformat(),
        timedRevision=revision(),
    )


def answers(file, given, folder, arguments):
    """What the command gives for a model: its tensors, in order."""
    import numpy

    run = subprocess.run(
        [
            arguments.command,
            "run",
            file,
            *(text for value in given for text in ("--input", value)),
            "-o",
            folder / "out",
        ],
        capture_output=True,
        text=True,
        timeout=arguments.limit,
    )
    if run.returncode != 0:
        raise RuntimeError((run.stderr.strip().splitlines() or [""])[0][:200])
    got = []
    while (file := folder / f"out{len(got)}.npy").exists():
        got.append(numpy.load(file))
        file.unlink()
    return got


def compared(group, want, got, steady, tolerance):
    """How near what a model gave is to what PyTorch gives: an outcome, and where it can be said, errors and a reason."""
    worst, mean = error(tensors(want), got) if len(got) == len(tensors(want)) else (float("inf"), float("inf"))
    if group == "detection" and not any(tensor.numel() for tensor in tensors(want)):
        return {"outcome": "not compared", "error": None, "reason": "PyTorch finds nothing with these weights"}
    if group == "detection" and worst > tolerance:
        # Scores that tie are in another order, or chosen among, by the last bits.
        share = found(tensors(want), got)
        return {
            "outcome": "right" if share == 1 else "unsteady" if share >= steady - 0.1 else "wrong",
            "error": None,
            "reason": f"{100 * share:.0f}% of PyTorch's detections are there"
            + (f"; of its own {100 * steady:.0f}% are where its input changes by 2e-7" if share < 1 else ""),
        }
    right = mean <= QUANTIZED_TOLERANCE if group == "quantized" else worst <= tolerance
    return {"outcome": "right" if right else "wrong", "error": worst, "meanError": mean}


def original(group, want, given, steady, arguments, folder):
    """What a build that is run as it came gives: columns of its row."""
    return {
        "original": compared(
            group, want, answers(folder / "model.pt", given, folder, arguments), steady, ORIGINAL_TOLERANCE
        ),
        "originalRan": datetime.date.today().isoformat(),
    }


def one(group, name, build, scripted, arguments, folder):
    row = {
        "group": group,
        "name": name,
        "scripted": scripted,
        "date": datetime.date.today().isoformat(),
        "revision": revision(),
    }
    stages = Stages()
    source, target, report = (folder / file for file in ("model.pt", "model-nnapi.pt", "report.json"))
    try:
        (example, want, steady), given = prepared(group, name, build, scripted, arguments, folder)
    except Exception as failure:  # what PyTorch cannot export is no case
        return dict(row, outcome="not exported", reason=str(failure).strip().splitlines()[-1][:200])
    row["shapes"] = [list(t.shape) for t in tensors(example)]
    stages.end("make")
    options = [text for value in given for text in ("--example", value)]
    started = time.time()
    convert = subprocess.run(
        [
            arguments.command,
            "convert",
            source,
            "-o",
            target,
            "--check-limit",
            str(arguments.limit),
            "--json",
            report,
            *options,
        ],
        capture_output=True,
        text=True,
        timeout=arguments.limit,
    )
    row["seconds"] = round(time.time() - started, 1)
    stages.end("convert")
    row["processor"] = stages.seconds
    if report.exists():
        text = json.loads(report.read_text())
        row.update({key: text[key] for key in ("coverage", "operations", "featureLevel", "apiLevel") if key in text})
        row["reasons"] = sorted({f"{r['node']}: {r['rule']}" for r in text["refusals"]})[:12]
    if convert.returncode != 0:
        return dict(row, outcome="refused", reason=refusal(convert.stderr))
    try:
        got = answers(target, given, folder, arguments)
        row.update(original(group, want, given, steady, arguments, folder))
    except RuntimeError as failure:
        return dict(row, outcome="fails", reason=str(failure))
    stages.end("run")
    # The scripted form stands beside the traced one, whose times are shown.
    if not scripted or group == "detection":
        try:
            row.update(
                times=times(source, target, given, runs(row), arguments),
                timed=row["date"],
                timedRevision=row["revision"],
            )
        except (RuntimeError, subprocess.TimeoutExpired) as failure:
            print(failure, flush=True)
        stages.end("time")
    return dict(row, **compared(group, want, got, steady, TOLERANCE))


def outcome(row):
    """What became of a form, in few words."""
    coverage = row.get("coverage", {})
    if row["outcome"] not in COMPARED:
        return row["outcome"]
    share = (
        100 * coverage["multiplyAdds"] / max(1, coverage["allMultiplyAdds"]) if coverage.get("allMultiplyAdds") else 100
    )
    return f"{row['outcome']}, {share:.1f}% in {coverage.get('segments', 1)}"


def came(row):
    """How near the build as it came is to PyTorch."""
    known = row.get("original", {})
    shown = known.get("meanError" if row["group"] == "quantized" else "error")
    return known.get("reason", "").split(";")[0] if shown is None else f"{shown:.1e}"


def table(rows):
    latest = {(row["name"], row["scripted"]): row for row in rows}
    rows = list(latest.values())
    print("# torchvision's builds on NNAPI\n")
    print(
        "Made by `ci/zoo/zoo.py` with genuine PyTorch "
        + "; ".join(
            f"{torch} on {machine} ({count} forms)"
            for (torch, machine), count in collections.Counter(
                (row.get("torch", "1.13"), row.get("machine", "?")) for row in rows
            ).most_common()
        )
        + ". Random weights, input sizes as given. "
        "*Right* is within 2e-4 of it, quantized builds within 0.05; detections may come in another order. *Unsteady* "
        "detections change in PyTorch too, about as much, where its input changes by a last bit. *Error* is the largest difference from genuine PyTorch, as a "
        "fraction of the largest value; for quantized builds the root mean square of the differences as one of that of the values. *Original* is the same of the build as it came, on the CPU path, which is to be within 1e-4; empty where it was not run. *API level* is the one that the "
        "file needs, converted without asking for one; [LEVELS.md](LEVELS.md) has what earlier ones take"
        + (
            "; builds without one, and without a date, were measured by an earlier version of the script, detection models with other weights"
            if any("apiLevel" not in row for row in rows)
            else ""
        )
        + ". *CPU path* is the original here, *NNAPI device* the converted file on the fast device, both on one thread: the least time of runs in turns in one process"
        + (
            f", measured from {min(when)} to {max(when)} with revision "
            + ", ".join(sorted({row["timedRevision"] for row in rows if "times" in row}))
            if (when := [row["timed"] for row in rows if "times" in row])
            else ""
        )
        + ".\n"
    )
    counts = {}
    for row in rows:
        counts[(row["scripted"], row["outcome"])] = counts.get((row["scripted"], row["outcome"]), 0) + 1
    for scripted in (False, True):
        told = ", ".join(f"{count} {what}" for (form, what), count in sorted(counts.items()) if form == scripted)
        if told:
            print(f"{'Scripted' if scripted else 'Traced'}: {told}. ", end="")
    print(
        "Detection models are scripted only. Builds without a line were not tried. Multiply-adds are those of operators whose shapes follow from the input's, and those "
        "of one call where NNAPI computes some rows at a time of as many as elements decide, as in the heads for regions of detection models.\n"
    )
    print(
        "| build | form | input | outcome | segments | operators on NNAPI | multiply-adds on NNAPI | transposes | API level | error | original | scripted: multiply-adds, segments "
        "| CPU path, ms | NNAPI device, ms | device / CPU path | measured | what stays TorchScript |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for name in sorted(
        {row["name"] for row in rows}, key=lambda n: (next(r["group"] for r in rows if r["name"] == n), n)
    ):
        row = latest.get((name, False)) or latest[(name, True)]
        other = latest.get((name, True)) if not row["scripted"] else None
        compared = row["outcome"] in COMPARED
        coverage = row.get("coverage", {}) if compared else {}
        operators = (
            f"{coverage['operators']} of {coverage['allOperators']}"
            if coverage.get("allOperators")
            else "all"
            if compared
            else ""
        )
        work = (
            f"{100 * coverage['multiplyAdds'] / max(1, coverage['allMultiplyAdds']):.1f}%"
            if coverage.get("allMultiplyAdds")
            else ""
        )
        shown = row.get("meanError" if row["group"] == "quantized" else "error")
        still = (
            [f"{coverage['openProducts']} convolutions or products of shapes that are not known"]
            if coverage.get("openProducts")
            else []
        )
        reasons = "; ".join(([row["reason"]] if row.get("reason") else []) + still + row.get("reasons", [])[:3])
        ours = (
            "".join(f"| {value:.1f} " for value in row["times"]) + f"| {row['times'][1] / row['times'][0]:.2f} "
            if "times" in row
            else "| | | "
        )
        print(
            f"| {row['name']} | {'scripted' if row['scripted'] else 'traced'} | {' '.join(str(s) for s in row.get('shapes', [])[:2])} | {row['outcome']} "
            f"| {coverage.get('segments', '')} | {operators} | {work} | {row.get('operations', {}).get('TRANSPOSE', 0) if operators else ''} "
            f"| {row.get('apiLevel', '') if compared else ''} | {'' if shown is None else f'{shown:.1e}'} | {came(row)} | {outcome(other) if other else ''} {ours}| {row.get('date', '')} "
            f"| {reasons.replace('|', '/')} |"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, help="folder of the files that are being worked on")
    parser.add_argument(
        "--results",
        type=pathlib.Path,
        default=pathlib.Path(__file__).resolve().parent / "results.jsonl",
        help="what was measured, a line for each form",
    )
    parser.add_argument("--only", default="", help="builds with one of these texts, separated by commas, in their name")
    parser.add_argument(
        "--skip", default="", help="builds with one of these texts, separated by commas, in their name are left out"
    )
    parser.add_argument(
        "--group", default="", help="builds of groups with one of these texts, separated by commas, in their name"
    )
    parser.add_argument("--size", type=int, default=64, help="height and width of images")
    parser.add_argument(
        "--forms", default="traced,scripted", help="how PyTorch exports the builds; detection models are scripted only"
    )
    parser.add_argument("--again", action="store_true", help="do again what has a line")
    parser.add_argument(
        "--time-only", action="store_true", help="measure what has a line without times, and nothing else"
    )
    parser.add_argument(
        "--originals",
        action="store_true",
        help="run what was converted as it came, where that was not done, and nothing else",
    )
    parser.add_argument("--limit", type=int, default=600, help="seconds that a command may take")
    parser.add_argument("--command", type=pathlib.Path, default=ROOT / "torch-nnapi", help="what converts and runs")
    parser.add_argument("--table", action="store_true", help="print the results as a table")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    results = arguments.results
    rows = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    if arguments.table:
        table(rows)
        return 0
    if arguments.work is None:
        parser.error("--work: none (expected: a folder to work in)")
    import torch
    import torchvision

    torch.set_num_threads(1)
    folder = arguments.work / "files"
    folder.mkdir(parents=True, exist_ok=True)
    latest = {(row["name"], row["scripted"]): row for row in rows}
    known = {key for key, row in latest.items() if not arguments.again}
    if arguments.originals:
        shown = {
            key
            for key, row in latest.items()
            if "original" not in row and row["outcome"] in COMPARED and (not key[1] or row["group"] == "detection")
        }
    elif arguments.time_only:
        shown = {
            key
            for key, row in latest.items()
            if "times" not in row and row["outcome"] in COMPARED and (not key[1] or row["group"] == "detection")
        }
    skipped = [text for text in arguments.skip.split(",") if text]

    def among(text, texts):
        return any(part in text for part in texts.split(","))

    forms = [form == "scripted" for form in arguments.forms.split(",")]
    wanted = [
        (g, n, b, scripted)
        for g, n, b in builds()
        for scripted in forms
        if among(n, arguments.only)
        and among(g, arguments.group)
        and ((n, scripted) in shown if arguments.time_only or arguments.originals else (n, scripted) not in known)
        and not any(text in n for text in skipped)
        and (scripted or g != "detection")
    ]
    wanted.sort(key=lambda one: parameters(one[2]))
    broken = 0
    for number, (group, name, build, scripted) in enumerate(wanted, 1):
        print(f"[{number}/{len(wanted)}] {name}{' scripted' if scripted else ''} ", end="", flush=True)
        try:
            if arguments.originals:
                row = originally(latest[(name, scripted)], build, arguments, folder)
            elif arguments.time_only:
                row = timed(latest[(name, scripted)], build, arguments, folder)
            else:
                row = one(group, name, build, scripted, arguments, folder)
        except (subprocess.CalledProcessError, RuntimeError) as failure:
            print(failure, flush=True)
            broken += 1
            continue
        except subprocess.TimeoutExpired:
            slow = {"outcome": "too slow", "reason": f"over {arguments.limit} s"}
            row = (
                dict(latest[(name, scripted)], original=slow)
                if arguments.originals
                else {"group": group, "name": name, "scripted": scripted, **slow}
            )
        if not arguments.originals:
            row.update(
                {
                    "torch": torch.__version__,
                    "torchvision": torchvision.__version__,
                    "machine": f"{platform.machine()}, {os.cpu_count()} processors",
                }
            )
        told = row["original"] if arguments.originals else row
        print(
            told["outcome"],
            told.get("reason", ""),
            f"{told['error']:.1e}" if told.get("error") is not None else "",
            flush=True,
        )
        with results.open("a") as out:
            out.write(json.dumps(row) + "\n")
    return (
        1
        if broken
        or any(
            row["outcome"] in ("wrong", "fails") or row.get("original", {}).get("outcome") == "wrong"
            for row in (json.loads(line) for line in results.read_text().splitlines())
        )
        else 0
    )


if __name__ == "__main__":
    sys.exit(main())
