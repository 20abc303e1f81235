"""lite_operators.py OUT NAMES AAR..: which operators the published Android runtimes of PyTorch have.

AAR.. are org.pytorch:pytorch_android:1.8.0, pytorch_android_lite:1.9.0, pytorch_android:1.10.0, pytorch_android_lite:1.12.2 and
pytorch_android:1.13.1 of Maven Central, in this order. NAMES lists further operators to look for, one full name a line: lite_names.txt beside this has
those whose text linkers store as the end of another's alone, such as aten::mul.out in aten::matmul.out, and those without arguments. published-runtimes fetches
them all. OUT is the table
that the lite target reads: a line for each set of runtimes (a digit each, in the order above) and namespace, with the names.
"""

import re
import sys
import zipfile

out, extra, *archives = sys.argv[1:]
SCHEMA = re.compile(rb"(?:([A-Za-z_0-9]+)::)?([A-Za-z_0-9]+(?:\.[A-Za-z_0-9]+)?)\(([^\0\n]*)\) ?-> ?[^\0]{1,200}\0")


def plain(arguments):
    """The first argument, which tells names apart that end alike; defaults and alias marks are written in several ways."""
    return re.sub(r"=\[[^\]]*\]|=[^,)]*|\([^)]*\)|\s", "", arguments.decode()).split(",")[0]


def library(path):
    with zipfile.ZipFile(path) as archive:
        name = next(n for n in archive.namelist() if "arm64-v8a" in n and "pytorch_jni" in n and n.endswith(".so"))
        return archive.read(name)


def schemas(library):
    """Namespace, name and arguments of each schema text. Texts end with a zero, and searching each by itself takes seconds where one search of all takes minutes."""
    for text in library.split(b"\0"):
        if b"->" in text:
            for m in SCHEMA.finditer(text + b"\0"):
                yield (m.group(1) or b"aten").decode(), m.group(2).decode(), m.group(3)


def found(texts):
    """Names to the texts of their arguments."""
    names = {}
    for space, name, arguments in texts:
        if arguments:
            names.setdefault((space, name), set()).add(plain(arguments))
    return names


def tails(texts):
    """Every name, with its arguments, that a schema text ends in: linkers store a text that is the end of another only once."""
    names = set()
    for space, name, arguments in texts:
        first = plain(arguments)
        for start in range(len(name)):
            names.add((space if start == 0 else "aten", name[start:], first))
        for start in range(len(space)):
            names.add((space[start:], name, first))
    return names


libraries = [list(schemas(library(path))) for path in archives]
wanted = {}
for texts in libraries:
    for name, arguments in found(texts).items():
        wanted.setdefault(name, set()).update(arguments)
for line in open(extra).read().split():
    wanted.setdefault(tuple(line.split("::", 1)), set())
present = [tails(texts) for texts in libraries]
names_alone = [{name[:2] for name in names} for names in present]
groups = {}
for name, arguments in wanted.items():
    mask = ""
    for names, alone in zip(present, names_alone):
        mask += "1" if any(name + (text,) in names for text in arguments) or not arguments and name in alone else "0"
    if "1" in mask:
        groups.setdefault((mask, name[0]), []).append(name[1])
with open(out, "w") as table:
    for (mask, namespace), names in sorted(groups.items()):
        table.write(" ".join([mask, namespace] + sorted(names)) + "\n")
