"""random_modules.py WORK: random modules go every way that a model goes, beside genuine PyTorch; what fails is shrunk and shown.

Each module is made of a number alone, which is shown: `--from N --count 1` makes it again. Modules are scripted or traced; `torch-nnapi conformance torch WORK
--suite pipelines` runs, converts, saves, optimizes and quantizes them, and genuine PyTorch reads what was written. Files of modules, as the failures are
written, go the same ways: `--files FILE...`.
"""

import argparse
import ast
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
import warnings

warnings.filterwarnings("ignore")
os.environ.setdefault("GLOG_minloglevel", "2")

import torch
from torch.jit.mobile import _load_for_lite_interpreter

import cases
import comparison
import programs
import shrink

PROFILE = "start=0,bytes=1e15"
# The commands, by the pipelines of the suite; what genuine PyTorch makes of a file goes by the same.
PIPELINES = {
    "convert --profile": f"convert with --profile {PROFILE}",
    "convert --profile --runtime torch-nnapi": f"convert with --profile {PROFILE} --runtime torch-nnapi",
    "convert --profile --android 28": f"convert with --profile {PROFILE} --android 28",
    "convert --profile --android 29": f"convert with --profile {PROFILE} --android 29",
    "convert --profile --input ?": f"convert with --profile {PROFILE}, open sizes",
    "save.pt": "save x.pt -o y.pt",
    "save.ptl": "save x.pt -o y.ptl",
    "save.ptl --target pytorch-1.8": "save x.pt -o y.ptl --target pytorch-1.8",
    "save.ptl --target pytorch-1.11": "save x.pt -o y.ptl --target pytorch-1.11",
    "optimize.pt": "optimize x.pt -o y.pt",
    "optimize.ptl": "optimize x.pt -o y.ptl",
    "quantize.pt": "quantize x.pt -o y.pt",
    "quantize.ptl": "quantize x.pt -o y.ptl",
    "quantize --dynamic.pt": "quantize x.pt --dynamic -o y.pt",
    "quantize --dynamic.ptl": "quantize x.pt --dynamic -o y.ptl",
}
IN_PYTORCH = " in PyTorch"
FAILED = re.compile(r"^FAILED (\S+) \[([^]]*)\](?:: (.*))?$")


class Failure:
    def __init__(self, case: str, text: str, form: str, pipeline: str, detail: str):
        self.case, self.text, self.form, self.pipeline, self.detail = case, text, form, pipeline, detail
        self.also = []

    def kind(self) -> str:
        return kind(self.detail)

    def command(self) -> str:
        name = self.pipeline.removesuffix(IN_PYTORCH)
        return PIPELINES.get(name, name) + self.pipeline[len(name) :].replace(IN_PYTORCH, ", read by genuine PyTorch")


def kind(detail: str) -> str:
    """What failures of one cause have in common, as far as their words tell."""
    if "elements differ" in detail:
        return "wrong elements"
    if re.search(r"expected exception", detail):
        return "no exception"
    if re.match(r"^(run \d+|answer)", detail):
        return "wrong answer"
    words = re.sub(r"code/\S+|%\w+|\d[\d.e+-]*|\[[^]]*\]", "", detail)
    return " ".join(words.split())[:70]


