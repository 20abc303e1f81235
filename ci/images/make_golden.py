"""Makes 44 pictures, and what Pillow and torchvision make of them: the golden test of org.torchnnapi.image.

ci/images/make_golden.py FOLDER             pictures, golden.txt and normalized.txt
ci/images/make_golden.py FOLDER --expect    golden.txt and normalized.txt anew, of the pictures in the folder
"""

import hashlib
import math
import os
import random
import sys

import torch
from PIL import Image, ImageOps
from torchvision.transforms import functional as F

MODES = F.InterpolationMode
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def picture(width, height, seed):
    """Slopes, waves, edges and noise in three colours."""
    r = random.Random(seed)
    waves = [[r.uniform(-0.4, 0.4) for _ in range(2)] + [r.uniform(0, 6)] for _ in range(3)]
    left, top = r.randrange(width), r.randrange(height)
    data = bytearray()
    for y in range(height):
        for x in range(width):
            inside = left <= x < left + width // 3 + 1 and top <= y < top + height // 2 + 1
            for c in range(3):
                a, b, phase = waves[c]
                value = 110 + 70 * math.sin(a * x + b * y + phase) + 60 * (x + y) / (width + height)
                value = value + r.uniform(-6, 6) if not inside else 255 * (c != seed % 3)
                data.append(max(0, min(255, int(value))))
    return Image.frombytes("RGB", (width, height), bytes(data))


def make(folder):
    def save(name, image, **options):
        image.save(os.path.join(folder, name), **options)

    def alpha(image):
        width, height = image.size
        levels = bytes((x * 7 + y * 13) % 256 for y in range(height) for x in range(width))
        image.putalpha(Image.frombytes("L", image.size, levels))
        return image

    for i, (w, h) in enumerate(
        [(1, 1), (1, 7), (3, 2), (17, 9), (64, 48), (100, 100), (257, 31), (128, 96), (31, 257)]
    ):
        save(f"rgb-{w}x{h}.png", picture(w, h, i))
    save("rgba.png", alpha(picture(61, 43, 20)))
    save("grey.png", picture(61, 43, 21).convert("L"))
    save("grey-alpha.png", alpha(picture(43, 61, 22).convert("L")))
    save("palette.png", picture(80, 60, 23).convert("P", palette=Image.ADAPTIVE, colors=200))
    save("palette-4-bits.png", picture(80, 60, 24).convert("P", palette=Image.ADAPTIVE, colors=13), bits=4)
    save("palette-transparent.png", picture(80, 60, 25).convert("P", palette=Image.ADAPTIVE), transparency=3)
    save("two-colours.png", picture(77, 55, 26).convert("1"))
    numbers = picture(50, 40, 27).convert("L").convert("I").point(lambda v: v * 2)
    save("grey-16-bits.png", numbers)
    save("rgb.bmp", picture(75, 52, 28))
    save("palette.bmp", picture(75, 52, 29).convert("P", palette=Image.ADAPTIVE))
    save("grey.bmp", picture(75, 52, 30).convert("L"))
    save("two-colours.bmp", picture(75, 52, 31).convert("1"))
    save("rgb.gif", picture(90, 66, 32).convert("P", palette=Image.ADAPTIVE))
    save("transparent.gif", picture(90, 66, 33).convert("P", palette=Image.ADAPTIVE, colors=255), transparency=7)
    for name, image in [
        ("rgb", picture(91, 67, 34)),
        ("rgba", alpha(picture(61, 43, 35))),
        ("palette", picture(80, 60, 36).convert("P", palette=Image.ADAPTIVE, colors=13).convert("RGB")),
        ("grey", picture(33, 129, 37).convert("L")),
    ]:
        save(f"{name}.webp", image, lossless=True, exact=True)
    for name, w, h, options in [
        ("4-2-0", 333, 222, {"quality": 80, "subsampling": 2}),
        ("4-2-2", 222, 333, {"quality": 80, "subsampling": 1}),
        ("4-4-4", 150, 150, {"quality": 90, "subsampling": 0}),
        ("progressive", 301, 199, {"quality": 75, "progressive": True}),
        ("large", 640, 480, {"quality": 40, "subsampling": 2}),
        ("wide", 999, 41, {"quality": 70}),
    ]:
        save(f"{name}.jpg", picture(w, h, len(name) + w), **options)
    save("grey.jpg", picture(180, 120, 40).convert("L"), quality=80)
    save("inks.jpg", picture(120, 90, 41).convert("CMYK"), quality=85)
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[0x0112] = orientation
        exif[0x010F] = "a camera"
        save(f"orientation-{orientation}.jpg", picture(70 + orientation, 50, 50), quality=80, exif=exif)
    save("orientation-none.jpg", picture(71, 50, 51), quality=80)


def shorter(image, side, interpolation=MODES.BILINEAR):
    return F.resize(image, side, interpolation)


CASES = {
    "read": lambda im: im,
    "imagenet-224": lambda im: F.center_crop(shorter(im, 256), 224),
    "imagenet-32": lambda im: F.center_crop(shorter(im, 36), 32),
    "shorter-57-bicubic": lambda im: shorter(im, 57, MODES.BICUBIC),
    "shorter-33-crop-48": lambda im: F.center_crop(shorter(im, 33), [48, 41]),
    "resize-40x56": lambda im: F.resize(im, [40, 56], MODES.BILINEAR),
    "resize-64x23-bicubic": lambda im: F.resize(im, [64, 23], MODES.BICUBIC),
    "resize-37x91-nearest": lambda im: F.resize(im, [37, 91], MODES.NEAREST),
    "resize-37x91-lanczos": lambda im: F.resize(im, [37, 91], MODES.LANCZOS),
    "resize-37x91-box": lambda im: F.resize(im, [37, 91], MODES.BOX),
    "resize-37x91-hamming": lambda im: F.resize(im, [37, 91], MODES.HAMMING),
    "crop-30x45": lambda im: F.center_crop(im, [30, 45]),
}


def expect(folder):
    names = sorted(n for n in os.listdir(folder) if not n.endswith(".txt"))
    with open(os.path.join(folder, "golden.txt"), "w") as out:
        for name in names:
            with Image.open(os.path.join(folder, name)) as image:
                upright = ImageOps.exif_transpose(image).convert("RGB")
                image = image.convert("RGB")
            results = {case: f(image) for case, f in CASES.items()}
            results["upright"] = upright
            for case, result in results.items():
                digest = hashlib.sha256(result.tobytes()).hexdigest()[:32]
                print(name, case, result.width, result.height, digest, file=out)
    grey = Image.frombytes("RGB", (256, 1), bytes(v for v in range(256) for _ in range(3)))
    tensor = F.to_tensor(grey)
    with open(os.path.join(folder, "normalized.txt"), "w") as out:
        for values in (tensor, F.normalize(tensor, MEAN, STD)):
            assert values.dtype == torch.float32
            for row in values[:, 0].tolist():
                print(" ".join(value.hex() for value in row), file=out)


if __name__ == "__main__":
    where = sys.argv[1]
    os.makedirs(where, exist_ok=True)
    if "--expect" not in sys.argv:
        make(where)
    expect(where)
