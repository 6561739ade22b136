# SPDX-License-Identifier: GPL-2.0-or-later
"""
browser.py: Chromium without a window, driven through a pipe.

The DevTools protocol goes over two descriptors (--remote-debugging-pipe): JSON messages, each ended by a NUL. Nothing
but the standard library is needed, and no port is opened. The browser has no network: every host name fails, and each
request that is not for a file is remembered, so that a test can insist that there was none.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
         "--disable-dev-shm-usage", "--mute-audio", "--force-color-profile=srgb", "--remote-debugging-pipe",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--lang=en-US"]
LIMIT = 30


def program():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Browser:
    def __init__(self, width=1280, height=800):
        self.home = tempfile.mkdtemp(prefix="tenure-browser.")
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()

        def descriptors():
            # 3 and 4 are what the browser reads and writes; either may be a pipe's own number now.
            a, b = os.dup(to_read), os.dup(from_write)
            high_a, high_b = os.dup2(a, 100), os.dup2(b, 101)
            os.dup2(high_a, 3)
            os.dup2(high_b, 4)

        self.process = subprocess.Popen(
            [program(), *FLAGS, f"--user-data-dir={self.home}", f"--window-size={width},{height}", "about:blank"],
            preexec_fn=descriptors, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.home}, start_new_session=True)
        os.close(to_read)
        os.close(from_write)
        self.to, self.source, self.rest, self.number = to_write, from_read, b"", 0
        self.problems, self.requests, self.dialogs = [], [], []
        self.session = None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def close(self):
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except Exception:  # pylint: disable=broad-except
            os.killpg(self.process.pid, 9)
            self.process.wait()
        os.close(self.to)
        os.close(self.source)
        shutil.rmtree(self.home, ignore_errors=True)

    # ------------------------------------------------------------------------------------------ protocol

    def message(self, end):
        while b"\0" not in self.rest:
            if not select.select([self.source], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.source, 1 << 20)
            if not data:
                raise EOFError("the browser has gone")
            self.rest += data
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, limit=LIMIT, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        end = time.monotonic() + limit
        while True:
            answer = self.message(end)
            if answer.get("id") != self.number:
                self.event(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def event(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.problems.append("exception: " + details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(params["entry"]["level"] + ": " + params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.problems.append("console: " + str([a.get("value", a.get("description")) for a in params["args"]]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Page.javascriptDialogOpening":
            self.dialogs.append(params["message"])
            self.number += 1
            data = json.dumps({"id": self.number, "method": "Page.handleJavaScriptDialog", "params": {"accept": True},
                               "sessionId": self.session}).encode() + b"\0"
            os.write(self.to, data)

    # ------------------------------------------------------------------------------------------ a page

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.wait("document.body && document.body.dataset.ready")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(f"{expression}: {details.get('exception', {}).get('description', details['text'])}")
        return answer["result"].get("value")

    def wait(self, expression, limit=LIMIT):
        end = time.monotonic() + limit
        while True:
            value = self.evaluate(f"Boolean({expression})")
            if value:
                return value
            if time.monotonic() > end:
                raise TimeoutError(f"waited for {expression}")
            time.sleep(0.02)

    def go(self, address):
        """To another address of the page that is open."""
        self.evaluate("(address => { if (location.hash === address) return; delete document.body.dataset.ready;"
                      f"location.hash = address; }})({json.dumps(address)})")
        self.wait("document.body.dataset.ready")

    def arrive(self, expression):
        """Waits for the view of an address of which `expression` is true: the address changes before its view does."""
        self.wait(f"({expression}) && document.body.dataset.ready && document.body.dataset.address === location.hash")

    def key(self, key, code=0, text=None):
        names = {"Enter": 13, "ArrowDown": 40, "ArrowUp": 38, "ArrowRight": 39, "ArrowLeft": 37, "Escape": 27, "Tab": 9}
        text = text or ("\r" if key == "Enter" else key if len(key) == 1 else None)
        common = {"key": key, "windowsVirtualKeyCode": code or names.get(key, ord(key[0].upper()))}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def move(self, selector, click=False):
        """The pointer to the middle of an element."""
        x, y = self.evaluate(f"(r => [r.x + r.width / 2, r.y + r.height / 2])"
                             f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())")
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        if click:
            for kind in ("mousePressed", "mouseReleased"):
                self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self, path):
        image = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(image))