def in_child(work, *arguments):
    """Runs work in a process of its own, which genuine PyTorch may bring down; whether it ended well."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work(*arguments)
            code = 0
        except BaseException as e:
            print(f"{type(e).__name__}: {e}", file=sys.stderr)
        os._exit(code)
    return os.waitpid(pid, 0)[1] == 0


def make(folder: str, numbers, log: str):
    """Writes the cases of these numbers; one that cannot be is told in the log."""
    left = list(numbers)
    done = os.path.join(folder, "done")

    def work(numbers):
        for number in numbers:
            with open(done, "w") as f:
                f.write(str(number))
            name = f"m{number}"
            try:
                text, form = programs.program(number)
                cases.write(os.path.join(folder, name), f"# {form}\n" + text, form)
            except Exception as e:
                shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
                with open(log, "a") as f:
                    f.write(f"{name}: {type(e).__name__}: {comparison.one_line(e)}\n")

    os.makedirs(folder, exist_ok=True)
    while left:
        if in_child(work, left):
            break
        with open(done) as f:
            died = int(f.read())
        shutil.rmtree(os.path.join(folder, f"m{died}"), ignore_errors=True)
        left = left[left.index(died) + 1 :]


def java(tool: str, folder: str, out: str, pipelines=()):
    os.makedirs(out, exist_ok=True)
    command = [*tool.split(), "conformance", "torch", folder, "--suite", "pipelines", "--profile", PROFILE, "-o", out]
    for name in pipelines:
        command += ["--pipeline", name]
    log = open(out + ".log", "w")
    return subprocess.Popen(command, stdout=log, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)


def failures_of(log: str) -> list:
    """Case, pipeline and detail of what failed."""
    with open(log) as f:
        lines = f.read().splitlines()
    found = [m.groups() for m in map(FAILED.match, lines) if m]
    if not lines or not re.match(r"\d+ passed", lines[-1]):
        last = re.sub(r"\s.*", "", lines[-1]) if lines else "nothing"
        raise SystemExit(f"{log}: ends with {last} (expected: the suite's counts)")
    return [(case, pipeline, detail or "") for case, pipeline, detail in found]


def pipeline_of(file: str) -> str:
    """`m1.save-pytorch-1.8.ptl`: what wrote it."""
    name, ending = os.path.basename(file).split(".", 1)[1].rsplit(".", 1)
    name = name.replace("quantize-dynamic", "quantize --dynamic")
    target = re.match(r"save-(pytorch.*)", name)
    return f"save.ptl --target {target[1]}" if target else f"{name}.{ending}"


def read(folder: str, out: str, following: str) -> list:
    """What genuine PyTorch finds wrong with the files that were written; quantized ones become cases of the next folder."""
    report = out + ".read"
    files = sorted(glob.glob(os.path.join(out, "*.pt*")))

    def work(files):
        with open(report, "a") as f:
            for file in files:
                case = os.path.basename(file).split(".")[0]
                print(f"{case}\t{pipeline_of(file)}\tBEGUN", file=f, flush=True)
                wrong = read_one(folder, case, file, following)
                if wrong:
                    print(f"{case}\t{pipeline_of(file)}\t{wrong}", file=f, flush=True)

    open(report, "w").close()
    found = []
    while files and not in_child(work, files):
        with open(report) as f:
            case, pipeline, _ = f.read().splitlines()[-1].split("\t", 2)
        found.append((case, pipeline + IN_PYTORCH, "genuine PyTorch ends abruptly"))
        at = next(
            i for i, f in enumerate(files) if os.path.basename(f).split(".")[0] == case and pipeline_of(f) == pipeline
        )
        files = files[at + 1 :]
    with open(report) as f:
        told = [line.split("\t", 2) for line in f.read().splitlines()]
    return found + [(c, p + IN_PYTORCH, detail) for c, p, detail in told if detail != "BEGUN"]


def read_one(folder: str, case: str, file: str, following: str):
    calls = calls_of(os.path.join(folder, case))
    if calls is None:
        return None
    try:
        if file.endswith(".ptl"):
            made = _load_for_lite_interpreter(file)
        else:
            made = torch.jit.load(file)
    except Exception as e:
        return "cannot be read: " + comparison.one_line(e)
    got = cases.answers(made, calls)
    wanted = cases.answers(torch.jit.load(os.path.join(folder, case, "model.pt")), calls)
    answered = [(w, a) for w, a in wanted if not isinstance(w, Exception)]
    if "optimize" in os.path.basename(file):
        # PyTorch's prepacked layers look at fewer sizes, and their limits make numbers of NaN.
        wanted, got = answered, got[: len(answered)]
        if cases.has_nan(wanted):
            return None
    if "quantize" not in os.path.basename(file):
        return comparison.compare([w for w, _ in wanted], [v for v, _ in got], "answer") or comparison.compare(
            [a for _, a in wanted], [a for _, a in got], "arguments"
        )
    failed = next((v for v, _ in got if isinstance(v, Exception)), None)
    if failed is not None and len(got) <= len(answered):
        return "answer: expected numbers, actual " + comparison.one_line(failed)
    if file.endswith(".pt") and following and not case.startswith("q"):
        name = "q" + case[1:] + ("d" if "dynamic" in file else "")
        try:
            target = cases.Folder(os.path.join(following, name))
            model = os.path.join(target.path, "model.pt")
            shutil.copy(file, model)
            shutil.copy(os.path.join(folder, case, "module.py"), target.path)
            # PyTorch's packed layers look at fewer sizes than those that they replace.
            taken = [c for c in calls[: len(answered)] if cases.shapes(c) == cases.shapes(calls[0])]
            cases.describe(target, model, taken, steady=False, quantized=True)
        except Exception:
            shutil.rmtree(os.path.join(following, name), ignore_errors=True)
    return None


def calls_of(path: str):
    file = os.path.join(path, "module.py")
    if not os.path.exists(file):
        return None
    with open(file) as f:
        return cases.namespace(f.read())["inputs"]


def text_of(path: str):
    with open(os.path.join(path, "module.py")) as f:
        first, text = f.read().split("\n", 1)
    return text, first[2:]


class Shrinking:
    """Tries texts, all at once."""

    def __init__(self, tool: str, work: str):
        self.tool, self.work, self.round = tool, work, 0

    def fails(self, pairs) -> list:
        self.round += 1
        folder = os.path.join(self.work, f"shrink{self.round}")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)

        def write(pairs):
            for i, (failure, text) in pairs:
                try:
                    with open(os.path.join(folder, "done"), "w") as f:
                        f.write(str(i))
                    name = failure.pipeline.removesuffix(IN_PYTORCH)
                    cases.write(
                        os.path.join(folder, f"c{i}"), f"# {failure.form}\n" + text, failure.form, pipelines=[name]
                    )
                except Exception:
                    shutil.rmtree(os.path.join(folder, f"c{i}"), ignore_errors=True)

        left = list(enumerate(pairs))
        while left and not in_child(write, left):
            with open(os.path.join(folder, "done")) as f:
                died = int(f.read())
            shutil.rmtree(os.path.join(folder, f"c{died}"), ignore_errors=True)
            left = [pair for pair in left if pair[0] > died]
        result = [False] * len(pairs)
        if not glob.glob(os.path.join(folder, "c*", "case.json")):
            return result
        out = folder + "-out"
        shutil.rmtree(out, ignore_errors=True)
        java(self.tool, folder, out).wait()
        found = failures_of(out + ".log") + read(folder, out, None)
        for case, pipeline, detail in found:
            failure = pairs[int(case[1:])][0]
            if failure.kind() == kind(detail):
                result[int(case[1:])] = True
                failure.details = {**getattr(failure, "details", {}), pairs[int(case[1:])][1]: detail}
        shutil.rmtree(folder)
        shutil.rmtree(out, ignore_errors=True)
        return result


def first_of_each(failures) -> list:
    """Of each case its first failure, with what else it fails by."""
    found = {}
    for failure in failures:
        if failure.case in found:
            found[failure.case].also.append(failure.pipeline)
        else:
            found[failure.case] = failure
    return list(found.values())


def show(failures, texts, out: str):
    os.makedirs(out, exist_ok=True)
    for failure, text in zip(failures, texts):
        detail = getattr(failure, "details", {}).get(text, failure.detail)
        body = ast.unparse(ast.parse(text))
        head = cases.PRELUDE.strip()
        body = re.sub(r"^import torch, math.*?manual_seed\(s\)\n", "", body, flags=re.S).strip()
        also = f"\n# Also: {', '.join(failure.also)}." if failure.also else ""
        told = f"# {failure.command()}, {failure.form}\n# {detail[:300]}\n# Found as {failure.case}.{also}\n{head}\n\n\n{body}\n"
        name = f"{failure.case}-{hashlib.sha256(text.encode()).hexdigest()[:6]}.py"
        with open(os.path.join(out, name), "w") as f:
            f.write(told)
        print(f"=== {name}\n{told}", flush=True)


def taken(files, folder: str):
    """Cases of files of modules; the first line says whether they are scripted, traced, or both."""
    for file in files:
        with open(file) as f:
            text = f.read()
        for form in ("scripted", "traced"):
            if form not in text.split("\n", 1)[0]:
                continue
            name = re.sub(r"\W", "-", os.path.basename(file)[:-3]) + ("" if form == "scripted" else "-traced")
            try:
                cases.write(os.path.join(folder, name), f"# {form}\n{text}", form, steady=False)
            except Exception as e:
                shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
                print(f"{name}: no case: {comparison.one_line(e)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("work")
    parser.add_argument("--from", type=int, default=1, dest="first", help="the number of the first module")
    parser.add_argument("--count", type=int, default=0, help="so many modules")
    parser.add_argument("--seconds", type=float, default=60, help="for so long, where no count is given")
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--tool", default="./torch-nnapi", help="the command, as words")
    parser.add_argument("--files", nargs="*", help="files of modules instead")
    parser.add_argument("--pipeline", action="append", default=[], help="only this pipeline")
    parser.add_argument("--shrunk", type=int, default=6, help="so many failures are shrunk at most")
    parser.add_argument("--shrinking", type=float, default=120, help="for so many seconds")
    parser.add_argument("--floor", type=int, default=1000, help="so many modules of a thousand that must not fail")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.backends.quantized.engine = "qnnpack"
    shutil.rmtree(args.work, ignore_errors=True)
    os.makedirs(args.work)
    started, number, batch, made, failures = time.monotonic(), args.first, 0, 0, []
    log = os.path.join(args.work, "unfit.log")
    folder = os.path.join(args.work, "batch0")
    os.makedirs(folder)

    def more() -> bool:
        if args.files:
            return False
        return number < args.first + args.count if args.count else time.monotonic() - started < args.seconds

    def fill():
        nonlocal number
        size = min(args.batch, args.first + args.count - number) if args.count else args.batch
        make(folder, range(number, number + size), log)
        number += size

    if args.files:
        taken(args.files, folder)
    else:
        fill()
    while glob.glob(os.path.join(folder, "*", "case.json")):
        here, out = folder, folder + "-out"
        running = java(args.tool, here, out, args.pipeline)
        batch += 1
        folder = os.path.join(args.work, f"batch{batch}")
        os.makedirs(folder)
        if more():
            fill()
        running.wait()
        made += len(glob.glob(os.path.join(here, "m*", "case.json")))
        for case, pipeline, detail in failures_of(out + ".log") + read(here, out, folder):
            failures.append(Failure(case, *text_of(os.path.join(here, case)), pipeline, detail))
        shutil.rmtree(out)
        if time.monotonic() - started > args.seconds and not args.count and not args.files:
            break
    found = first_of_each(failures)
    chosen, kinds = [], set()
    for failure in found:
        if (failure.pipeline, failure.kind()) not in kinds and len(chosen) < args.shrunk:
            kinds.add((failure.pipeline, failure.kind()))
            chosen.append(failure)
    shrinking = Shrinking(args.tool, args.work)
    small = [f for f in chosen if not f.case.startswith("q")]
    late = time.monotonic() + args.shrinking
    texts = [f.text for f in small]
    if small and not args.files:
        texts = shrink.shrink(small, shrinking.fails, lambda: time.monotonic() > late)
    show(
        small + [f for f in chosen if f.case.startswith("q")],
        texts + [f.text for f in chosen if f.case.startswith("q")],
        os.path.join(args.work, "found"),
    )
    for failure in found:
        print(f"FAILED {failure.case} by {failure.command()}, {failure.form}: {failure.detail[:300]}")
    print(f"{made} modules from {args.first} on, {len(found)} fail ({time.monotonic() - started:.0f} s)")
    sys.exit(1 if 1000 * (made - len(found)) < args.floor * made or not made else 0)


main()
