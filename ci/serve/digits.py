"""Digits of the sample as pictures, some dozens of them."""

import struct
import sys
import zlib
from pathlib import Path

import numpy


def png(pixels: numpy.ndarray) -> bytes:
    """Of height, width and colours."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def write(sample: Path, folder: Path, count: int) -> None:
    images = numpy.load(sample / "digits-test-images.npy")[:count]
    labels = numpy.load(sample / "digits-test-labels.npy")
    for i, image in enumerate(images):
        # As the network takes them: each pixel four times four, of 16 shades.
        shades = numpy.kron(image, numpy.ones((4, 4))) * 255 / 16
        pixels = numpy.repeat(shades[:, :, None], 3, axis=2).round().astype(numpy.uint8)
        (folder / f"{labels[i]}-{i}.png").write_bytes(png(pixels))


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
