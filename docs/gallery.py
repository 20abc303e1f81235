#!/usr/bin/env python3
"""Makes the pictures of docs/GALLERY.md: docs/gallery.py [COMMAND...] writes docs/images/gallery-*.png.

Pages of the detection sample's files, made by the command (./torch-nnapi), opened in headless Chromium and pictured. Times differ from run to
run, and so does the picture of profile.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "ci" / "serve"))

from browser import Browser

SAMPLE = ROOT / "samples" / "detection"
PICTURE = ["-i", str(SAMPLE / "detection-calibration" / "00.jpg"), "--resize", "128x128", "--mean", "0", "--std", "1"]


def sample(kind: str) -> str:
    return str(SAMPLE / f"detection-{kind}.pt")


PAGES = {
    "inspect": ["inspect", sample("cpu")],
    "explain": ["explain", sample("quantized-nnapi"), *PICTURE],
    "profile": ["profile", sample("nnapi"), *PICTURE],
    "diff": ["diff", sample("cpu"), sample("quantized"), *PICTURE],
}
DARK = {"profile"}


def main(command: list[str]) -> None:
    browser = Browser(1400, 880)
    try:
        with tempfile.TemporaryDirectory() as folder:
            for name, words in PAGES.items():
                page = Path(folder) / f"{name}.html"
                # diff says by its exit code that files differ.
                subprocess.run([*command, *words, f"--html={page}"], check=name != "diff", stdout=subprocess.DEVNULL)
                browser.open(page.as_uri() + ("#theme=dark" if name in DARK else ""))
                browser.until(name, "document.documentElement?.dataset.ready")
                browser.run("new Promise(done => requestAnimationFrame(() => setTimeout(done, 500)))")
                browser.picture(ROOT / "docs" / "images" / f"gallery-{name}.png")
                print(f"gallery-{name}.png")
    finally:
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:] or [str(ROOT / "torch-nnapi")])
