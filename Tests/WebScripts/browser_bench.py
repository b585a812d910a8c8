"""A real Chromium with names of its own: every https host leads to this process, which sends it on by its name.

Reads one JSON line per command from its standard input:
  {"routes": {"HOST": PORT, ...}}                    where a host's requests go; the others go to the echo server
  {"number": N, "run": URL, "script": TEXT?, "timeout": SECONDS}  opens a page
A page is answered with {"number": N, "report": TEXT}, what it passed to benchReport(), or with {"number": N, "fault": TEXT};
{"number": N, "step": TEXT} comes before that whenever the page calls benchStep() to say what it is at.
Ends with its standard input.

In each frame `webkit.messageHandlers.packtool` and `prompt` are what a web view has: messages with replies, and a call
that a script waits for. What they say goes to /-/bridge of the host's route, with the origin that the browser knows.
"""
import concurrent.futures
import http.client
import http.server
import json
import os
import pathlib
import queue
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import typing

import browser_echo

HOME = pathlib.Path(tempfile.mkdtemp(prefix="bench-"))
ROUTES: dict[str, int] = {}


class EchoServer(http.server.ThreadingHTTPServer):
    request_queue_size = 256

    def handle_error(self, request, client_address):
        """A page that goes away in the middle of an answer is no fault here."""


def serve_echo() -> int:
    server = EchoServer(("127.0.0.1", 0), browser_echo.Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def certificate() -> tuple[pathlib.Path, pathlib.Path]:
    key, cert = HOME / "key.pem", HOME / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-keyout", key, "-out", cert, "-subj", "/CN=bench", "-addext", "subjectAltName=DNS:*.test,DNS:*.package"],
        check=True, capture_output=True)
    return cert, key


