"""Real engines that say what a page did: a Chromium over its DevTools pipe, and packtool-kiosk (WebKitGTK) over its control lines."""
import json
import os
import pathlib
import queue
import re
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "WebScripts"))
import browser_bench  # noqa: E402

# What is on the screen, however little of it is text.
SCREEN = """({title: document.title, text: (document.body?.innerText ?? "").trim().slice(0, 400),
  elements: document.body?.querySelectorAll("*").length ?? 0, url: location.href})"""


def plain(text):
    """An error without what differs between two servers of the same page: addresses, places in files, statuses of what is not there."""
    text = re.sub(r"\b(https?|wss?|h5pack)://[A-Za-z0-9.-]*(localhost|package|127\.0\.0\.1)(:\d+)?|h5pack://[a-z0-9-]+", "ORIGIN", text)
    text = re.sub(r"(\w{1,3}: )?\b(File not found|Not Found|Method Not Allowed)\b", "STATUS", text)
    text = re.sub(r"status of \d+ \([^)]*\)|\bstatus:? \d+|\b(404|405|501)\b( \([^)]*\)| STATUS)?", "STATUS", text)
    text = re.sub(r"Unexpected token.*JSON.*|JSON Parse error.*|.*is not valid JSON.*|.*Unexpected end of JSON input.*|The string did not match the expected pattern\.", "NO JSON", text)
    # Of two requests that fail, the page names the one that failed first.
    text = re.sub(r"(attempting to reach) /\S+", r"\1 PATH", text)
    text = re.sub(r"\d{6,}", "NUMBER", text)
    return re.sub(r":\d+:\d+|\s+", " ", text.splitlines()[0] if text else "").strip()[:200]


class Seen:
    def __init__(self, screen, errors):
        self.screen, self.errors = screen, {plain(error) for error in errors}

    @property
    def is_blank(self):
        return self.screen["elements"] < 3


class Browser(browser_bench.Chromium):
    """A headless Chromium; each page is a tab of its own."""

    def __init__(self):
        self.errors = {}
        super().__init__(1)

    def heard(self, method, session, parameters):
        errors = self.errors.get(session)
        if errors is not None:
            if method == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                errors.append("exception: " + details.get("exception", {}).get("description", details["text"]))
            elif method == "Runtime.consoleAPICalled" and parameters["type"] == "error":
                errors.append("console: " + " ".join(str(a.get("value", a.get("description"))) for a in parameters["args"]))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                errors.append(f'{parameters["entry"]["text"]} {parameters["entry"].get("url", "")}')
        super().heard(method, session, parameters)

    def open(self, url, seconds):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.errors[session] = []
        try:
            for method in ("Runtime.enable", "Page.enable", "Log.enable"):
                self.call(method, session)
            self.call("Page.navigate", session, url=url)
            time.sleep(seconds)
            value = self.call("Runtime.evaluate", session, expression=SCREEN, returnByValue=True)
            return Seen(value["result"]["value"], self.errors[session])
        finally:
            del self.errors[session]
            self.call("Target.closeTarget", targetId=target)


WATCH = """(() => {
  const errors = [];
  Object.defineProperty(globalThis, "watchedErrors", { value: errors });
  addEventListener("error", event => errors.push(event.message ? "exception: " + event.message
    : "missing: " + (event.target.src || event.target.href || event.target.tagName)), true);
  addEventListener("unhandledrejection", event => errors.push("rejection: " + (event.reason?.message ?? event.reason)));
  const log = console.error;
  console.error = function (...parts) { errors.push("console: " + parts.map(String).join(" ").slice(0, 300)); return log.apply(this, parts); };
})();"""


class Kiosk:
    """A packtool-kiosk under a virtual display of its own."""

    def __init__(self, program, folder, package, transport, *options):
        (folder / "watch.js").write_text(WATCH)
        reader, writer = os.pipe()
        self.display = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x800x24", "-nolisten", "tcp"], pass_fds=[writer],
            stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as said:
            # The whole line: a display that cannot end it is gone.
            number = said.readline().strip()
        self.log = open(folder / f"kiosk-{transport}.log", "w")
        self.process = subprocess.Popen(
            [program, "--store", "store", "--package", package, "--transport", transport, "--offscreen", "--control",
             "--script", "watch.js", *options],
            cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
            env=os.environ | {"DISPLAY": f":{number}", "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1"})
        self.events, self.replies, self.count = [], queue.Queue(), 0
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            event = json.loads(line)
            (self.replies.put if event["event"] == "reply" else self.events.append)(event)

    def send(self, command, **arguments):
        self.count += 1
        self.process.stdin.write(json.dumps({"id": self.count, "command": command} | arguments) + "\n")
        self.process.stdin.flush()
        while True:
            reply = self.replies.get(timeout=60)
            if reply["id"] == self.count:
                if "error" in reply:
                    raise RuntimeError(f"{command}: {reply['error']}")
                return json.loads(reply["value"])

    def evaluate(self, expression):
        """A page that leads on while the script runs takes the answer with it: the next page is asked."""
        for _ in range(5):
            try:
                return self.send("evaluate", script=f"return {expression}")
            except RuntimeError as error:
                if "no longer reachable" not in str(error):
                    raise
                time.sleep(0.5)
        return self.send("evaluate", script=f"return {expression}")

    def wait(self, name, after=0, timeout=60):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            found = next((event for event in self.events[after:] if event["event"] == name), None)
            if found:
                return found
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise RuntimeError(f"the kiosk said no {name}, only {[event['event'] for event in self.events[after:]]}")

    def open(self, url, seconds):
        count = len(self.events)
        self.send("load", url=url)
        self.wait("finished", count)
        return self.look(seconds)

    def look(self, seconds):
        time.sleep(seconds)
        return Seen(self.evaluate(SCREEN), self.evaluate("globalThis.watchedErrors ?? []"))

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.display.terminate()
        self.display.wait()
        self.log.close()
