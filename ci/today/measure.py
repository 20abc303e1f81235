"""What the scripts share that have models exported by today's PyTorch and run and convert them here."""

import csv
import os
import pathlib
import re
import shlex
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONVERTED = re.compile(r"(\d+) of (\d+) operators and ([\d.]+)% of the multiply-adds.* in (\d+) segments?$")
# What is measured of each model.
MEASURED = ["run", "converted", "operators", "of", "multiply-adds", "segments"]


def inside(chroot, *command):
    """What a script prints that Python runs in a folder of ci/today/chroot."""
    done = subprocess.run(
        [ROOT / "ci/today/chroot", chroot, "env", "OMP_NUM_THREADS=1", "python3", *command],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def install(chroot, packages):
    """Debian's packages, where the folder does not have them yet."""
    command = f"dpkg -s {packages} > /dev/null 2>&1 || apt-get -qq -y install {packages} > /dev/null"
    subprocess.run([ROOT / "ci/today/chroot", chroot, "sh", "-c", command], check=True)


def conformance(cases, *options):
    """What is said of each case: whether it passed, and the rest of its line."""
    command = shlex.split(os.environ.get("TORCH_NNAPI", str(ROOT / "torch-nnapi")))
    done = subprocess.run(
        [*command, "conformance", "pt2", cases, "-v", *options],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    lines = (re.match(r"(PASSED|FAILED) (\S+): (.*)", line) for line in done.stdout.splitlines())
    return {line[2]: (line[1] == "PASSED", line[3]) for line in lines if line}


def measured(ran, converted, name):
    """The columns that a case has, from what conformance() says of all."""
    line = {}
    right, told = ran.get(name, (False, "no answer"))
    line["run"] = "right" if right else told
    right, told = converted.get(name, (False, "no answer"))
    found = CONVERTED.match(told)
    line["converted"] = "right" if right and found else told
    if found:
        line["operators"], line["of"], line["multiply-adds"], line["segments"] = found.groups()
    return line


def whole(line):
    """Whether all of a model runs on NNAPI, with the right result."""
    return line["converted"] == "right" and line["segments"] == "1" and line["operators"] == line["of"]


def read(file, key):
    """The lines of a table by what key() says of them."""
    if not file.exists():
        return {}
    with file.open(newline="") as opened:
        return {key(line): line for line in csv.DictReader(opened)}


def write(file, fields, lines):
    with file.open("w", newline="") as opened:
        writer = csv.DictWriter(opened, fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines[key] for key in sorted(lines))
