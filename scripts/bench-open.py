#!/usr/bin/env python3
"""Opening a site of 300 files in WebKitGTK: from the device by proxy and by scheme, from file://, and from nginx behind
50 ms of added latency. Every opening is one in a new kiosk; the ways take turns. Prints a table of loadEventEnd."""
import asyncio
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import threading

BIN = pathlib.Path(sys.argv[1]).resolve()
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 7
FOLDER = pathlib.Path(tempfile.mkdtemp())
NGINX_PORT, SLOW_PORT = 18991, 18992


def site(folder):
    """1 page, 24 style sheets, 75 scripts, 200 pictures; 3.9 MB, names and sizes as a bundler leaves them."""
    folder.mkdir(parents=True)
    dice = random.Random(7)
    parts, body = [], []
    for i in range(24):
        (folder / f"style-{i}.css").write_text(f".c{i} {{ color: rgb({i},2,3); }}\n" + "/* */ .x{margin:0}\n" * dice.randrange(20, 900))
        parts.append(f'<link rel="stylesheet" href="style-{i}.css">')
    for i in range(75):
        text = f"window.count = (window.count || 0) + 1;\n" + "".join(
            f"function f{i}_{j}(a) {{ return a * {dice.random()}; }}\n" for j in range(dice.randrange(20, 1200)))
        (folder / f"script-{i}.js").write_text(text)
        parts.append(f'<script defer src="script-{i}.js"></script>')
    for i in range(200):
        shapes = "".join(f'<circle cx="{dice.randrange(100)}" cy="{dice.randrange(100)}" r="{dice.randrange(9)}"/>' for _ in range(dice.randrange(5, 120)))
        (folder / f"picture-{i}.svg").write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" viewBox="0 0 100 100">{shapes}</svg>')
        body.append(f'<img src="picture-{i}.svg" width="40" height="40">')
    (folder / "index.html").write_text(
        "<!doctype html><meta charset=utf-8><title>300</title><link rel=icon href='data:,'>" + "".join(parts) + "<h1>300 files</h1>" + "".join(body))


class Kiosk:
    def __init__(self, transport):
        self.display = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "1280x800x24", "-terminate"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        number = self.display.stdout.readline().decode().strip()
        self.process = subprocess.Popen(
            [BIN / "packtool-kiosk", "--store", "store", "--registry", ".packtool/registry", "--package", "blank", "--transport", transport,
             "--offscreen", "--control", "--update-interval", "0"],
            cwd=FOLDER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "DISPLAY": ":" + number})
        self.wait("updated")

    def wait(self, name, holds=lambda event: True):
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit("the kiosk has ended")
            event = json.loads(line)
            if event["event"] == name and holds(event):
                return event

    def send(self, command, **arguments):
        self.process.stdin.write((json.dumps({"id": 1, "command": command, **arguments}) + "\n").encode())
        self.process.stdin.flush()

    def open(self, url):
        self.send("load", url=url)
        self.wait("finished", lambda event: event["url"] == url)
        self.send("evaluate", script="await new Promise(d => setTimeout(d, 50)); const t = performance.timing;"
                  "return [t.loadEventEnd - t.navigationStart, window.count, document.images.length, [...document.images].filter(i => i.naturalWidth).length]")
        reply = self.wait("reply", lambda event: "value" in event and event["value"].startswith("["))
        elapsed, scripts, images, shown = json.loads(reply["value"])
        assert (scripts, images, shown) == (75, 200, 200), reply
        return elapsed

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.display.terminate()


async def pump(reader, writer):
    """Hands bytes on 25 ms later, in order, without slowing their rate."""
    queue = asyncio.Queue()
    loop = asyncio.get_running_loop()

    async def write():
        while True:
            due, data = await queue.get()
            await asyncio.sleep(max(0, due - loop.time()))
            if not data:
                writer.close()
                return
            writer.write(data)
            await writer.drain()
    task = asyncio.create_task(write())
    try:
        while data := await reader.read(65536):
            queue.put_nowait((loop.time() + 0.025, data))
    except ConnectionError:
        pass
    queue.put_nowait((loop.time() + 0.025, b""))
    await task


