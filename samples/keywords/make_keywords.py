#!/usr/bin/env python3
"""Trains the keywords sample and writes its model and test sounds beside this script.

    python3 make_keywords.py [--out DIR] [--epochs N]

Needs Debian's python3-torch (1.13), python3-scipy and espeak-ng, which speaks the words; downloads nothing. Voices, speeds, pitches, loudness,
positions and noise vary; the voices of the test sounds are none of those trained on. The same versions give the same files.

    keywords-cpu.pt              float, traced
    keywords-test-sounds.npy     uint8 (N, 6000): eight bits of mu-law, 8 kHz
    keywords-test-labels.npy     uint8 (N)
    keywords-calibration.npy     float32 (24, 6000): sounds to calibrate a quantized model on
    keywords-example.npy         the first of them, to convert for
"""

import argparse
import concurrent.futures
import io
import os
import random
import subprocess
import sys
import wave

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import numpy as np
import scipy.signal
import torch
import sample_tools

WORDS = "zero one two three four five six seven eight nine".split()
ACCENTS = ["en-us", "en-gb", "en-gb-scotland", "en-gb-x-rp", "en-gb-x-gbclan", "en-gb-x-gbcwmd", "en-029"]
TRAINED = [
    "m1",
    "m2",
    "m4",
    "m6",
    "m7",
    "f1",
    "f2",
    "f4",
    "croak",
    "Andy",
    "Denis",
    "Lee",
    "Mario",
    "linda",
    "steph",
    "Annie",
    "grandma",
]
TESTED = ["m3", "m5", "m8", "f3", "f5", "Jacky", "Michael", "belinda", "anikaRobot"]
SEED = 21


def speak(word: str, accent: str, variant: str, speed: int, pitch: int) -> np.ndarray:
    """Float samples in [-1, 1] at 8 kHz, without the silence around."""
    made = subprocess.run(
        ["espeak-ng", "-v", f"{accent}+{variant}", "-s", str(speed), "-p", str(pitch), "--stdout", word],
        check=True,
        stdout=subprocess.PIPE,
    ).stdout
    with wave.open(io.BytesIO(made)) as file:
        rate = file.getframerate()
        data = np.frombuffer(file.readframes((len(made) - 44) // 2), "<i2").astype(np.float32) / 32768
    data = (
        scipy.signal.resample_poly(data, 8000, rate)
        if 8000 * (rate // 8000) == rate
        else scipy.signal.resample_poly(data, 160, rate * 160 // 8000)
    )
    loud = np.flatnonzero(np.abs(data) > 0.01)
    return data[loud[0] : loud[-1] + 1].astype(np.float32) if len(loud) else data.astype(np.float32)


def spoken(variants: list, count: int, rng: random.Random) -> tuple:
    jobs = [
        (i % 10, rng.choice(ACCENTS), rng.choice(variants), rng.randrange(120, 230), rng.randrange(20, 80))
        for i in range(count)
    ]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        sounds = list(pool.map(lambda job: speak(WORDS[job[0]], *job[1:]), jobs))
    return sounds, [job[0] for job in jobs]


def placed(sound: np.ndarray, samples: int, rng: np.random.Generator) -> np.ndarray:
    """Somewhere in the window, as loud as it happens, in noise of some colour 5 to 35 dB below."""
    out = np.zeros(samples, np.float32)
    sound = sound[:samples]
    at = rng.integers(0, samples - len(sound) + 1)
    out[at : at + len(sound)] = sound / max(np.abs(sound).max(), 1e-3)
    noise = scipy.signal.lfilter([1], [1, -rng.uniform(0, 0.95)], rng.standard_normal(samples)).astype(np.float32)
    noise *= np.sqrt(np.mean(out**2) / np.mean(noise**2)) * 10 ** (-rng.uniform(5, 35) / 20)
    out += noise
    return (out / np.abs(out).max() * rng.uniform(0.2, 0.95)).astype(np.float32)


def to_mu_law(x: np.ndarray) -> np.ndarray:
    return np.round((np.sign(x) * np.log1p(255 * np.abs(x)) / np.log(256) + 1) * 127.5).astype(np.uint8)


def of_mu_law(code: np.ndarray) -> np.ndarray:
    y = code.astype(np.float32) / np.float32(127.5) - 1
    return (np.sign(y) * (np.power(np.float32(256), np.abs(y)) - 1) / 255).astype(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(
        "make_keywords.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", default=HERE, help="folder to write to (this script's)")
    parser.add_argument("--epochs", type=int, default=12)
    options = parser.parse_args()
    sample_tools.repeatable(SEED)
    net = sample_tools.load(HERE, "keywords_net")
    rng = np.random.default_rng(SEED)
    sounds, labels = spoken(TRAINED, 2400, random.Random(SEED))
    test_sounds, test_labels = spoken(TESTED, 200, random.Random(SEED + 1))
    model = net.KeywordsNet()

    def batches(epoch: int):
        order = rng.permutation(len(sounds))
        for i in range(0, len(order), 48):
            picked = order[i : i + 48]
            x = np.stack([placed(sounds[k], net.SAMPLES, rng) for k in picked])
            yield torch.from_numpy(x), torch.tensor([labels[k] for k in picked])

    sample_tools.train(
        model,
        batches,
        lambda x, y: torch.nn.functional.cross_entropy(model(x), y),
        options.epochs,
        len(sounds) // 48,
        6e-3,
    )

    tests = np.stack([to_mu_law(placed(s, net.SAMPLES, rng)) for s in test_sounds])
    os.makedirs(options.out, exist_ok=True)
    np.save(os.path.join(options.out, "keywords-test-sounds.npy"), tests)
    np.save(os.path.join(options.out, "keywords-test-labels.npy"), np.array(test_labels, np.uint8))
    calibration = np.stack([placed(s, net.SAMPLES, rng) for s in sounds[:24]])
    np.save(os.path.join(options.out, "keywords-calibration.npy"), calibration)
    np.save(os.path.join(options.out, "keywords-example.npy"), calibration[:1])
    with torch.no_grad():
        scores = model(torch.from_numpy(of_mu_law(tests)))
    print(f"accuracy {(scores.argmax(1).numpy() == np.array(test_labels)).mean():.4f} on {len(tests)} test sounds")
    sample_tools.save(model, torch.from_numpy(of_mu_law(tests[:1])), os.path.join(options.out, "keywords-cpu.pt"))


if __name__ == "__main__":
    main()
