"""Runs of packtool for the sweeps: commands that end, and servers that do not."""
import json
import os
import pathlib
import re
import subprocess
import sys
import time


class Fault(Exception):
    pass


class Packtool:
    """One executable, with a home of its own below `work`."""

    def __init__(self, executable, work):
        self.executable, self.work = str(executable.resolve()), work
        # Of its own: a start removes what killed processes left in the temporary folder, and these are counted calls.
        (work / "tmp").mkdir(exist_ok=True)
        self.environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": str(work / "home"), "TMPDIR": str(work / "tmp"), "SWIFT_BACKTRACE": "enable=no"}
        self.servers = []

    def run(self, folder, *command, extra={}):
        return subprocess.run(
            [self.executable, *command], cwd=folder, env=self.environment | extra, capture_output=True, text=True, timeout=300)

    def expect(self, folder, *command, codes=(0,)):
        outcome = self.run(folder, *command)
        if outcome.returncode not in codes:
            raise Fault(f"packtool {' '.join(command)}: exit code {outcome.returncode}: {outcome.stderr.strip()} {outcome.stdout.strip()}")
        return outcome.stdout

    def serving(self, folder, *command, extra={}):
        """A server, its port, and the file of what it says; the port is nil where it ended before it had one."""
        # A file: a pipe that nobody reads would hold it up when it is full.
        said = pathlib.Path(self.work / f"said-{len(self.servers)}")
        with open(said, "w") as file:
            process = subprocess.Popen(
                [self.executable, *command, "--port", "0"], cwd=folder, env=self.environment | extra,
                stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        self.servers.append(process)
        while process.poll() is None:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/?\s", said.read_text()):
                return process, int(found[1]), said
            time.sleep(0.01)
        return process, None, said

    def stop(self):
        for server in self.servers:
            server.kill()
            server.wait()


def counted(tool, folder, port, *more, store="device", codes=(0,)):
    """What one update from the server at `port` costs on the wire, and what it asked for: each path with the bytes of its file in the
    view, 0 where it has none."""
    log = folder / "wire.json"
    log.unlink(missing_ok=True)
    relay = pathlib.Path(__file__).with_name("counting_relay.py")
    process = subprocess.Popen([sys.executable, relay, str(port), str(log)], stdout=subprocess.PIPE, text=True)
    try:
        url = process.stdout.readline().strip()
        tool.expect(folder, "client", "update", "--store", store, "--channel", "beta", "--registry", url, *more, codes=codes)
    finally:
        process.kill()
        process.wait()
    result = json.loads(log.read_text())
    paths = [line.split(" ")[1] for line in result["requests"]]
    view = folder / ".packtool/registry/view"
    sizes = {path: (view / path[1:]).stat().st_size if (view / path[1:]).is_file() else 0 for path in paths}
    content = sum(size for path, size in sizes.items() if path.startswith(("/patches/", "/objects/", "/targets/manifests/")))
    return {"requests": len(paths), "up": result["up"], "down": result["down"], "content": content, "paths": paths, "sizes": sizes}
