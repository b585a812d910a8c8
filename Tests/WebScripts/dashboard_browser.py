"""One tab of a real Chromium for the dashboard's tour: sizes, colour schemes, keys, and all that the console says."""
import base64
import json
import queue
import time

import browser_bench


class Tab(browser_bench.Chromium):
    """A browser with one tab. Faults of the console and of the network are kept in `faults`."""

    def __init__(self):
        self.faults: list[str] = []
        self.loaded: queue.Queue = queue.Queue()
        super().__init__(1)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Page", "Log", "Network", "Inspector"):
            self.call(f"{domain}.enable", self.session)

    def heard(self, method, session, parameters):
        if method == "Page.loadEventFired":
            self.loaded.put(True)
        elif method == "Runtime.exceptionThrown":
            self.faults.append(f"exception: {json.dumps(parameters)[:300]}")
        elif method == "Runtime.consoleAPICalled":
            self.faults.append(f"console: {json.dumps(parameters['args'])[:300]}")
        elif method == "Log.entryAdded":
            entry = parameters["entry"]
            # Chromium's advice is of this level: a form with a token and no user's name is meant.
            if entry["level"] != "verbose":
                self.faults.append(f"{entry['level']}: {entry['text']} {entry.get('url', '')}")
        elif method == "Network.requestWillBeSent":
            self.requests = getattr(self, "requests", [])
            self.requests.append(parameters["request"]["url"])

    def send(self, method, **parameters):
        return self.call(method, self.session, **parameters)

    def wait(self, why: str) -> None:
        try:
            self.loaded.get(timeout=20)
        except queue.Empty:
            raise RuntimeError(f"no page after {why}") from None

    def open(self, url: str) -> None:
        while not self.loaded.empty():
            self.loaded.get()
        self.send("Page.navigate", url=url)
        self.wait(url)

    def evaluate(self, expression: str):
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    def look(self, width: int, scheme: str) -> None:
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def key(self, key: str, code: int, text: str = "") -> None:
        common = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.send("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text: str) -> None:
        self.send("Input.insertText", text=text)

    def press(self, selector: str) -> None:
        """Focuses an element and presses Enter, and waits for the page that this leads to."""
        while not self.loaded.empty():
            self.loaded.get()
        if not self.evaluate(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e?.focus(); return document.activeElement === e && e !== null; }})()"):
            raise RuntimeError(f"{selector} is not there, or takes no focus, on {self.evaluate('location.href')}: {self.text()[:600]}")
        self.key("Enter", 13, "\r")
        self.wait(f"Enter on {selector}")

    def text(self) -> str:
        return self.evaluate("document.body.innerText")

    def shot(self, path: str) -> None:
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        data = self.send(
            "Page.captureScreenshot", captureBeyondViewport=True,
            clip={"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 3000), "scale": 1})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def settle(self) -> None:
        time.sleep(0.05)
