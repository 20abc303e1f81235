#!/usr/bin/env python3
"""Runs and converts what export.py wrote, and compares with the answers that PyTorch gave.

    ci/modern/libraries/convert.py OUT [--only REGEX] [--again] [--workers N]
    ci/modern/libraries/convert.py --table > docs/LIBRARIES.md

Each model is one line of ci/modern/libraries/results.jsonl, of which the last counts; what has one is not done again unless --again says so.
"""

import argparse
import collections
import concurrent.futures
import datetime
import json
import pathlib
import re
import subprocess

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[3]
RESULTS = pathlib.Path(__file__).resolve().parent / "results.jsonl"
TOLERANCE = 1e-4
LIMIT = 300
LIBRARIES = {"hf": "transformers 5.17", "ta": "torchaudio 2.11", "pyg": "torch_geometric 2.8"}
# What draws random numbers, which differ from call to call.
RANDOM = ("hf-vit_mae", "hf-vilt")


def error(folder, stem):
    """The largest difference as a fraction of the largest value; infinite if something else is there."""
    worst = 0.0
    for i, file in enumerate(sorted(folder.glob("want*.npy"), key=lambda f: int(f.stem[4:]))):
        got = folder / f"{stem}{i}.npy"
        want, have = numpy.load(file).astype("f8"), numpy.load(got).astype("f8") if got.exists() else numpy.zeros(0)
        if want.shape != have.shape or not numpy.array_equal(numpy.isfinite(want), numpy.isfinite(have)):
            return float("inf")
        finite = numpy.isfinite(want)
        if finite.any():
            worst = max(worst, float(numpy.abs(want - have)[finite].max() / max(numpy.abs(want[finite]).max(), 1e-3)))
    return worst


def one(folder):
    given = sorted(folder.glob("in*.npy"), key=lambda f: int(f.stem[2:]))
    row = {"name": folder.name, "date": datetime.date.today().isoformat()}

    def command(*arguments):
        return subprocess.run([ROOT / "torch-nnapi", *arguments], capture_output=True, text=True, timeout=LIMIT)

    def runs(file, stem, outcome):
        for old in folder.glob(f"{stem}*.npy"):
            old.unlink()
        run = command("run", file, *(text for i in given for text in ("--input", i)), "-o", folder / stem)
        if run.returncode != 0:
            return dict(
                row,
                **{
                    outcome: "fails",
                    "reason": re.sub(r" at \S+:\d+", "", (run.stderr.strip().splitlines() or [""])[-1])[:200],
                },
            )
        found = error(folder, stem)
        right = found <= TOLERANCE or folder.name in RANDOM and found != float("inf")
        return dict(
            row, **{outcome: "right" if right else "wrong", outcome + "Error": found if found != float("inf") else None}
        )

    try:
        row = runs(folder / "model.pt", "run", "runs")
        report = folder / "report.json"
        convert = command(
            "convert",
            folder / "model.pt",
            "-o",
            folder / "converted.pt",
            "--json",
            report,
            *(text for i in given for text in ("--example", i)),
        )
        if report.exists():
            told = json.loads(report.read_text())
            row["coverage"] = told.get("coverage")
            row["reasons"] = sorted({f"{r['node']}: {r['rule']}" for r in told["refusals"]})[:5]
        if convert.returncode != 0:
            return dict(row, converted="refused")
        return runs(folder / "converted.pt", "out", "converted")
    except subprocess.TimeoutExpired:
        return dict(row, converted="too slow")
    finally:
        (folder / "converted.pt").unlink(missing_ok=True)


def kind(row):
    if row.get("converted") != "right":
        return row.get("converted", "not tried")
    coverage = row.get("coverage") or {}
    return "whole" if coverage.get("operators") == coverage.get("allOperators") else "in parts"


def table(rows):
    print("# Architectures of PyTorch's libraries\n")
    print(
        "Small models with random weights of architectures that nobody here wrote, exported by PyTorch 2.11's tracer (`ci/modern/libraries/export.py`), run and converted "
        f"(`ci/modern/libraries/convert.py`) and compared with PyTorch's answers to {TOLERANCE:g} of the largest value, "
        f"from {min(row['date'] for row in rows)} to {max(row['date'] for row in rows)}. What PyTorch could not export is not here. *In parts*: the rest stays TorchScript.\n"
    )
    print("| library | models | run right | convert whole | in parts | refused |")
    print("|---|---|---|---|---|---|")
    for prefix, library in LIBRARIES.items():
        own = [row for row in rows if row["name"].startswith(prefix + "-")]
        counts = collections.Counter(kind(row) for row in own)
        print(
            f"| {library} | {len(own)} | {sum(row.get('runs') == 'right' for row in own)} | {counts['whole']} | {counts['in parts']} "
            f"| {len(own) - counts['whole'] - counts['in parts']} |"
        )
    print("\n## Not whole\n")
    print("| model | runs | converts | operators on NNAPI | why |")
    print("|---|---|---|---|---|")
    for row in sorted(rows, key=lambda row: row["name"]):
        if kind(row) != "whole" or row.get("runs") != "right":
            coverage = row.get("coverage") or {}
            why = row.get("reason") or "; ".join(row.get("reasons", [])[:3])
            print(
                f"| {row['name']} | {row.get('runs', '')} | {kind(row)} | {coverage.get('operators', '')} of {coverage.get('allOperators', '')} | {why.replace('|', '/')} |"
                if coverage.get("allOperators")
                else f"| {row['name']} | {row.get('runs', '')} | {kind(row)} | | {why.replace('|', '/')} |"
            )
    print("\n## Whole\n")
    print(", ".join(sorted(row["name"] for row in rows if kind(row) == "whole")) + ".")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path, nargs="?")
    parser.add_argument("--only", default="", help="names that hold a match")
    parser.add_argument("--again", action="store_true", help="do again what has a line")
    parser.add_argument("--workers", type=int, default=2, help="models at a time")
    parser.add_argument("--table", action="store_true", help="print the results as a table")
    arguments = parser.parse_args()
    latest = {
        row["name"]: row
        for row in (json.loads(line) for line in (RESULTS.read_text().splitlines() if RESULTS.exists() else []))
    }
    if arguments.table:
        table(list(latest.values()))
        return
    if arguments.out is None:
        parser.error("OUT: none (expected: the folder that export.py wrote)")
    folders = [file.parent for file in sorted(arguments.out.glob("*/model.pt"), key=lambda file: file.stat().st_size)]
    folders = [
        folder
        for folder in folders
        if re.search(arguments.only, folder.name) and (arguments.again or folder.name not in latest)
    ]
    with concurrent.futures.ThreadPoolExecutor(arguments.workers) as pool, RESULTS.open("a") as results:
        for number, row in enumerate(pool.map(one, folders), 1):
            print(
                f"[{number}/{len(folders)}] {row['name']}: runs {row.get('runs', '')}, converts {kind(row)}", flush=True
            )
            results.write(json.dumps(row) + "\n")
            results.flush()


if __name__ == "__main__":
    main()
