#!/usr/bin/env python3
"""Trains the detection sample and writes its model and pictures beside this script.

    python3 make_detection.py [--out DIR] [--epochs N]

Needs Debian's python3-torch (1.13) and python3-pil; downloads nothing. A picture has one to five circles, squares, triangles, stars and crosses,
turned, stretched and lit, over a background of color gradients, stripes, blobs and noise. The same versions give the same files.

    detection-cpu.pt             float, traced
    detection-test.jpg           80 pictures of 128x128 in rows of ten
    detection-test.tsv           what is in them: number of the picture, class, left, top, right and bottom in its pixels
    detection-calibration/       24 pictures to calibrate a quantized model on
"""

import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import numpy as np
import torch
from PIL import Image, ImageDraw
import sample_tools

SEED = 24
TESTS = 80
ROW = 10
FINER = 4


def corners(kind: str) -> np.ndarray:
    """The corners of a shape within the unit circle, (n, 2)."""
    if kind == "cross":
        w = 0.32
        arm = [
            (w, w),
            (w, 1),
            (-w, 1),
            (-w, w),
            (-1, w),
            (-1, -w),
            (-w, -w),
            (-w, -1),
            (w, -1),
            (w, -w),
            (1, -w),
            (1, w),
        ]
        return np.array(arm)
    n, inner = {"circle": (48, 1.0), "square": (4, 1.0), "triangle": (3, 1.0), "star": (10, 0.45)}[kind]
    angles = np.arange(n) * 2 * np.pi / n
    radii = np.where(np.arange(n) % 2 == 0, 1.0, inner if kind == "star" else 1.0)
    return np.stack([radii * np.cos(angles), radii * np.sin(angles)], 1)