async def relay():
    async def serve(reader, writer):
        await asyncio.sleep(0.05)
        near = await asyncio.open_connection("127.0.0.1", NGINX_PORT)
        await asyncio.gather(pump(reader, near[1]), pump(near[0], writer), return_exceptions=True)
    server = await asyncio.start_server(serve, "127.0.0.1", SLOW_PORT)
    await server.serve_forever()


def run(*arguments):
    subprocess.run([BIN / "packtool", *arguments], cwd=FOLDER, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


site(FOLDER / "site")
(FOLDER / "blank").mkdir()
(FOLDER / "blank/index.html").write_text("<!doctype html><title>blank</title><link rel=icon href='data:,'>")
run("init", "--template", "config")
for name, folder in (("shop", "site"), ("blank", "blank")):
    run("build", folder, "--package", name, "--package-version", "1.0.0", "--out", "packages")
    run("publish", f"packages/{name}-1.0.0.zip", "--channel", "stable")
run("client", "update", "--store", "store")
(FOLDER / "nginx.conf").write_text(f"""worker_processes 1; pid {FOLDER}/nginx.pid; error_log {FOLDER}/error.log; daemon off; user root;
events {{ worker_connections 256; }}
http {{ access_log off; sendfile on; include /etc/nginx/mime.types; client_body_temp_path {FOLDER}/b; proxy_temp_path {FOLDER}/p;
fastcgi_temp_path {FOLDER}/f; uwsgi_temp_path {FOLDER}/u; scgi_temp_path {FOLDER}/s;
server {{ listen 127.0.0.1:{NGINX_PORT}; root {FOLDER}/site; }} }}""")
os.chmod(FOLDER, 0o755)
nginx = subprocess.Popen(["nginx", "-c", FOLDER / "nginx.conf", "-p", FOLDER], stderr=subprocess.DEVNULL)
threading.Thread(target=lambda: asyncio.run(relay()), daemon=True).start()
ways = {
    "file://": ("scheme", f"file://{FOLDER}/site/index.html"),
    "device, scheme": ("scheme", "h5pack://shop/"),
    "device, proxy (https)": ("proxy", "https://shop.package/"),
    "nginx, loopback": ("scheme", f"http://127.0.0.1:{NGINX_PORT}/"),
    "nginx, 50 ms of latency": ("scheme", f"http://127.0.0.1:{SLOW_PORT}/"),
}
times = {name: [] for name in ways}
try:
    for _ in range(ROUNDS):
        for name, (transport, url) in ways.items():
            kiosk = Kiosk(transport)
            times[name].append(kiosk.open(url))
            kiosk.close()
finally:
    nginx.terminate()
    subprocess.run(["rm", "-rf", FOLDER], check=False)
base = statistics.median(times["file://"])
slow = statistics.median(times["nginx, 50 ms of latency"])
WANTED = "≤ 1.10, and below nginx with latency"
bars = {"device, scheme": WANTED, "device, proxy (https)": WANTED}
missed = [name for name in bars if statistics.median(times[name]) > 1.1 * base or statistics.median(times[name]) >= slow]
print(f"Until `loadEventEnd`, {ROUNDS} rounds.\n")
print("| | median, ms | lowest, ms | of `file://` | bar |\n| --- | --: | --: | --: | --- |")
for name, values in times.items():
    median = statistics.median(values)
    bar = bars.get(name, "") + (", **missed**" if name in missed else "")
    print(f"| {name} | {median:,.0f} | {min(values):,.0f} | {median / base:.2f} | {bar} |")
if missed:
    sys.exit("bench-open: the bar is missed: " + ", ".join(missed))
