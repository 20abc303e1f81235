#!/usr/bin/env python3
"""Draws docs/images/moving-picture.svg: a sample converted, run and explained, as the commands answer, and the page that explain writes, as Chromium shows it.

docs/moving_picture.py [COMMAND]: the command to run is ./torch-nnapi where none is named.
"""

import base64
import html
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMAND = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "torch-nnapi")
WIDTH, HEIGHT, LINE, COLUMNS = 960, 540, 19, 100
# Seconds: between two lines of output, before a next command, with the page, and before it begins anew.
STEP, PAUSE, PAGE, END = 0.12, 1.6, 5.0, 0.5


def answer(arguments, folder):
    return subprocess.run(
        [COMMAND, *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.splitlines()


def shown(lines, most):
    """Lines as they fit, and how many there are beside them."""
    kept = [line if len(line) <= COLUMNS else line[: COLUMNS - 1] + "…" for line in lines[:most]]
    return kept + [f"… {len(lines) - most} more lines"] * (len(lines) > most)


def main():
    scenes = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "digits.pt").write_bytes((ROOT / "samples/digits/digits-none.pt").read_bytes())
        for words, most in (
            ("convert digits.pt", 9),
            ("inspect digits-nnapi.pt", 5),
            ("explain digits-nnapi.pt --html digits.html", 4),
        ):
            scenes.append((words, shown(answer(words.split(), folder), most)))
        chromium = [
            "chromium",
            "--headless",
            "--no-sandbox",
            "--hide-scrollbars",
            f"--window-size={WIDTH},{HEIGHT}",
            "--virtual-time-budget=3000",
        ]
        subprocess.run(
            [*chromium, f"--screenshot={folder / 'page.png'}", (folder / "digits.html").as_uri()],
            check=True,
            capture_output=True,
        )
        page = base64.b64encode((folder / "page.png").read_bytes()).decode()

    rows = []  # time, text, whether it is a command
    time = 0.3
    for words, lines in scenes:
        rows.append((time, f"$ torch-nnapi {words}", True))
        time += 0.8
        for line in lines:
            rows.append((time, line, False))
            time += STEP
        time += PAUSE
    whole = time + PAGE + END

    def appears(number, start, end):
        at, until = 100 * start / whole, 100 * end / whole
        return (
            f"@keyframes k{number} {{ 0%, {at:.2f}% {{ opacity: 0 }} {at + 0.01:.2f}%, {until:.2f}% {{ opacity: 1 }} {until + 0.01:.2f}%, 100% {{ opacity: 0 }} }} "
            f".k{number} {{ animation: k{number} {whole:.1f}s infinite }}"
        )

    styles = [appears(i, row[0], time + PAGE) for i, row in enumerate(rows)] + [appears(len(rows), time, time + PAGE)]
    texts = [
        f'<text class="k{i}{" c" if row[2] else ""}" x="16" y="{28 + LINE * i}">{html.escape(row[1])}</text>'
        for i, row in enumerate(rows)
    ]
    svg = "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
            "<title>A model is converted, inspected and explained</title>",
            "<style>text { font: 14px monospace; fill: #d4d4d4; white-space: pre } .c { fill: #7ee787 } "
            + " ".join(styles)
            + "</style>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#1e1e1e"/>',
            *texts,
            f'<image class="k{len(rows)}" width="{WIDTH}" height="{HEIGHT}" href="data:image/png;base64,{page}"/>',
            "</svg>",
        ]
    )
    (ROOT / "docs/images/moving-picture.svg").write_text(svg + "\n")
    print(f"docs/images/moving-picture.svg: {len(svg)} bytes, {whole:.1f} s, {len(rows)} lines")


if __name__ == "__main__":
    main()