def shape(kind: str, radius: float, rng: np.random.Generator) -> np.ndarray:
    """How much of each pixel a shape covers, cut to what it covers."""
    points = corners(kind) * [rng.uniform(0.8, 1), rng.uniform(0.8, 1)]
    angle = rng.uniform(0, 2 * np.pi)
    points = points @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]) * radius
    points -= points.min(0)
    width, height = np.ceil(points.max(0)).astype(int) + 1
    canvas = Image.new("L", (width * FINER, height * FINER))
    ImageDraw.Draw(canvas).polygon([tuple(p) for p in points * FINER], fill=255)
    cover = np.asarray(canvas.resize((width, height), Image.BOX)).astype(np.float32) / 255
    rows, columns = np.flatnonzero((cover > 0.3).any(1)), np.flatnonzero((cover > 0.3).any(0))
    return cover[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def overlap(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Intersection over union of boxes (n, 4) and (m, 4), as (n, m)."""
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:], b[None, :, 2:])
    both = np.clip(high - low, 0, None).prod(2)
    return both / ((a[:, 2:] - a[:, :2]).prod(1)[:, None] + (b[:, 2:] - b[:, :2]).prod(1)[None] - both)


def scene(size: int, classes: tuple, rng: np.random.Generator) -> tuple:
    """A float image (3, size, size) in [0, 1], the boxes (n, 4) of its shapes and their classes (n)."""
    image = sample_tools.background(size, rng)
    boxes, kinds = np.zeros((0, 4)), []
    for _ in range(rng.integers(1, 6)):
        kind = int(rng.integers(len(classes)))
        cover = shape(classes[kind], rng.uniform(9, 30), rng)
        h, w = cover.shape
        x, y = rng.integers(0, size - w + 1), rng.integers(0, size - h + 1)
        box = np.array([[x, y, x + w, y + h]], float)
        if len(boxes) and overlap(box, boxes).max() > 0.08:
            continue
        part = image[y : y + h, x : x + w]
        color = rng.uniform(0, 1, 3)
        while np.abs(color - part.mean((0, 1))).max() < 0.3:
            color = rng.uniform(0, 1, 3)
        lit = (
            color
            + rng.normal(0, rng.uniform(0, 0.05), part.shape)
            + np.linspace(-1, 1, h)[:, None, None] * rng.uniform(-0.12, 0.12)
        )
        image[y : y + h, x : x + w] = part * (1 - cover[..., None]) + lit * cover[..., None]
        boxes, kinds = np.concatenate([boxes, box]), [*kinds, kind]
    return np.clip(image, 0, 1).transpose(2, 0, 1).astype(np.float32), boxes, np.array(kinds)


def targets(boxes: np.ndarray, kinds: np.ndarray, centers: np.ndarray, count: int) -> tuple:
    """What each cell is to say: scores (cells, count), boxes (cells, 4), and whether it is near the center of one (cells)."""
    scores, wanted, near = np.zeros((len(centers), count)), np.zeros((len(centers), 4)), np.zeros(len(centers), bool)
    for i in np.argsort(-(boxes[:, 2:] - boxes[:, :2]).prod(1)):
        middle = (boxes[i, :2] + boxes[i, 2:]) / 2
        own = np.abs(centers - middle).max(1) < 6
        scores[own], wanted[own], near[own] = np.eye(count)[kinds[i]], boxes[i], True
    return scores.astype(np.float32), wanted.astype(np.float32), near


def loss_of(scores, boxes, wanted_scores, wanted, near) -> torch.Tensor:
    """Focal loss of the scores (Lin et al., 2017) and 1 - IoU of the boxes, with their distances in cells, of each cell near a center."""
    right = torch.where(wanted_scores > 0, scores, 1 - scores).clamp(min=1e-6)
    weight = torch.where(wanted_scores > 0, 0.25, 0.75)
    focal = -(weight * (1 - right) ** 2 * right.log()).sum()
    a, b = boxes[near], wanted[near]
    both = (torch.minimum(a[:, 2:], b[:, 2:]) - torch.maximum(a[:, :2], b[:, :2])).clamp(min=0).prod(1)
    either = (a[:, 2:] - a[:, :2]).clamp(min=0).prod(1) + (b[:, 2:] - b[:, :2]).prod(1) - both
    apart = torch.nn.functional.smooth_l1_loss(a / 8, b / 8, reduction="none").sum(1)
    return (focal * 4 + (1 - both / either + apart).sum()) / near.sum()


def found(scores: np.ndarray, boxes: np.ndarray) -> list:
    """(class, score, box) of a picture, the best first, without what overlaps a better one of its class by half."""
    made = []
    for kind in range(scores.shape[1]):
        rest = [i for i in np.argsort(-scores[:, kind], kind="stable") if scores[i, kind] > 0.05]
        while rest:
            best = rest.pop(0)
            made.append((kind, scores[best, kind], boxes[best]))
            rest = [i for i in rest if overlap(boxes[best][None], boxes[i][None])[0, 0] <= 0.5]
    return sorted(made, key=lambda one: -one[1])


def precision(pictures: list, truths: list, kind: int) -> float:
    """Average precision of a class at an IoU of 0.5: the area below precision by recall, as Pascal VOC has it since 2010."""
    total = sum((kinds == kind).sum() for _, kinds in truths)
    claims = sorted(
        ((s, i, box) for i, all_found in enumerate(pictures) for k, s, box in all_found if k == kind),
        key=lambda c: -c[0],
    )
    taken, hits = set(), []
    for _, i, box in claims:
        boxes = truths[i][0][truths[i][1] == kind]
        over = overlap(box[None], boxes)[0] if len(boxes) else np.zeros(0)
        best = int(over.argmax()) if len(over) else -1
        hit = best >= 0 and over[best] >= 0.5 and (i, best) not in taken
        hits.append(hit)
        if hit:
            taken.add((i, best))
    right = np.cumsum(hits)
    curve = np.maximum.accumulate((right / np.arange(1, len(hits) + 1))[::-1])[::-1]
    return float(curve[np.array(hits, bool)].sum() / total)


def main() -> None:
    parser = argparse.ArgumentParser(
        "make_detection.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", default=HERE, help="folder to write to (this script's)")
    parser.add_argument("--epochs", type=int, default=14)
    options = parser.parse_args()
    sample_tools.repeatable(SEED)
    net = sample_tools.load(HERE, "detection_net")
    rng = np.random.default_rng(SEED)
    model = net.DetectionNet()
    centers = model.centers[0, :2].flatten(1).T.numpy()
    steps, batch = 100, 16

    def batches(epoch: int):
        for _ in range(steps):
            made = [scene(net.SIZE, net.CLASSES, rng) for _ in range(batch)]
            wanted = [targets(boxes, kinds, centers, len(net.CLASSES)) for _, boxes, kinds in made]
            yield [
                torch.from_numpy(np.stack([m[0] for m in made])),
                *(torch.from_numpy(np.stack([w[i] for w in wanted])) for i in range(3)),
            ]

    sample_tools.train(model, batches, lambda x, *wanted: loss_of(*model(x), *wanted), options.epochs, steps, 6e-3)
    tests = [scene(net.SIZE, net.CLASSES, rng) for _ in range(TESTS)]
    pixels = (np.stack([t[0] for t in tests]).transpose(0, 2, 3, 1) * 255).round().astype(np.uint8)
    os.makedirs(os.path.join(options.out, "detection-calibration"), exist_ok=True)
    path = os.path.join(options.out, "detection-test.jpg")
    sheet = np.concatenate([np.concatenate(list(pixels[i : i + ROW]), 1) for i in range(0, TESTS, ROW)], 0)
    Image.fromarray(sheet).save(path, quality=90)
    with open(os.path.join(options.out, "detection-test.tsv"), "w", encoding="utf-8") as file:
        for i, (_, boxes, kinds) in enumerate(tests):
            for box, kind in zip(boxes.astype(int), kinds):
                file.write("\t".join(map(str, [i, net.CLASSES[kind], *box])) + "\n")
    for i in range(24):
        picture = (scene(net.SIZE, net.CLASSES, rng)[0].transpose(1, 2, 0) * 255).round().astype(np.uint8)
        Image.fromarray(picture).save(os.path.join(options.out, "detection-calibration", f"{i:02d}.jpg"), quality=90)
    read = (
        np.asarray(Image.open(path))
        .reshape(TESTS // ROW, net.SIZE, ROW, net.SIZE, 3)
        .swapaxes(1, 2)
        .reshape(TESTS, net.SIZE, net.SIZE, 3)
    )
    inputs = torch.from_numpy(read.transpose(0, 3, 1, 2).astype(np.float32) / 255)
    with torch.no_grad():
        scores, boxes = (t.numpy() for t in model(inputs))
    pictures = [found(s, b) for s, b in zip(scores, boxes)]
    truths = [(b, k) for _, b, k in tests]
    each = [precision(pictures, truths, kind) for kind in range(len(net.CLASSES))]
    print(
        f"mAP at IoU 0.5: {np.mean(each):.4f}, of "
        + ", ".join(f"{c} {p:.4f}" for c, p in zip(net.CLASSES, each))
        + f", on {TESTS} test pictures"
    )
    sample_tools.save(model, inputs[:1], os.path.join(options.out, "detection-cpu.pt"))


if __name__ == "__main__":
    main()
