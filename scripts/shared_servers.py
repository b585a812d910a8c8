"""PostgreSQL and SeaweedFS for all tests of a run (scripts/run-tests.py)."""
import contextlib
import os
import pathlib
import random
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


class KeptServer:
    """A server that the tests of all processes share: to start one takes some seconds of a core."""

    def __init__(self, script, program, *arguments):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.process = subprocess.Popen(
            [ROOT / "Tests/Tools" / script, program, self.folder, *arguments], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)

    def wait(self):
        """Whether it came up. Where it did not, tests start their own, and say what was amiss; those on storage fail."""
        until = time.monotonic() + 60
        while time.monotonic() < until and self.process.poll() is None:
            if (self.folder / "ready").exists():
                return True
            time.sleep(0.05)
        return False

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def free_ports(count):
    """Different ones, below those that the kernel gives to clients: see Tests/TestSupport/LoopbackPort.swift."""
    found = []
    for port in random.sample(range(18_000, 32_000), 1_000):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            found.append(str(port))
        if len(found) == count:
            return found
    raise OSError("no port is free")


@contextlib.contextmanager
def starting_servers():
    """PostgreSQL and SeaweedFS for all tests that do them no harm. They take some seconds to come up, in which the cores have little to
    do: what is given waits for them."""
    port, *ports = free_ports(9)
    programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    weed = subprocess.run([ROOT / "scripts/seaweedfs"], capture_output=True, text=True, check=False)
    servers = []
    if programs:
        servers.append(("TESTS_POSTGRES_PORT", port, KeptServer("kept_postgres.sh", programs[-1].parent, port)))
    if weed.returncode == 0:
        server = KeptServer("kept_seaweedfs.sh", weed.stdout.strip(), "private", *ports)
        servers.append(("TESTS_SEAWEEDFS_PORT", ports[6], server))

    def wait():
        for name, port, server in servers:
            if server.wait():
                os.environ[name] = port

    try:
        yield wait
    finally:
        for name, _, server in servers:
            os.environ.pop(name, None)
            server.end()


@contextlib.contextmanager
def shared_servers():
    """The same, once they are up."""
    with starting_servers() as wait:
        wait()
        yield
