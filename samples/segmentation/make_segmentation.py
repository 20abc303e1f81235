#!/usr/bin/env python3
"""Trains the segmentation sample and writes its model and test images beside this script.

    python3 make_segmentation.py [--out DIR] [--epochs N]

Needs Debian's python3-torch (1.13), python3-pil and fonts-noto-color-emoji, whose glyphs are the objects; downloads nothing. An object is a glyph,
turned, scaled and lit, over a background of colour gradients, stripes, blobs and noise; its transparency is the answer. The glyphs of the
test images are none of those trained on. The same versions give the same files.

    segmentation-cpu.pt              float, traced
    segmentation-test-images.jpg     100 images of 64x64 in ten rows
    segmentation-test-masks.png      their answers, white for the object
    segmentation-calibration.npy     float32 (24, 3, 64, 64): images to calibrate a quantized model on
    segmentation-example.npy         the first of them, to convert for
"""

import argparse
import io
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import numpy as np
import torch
from PIL import Image
import sample_tools

FONT = "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf"
PNG = b"\x89PNG\r\n\x1a\n"
SEED = 22


def glyphs() -> list:
    """The font's pictures in its order, as RGBA images, those that fill a fifth to four fifths of their box."""
    with open(FONT, "rb") as file:
        data = file.read()
    found, at = [], data.find(PNG)
    while at >= 0:
        end = data.index(b"IEND", at) + 8
        image = Image.open(io.BytesIO(data[at:end])).convert("RGBA")
        cover = (np.asarray(image)[..., 3] > 127).mean()
        if min(image.size) >= 64 and 0.2 < cover < 0.8:
            found.append(image)
        at = data.find(PNG, end)
    return found


def scene(glyph: Image.Image, size: int, rng: np.random.Generator) -> tuple:
    """A float image (3, size, size) in [0, 1] and its mask (size, size)."""
    extent = int(size * rng.uniform(0.5, 0.95))
    drawn = glyph.resize((extent, extent), Image.BILINEAR).rotate(rng.uniform(-30, 30), Image.BILINEAR, expand=True)
    canvas = Image.new("RGBA", (size, size))
    reach = size - drawn.width
    at = tuple(int(rng.integers(min(0, reach), max(0, reach) + 1)) for _ in range(2))
    canvas.paste(drawn, at)
    pixels = np.asarray(canvas).astype(np.float32) / 255
    alpha = pixels[..., 3:]
    if rng.random() < 0.5:
        pixels = pixels[:, ::-1]
        alpha = alpha[:, ::-1]
    lit = np.clip(pixels[..., :3] * rng.uniform(0.6, 1.2) + rng.uniform(-0.1, 0.1), 0, 1)
    image = np.clip(sample_tools.background(size, rng) * (1 - alpha) + lit * alpha, 0, 1)
    return image.transpose(2, 0, 1).astype(np.float32), (alpha[..., 0] > 0.5).astype(np.float32)


def tiles(images: np.ndarray) -> Image.Image:
    """(100, h, w[, 3]) uint8 as ten rows of ten."""
    rows = [np.concatenate(list(images[i : i + 10]), 1) for i in range(0, 100, 10)]
    return Image.fromarray(np.concatenate(rows, 0))


def main() -> None:
    parser = argparse.ArgumentParser(
        "make_segmentation.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", default=HERE, help="folder to write to (this script's)")
    parser.add_argument("--epochs", type=int, default=20)
    options = parser.parse_args()
    sample_tools.repeatable(SEED)
    net = sample_tools.load(HERE, "segmentation_net")
    rng = np.random.default_rng(SEED)
    all_glyphs = glyphs()
    order = rng.permutation(len(all_glyphs))
    tested, trained = [all_glyphs[i] for i in order[:100]], [all_glyphs[i] for i in order[100:]]
    print(f"{len(trained)} glyphs to train on, {len(tested)} to test on")
    model = net.SegmentationNet()
    steps, batch = 100, 16

    def batches(epoch: int):
        for _ in range(steps):
            made = [scene(trained[rng.integers(len(trained))], net.SIZE, rng) for _ in range(batch)]
            yield torch.from_numpy(np.stack([m[0] for m in made])), torch.from_numpy(np.stack([m[1] for m in made]))

    def loss_of(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        z = model(x)[:, 0]
        p = torch.sigmoid(z)
        dice = 1 - (2 * (p * y).sum([1, 2]) + 1) / (p.sum([1, 2]) + y.sum([1, 2]) + 1)
        return torch.nn.functional.binary_cross_entropy_with_logits(z, y) + dice.mean()

    sample_tools.train(model, batches, loss_of, options.epochs, steps, 5e-3)
    made = [scene(glyph, net.SIZE, rng) for glyph in tested]
    images = (np.stack([m[0] for m in made]).transpose(0, 2, 3, 1) * 255).round().astype(np.uint8)
    os.makedirs(options.out, exist_ok=True)
    path = os.path.join(options.out, "segmentation-test-images.jpg")
    tiles(images).save(path, quality=92)
    tiles((np.stack([m[1] for m in made]) * 255).astype(np.uint8)).convert("1").save(
        os.path.join(options.out, "segmentation-test-masks.png")
    )
    calibration = np.stack([scene(g, net.SIZE, rng)[0] for g in trained[:24]])
    np.save(os.path.join(options.out, "segmentation-calibration.npy"), calibration)
    np.save(os.path.join(options.out, "segmentation-example.npy"), calibration[:1])
    sheet = np.asarray(Image.open(path))
    read = np.stack(
        [sheet[r * 64 : r * 64 + 64, c * 64 : c * 64 + 64] for r in range(10) for c in range(10)]
    ).transpose(0, 3, 1, 2)
    with torch.no_grad():
        found = model(torch.from_numpy(read.astype(np.float32) / 255))[:, 0].numpy() > 0
    masks = np.stack([m[1] for m in made]) > 0.5
    overlap = (found & masks).sum((1, 2)) / (found | masks).sum((1, 2))
    print(
        f"intersection over union {overlap.mean():.4f}, pixels right {(found == masks).mean():.4f} on {len(masks)} test images"
    )
    sample_tools.save(
        model, torch.from_numpy(read[:1].astype(np.float32) / 255), os.path.join(options.out, "segmentation-cpu.pt")
    )


if __name__ == "__main__":
    main()
