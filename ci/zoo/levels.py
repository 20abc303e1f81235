#!/usr/bin/python3
"""What NNAPI of each Android computes of torchvision's classifiers: the table of docs/LEVELS.md.

    ci/zoo/levels.py --work DIR [--only NAME,..] [--size N]
    ci/zoo/levels.py --work DIR --table

Needs Debian's python3-torch and python3-torchvision. Weights are random. Each build is one line of DIR/levels.jsonl; builds that have
one are not done again. The command can be given with TORCH_NNAPI.
"""

import argparse
import datetime
import json
import os
import pathlib
import shlex
import subprocess
import sys
import warnings

import zoo

LEVELS = (27, 28, 29, 30)


def one(group, name, build, size, folder):
    source, report = folder / "model.pt", folder / "report.json"
    row = {"group": group, "name": name, "date": datetime.date.today().isoformat()}
    for file in folder.iterdir():
        file.unlink()
    example, _, _ = zoo.make(group, name, build, False, size, source)
    row["shape"] = list(example[0].shape)
    command = shlex.split(os.environ.get("TORCH_NNAPI", str(zoo.ROOT / "torch-nnapi")))
    shape = ",".join(map(str, row["shape"]))
    done = subprocess.run(
        command
        + [
            "convert",
            str(source),
            "--android",
            "27",
            "--no-self-check",
            "--input",
            f"float32[{shape}]",
            "--json",
            str(report),
            "-o",
            str(folder / "model-nnapi.pt"),
        ],
        capture_output=True,
        text=True,
    )
    if not report.exists():
        return dict(row, failed=(done.stderr or done.stdout).strip().splitlines()[-1][:300])
    made = json.loads(report.read_text())
    row["levels"] = {str(level["apiLevel"]): level for level in made["levels"]}
    if made["converted"] and made["apiLevel"] > 27:
        row["failed"] = "converted for 27, needs " + made["featureLevel"]
    return row


def table(rows):
    print("| build | " + " | ".join(f"{level}" for level in LEVELS) + " | what 27 lacks |")
    print("|---|" + "---|" * (len(LEVELS) + 1))
    for row in rows:
        if "failed" in row:
            print(f"| {row['name']} | " + " | ".join("-" for _ in LEVELS) + f" | {row['failed']} |")
            continue
        cells = []
        for level in LEVELS:
            coverage = row["levels"][str(level)]["coverage"]
            share = 100 * coverage["multiplyAdds"] / max(1, coverage["allMultiplyAdds"])
            whole = coverage["operators"] == coverage["allOperators"]
            cells.append(
                "whole"
                if whole
                else f"{share:.1f}%, {coverage['segments']} segment" + ("" if coverage["segments"] == 1 else "s")
            )
        lacking = ", ".join(f"{count} {kind}" for kind, count in row["levels"]["27"]["lacking"].items())
        print(f"| {row['name']} | " + " | ".join(cells) + f" | {lacking} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--only", default="", help="builds, comma separated; all classifiers unless given")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    results = arguments.work / "levels.jsonl"
    rows = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    if arguments.table:
        table(sorted(rows, key=lambda row: (row["group"] != "classification", row["name"])))
        return 0
    warnings.filterwarnings("ignore")
    folder = arguments.work / "one-level"
    folder.mkdir(parents=True, exist_ok=True)
    known = {row["name"] for row in rows}
    wanted = set(filter(None, arguments.only.split(",")))
    for group, name, build in zoo.builds():
        if group not in ("classification", "quantized") or name in known or wanted and name not in wanted:
            continue
        row = one(group, name, build, arguments.size, folder)
        with results.open("a") as out:
            out.write(json.dumps(row) + "\n")
        print(
            name,
            row.get("failed")
            or {
                level: round(
                    100
                    * row["levels"][level]["coverage"]["multiplyAdds"]
                    / max(1, row["levels"][level]["coverage"]["allMultiplyAdds"]),
                    1,
                )
                for level in row["levels"]
            },
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
