#!/usr/bin/env python3
"""Exports architectures of transformers and torchaudio in today's PyTorch, in both dialects, runs and converts them here beside their TorchScript.

    ci/today/architectures.py CHROOT [--only REGEX] [--again] [--keep FOLDER]
    ci/today/architectures.py --table

CHROOT is a folder as ci/today/chroot makes it; as root. What these need is installed in it first. Weights are random. Each dialect of each
architecture, and what torch.jit.trace makes of it, is a line of docs/pt2-architectures.csv; what has one is not done again, unless --again says
so. --keep moves the cases of what is not whole there. --table prints the summary that docs/PT2.md has.
"""

import argparse
import collections
import json
import pathlib
import re
import shutil
import sys

import measure

LINES = measure.ROOT / "docs" / "pt2-architectures.csv"
PACKAGES = "python3-transformers python3-torchaudio"
# Architectures for which Python and Java are started once.
AT_ONCE = 6
DIALECTS = ("training", "core", "traced")
FIELDS = ["architecture", "dialect", "torch", "exported", *measure.MEASURED]


def read():
    return measure.read(LINES, lambda line: (line["architecture"], line["dialect"]))


def measured(chroot, names, keep):
    """A line for each dialect of each of some architectures."""
    cases = chroot / "architectures" / "cases"
    shutil.rmtree(cases, ignore_errors=True)
    torch = measure.inside(chroot, "/architectures/libraries.py", "/architectures/cases", "--build", ",".join(names))
    told = json.loads((cases / "told.json").read_text())
    ran, converted = measure.conformance(cases), measure.conformance(cases, "--convert")
    for name in names:
        for dialect in DIALECTS:
            case = name if dialect == "training" else f"{name}-{dialect}"
            line = {"architecture": name, "dialect": dialect, "torch": torch.split()[-1], "exported": "yes"}
            why = told[name].get(dialect, told[name].get("late"))
            if (cases / "model" / case / "case.json").exists():
                line.update(measure.measured(ran, converted, case))
                if keep and (line["run"] != "right" or not measure.whole(line)):
                    shutil.rmtree(keep / "model" / case, ignore_errors=True)
                    shutil.move(cases / "model" / case, keep / "model" / case)
            else:
                line["exported"] = why
            yield line
    shutil.rmtree(cases)


def table():
    lines = read()
    names = sorted({name for name, _ in lines})
    print(
        "| form | architectures | exported | run right | converted right | whole, in one segment | as traced, or better |"
    )
    print("|---|---|---|---|---|---|---|")
    others = []
    for dialect in DIALECTS:
        count = collections.Counter()
        for name in names:
            line = lines[name, dialect]
            if line["exported"] != "yes":
                continue
            count.update(exported=1, run=line["run"] == "right", converted=line["converted"] == "right")
            count.update(whole=measure.whole(line))
            traced = lines[name, "traced"]
            same = measure.whole(line) or not measure.whole(traced)
            count.update(same=same and line["converted"] == "right")
            if line["run"] != "right" or line["converted"] != "right" or not same:
                others.append(f"{name} ({dialect})")
        columns = [count[key] for key in ("exported", "run", "converted", "whole")]
        print("|", dialect, "|", len(names), "|", *(f"{n} |" for n in columns), count["same"], "|")
    print(f"\nNot all of that: {', '.join(others) or 'none'}")
    for dialect in DIALECTS:
        reasons = collections.defaultdict(list)
        for name in names:
            if lines[name, dialect]["exported"] != "yes":
                reasons[lines[name, dialect]["exported"]].append(name)
        for reason, some in sorted(reasons.items()):
            print(f"\n{dialect}, not made: {', '.join(some)}: {reason}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chroot", type=pathlib.Path, nargs="?")
    parser.add_argument("--only", default="", metavar="REGEX", help="architectures whose names hold a match")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if arguments.table:
        table()
        return
    if arguments.chroot is None:
        parser.error("CHROOT: none (expected: a folder that ci/today/chroot made)")
    measure.install(arguments.chroot, PACKAGES)
    folder = arguments.chroot / "architectures"
    folder.mkdir(exist_ok=True)
    for file in ("ci/today/models.py", "ci/today/libraries.py", "ci/modern/libraries/export.py"):
        shutil.copy(measure.ROOT / file, folder)
    names = measure.inside(arguments.chroot, "/architectures/libraries.py", "--builds").split()
    lines = read()
    names = [
        name for name in names if re.search(arguments.only, name) and (arguments.again or (name, "traced") not in lines)
    ]
    wrong = 0
    for first in range(0, len(names), AT_ONCE):
        for line in measured(arguments.chroot, names[first : first + AT_ONCE], arguments.keep):
            wrong += line["exported"] == "yes" and (line["run"] != "right" or line["converted"] != "right")
            lines[line["architecture"], line["dialect"]] = line
            print(*(line.get(field, "") for field in FIELDS), sep=", ", flush=True)
        measure.write(LINES, FIELDS, lines)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
