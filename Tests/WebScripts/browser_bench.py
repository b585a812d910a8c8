"""A real Chromium with names of its own: every https host leads to this process, which sends it on by its name.

Reads one JSON line per command from its standard input and answers each with one line:
  {"routes": {"HOST": PORT, ...}}                    where a host's requests go; the others go to the echo server
  {"run": URL, "script": TEXT?, "timeout": SECONDS}  opens a page; the answer is what it passes to benchReport()
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

import browser_echo

HOME = pathlib.Path(tempfile.mkdtemp(prefix="bench-"))
ROUTES: dict[str, int] = {}


class EchoServer(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """A page that goes away in the middle of an answer is no fault here."""


def serve_echo() -> int:
    server = EchoServer(("127.0.0.1", 0), browser_echo.Handler)
    server.daemon_threads = True
    server.request_queue_size = 128
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
                if not data:
                    return
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


def bridge(origin: str, page: str, text: str) -> str:
    host = origin.split("//", 1)[-1].split(":")[0]
    connection = http.client.HTTPConnection("127.0.0.1", ROUTES[host], timeout=60)
    try:
        connection.request("POST", "/-/bridge", text.encode(), {"Host": host, "Origin": origin, "Referer": page})
        return connection.getresponse().read().decode()
    finally:
        connection.close()


class Chromium:
    """The DevTools protocol over the browser's pipe: messages end with a zero byte."""

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
             f"--host-resolver-rules=MAP *:443 127.0.0.1:{tls_port}", f"--user-data-dir={HOME / 'profile'}", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
             "--disable-features=OptimizationHints,MediaRouter,HttpsUpgrades", "--autoplay-policy=no-user-gesture-required", "about:blank"],
            preexec_fn=pass_pipes, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=open(HOME / "chromium.log", "w"), start_new_session=True)
        os.close(their_in)
        os.close(their_out)
        self.number = 0
        self.lock = threading.Lock()
        self.waiting: dict[int, queue.Queue] = {}
        self.reports: dict[str, queue.Queue] = {}
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
                elif message["method"] == "Runtime.bindingCalled":
                    if message["params"]["name"] == "benchMessage":
                        self.workers.submit(self.message, message["sessionId"], message["params"])
                    elif message["sessionId"] in self.reports:
                        self.reports[message["sessionId"]].put(message["params"]["payload"])
                elif message["method"] == "Runtime.executionContextCreated":
                    context = message["params"]["context"]
                    self.origins[message["sessionId"], context["id"]] = context["origin"]
                elif message["method"] == "Page.javascriptDialogOpening":
                    self.workers.submit(self.prompt, message["sessionId"], message["params"])
                elif message["method"] == "Inspector.targetCrashed":
                    self.reports[message["sessionId"]].put(json.dumps({"crashed": True}))
                elif message["method"] == "Runtime.consoleAPICalled" and os.environ.get("BENCH_CONSOLE"):
                    print([a.get("value", a.get("description")) for a in message["params"]["args"]], file=sys.stderr)
                elif message["method"] == "Runtime.exceptionThrown" and os.environ.get("BENCH_CONSOLE"):
                    print(json.dumps(message["params"]["exceptionDetails"])[:600], file=sys.stderr)

    def call(self, method: str, session: str | None = None, **parameters):
        with self.lock:
            self.number += 1
            number = self.number
            answer = self.waiting[number] = queue.Queue()
            message = {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
            os.write(self.out, json.dumps(message).encode() + b"\0") if len(json.dumps(message)) < 60000 else self.write(message)
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
        except (RuntimeError, OSError, KeyError, queue.Empty):
            pass  # The frame is gone, or the device: nobody waits.

    def prompt(self, session: str, parameters) -> None:
        prefix, page = "packtool:1:", parameters["url"]
        answer = None
        if parameters["type"] == "prompt" and parameters["message"].startswith(prefix):
            origin = "/".join(page.split("/", 3)[:3])
            answer = bridge(origin, page, parameters["message"].removeprefix(prefix))
        try:
            self.call("Page.handleJavaScriptDialog", session, accept=answer is not None, promptText=answer or "")
        except (RuntimeError, queue.Empty):
            pass

    def run(self, url: str, script: str | None, timeout: float) -> str:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        reports = self.reports[session] = queue.Queue()
        self.call("Runtime.enable", session)
        self.call("Page.enable", session)
        self.call("Runtime.addBinding", session, name="benchReport")
        self.call("Runtime.addBinding", session, name="benchMessage")
        if script:
            script = WEB_VIEW + script
            self.call("Page.addScriptToEvaluateOnNewDocument", session, source=script)
        self.call("Page.navigate", session, url=url)
        try:
            return reports.get(timeout=timeout)
        except queue.Empty:
            state = self.call("Runtime.evaluate", session, expression="JSON.stringify([String(globalThis.benchState), location.href, globalThis.benchResults])")
            return json.dumps({"timeout": state["result"].get("value")})
        finally:
            del self.reports[session]
            self.call("Target.closeTarget", targetId=target)

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

    def perform(command) -> None:
        try:
            answer = browser.run(command["run"], command.get("script"), command.get("timeout", 60))
        except Exception as error:  # Whatever it is, whoever waits must hear of it.
            answer = json.dumps({"failed": repr(error)})
        if folder := os.environ.get("BENCH_RESULTS"):
            pathlib.Path(folder, f"{command['number']}.json").write_text(answer)
        with lock:
            print(json.dumps({"number": command["number"], "report": answer}), flush=True)

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


if __name__ == "__main__":
    main()