def pump(source, target) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    for each in (source, target):
        try:
            each.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve_tls(fallback: int) -> int:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate())
    names = threading.local()

    def named(_, name, __):
        names.host = name

    context.sni_callback = named
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)

    def handle(raw) -> None:
        names.host = None
        try:
            plain = context.wrap_socket(raw, server_side=True)
            upstream = socket.create_connection(("127.0.0.1", ROUTES.get(names.host, fallback)))
        except (OSError, ssl.SSLError):
            raw.close()
            return
        upstream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # An SSL object must not be read and written by two threads at once, so one thread does both.
        relay(plain, upstream)

    def accept() -> None:
        while True:
            raw, _ = listener.accept()
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=handle, args=(raw,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def relay(plain, upstream) -> None:
    import select
    try:
        while True:
            ready = [plain] if plain.pending() else select.select([plain, upstream], [], [])[0]
            for source in ready:
                try:
                    data = source.recv(65536)
                except ssl.SSLWantReadError:
                    continue
                if not data or data.startswith(b"HTTP/1.1 599"):
                    return  # A server cannot fail as an engine's adapter can: this status says that it would.
                (upstream if source is plain else plain).sendall(data)
    except OSError:
        pass
    finally:
        for each in (plain, upstream):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            each.close()


# The prompt whose default text is a message of the hook (`PageHook.promptText`).
PROMPT = "packtool:1"

# What WebKit puts in each frame; the rest is below, in `Chromium.message` and `Chromium.prompt`.
WEB_VIEW = """
(() => {
  const waiting = new Map();
  let count = 0;
  const send = globalThis.benchMessage;
  delete globalThis.benchMessage;
  Object.defineProperty(globalThis, "benchReply", { value: (id, text) => { waiting.get(id)(text); waiting.delete(id); } });
  globalThis.webkit = { messageHandlers: { packtool: { postMessage: (text) => new Promise((resolve) => {
    waiting.set(++count, resolve);
    send(JSON.stringify([count, text]));
  }) } } };
})();
"""


CONNECTIONS = threading.local()


def bridge(origin: str, page: str, text: str) -> str:
    """Asks the app of the origin's route; each thread keeps its connection, which the app may have closed."""
    host = origin.split("//", 1)[-1].split(":")[0]
    kept = CONNECTIONS.__dict__.setdefault("by_port", {})
    for attempt in range(2):
        connection = kept.get(ROUTES[host]) or http.client.HTTPConnection("127.0.0.1", ROUTES[host], timeout=60)
        is_kept = kept.pop(ROUTES[host], None) is not None
        try:
            connection.request("POST", "/-/bridge", text.encode(), {"Host": host, "Origin": origin, "Referer": page})
            answer = connection.getresponse().read().decode()
            kept[ROUTES[host]] = connection
            return answer
        except (http.client.RemoteDisconnected, ConnectionError):
            connection.close()
            # A message must not be said twice: only one that a closed connection did not carry is said again.
            if not is_kept or attempt:
                raise
    raise RuntimeError("no connection")


class Chromium:
    """The DevTools protocol over the browser's pipe: messages end with a zero byte."""

    # Where names lead, if not every https host to one port.
    hosts: str | None = None

    def __init__(self, tls_port: int):
        (their_in, self.out), (self.into, their_out) = os.pipe(), os.pipe()

        def pass_pipes():
            # Above 4 first, so that neither of them is overwritten.
            a, b = os.dup2(their_in, 30), os.dup2(their_out, 31)
            os.dup2(a, 3)
            os.dup2(b, 4)

        program = shutil.which("chromium") or shutil.which("chromium-browser")
        if not program:
            sys.exit("chromium is not installed (scripts/install-system-packages.sh)")
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--ignore-certificate-errors",
             f"--host-resolver-rules={self.hosts or f'MAP *:443 127.0.0.1:{tls_port}'}", f"--user-data-dir={HOME / 'profile'}", "--no-first-run",
             "--disable-back-forward-cache", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
             "--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows",
             "--disable-features=OptimizationHints,MediaRouter,HttpsUpgrades", "--autoplay-policy=no-user-gesture-required", "about:blank"],
            preexec_fn=pass_pipes, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=open(HOME / "chromium.log", "w"), start_new_session=True)
        os.close(their_in)
        os.close(their_out)
        self.number = 0
        self.lock = threading.Lock()
        self.waiting: dict[int, queue.Queue] = {}
        # By session: what the page reported, or the exception that it ended with.
        self.reports: dict[str, queue.Queue] = {}
        self.steps: dict[str, typing.Callable[[str], None]] = {}
        self.origins: dict[tuple[str, int], str] = {}
        self.workers = concurrent.futures.ThreadPoolExecutor(64)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self) -> None:
        rest = b""
        while data := os.read(self.into, 1 << 20):
            *messages, rest = (rest + data).split(b"\0")
            for message in map(json.loads, messages):
                if "id" in message:
                    self.waiting.pop(message["id"]).put(message)
                else:
                    self.heard(message["method"], message.get("sessionId", ""), message["params"])
        for reports in list(self.reports.values()):
            reports.put(RuntimeError("Chromium has ended"))

    def heard(self, method: str, session: str, parameters) -> None:
        """What the browser says by itself. Nothing may be thrown here: everything waits for this thread."""
        if method == "Runtime.bindingCalled":
            name, payload = parameters["name"], parameters["payload"]
            if name == "benchMessage":
                self.workers.submit(self.message, session, parameters)
            elif name == "benchStep" and session in self.steps:
                self.steps[session](payload)
            elif name == "benchReport" and session in self.reports:
                self.reports[session].put(payload)
        elif method == "Runtime.executionContextCreated":
            context = parameters["context"]
            self.origins[session, context["id"]] = context["origin"]
        elif method == "Page.javascriptDialogOpening":
            self.workers.submit(self.prompt, session, parameters)
        elif method in ("Inspector.targetCrashed", "Inspector.detached") and session in self.reports:
            self.reports[session].put(RuntimeError(f"the page has crashed ({method})"))
        elif os.environ.get("BENCH_CONSOLE") and method == "Runtime.consoleAPICalled":
            print([each.get("value", each.get("description")) for each in parameters["args"]], file=sys.stderr)
        elif os.environ.get("BENCH_CONSOLE") and method == "Runtime.exceptionThrown":
            print(json.dumps(parameters["exceptionDetails"])[:600], file=sys.stderr)

    def call(self, method: str, session: str = "", /, **parameters):
        with self.lock:
            self.number += 1
            number = self.number
            answer = self.waiting[number] = queue.Queue()
            message = {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
            self.write(message)
        reply = answer.get(timeout=30)
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply['error']}")
        return reply["result"]

    def write(self, message) -> None:
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]

    def message(self, session: str, parameters) -> None:
        number, text = json.loads(parameters["payload"])
        context = parameters["executionContextId"]
        origin = self.origins.get((session, context), "null")
        try:
            reply = bridge(origin, origin + "/", text)
            self.call("Runtime.evaluate", session, expression=f"benchReply({number}, {json.dumps(reply)})", contextId=context)
        except RuntimeError:
            pass  # The frame is gone: nobody waits.
        except Exception as error:
            print(f"bench: a message was lost: {error!r} {text[:200]}", file=sys.stderr, flush=True)

    def prompt(self, session: str, parameters) -> None:
        page, answer = parameters["url"], None
        try:
            if parameters["type"] == "prompt" and parameters["message"] == PROMPT:
                origin = "/".join(page.split("/", 3)[:3])
                answer = bridge(origin, page, parameters["defaultPrompt"])
        except Exception as error:
            print(f"bench: a prompt was lost: {error!r}", file=sys.stderr, flush=True)
        try:
            self.call("Page.handleJavaScriptDialog", session, accept=answer is not None, promptText=answer or "")
        except (RuntimeError, queue.Empty):
            pass  # The frame is gone: nobody waits.

    def run(self, url: str, script: str | None, timeout: float, step: typing.Callable[[str], None]) -> str:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        reports = self.reports[session] = queue.Queue()
        last = "its start"

        def at(text: str) -> None:
            nonlocal last
            last = text
            step(text)

        self.steps[session] = at
        try:
            for method in ("Runtime.enable", "Page.enable", "Inspector.enable"):
                self.call(method, session)
            for name in ("benchReport", "benchStep", "benchMessage"):
                self.call("Runtime.addBinding", session, name=name)
            if script:
                self.call("Page.addScriptToEvaluateOnNewDocument", session, source=WEB_VIEW + script)
            self.call("Page.navigate", session, url=url)
            try:
                report = reports.get(timeout=timeout)
            except queue.Empty:
                raise RuntimeError(f"{url}: no end after {timeout} s; the page was at {last}; {self.state(session)}") from None
            if isinstance(report, Exception):
                raise RuntimeError(f"{url}: {report}; the page was at {last}")
            return report
        finally:
            del self.reports[session], self.steps[session]
            self.call("Target.closeTarget", targetId=target)

    def state(self, session: str) -> str:
        """What can be learnt of a page that does not end; one that is busy does not answer."""
        try:
            state = self.call("Runtime.evaluate", session, expression="`${location.href} ${document.readyState}`")
            return state["result"].get("value", "it has no state")
        except (RuntimeError, queue.Empty) as error:
            return f"it does not answer: {error!r}"

    def close(self) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


