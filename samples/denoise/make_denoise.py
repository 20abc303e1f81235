#!/usr/bin/env python3
"""Trains the denoise sample and writes its model and test sounds beside this script.

    python3 make_denoise.py [--out DIR] [--epochs N]

Needs Debian's python3-torch (1.13), python3-scipy and espeak-ng, which speaks sentences of words drawn at random; downloads nothing. Noise is
synthesized: hiss of any colour, hum, clicks, a babble of other voices, and swelling of these. Voices of the test sounds are none of those
trained on. The same versions give the same files.

    denoise-cpu.pt                float, traced
    denoise-test-noisy.wav        24 s of speech in noise, 8 kHz, 16 bits
    denoise-test-clean.wav        the same without noise
    denoise-calibration.npy       float32 (12, 16000): noisy sounds to calibrate a quantized model on
    denoise-example.npy           the first of them, to convert for
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

WORDS = (
    "the of and a to in is you that it he was for on are as with his they I at be this have from or one had by word but not what all were we "
    "when your can said there use an each which she do how their if will up other about out many then them these so some her would make like "
    "him into time has look two more write go see number no way could people my than first water been call who oil its now find long down day "
    "did get come made may part over new sound take only little work know place year live me back give most very after thing our just name good "
    "sentence man think say great where help through much before line right too mean old any same tell boy follow came want show also around"
).split()
TRAINED = ["m1", "m2", "m4", "m6", "m7", "f1", "f2", "f4", "Andy", "Denis", "Lee", "Mario", "linda", "steph", "Annie"]
TESTED = ["m3", "m5", "f3", "f5", "belinda", "Michael"]
LENGTH = 16000
SEED = 23


def speak(text: str, variant: str, speed: int, pitch: int) -> np.ndarray:
    """Float samples at 8 kHz with a largest magnitude of 1."""
    made = subprocess.run(
        ["espeak-ng", "-v", f"en+{variant}", "-s", str(speed), "-p", str(pitch), "--stdout", text],
        check=True,
        stdout=subprocess.PIPE,
    ).stdout
    with wave.open(io.BytesIO(made)) as file:
        data = np.frombuffer(file.readframes((len(made) - 44) // 2), "<i2").astype(np.float32) / 32768
        rate = file.getframerate()
    data = scipy.signal.resample_poly(data, 160, rate * 160 // 8000).astype(np.float32)
    return data / max(np.abs(data).max(), 1e-3)


def spoken(variants: list, count: int, seconds: float, rng: random.Random) -> list:
    jobs = [
        (
            " ".join(rng.choices(WORDS, k=int(seconds * 3.5))),
            rng.choice(variants),
            rng.randrange(130, 200),
            rng.randrange(25, 75),
        )
        for _ in range(count)
    ]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda job: speak(*job), jobs))


def cut(sound: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if len(sound) <= LENGTH:
        return np.pad(sound, (0, LENGTH - len(sound)))
    at = rng.integers(0, len(sound) - LENGTH + 1)
    return sound[at : at + LENGTH]


def noise(voices: list, rng: np.random.Generator) -> np.ndarray:
    kind = rng.integers(0, 4)
    t = np.arange(LENGTH) / 8000
    if kind == 0:
        made = scipy.signal.lfilter([1], [1, -rng.uniform(-0.5, 0.98)], rng.standard_normal(LENGTH))
    elif kind == 1:
        base = rng.uniform(40, 400)
        made = sum(
            rng.uniform(0, 1) * np.sin(2 * np.pi * base * k * t + rng.uniform(0, 6)) for k in range(1, 9)
        ) + 0.2 * rng.standard_normal(LENGTH)
    elif kind == 2:
        clicks = (rng.random(LENGTH) < rng.uniform(0.0005, 0.004)) * rng.standard_normal(LENGTH) * 12
        made = scipy.signal.lfilter([1], [1, -rng.uniform(0.5, 0.95)], clicks) + 0.15 * rng.standard_normal(LENGTH)
    else:
        made = sum(
            np.roll(cut(voices[rng.integers(len(voices))], rng), rng.integers(LENGTH)) for _ in range(12)
        ) + 0.05 * rng.standard_normal(LENGTH)
    if rng.random() < 0.5:
        made = made * (0.6 + 0.4 * np.sin(2 * np.pi * rng.uniform(0.2, 2) * t + rng.uniform(0, 6)))
    return (made / np.sqrt(np.mean(made**2))).astype(np.float32)


def mixed(speech: np.ndarray, voices: list, decibels: float, rng: np.random.Generator) -> tuple:
    clean = cut(speech, rng)
    level = np.sqrt(np.mean(clean**2) + 1e-6)
    noisy = clean + noise(voices, rng) * level * 10 ** (-decibels / 20)
    gain = rng.uniform(0.3, 0.9) / np.abs(noisy).max()
    return (noisy * gain).astype(np.float32), (clean * gain).astype(np.float32)


def ratio(clean: np.ndarray, found: np.ndarray) -> float:
    """Scale-invariant signal to distortion in decibels, the mean of the rows (Le Roux et al., 2019)."""
    values = []
    for c, f in zip(clean, found):
        target = np.dot(f, c) / np.dot(c, c) * c
        values.append(10 * np.log10(np.sum(target**2) / np.sum((f - target) ** 2)))
    return float(np.mean(values))


def write(path: str, sound: np.ndarray) -> None:
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(np.clip(np.round(sound * 32767), -32768, 32767).astype("<i2").tobytes())


def main() -> None:
    parser = argparse.ArgumentParser(
        "make_denoise.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", default=HERE, help="folder to write to (this script's)")
    parser.add_argument("--epochs", type=int, default=16)
    options = parser.parse_args()
    sample_tools.repeatable(SEED)
    net = sample_tools.load(HERE, "denoise_net")
    rng = np.random.default_rng(SEED)
    sounds = spoken(TRAINED, 240, 4, random.Random(SEED))
    test_sounds = spoken(TESTED, 12, 2.2, random.Random(SEED + 1))
    model = net.DenoiseNet()
    steps, batch = 80, 8

    def batches(epoch: int):
        for _ in range(steps):
            made = [mixed(sounds[rng.integers(len(sounds))], sounds, rng.uniform(-3, 12), rng) for _ in range(batch)]
            yield torch.from_numpy(np.stack([m[0] for m in made])), torch.from_numpy(np.stack([m[1] for m in made]))

    def loss_of(noisy: torch.Tensor, clean: torch.Tensor) -> torch.Tensor:
        error = ((model(noisy) - clean) ** 2).sum(1)
        return (10 * torch.log10(error / ((clean**2).sum(1) + 1e-3) + 1e-3)).mean()

    sample_tools.train(model, batches, loss_of, options.epochs, steps, 4e-3)
    tests = [mixed(s, test_sounds, rng.uniform(0, 8), rng) for s in test_sounds]
    noisy, clean = (np.stack([t[i] for t in tests]) for i in range(2))
    os.makedirs(options.out, exist_ok=True)
    write(os.path.join(options.out, "denoise-test-noisy.wav"), noisy.ravel())
    write(os.path.join(options.out, "denoise-test-clean.wav"), clean.ravel())
    calibration = np.stack([mixed(s, sounds, rng.uniform(0, 8), rng)[0] for s in sounds[:12]])
    np.save(os.path.join(options.out, "denoise-calibration.npy"), calibration)
    np.save(os.path.join(options.out, "denoise-example.npy"), calibration[:1])
    with torch.no_grad():
        found = model(torch.from_numpy(noisy)).numpy()
    print(
        f"speech to noise {ratio(clean, noisy):.2f} dB before, {ratio(clean, found):.2f} dB after, on {len(tests)} test sounds"
    )
    sample_tools.save(model, torch.from_numpy(noisy[:1]), os.path.join(options.out, "denoise-cpu.pt"))


if __name__ == "__main__":
    main()
