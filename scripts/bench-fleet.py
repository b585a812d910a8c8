#!/usr/bin/env python3
"""What 100 million devices ask a content delivery network and its origin for around a release, and what that costs: by a sample of
devices that decide with the device's own code, and by the bytes of real updates of a public web build, measured on the wire.

    scripts/bench-fleet.py [SET]        of Benchmarks/datasets.json; chainlit if none is given

PACKTOOL names the program, DEVICES, SAMPLE and SEED say otherwise. Prices are those of Benchmarks/prices.json. Prints tables; with
REPORT=1 writes them into docs/BENCHMARKS.md. Fails where the model of a cache is off what is counted request by request."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
os.chdir(ROOT)
sys.path[:0] = ["Tests/Tools", "Benchmarks"]
from other_protocols import HEADS, missing_files
from packtool_runs import Packtool, counted
from public_builds import OTHERS_BUILDS, with_page

BINARY = pathlib.Path(os.environ.get("PACKTOOL", ".build/bin/packtool"))
DEVICES, SAMPLE, SEED = (int(os.environ.get(name, value)) for name, value in (("DEVICES", 100_000_000), ("SAMPLE", 200_000), ("SEED", 14)))
POINTER_SECONDS = [0, 5, 60]
WAYS = {"packtool": "**packtool**", "files": "each missing file, brotli", "zip": "the whole zip"}
HOUR = 60
# Version 1.1.0 is what most run. 1.2.0 goes out in steps from 9 o'clock (UTC) on.
RAMP = [(9 * HOUR, 1), (11 * HOUR, 10), (13 * HOUR, 25), (16 * HOUR, 100)]
DAY = [{"minute": 0, "offers": [["r1", "1.1.0", 100]]}] + [
    {"minute": minute, "offers": [["r2", "1.2.0", share], ["r1", "1.1.0", 100]]} for minute, share in RAMP]
# A fifth of the devices cannot start it. Twenty minutes after it reached a quarter it is taken back, three hours later 1.3.0 is out.
INCIDENT = DAY[:4] + [
    {"minute": 13 * HOUR + 20, "offers": [["r3", "1.1.0", 100]]},
    {"minute": 16 * HOUR + 20, "offers": [["r4", "1.3.0", 10], ["r3", "1.1.0", 100]]},
    {"minute": 17 * HOUR + 20, "offers": [["r4", "1.3.0", 100], ["r3", "1.1.0", 100]]}]
# How likely an app is opened in each hour of the local day.
HOURS = [2, 1, 1, 1, 1, 2, 4, 6, 7, 6, 5, 5, 6, 6, 5, 5, 5, 6, 7, 8, 9, 8, 6, 4]
REGIONS = [{"part": 0.35, "hours": 1, "edges": 14}, {"part": 0.25, "hours": -6, "edges": 12},
           {"part": 0.1, "hours": -3, "edges": 4}, {"part": 0.3, "hours": 8, "edges": 10}]
BASES = [{"version": "1.1.0", "part": 0.85}, {"version": "1.0.0", "part": 0.14}, {"version": "", "part": 0.01}]


class Registry:
    """A registry behind its server, and devices that update from it and are counted."""

    def __init__(self, work):
        self.tool, self.folder = Packtool(BINARY, work), work / "app"
        self.folder.mkdir()
        self.tool.expect(self.folder, "init", "--template", "config")
        (self.folder / "packtool.json").write_text(json.dumps(OTHERS_BUILDS))
        _, self.port, said = self.tool.serving(self.folder, "serve")
        if not self.port:
            sys.exit(said.read_text())

    def publish(self, build, version):
        self.tool.expect(self.folder, "build", str(with_page(build, self.folder / "dist")), "--package", "app",
                         "--package-version", version, "--out", "packages", "--whole-project", "--quiet")
        self.tool.expect(self.folder, "publish", f"packages/app-{version}.zip", "--channel", "beta", "--quiet")

    def update(self, store, base=None, reports=False):
        """The requests of an update of a copy of `base`; it is started and confirmed then."""
        if base:
            shutil.copytree(self.folder / base, self.folder / store)
        more = ["--root", ".packtool/root.json"] + (["--reports", "on"] if reports else [])
        cost = counted(self.tool, self.folder, self.port, *more, store=store)
        for command in ("start", "confirm"):
            self.tool.expect(self.folder, "client", command, "--store", store, "--package", "app")
        return cost

    def idle(self, store):
        return counted(self.tool, self.folder, self.port, store=store, codes=(2,))


def requests(cost):
    """Each request of an update: heads are counted for all together."""
    down = (cost["down"] - sum(cost["sizes"][path] for path in cost["paths"])) / cost["requests"]
    return [request(path, cost["up"] / cost["requests"], down + cost["sizes"][path]) for path in cost["paths"]]


def request(path, up, down):
    for start, end, name in (("/metadata/timestamp", "", "pointer"), ("/metadata/", "", "metadata"), ("/targets/channels", "", "metadata"),
                             ("/v1/bundle", "", "bundle"), ("/targets/manifests", "", "manifests"), ("/patches/", ".update", "updates"),
                             ("/patches/", "full.zst", "full downloads"), ("/patches/", "", "patches")):
        if path.startswith(start) and path.endswith(end):
            break
    else:
        sys.exit(f"bench-fleet: a device asked for {path}, which the plan does not know")
    # A first answer for a new device is made by the server for each publication.
    caching = {"pointer": "pointer", "bundle": "never"}.get(name, "immutable")
    return {"path": name, "caching": caching, "isOfPublication": name == "metadata", "up": up, "down": down}


def measured(builds):
    """The ways between the versions, and what a check costs."""
    with tempfile.TemporaryDirectory() as work:
        registry = Registry(pathlib.Path(work))
        try:
            ways, found = {}, {}
            registry.publish(builds[0], "1.0.0")
            found["new"] = registry.update("d0")
            registry.publish(builds[1], "1.1.0")
            ways[">1.1.0"] = registry.update("d1")
            ways["1.0.0>1.1.0"] = registry.update("d01", "d0")
            found["idle"] = registry.idle("d1")
            registry.publish(builds[2], "1.2.0")
            ways[">1.2.0"] = registry.update("d2")
            ways["1.1.0>1.2.0"] = registry.update("d12", "d1")
            ways["1.0.0>1.2.0"] = registry.update("d02", "d0")
            found["reporting"] = registry.update("d12r", "d1", reports=True)
            registry.tool.expect(registry.folder, "rollback", "app", "--to", "1.1.0", "--channel", "beta", "--yes")
            ways["1.2.0>1.1.0"] = registry.update("d021", "d02")
            registry.publish(builds[3], "1.3.0")
            ways[">1.3.0"] = registry.update("d3")
            for name, store in (("1.0.0", "d0"), ("1.1.0", "d1"), ("1.2.0", "d12")):
                ways[f"{name}>1.3.0"] = registry.update(f"{store}-3", store)
        finally:
            registry.tool.stop()
    return ways, found


def plan(builds):
    ways, found = measured(builds)
    idle = requests(found["idle"])
    if [r["path"] for r in idle] != ["pointer"]:
        sys.exit(f"bench-fleet: a check that finds nothing asks for {found['idle']['paths']}")
    every = {change: requests(cost) for change, cost in ways.items()}
    # What a check after a publication asks for in any case.
    check = [r for r in every["1.1.0>1.2.0"] if r["path"] in ("pointer", "metadata")]
    own = {change: [r for r in all if r["path"] not in ("pointer", "metadata")] for change, all in every.items()}
    report = {"path": "reports", "caching": "never", "up": found["reporting"]["up"] - ways["1.1.0>1.2.0"]["up"],
              "down": found["reporting"]["down"] - ways["1.1.0>1.2.0"]["down"]}
    folders = dict(zip(("1.0.0", "1.1.0", "1.2.0", "1.3.0"), builds))
    others = {"files": {}, "zip": {}}
    for change in own:
        before, after = change.split(">")
        count, size = missing_files(folders.get(before), folders[after])
        one = {"caching": "immutable", "up": HEADS / 2, "down": HEADS / 2}
        others["files"][change] = [{**one, "path": "files", "count": count, "up": count * HEADS / 2, "down": size + count * HEADS / 2}] if count else []
        with tempfile.TemporaryDirectory() as folder:
            archive = pathlib.Path(folder) / "all.zip"
            subprocess.run(["zip", "-9", "-X", "-q", "-r", archive, "."], cwd=folders[after], check=True)
            others["zip"][change] = [{**one, "path": "zips", "down": archive.stat().st_size + HEADS / 2}]
    return {
        "devices": DEVICES, "sample": SAMPLE, "seed": SEED, "minutes": 36 * HOUR, "opensPerDay": 4, "hours": HOURS, "regions": REGIONS,
        "bases": BASES, "renewalMinutes": 24 * HOUR, "pointerSeconds": POINTER_SECONDS, "idle": idle,
        "renewed": [r for r in check if r["path"] == "pointer"], "changed": check, "report": [report],
        "ways": {"packtool": own, **others}}


def simulated(plan, publications, incident):
    days = [{"minute": p["minute"], "offers": [dict(zip(("release", "version", "share"), o)) for o in p["offers"]]} for p in publications]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({**plan, "publications": days, "incident": incident}, file)
        file.flush()
        lines = subprocess.run(["Benchmarks/.build/release/fleet", file.name], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in lines.splitlines():
        kind, *values = line.split("\t")
        found.setdefault(kind, []).append(values)
    return found


def cost(prices, bytes_down, count):
    """US dollars, where the month has nothing else."""
    gigabytes, start, total = bytes_down / 1e9, 0, 0.0
    for end, price in prices["perGB"]:
        part = max(0.0, (gigabytes if end is None else min(gigabytes, end)) - start)
        total += part * price
        start = end
    return total + count / 10_000 * prices["per10000Requests"]


def table(name, found, prices):
    lines = [f"**{name}**", "", "| delivered as | requests | busiest minute, 1/s | TB down | busiest minute, Gbit/s | reports and first answers | "
             + " | ".join(p["name"] for p in prices) + " |", "| --- |" + " --: |" * (5 + len(prices))]
    for way, title in WAYS.items():
        paths = {p[1]: [float(v) for v in p[2:]] for p in found["path"] if p[0] == way}
        count, down = sum(p[0] for p in paths.values()), sum(p[2] for p in paths.values())
        own = sum(p[0] for n, p in paths.items() if n in ("reports", "bundle"))
        peak, bits = next((float(p[1]), float(p[2]) * 8 / 1e9) for p in found["peak"] if p[0] == way)
        lines.append(f"| {title} | {count / 1e6:,.0f} M | {peak:,.0f} | {down / 1e12:,.2f} | {bits:,.2f} | {own / 1e6:,.1f} M | "
                     + " | ".join(f"${cost(p, down, count):,.0f}" for p in prices) + " |")
    lines += ["", "| delivered as | edges keep the pointer for | of the requests, answered by edges | the origin: requests | busiest minute, 1/s | TB |",
              "| --- | --: | --: | --: | --: | --: |"]
    for way, title in WAYS.items():
        all_requests = sum(float(p[2]) for p in found["path"] if p[0] == way)
        for _, seconds, count, size, peak in (o for o in found["origin"] if o[0] == way):
            lines.append(f"| {title} | {float(seconds):.0f} s | {100 * (1 - float(count) / all_requests):.2f} % | {float(count) / 1e6:,.2f} M | "
                         f"{float(peak):,.0f} | {float(size) / 1e12:,.3f} |")
    return lines


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "chainlit"
    versions = json.loads(pathlib.Path("Benchmarks/datasets.json").read_text())["sets"][name]["versions"][-4:]
    subprocess.run(["scripts/fetch-datasets.sh", name], check=True, stdout=sys.stderr)
    subprocess.run(["swift", "build", "-c", "release", "--static-swift-stdlib", "--package-path", "Benchmarks", "--product", "fleet"],
                   check=True, stdout=sys.stderr)
    prices = json.loads(pathlib.Path("Benchmarks/prices.json").read_text())["lists"]
    assumed = plan([pathlib.Path(".cache/datasets").resolve() / name / version for version in versions])
    # The model of a cache against what is counted request by request, where each device stands for itself.
    small = simulated({**assumed, "devices": 40_000, "sample": 40_000}, DAY, None)
    off = [(float(seconds), int(counted_), float(model)) for way, seconds, counted_, model in small["misses"] if way == "packtool"]
    faults = [f"bench-fleet: {model:.0f} misses by the model where {number} were counted (pointer kept for {seconds:g} s)"
              for seconds, number, model in off if abs(model / number - 1) > 0.02]
    lines = [f"{DEVICES:,} devices, by a sample of {SAMPLE:,} (seed {SEED}), 36 hours from midnight (UTC); {name} {', '.join(versions)} as 1.0.0 to 1.3.0."]
    day, trouble = simulated(assumed, DAY, None), simulated(assumed, INCIDENT, {"version": "1.2.0", "part": 0.2})
    lines += [""] + table("A release in four steps", day, prices) + [""] + table("The same release, taken back, and mended", trouble, prices)
    reached = [(int(hour), float(active), float(current)) for hour, active, current in day["reached"]]
    lines += ["", "Of the devices whose app was opened by then, those that have 1.2.0: " + ", ".join(
        f"{hour + 1}:00 {100 * current / active:.0f} %" for hour, active, current in reached if active and hour + 1 in (9, 10, 12, 15, 17, 20, 24, 30, 36)) + "."]
    lines += ["", "The model of a cache beside a count of each request (40,000 devices that stand for themselves; requests to the origin for the pointer): "
              + "; ".join(f"kept for {seconds:.0f} s {model:,.0f}, counted {number:,}" for seconds, number, model in off) + "."]
    text = "\n".join(lines)
    print(text)
    if os.environ.get("REPORT") == "1":
        subprocess.run(["Benchmarks/report.py", "fleet"], input=text.encode(), check=True)
    sys.exit("\n".join(faults) or 0)


main()
