"""PostgreSQL and S3-compatible storage (SeaweedFS) of this machine, started for a benchmark: databases and buckets that are empty."""
import glob
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

PROJECT = pathlib.Path(__file__).resolve().parent.parent
# The secret key of the bucket; its name is AKIDPACKTOOL.
SECRET = "sesame"
started = []


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(works, what):
    for _ in range(300):
        if works():
            return
        time.sleep(0.1)
    sys.exit(f"{what} does not start")


def start_postgres(folder):
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
    as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
    if as_user:
        shutil.chown(folder, "postgres")
    port = free_port()
    subprocess.run([*as_user, f"{programs}/initdb", "-D", folder / "data", "-U", "packtool", "-A", "trust", "-E", "UTF8", "--no-locale"],
                   check=True, stdout=subprocess.DEVNULL, cwd=folder)
    # With the disk's syncs: the folder has them too.
    server = subprocess.Popen([*as_user, f"{programs}/postgres", "-D", folder / "data", "-p", str(port), "-h", "127.0.0.1", "-k", folder],
                              cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    started.append(server)
    url = f"postgres://packtool@127.0.0.1:{port}/postgres"
    wait_for(lambda: subprocess.run([f"{programs}/psql", "-d", url, "-c", "SELECT 1"], capture_output=True).returncode == 0, "PostgreSQL")
    return url


def start_seaweedfs(folder):
    program = subprocess.run([PROJECT / "scripts/seaweedfs"], check=True, capture_output=True, text=True).stdout.strip()
    identity = {"name": "packtool", "actions": ["Admin", "Read", "List", "Tagging", "Write"],
                "credentials": [{"accessKey": "AKIDPACKTOOL", "secretKey": SECRET}]}
    (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
    (folder / "data").mkdir()
    ports = [free_port() for _ in range(8)]
    options = dict(zip(["master.port", "master.port.grpc", "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc", "s3.port",
                        "s3.port.grpc"], ports))
    server = subprocess.Popen(
        [program, "server", f"-dir={folder}/data", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3", f"-s3.config={folder}/s3.json",
         "-s3.iam=false", "-s3.autoCreateBucket=false", "-s3.port.iceberg=0", "-s3.port.lance=0", f"-s3.localSocket={folder}/s3.sock",
         f"-filer.localSocket={folder}/filer.sock", "-volume.max=20", "-volume.minFreeSpace=0", "-master.volumeSizeLimitMB=256",
         "-master.telemetry=false", *(f"-{name}={port}" for name, port in options.items())],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    started.append(server)
    bucket = f"http://127.0.0.1:{options['filer.port']}/buckets/packages/"
    for extra in (["-X", "POST", "-H", "Content-Length: 0", bucket], ["-F", "file=ready", bucket + "ready"]):
        wait_for(lambda: subprocess.run(["curl", "-fs", "-o", "/dev/null", *extra]).returncode == 0, "SeaweedFS")
    return f"s3://packages/shop?endpoint=http://127.0.0.1:{options['s3.port']}&region=eu-central-1&style=path"


def end():
    """Ends what was started, the last first."""
    for process in reversed(started):
        process.send_signal(signal.SIGINT)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
