"""Does on the page of `torch-nnapi serve` what a person does: page.py FOLDER COMMAND... leaves pictures in the folder.

A model is dropped, seen, run on pictures, converted, quantized, optimized, written for others, compared and saved; jobs are cancelled, files that are none are refused, and the
page is used by keys and at the width of a phone. Nothing may be on the console, and nothing may ask another server.
"""

import os
import stat
import subprocess
import sys
from pathlib import Path

import digits
from browser import Browser

SAMPLE = Path("samples/digits")
COUNT = 24


def expect(what: str, holds: object, found: object = "") -> None:
    if not holds:
        raise AssertionError(f"{what}: {found}")
    print(f"  {what}")


class Page:
    def __init__(self, browser: Browser, folder: Path) -> None:
        self.browser = browser
        self.folder = folder
        # They are counted from 1.
        self.job = 0

    def click(self, selector: str) -> None:
        self.browser.run(f"document.querySelector({selector!r}).click()")

    def fill(self, option: str, value: str, place: str = "") -> None:
        selector = f"{place} [data-option='{option}']"
        self.browser.run(f"document.querySelector({selector!r}).value = {value!r}")

    def over(self, what: str, state: str = "done") -> str:
        """The text of the outcome of the job that was begun last."""
        self.job += 1
        outcome = f"document.querySelector('#outcome [data-job=\"{self.job}\"]')"
        self.browser.until(what, f"{outcome} && !['waiting', 'running'].includes({outcome}.dataset.state)")
        text = self.browser.run(f"{outcome}.textContent")
        expect(f"{what}: {state}", self.browser.run(f"{outcome}.dataset.state") == state, text[:2000])
        # The list of models is asked for once a job is over.
        self.browser.run("new Promise(done => setTimeout(done, 500))")
        return text

    def begin(self, tab: str) -> None:
        self.click(f"#tab-{tab}")
        self.click(f"#panel-{tab} .go")

    def inputs(self, kind: str) -> None:
        self.click(f"input[name=inputs][value={kind}]")

    def choose(self, name: str) -> None:
        self.browser.run(
            f"[...document.querySelectorAll('#models .name')].find(one => one.textContent === {name!r}).click()"
        )

    def models(self) -> list:
        return self.browser.run("[...document.querySelectorAll('#models .name')].map(one => one.textContent)")

    def saved(self, name: str) -> list:
        """The first bytes of what a link gives, and what the browser is told to call it."""
        return self.browser.run(f"""(async () => {{
          const link = [...document.querySelectorAll('a[download]')].find(one => one.download === {name!r});
          const answer = await fetch(link.href);
          return [String.fromCharCode(...new Uint8Array(await answer.arrayBuffer()).slice(0, 2)), answer.headers.get("Content-Disposition")];
        }})()""")

    def picture(self, name: str) -> None:
        self.browser.run("new Promise(done => requestAnimationFrame(() => setTimeout(done, 300)))")
        self.browser.picture(self.folder / f"serve-{name}.png")