def main() -> None:
    echo = serve_echo()
    browser = Chromium(serve_tls(echo))
    print(json.dumps({"echo": echo}), flush=True)
    lock = threading.Lock()

    def say(line) -> None:
        # Not by print(): where Python does not buffer (PYTHONUNBUFFERED), it loses what a pipe did not take at once.
        data = json.dumps(line).encode() + b"\n"
        with lock:
            while data:
                data = data[os.write(1, data):]

    def perform(command) -> None:
        number = command["number"]
        try:
            report = browser.run(
                command["run"], command.get("script"), command["timeout"], lambda step: say({"number": number, "step": step}))
        except Exception as error:  # Whatever it is, whoever waits must hear of it.
            say({"number": number, "fault": str(error) or repr(error)})
            return
        if folder := os.environ.get("BENCH_RESULTS"):
            pathlib.Path(folder, f"{number}.json").write_text(report)
        say({"number": number, "report": report})

    try:
        for line in sys.stdin:
            command = json.loads(line)
            if "routes" in command:
                ROUTES.update(command["routes"])
            else:
                threading.Thread(target=perform, args=(command,), daemon=True).start()
    finally:
        browser.close()
        shutil.rmtree(HOME, ignore_errors=True)
        # Not by the way that waits for workers: one may wait for an answer that does not come any more.
        os._exit(0)


if __name__ == "__main__":
    main()
