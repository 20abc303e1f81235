#!/usr/bin/env python3
"""Exports torchvision's builds in today's PyTorch, in both dialects, runs and converts them here, and compares with its answers.

    ci/today/vision.py CHROOT [--size 64] [--only TEXT] [--skip TEXTS] [--again]
    ci/today/vision.py --table

CHROOT is a folder as ci/today/chroot makes it; as root. Weights are random. Each dialect of each build is a line of docs/pt2-vision.csv; what has
one is not done again, unless --again says so. --table prints the summary that docs/PT2.md has.
"""

import argparse
import collections
import json
import pathlib
import shutil
import sys

import measure

LINES = measure.ROOT / "docs" / "pt2-vision.csv"
TRACED = measure.ROOT / "ci" / "zoo" / "results.jsonl"
# Builds for which Python and Java are started once.
AT_ONCE = 4
FIELDS = ["build", "dialect", "input", "torch", *measure.MEASURED]


def read():
    return measure.read(LINES, lambda line: (line["build"], line["dialect"]))


def measured(chroot, names, size):
    """A line for each dialect of each of some builds."""
    cases = chroot / "vision" / "cases"
    shutil.rmtree(cases, ignore_errors=True)
    told = measure.inside(
        chroot, "/vision/models.py", "/vision/cases", "--vision", str(size), "--build", ",".join(names)
    )
    torch = told.split()[-1]
    ran, converted = measure.conformance(cases), measure.conformance(cases, "--convert")
    for folder in sorted((cases / "model").iterdir()):
        case = json.loads((folder / "case.json").read_text())
        name = folder.name.removesuffix("-core")
        line = {
            "build": name,
            "dialect": "core" if folder.name.endswith("-core") else "training",
            "input": " ".join(str(n) for n in case["runs"][0]["args"][0]["shape"]),
            "torch": torch,
        }
        line.update(measure.measured(ran, converted, folder.name))
        yield line
    shutil.rmtree(cases)


def table():
    lines = read()
    traced = {}
    for text in TRACED.read_text().splitlines():
        entry = json.loads(text)
        if not entry["scripted"] and "coverage" in entry:
            traced[entry["name"]] = entry["coverage"]
    print("| dialect | builds | run right | converted right | whole, in one segment | of these whole as traced |")
    print("|---|---|---|---|---|---|")
    parts = []
    for dialect in ("training", "core"):
        some = [line for line in lines.values() if line["dialect"] == dialect]
        count = collections.Counter()
        others = []
        for line in some:
            whole = measure.whole(line)
            known = traced.get(line["build"])
            same = known and known["segments"] == 1 and known["operators"] == known["allOperators"]
            count.update(
                run=line["run"] == "right",
                converted=line["converted"] == "right",
                whole=whole,
                same=whole and bool(same),
            )
            if not whole or line["run"] != "right":
                others.append(line["build"])
        print(
            f"| {dialect} | {len(some)} | {count['run']} | {count['converted']} | {count['whole']} | {count['same']} |"
        )
        parts += [f"{build} ({dialect})" for build in others]
    print(f"\nNot all of that: {', '.join(parts) or 'none'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chroot", type=pathlib.Path, nargs="?")
    parser.add_argument("--size", type=int, default=64, help="of the pictures, where a build takes any")
    parser.add_argument("--only", default="", metavar="TEXT", help="builds whose names begin with this")
    parser.add_argument(
        "--skip", default="", metavar="TEXTS", help="none whose names begin with one of these, with commas between"
    )
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if arguments.table:
        table()
        return
    if arguments.chroot is None:
        parser.error("CHROOT: none (expected: a folder that ci/today/chroot made)")
    (arguments.chroot / "vision").mkdir(exist_ok=True)
    shutil.copy(measure.ROOT / "ci/today/models.py", arguments.chroot / "vision")
    names = measure.inside(arguments.chroot, "/vision/models.py", "--builds").split()
    skipped = tuple(text for text in arguments.skip.split(",") if text)
    lines = read()
    names = [
        name
        for name in names
        if name.startswith(arguments.only)
        and not (skipped and name.startswith(skipped))
        and (arguments.again or (name, "training") not in lines)
    ]
    wrong = 0
    for first in range(0, len(names), AT_ONCE):
        for line in measured(arguments.chroot, names[first : first + AT_ONCE], arguments.size):
            wrong += line["run"] != "right" or line["converted"] != "right"
            lines[line["build"], line["dialect"]] = line
            print(*(line.get(field, "") for field in FIELDS), sep=", ", flush=True)
        measure.write(LINES, FIELDS, lines)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