def use(page: Page, address: str, pictures: list[Path]) -> None:
    browser = page.browser
    browser.open(address)
    browser.until("the page", "document.documentElement?.dataset.ready")
    browser.drop("#model-files", SAMPLE / "digits-cpu.pt")
    page.over("what is in a dropped model")
    browser.until("its graph", "document.querySelector('#outcome iframe')")
    page.picture("see")
    graph = browser.run("new URL(document.querySelector('#outcome iframe').src, location).href")
    browser.open(graph)
    browser.until("the graph draws itself in its sandbox", "document.documentElement?.dataset.ready")
    browser.open(address)
    browser.until("the page", "document.documentElement?.dataset.ready")
    expect("what was done is there when the page is opened again", page.models() == ["digits-cpu.pt"], page.models())

    broken = page.folder / "broken.pt"
    broken.write_bytes(b"PK\3\4 no model")
    browser.drop("#model-files", broken)
    text = page.over("a broken file", "failed")
    expect("an error is what the command says", "broken.pt: archive: " in text and "\tat " not in text, text)
    page.click("[aria-label='Remove broken.pt']")
    browser.until("it is removed", "document.querySelectorAll('#models li').length === 1")
    expect("no complaint so far", browser.complaints == [], browser.complaints)
    browser.drop("#model-files", pictures[0])
    browser.until(
        "a picture is no model",
        "document.getElementById('alert').textContent.includes('expected: one that ends in .pt')",
    )
    browser.complaints = [one for one in browser.complaints if "status of 400" not in one]

    page.choose("digits-cpu.pt")
    page.inputs("files")
    browser.drop("#input-files", *pictures[: COUNT // 2])
    browser.until("dropped pictures", f"document.querySelectorAll('#inputs-kept img').length === {COUNT // 2}")
    for option, value in (("--image-size", "32x32"), ("--resize", "32x32"), ("--mean", "0.5"), ("--std", "0.5")):
        page.fill(option, value, "#picture-fields")
    page.fill("--top", "3", "#run-fields")
    page.begin("run")
    page.over("run on pictures")
    best = browser.run(
        "[...document.querySelectorAll('.picture')].map(one => [one.querySelector('h3').textContent, one.querySelector('.score span').textContent])"
    )
    right = sum(found == f"class {name[0]}" for name, found in best)
    expect("most digits are known", len(best) == COUNT // 2 and right >= COUNT // 2 - 2, best)
    page.picture("run")

    page.begin("convert")
    text = page.over("convert")
    expect("a converted file", "digits-cpu-nnapi.pt" in page.models() and "self-check passed" in text, text)
    expect("it is saved", page.saved("digits-cpu-nnapi.pt") == ["PK", 'attachment; filename="digits-cpu-nnapi.pt"'])
    page.picture("convert")

    page.click("#tab-quantize")
    browser.drop("#calibration-files", *pictures)
    browser.until("calibration pictures", "document.querySelectorAll('#calibration-kept img').length === 24")
    page.choose("digits-cpu.pt")
    page.begin("quantize")
    page.over("quantize")
    expect("a quantized file", "digits-cpu-quantized.pt" in page.models(), page.models())
    page.picture("quantize")

    page.choose("digits-cpu.pt")
    page.begin("optimize")
    page.over("optimize")
    expect("an optimized file", "digits-cpu-mobile.pt" in page.models(), page.models())
    page.picture("optimize")
    page.inputs("typed")
    browser.run("document.getElementById('typed').value = 'float32[1,3,32,32]'")
    for form in ("ptl", "pt2", "pt"):
        page.choose("digits-cpu.pt")
        browser.run(f"document.getElementById('save-form').value = {form!r}")
        page.begin("save")
        page.over(f"save as .{form}")
        name = "digits-cpu-saved.pt" if form == "pt" else f"digits-cpu.{form}"
        expect("and fetched", page.saved(name) == ["PK", f'attachment; filename="{name}"'], page.saved(name))
    page.choose("digits-cpu.pt2")
    page.fill("--top", "", "#run-fields")
    page.begin("run")
    expect("what was saved runs", "float32" in page.over("run what was saved"))

    page.choose("digits-cpu.pt")
    browser.run(
        "(second => { second.value = [...second.options].find(one => one.text === 'digits-cpu-quantized.pt').value; })(document.getElementById('second'))"
    )
    page.begin("diff")
    text = page.over("compare")
    expect(
        "layers beside each other",
        "layers in common" in text and browser.run("document.querySelectorAll('.scroll tr').length") > 10,
        text,
    )
    page.picture("compare")

    page.inputs("typed")
    browser.run("document.getElementById('typed').value = 'float32[1,3,32,32]'")
    page.fill("--top", "", "#run-fields")
    page.begin("run")
    expect("typed inputs", "float32" in page.over("run on typed inputs"))
    browser.run("document.getElementById('typed').value = '/etc/hostname.npy'")
    page.click("#panel-run .go")
    browser.until(
        "names of files are refused", "document.getElementById('alert').textContent.includes('expected: values')"
    )
    browser.complaints = [one for one in browser.complaints if "status of 400" not in one]

    browser.run("document.getElementById('typed').value = 'float32[1,3,32,32]'")
    page.fill("--iter", "100000000", "#profile-fields")
    page.click("input[name=see][value=profile]")
    page.begin("see")
    browser.until("a long job", "document.querySelector('#outcome article[data-state=running] .headline button')")
    page.click("#outcome .headline button")
    page.over("cancel", "cancelled")

    browser.run("document.getElementById('tab-see').click(); document.getElementById('tab-see').focus()")
    browser.press("ArrowRight")
    expect("keys move among the tabs", browser.run("document.activeElement.id") == "tab-run")
    expect("and show what belongs to them", browser.run("!document.getElementById('panel-run').hidden"))
    browser.resize(420, 900)
    page.picture("narrow")
    for tab in ("see", "run", "convert", "quantize", "optimize", "save", "diff"):
        page.click(f"#tab-{tab}")
        width = browser.run("document.documentElement.scrollWidth")
        expect(f"{tab} fits 420 pixels", width <= 420, width)
    expect("nothing on the console, and no other server", browser.complaints == [], browser.complaints)
    browser.run("window.confirm = () => true")
    page.click("#end")


def main(folder: Path, command: list[str]) -> None:
    pictures = folder / "digits"
    kept = folder / "kept"
    for made in (pictures, kept):
        made.mkdir(parents=True, exist_ok=True)
    digits.write(SAMPLE, pictures, COUNT)
    environment = {**os.environ, "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={kept.resolve()}"}
    with subprocess.Popen(
        [*command, "serve", "--no-browser"], stdout=subprocess.PIPE, text=True, env=environment
    ) as server:
        address = server.stdout.readline().removeprefix("page: ").strip()
        try:
            (own,) = kept.glob("torch-nnapi-serve*")
            expect("a folder for its user alone", stat.S_IMODE(own.stat().st_mode) == 0o700, oct(own.stat().st_mode))
            browser = Browser(1440, 1000)
            try:
                use(Page(browser, folder), address, sorted(pictures.iterdir()))
            finally:
                browser.close()
            server.wait(30)
            expect("it ends as it is told", server.returncode == 0, server.returncode)
            expect("and leaves nothing", not own.exists(), own)
        finally:
            server.terminate()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
