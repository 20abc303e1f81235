#!/usr/bin/env python3
"""Trains the languages sample and writes its model and test texts beside this script.

    python3 make_languages.py [--out DIR] [--epochs N] [--fortunes DIR]

Needs Debian's python3-torch (1.13) and the sayings of its packages fortunes, fortunes-min, fortunes-br, fortunes-cs, fortunes-de, fortunes-es,
fortunes-it, fortunes-pl and fortunes-ru, installed or unpacked below --fortunes; downloads nothing. A text is up to 96 bytes of a saying,
from the start of a word; sayings that are tested are none of those trained on. The same versions give the same files.

    languages-cpu.pt             float, traced
    languages-test.tsv           640 lines: the language and a text
    languages-calibration.npy    int64 (64, 96): texts to calibrate a quantized model on
    languages-example.npy        the first of them, to convert for
"""

import argparse
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import numpy as np
import torch
import sample_tools

ENGLISH = (
    "computers cookie definitions education food humorists kids law linux literature love medicine men-women miscellaneous news people pets "
    "platitudes politics riddles science sports wisdom work"
).split()
SEED = 24


def sayings(root: str, language: str) -> list:
    """Texts of one language, in the order of their files."""
    found = []
    games = os.path.join(root, "usr/share/games/fortunes")
    single = {"en": ENGLISH, "pt": ["brasil"]}
    names = (
        [os.path.join(games, f) for f in single[language]]
        if language in single
        else sorted(os.path.join(p, f) for p, _, fs in os.walk(os.path.join(games, language)) for f in fs)
    )
    for name in names:
        base = os.path.basename(name)
        if not os.path.isfile(name) or os.path.islink(name) or base.endswith((".dat", ".u8")):
            continue
        with open(name, "rb") as file:
            raw = file.read()
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            continue
        for saying in re.split(r"\n%+\n", text):
            # Who said it stands behind two dashes, in no language.
            words = " ".join(re.sub(r"\x1b\[[0-9;]*m|[\x00-\x1f]", " ", saying).split()).split(" --")[0]
            if len(words) >= 60 and sum(c.isalpha() for c in words) > 0.7 * len(words):
                found.append(words)
    return found


def piece(text: str, length: int, rng: np.random.Generator) -> str:
    starts = [0] + [m.end() for m in re.finditer(" ", text) if len(text) - m.end() >= 50]
    from_start = text[starts[rng.integers(len(starts))] :]
    wanted = rng.integers(50, length + 1)
    return from_start.encode()[:wanted].decode("utf-8", "ignore")


def numbers(text: str, length: int) -> np.ndarray:
    data = text.encode()[:length]
    return np.frombuffer(data + b"\0" * (length - len(data)), np.uint8).astype(np.int64)


def main() -> None:
    parser = argparse.ArgumentParser(
        "make_languages.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", default=HERE, help="folder to write to (this script's)")
    parser.add_argument("--fortunes", default="/", help="folder below which the packages lie unpacked (/)")
    parser.add_argument("--epochs", type=int, default=30)
    options = parser.parse_args()
    sample_tools.repeatable(SEED)
    net = sample_tools.load(HERE, "languages_net")
    rng = np.random.default_rng(SEED)
    trained, tested = [], []
    for index, language in enumerate(net.LANGUAGES):
        texts = sayings(options.fortunes, language)
        order = rng.permutation(len(texts))
        print(f"{language}: {len(texts)} sayings")
        if len(texts) < 160:
            raise SystemExit(
                f"sayings in {language}: {len(texts)} (expected: at least 160; install the packages that this script names)"
            )
        tested.append([texts[i] for i in order[:80]])
        trained.append([texts[i] for i in order[80:]])
    model = net.LanguagesNet()
    steps, batch = 100, 64

    def batches(epoch: int):
        for _ in range(steps):
            picked = rng.integers(0, len(trained), batch)
            x = np.stack(
                [numbers(piece(trained[k][rng.integers(len(trained[k]))], net.LENGTH, rng), net.LENGTH) for k in picked]
            )
            yield torch.from_numpy(x), torch.from_numpy(picked)

    sample_tools.train(
        model, batches, lambda x, y: torch.nn.functional.cross_entropy(model(x), y), options.epochs, steps, 3e-3
    )
    os.makedirs(options.out, exist_ok=True)
    lines = [
        (language, piece(text, net.LENGTH, rng)) for language, texts in zip(net.LANGUAGES, tested) for text in texts
    ]
    with open(os.path.join(options.out, "languages-test.tsv"), "w", encoding="utf-8") as file:
        file.writelines(f"{language}\t{text}\n" for language, text in lines)
    calibration = np.stack(
        [numbers(piece(texts[k], net.LENGTH, rng), net.LENGTH) for texts in trained for k in range(8)]
    )
    np.save(os.path.join(options.out, "languages-calibration.npy"), calibration)
    np.save(os.path.join(options.out, "languages-example.npy"), calibration[:1])
    x = torch.from_numpy(np.stack([numbers(text, net.LENGTH) for _, text in lines]))
    with torch.no_grad():
        found = model(x).argmax(1).tolist()
    right = sum(net.LANGUAGES[f] == language for f, (language, _) in zip(found, lines))
    print(f"accuracy {right / len(lines):.4f} on {len(lines)} test texts")
    sample_tools.save(model, x[:1], os.path.join(options.out, "languages-cpu.pt"))


if __name__ == "__main__":
    main()
