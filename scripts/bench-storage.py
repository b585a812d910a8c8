#!/usr/bin/env python3
"""A registry in PostgreSQL and S3-compatible storage (SeaweedFS) beside one in a folder, all on this machine: a publication as a whole
command, in turns, and the rate at which a server answers update decisions and metadata. Fails where a bar is missed.

    scripts/bench-storage.py        PACKTOOL names the binary, REPORT=1 writes docs/BENCHMARKS.md
"""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

project = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(project / "Benchmarks"))
import services  # noqa: E402

packtool = os.environ.get("PACKTOOL", str(project / ".build/bin/packtool"))
PUBLICATIONS = 15
ROUNDS = 5


class Registry:
    def __init__(self, name, environment):
        self.name = name
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.environment = os.environ | environment
        self.number = 0
        self.times = []
        self.rates = {"decide": [], "metadata": []}
        self.run("init", "--template", "config", "--app", "bench")

    def run(self, *command):
        begun = time.monotonic()
        subprocess.run([packtool, *command], cwd=self.folder, env=self.environment, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        return time.monotonic() - begun

    def publish(self):
        """A site of 40 files, of which four change."""
        self.number += 1
        for index in range(40):
            file = self.folder / f"site/{index}.js"
            file.parent.mkdir(exist_ok=True)
            stamp = self.number if index < 4 else 0
            file.write_text("".join(f"step({index}, {line}, {stamp});\n" for line in range(500)))
        (self.folder / "site/index.html").write_text(f"<!doctype html><title>{self.number}</title>")
        version = f"1.{self.number}.0"
        self.run("build", "site", "--package", "shop", "--package-version", version, "--out", "packages", "--quiet")
        return self.run("publish", f"packages/shop-{version}.zip", "--channel", "stable", "--no-wait")

    def serve(self):
        self.server = subprocess.Popen([packtool, "serve", "--port", "0", "--quiet"], cwd=self.folder, env=self.environment,
                                       stdout=subprocess.PIPE, text=True)
        services.started.append(self.server)
        for line in self.server.stdout:
            found = re.search(r"http://127\.0\.0\.1:[0-9]+", line)
            if found:
                self.url = found.group(0)
                break
        timestamp = json.load(urllib.request.urlopen(f"{self.url}/metadata/timestamp.json"))
        self.snapshot = f"metadata/{timestamp['signed']['meta']['snapshot.json']['version']}.snapshot.json"

    def measure(self):
        for name, path in (("decide", "v1/update?channel=stable&package=shop&device=d1"), ("metadata", self.snapshot)):
            text = subprocess.run(["wrk", "-t1", "-c16", "-d3s", f"{self.url}/{path}"], check=True, capture_output=True, text=True).stdout
            if "Non-2xx" in text:
                sys.exit(f"{self.url}/{path}: {text}")
            self.rates[name].append(float(re.search(r"Requests/sec:\s+([0-9.]+)", text).group(1)))


def main():
    database, bucket = (pathlib.Path(tempfile.mkdtemp()) for _ in range(2))
    folder = Registry("folder", {})
    storage = Registry("PostgreSQL and SeaweedFS", {
        "PACKTOOL_REGISTRY": services.start_postgres(database), "PACKTOOL_FILES": "files", "PACKTOOL_STORAGE": services.start_seaweedfs(bucket),
        "AWS_ACCESS_KEY_ID": "AKIDPACKTOOL", "AWS_SECRET_ACCESS_KEY": services.SECRET})
    both = (folder, storage)
    for registry in both:
        registry.publish()
    for _ in range(PUBLICATIONS):
        for registry in both:
            registry.times.append(registry.publish())
    for registry in both:
        registry.serve()
    for _ in range(ROUNDS):
        for registry in both:
            registry.measure()
    publish = {registry.name: statistics.median(registry.times) for registry in both}
    rows = [("one more publication, ms", *(f"{publish[r.name] * 1000:.0f}" for r in both),
             publish[storage.name] / publish[folder.name], "≤ 2")]
    missed = [] if rows[0][3] <= 2 else ["one more publication"]
    for name, title in (("decide", "update decisions, 1/s"), ("metadata", "a metadata file, 1/s")):
        rates = [max(registry.rates[name]) for registry in both]
        rows.append((title, *(f"{rate:,.0f}" for rate in rates), rates[1] / rates[0], "≥ 0.8"))
        if rates[1] / rates[0] < 0.8:
            missed.append(title)
    table = f"The median of {PUBLICATIONS} publications, in turns; the best of {ROUNDS} rounds of `wrk -t1 -c16 -d3s`, in turns.\n\n"
    table += "| | folder | PostgreSQL and SeaweedFS | ratio | bar |\n| --- | --: | --: | --: | --: |\n"
    table += "\n".join(f"| {title} | {one} | {two} | {ratio:.2f} | {bar} |" for title, one, two, ratio, bar in rows)
    print(table)
    if os.environ.get("REPORT") == "1":
        subprocess.run([project / "Benchmarks/report.py", "storage"], input=table.encode(), check=True)
    if missed:
        sys.exit("missed: " + ", ".join(missed))


try:
    main()
finally:
    services.end()
