"""Headless Chromium, asked by its DevTools protocol over a pipe."""

import base64
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

PATIENCE = 90


class Browser:
    """One page. Console messages, failed scripts and requests to other servers are kept in `complaints`."""

    def __init__(self, width: int, height: int) -> None:
        self.complaints = []
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to_write = os.pipe()
        from_read, from_write = os.pipe()

        def pipes() -> None:
            # Where the protocol wants them; the copies first go where neither is overwritten.
            asked, answered = os.dup(to_read), os.dup(from_write)
            os.dup2(asked, 3)
            os.dup2(answered, 4)

        self.process = subprocess.Popen(
            [
                "chromium",
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                f"--user-data-dir={self.profile.name}",
                "--force-prefers-reduced-motion",
                f"--window-size={width},{height}",
                "--remote-debugging-pipe",
                "about:blank",
            ],
            preexec_fn=pipes,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        self.answers = os.fdopen(from_read, "rb", buffering=0)
        self.rest = b""
        self.number = 0
        self.session = None
        targets = self.ask("Target.getTargets")["targetInfos"]
        target = next(one["targetId"] for one in targets if one["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(domain + ".enable")
        self.resize(width, height)

    def resize(self, width: int, height: int) -> None:
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def ask(self, method: str, **params: object) -> dict:
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.event(answer)

    def message(self) -> dict:
        while b"\0" not in self.rest:
            read = self.answers.read(1 << 16)
            if not read:
                raise RuntimeError("chromium: ended (expected: it runs until it is closed)")
            self.rest += read
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def event(self, message: dict) -> None:
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.complaints.append(
                "console: " + " ".join(str(one.get("value", one.get("description"))) for one in params["args"])
            )
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append("script: " + details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded":
            self.complaints.append(f"log: {params['entry']['text']} {params['entry'].get('url', '')}")
        elif method == "Network.requestWillBeSent":
            address = params["request"]["url"]
            if not address.startswith(("http://127.0.0.1:", "blob:http://127.0.0.1:", "data:", "about:")):
                self.complaints.append("request: " + address)

    def open(self, address: str) -> None:
        self.ask("Page.navigate", url=address)

    def run(self, script: str) -> object:
        """What an expression gives; a promise is waited for."""
        answer = self.ask(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script[:200]}: {answer['exceptionDetails'].get('exception', {}).get('description')}")
        return answer["result"].get("value")

    def until(self, what: str, script: str, seconds: float = PATIENCE) -> None:
        """Waits until an expression is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.run(f"!!({script})")
            if value:
                return
            time.sleep(0.1)
        shown = self.run(
            "document.querySelector('main')?.innerText.slice(-1500) + '\\n' + document.getElementById('alert')?.textContent"
        )
        raise AssertionError(f"{what}: not seen within {seconds} s (expected: {script}); the page shows\n{shown}")

    def drop(self, selector: str, *files: Path) -> None:
        """Drops files on what a selector finds, as a hand would."""
        content = [[file.name, base64.b64encode(file.read_bytes()).decode()] for file in files]
        self.run(f"""(() => {{
          const moved = new DataTransfer();
          for (const [name, text] of {json.dumps(content)}) {{
            const type = name.endsWith(".png") ? "image/png" : "";
            moved.items.add(new File([Uint8Array.from(atob(text), c => c.charCodeAt(0))], name, {{type}}));
          }}
          const place = document.querySelector({json.dumps(selector)});
          for (const name of ["dragover", "drop"]) place.dispatchEvent(new DragEvent(name, {{dataTransfer: moved, bubbles: true, cancelable: true}}));
        }})()""")

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def picture(self, file: Path) -> None:
        file.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot")["data"]))

    def close(self) -> None:
        try:
            self.session = None
            self.ask("Browser.close")
            self.process.wait(20)
        except (RuntimeError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
        self.profile.cleanup()
