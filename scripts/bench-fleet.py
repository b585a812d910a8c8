#!/usr/bin/env python3
"""What 100 million devices ask a content delivery network and its origin for around a release, and what that costs: by a sample of
devices that decide with the device's own code, and by the bytes of real updates of a public web build, measured on the wire.

    scripts/bench-fleet.py [SET]        of Benchmarks/datasets.json; chainlit if none is given

PACKTOOL names the program; DEVICES, SAMPLE and SEED override the defaults. Prices are those of Benchmarks/prices.json. Prints tables;
with REPORT=1 writes them into docs/BENCHMARKS.md. Fails where the model of a cache differs from a count of each request."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
os.chdir(ROOT)
sys.path.insert(0, "Benchmarks")
from other_protocols import HEADS, file_list, missing_files, whole_zip
from public_builds import BuildRegistry

BINARY = pathlib.Path(os.environ.get("PACKTOOL", ".build/bin/packtool"))
DEVICES, SAMPLE, SEED = (int(os.environ.get(name, value)) for name, value in (("DEVICES", 100_000_000), ("SAMPLE", 200_000), ("SEED", 14)))
POINTER_SECONDS = [0, 5, 60]
WAYS = {"packtool": "**packtool's patches**", "files": "each missing file in brotli, and a list", "zip": "the whole zip"}
# Devices that stand for themselves.
SMALL = 40_000
# A day.
OPENS = 4
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


KINDS = (("/metadata/timestamp", "", "pointer"), ("/metadata/", "", "metadata"), ("/targets/channels", "", "metadata"),
         ("/v1/bundle", "", "first answers"), ("/targets/manifests", "", "manifests"), ("/patches/", ".update", "updates"),
         ("/patches/", "full.zst", "full downloads"), ("/patches/", "", "patches"))


def requests(cost, change, head):
    """Each request of an update.

    An answer that is no file of the view, one at most, has the bytes that are left."""
    down = {path: head + size for path, size in cost["sizes"].items()}
    unknown = [path for path, size in cost["sizes"].items() if size == 0]
    if len(unknown) > 1:
        sys.exit(f"bench-fleet: {change} asked for {unknown}, which are no files")
    rest = cost["down"] - sum(down[path] for path in cost["paths"] if path not in unknown)
    for path in unknown or cost["paths"][-1:]:
        down[path] = rest if unknown else down[path] + rest
    result = [request(path, change, cost["up"] / cost["requests"], down[path]) for path in cost["paths"]]
    if sum(r["path"] == "metadata" for r in result) > 1:
        sys.exit(f"bench-fleet: {change} asked for several documents of metadata")
    return result


def request(path, change, up, down):
    """A full download is kept for ever here, though its Cache-Control says an hour: a cache asks for it again once an hour then."""
    name = next((name for start, end, name in KINDS if path.startswith(start) and path.endswith(end)), None)
    if not name:
        sys.exit(f"bench-fleet: a device asked for {path}, which is not foreseen")
    # The configurations of templates/cdn pass on what begins with /v1.
    caching = {"pointer": "pointer", "first answers": "never"}.get(name, "immutable")
    version = change.split(">")[-1]
    return {"path": name, "caching": caching, "isOfPublication": name == "metadata", "up": up, "down": down,
            "name": version if name in ("full downloads", "manifests") else change}


def measured(builds):
    """What the ways between the versions cost, an idle check, and an update that is reported."""
    with tempfile.TemporaryDirectory() as work, BuildRegistry(BINARY, pathlib.Path(work)) as registry:
        ways = {}
        registry.publish(builds[0], "1.0.0")
        registry.update("d0")
        registry.publish(builds[1], "1.1.0")
        ways[">1.1.0"] = registry.update("d1")
        ways["1.0.0>1.1.0"] = registry.update("d01", "d0")
        idle = registry.idle_check("d1")
        registry.publish(builds[2], "1.2.0")
        ways[">1.2.0"] = registry.update("d2")
        ways["1.1.0>1.2.0"] = registry.update("d12", "d1")
        ways["1.0.0>1.2.0"] = registry.update("d02", "d0")
        reported = registry.update("d12r", "d1", reports=True)
        registry.run("rollback", "app", "--to", "1.1.0", "--channel", "beta", "--yes")
        ways["1.2.0>1.1.0"] = registry.update("d021", "d02")
        registry.publish(builds[3], "1.3.0")
        ways[">1.3.0"] = registry.update("d3")
        for name, store in (("1.0.0", "d0"), ("1.1.0", "d1"), ("1.2.0", "d12")):
            ways[f"{name}>1.3.0"] = registry.update(f"{store}-3", store)
    return ways, idle, reported


def plan(builds):
    ways, idle, reported = measured(builds)
    if idle["paths"] != ["/metadata/timestamp.json"]:
        sys.exit(f"bench-fleet: a check that finds nothing asked for {idle['paths']}")
    every = {change: requests(cost, change, idle["down"]) for change, cost in ways.items()}
    # What a check after a publication asks for in any case, and a new device.
    check = [r for r in every["1.1.0>1.2.0"] if r["path"] in ("pointer", "metadata")]
    first = [r for r in every[">1.2.0"] if r["path"] == "first answers"]
    for change, all_requests in every.items():
        asked = {r["path"] for r in all_requests} & {"pointer", "metadata", "first answers"}
        if asked != ({"first answers"} if change.startswith(">") else {"pointer", "metadata"}):
            sys.exit(f"bench-fleet: {change} asked for {asked} before it decided")
    own = {change: [r for r in all_requests if r["path"] not in ("pointer", "metadata", "first answers")]
           for change, all_requests in every.items()}
    plain = ways["1.1.0>1.2.0"]
    if reported["requests"] != plain["requests"] + 1:
        sys.exit(f"bench-fleet: an update that is reported asked for {reported['paths']}")
    report = {"path": "reports", "caching": "never", "up": reported["up"] - plain["up"], "down": reported["down"] - plain["down"]}
    folders = dict(zip(("1.0.0", "1.1.0", "1.2.0", "1.3.0"), builds))
    # The metadata is ours in each row, so that only what brings the content differs.
    others = {"files": {}, "zip": {}}
    for change in own:
        before, after = change.split(">")
        count, size = missing_files(folders.get(before), folders[after])
        one = {"caching": "immutable", "up": HEADS / 2, "down": HEADS / 2}
        others["files"][change] = [{**one, "path": "file lists", "name": after, "down": file_list(folders[after]) + HEADS / 2}]
        if count:
            others["files"][change].append(
                {**one, "path": "files", "name": change, "count": count, "up": count * HEADS / 2, "down": size + count * HEADS / 2})
        others["zip"][change] = [{**one, "path": "zips", "name": after, "down": whole_zip(folders[after]) + HEADS / 2}]
    return {
        "devices": DEVICES, "sample": SAMPLE, "seed": SEED, "minutes": 36 * HOUR, "opensPerDay": OPENS, "hours": HOURS, "regions": REGIONS,
        "bases": BASES, "renewalMinutes": 24 * HOUR, "pointerSeconds": POINTER_SECONDS, "first": first, "idle": [
            {**check[0], "up": idle["up"], "down": idle["down"]}],
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
    lines = [f"**{name}**", "",
             "| content as | requests | 1/s at most | TB down | Gbit/s at most | " + " | ".join(p["name"] for p in prices) + " |",
             "| --- |" + " --: |" * (4 + len(prices))]
    for way, title in WAYS.items():
        paths = [[float(value) for value in p[2:]] for p in found["path"] if p[0] == way]
        count, down = sum(p[0] for p in paths), sum(p[2] for p in paths)
        peak, bits = next((float(p[1]), float(p[2]) * 8 / 1e9) for p in found["peak"] if p[0] == way)
        dollars = " | ".join(f"${cost(p, down, count):,.0f}" for p in prices)
        lines.append(f"| {title} | {count / 1e6:,.0f} M | {peak:,.0f} | {down / 1e12:,.2f} | {bits:,.2f} | {dollars} |")
    own = [(path, [float(value) for value in rest]) for way, path, *rest in found["path"] if way == "packtool"]
    asked, reports = sum(p[1][0] for p in own), next(p[1] for p in own if p[0] == "reports")
    lines += ["", "| edges keep the pointer for | answered by edges | requests to the origin, reports aside | 1/s at most, with reports | TB |",
              "| --: | --: | --: | --: | --: |"]
    for _, seconds, count, size, peak in (o for o in found["origin"] if o[0] == "packtool"):
        lines.append(f"| {float(seconds):.0f} s | {100 * (1 - float(count) / asked):.2f} % | {(float(count) - reports[0]) / 1e6:,.2f} M | "
                     f"{float(peak):,.0f} | {float(size) / 1e12:,.3f} |")
    lines += ["", "| asked for, where packtool brings the content | requests | KB, mean | 1/s at most |", "| --- | --: | --: | --: |"]
    for path, (count, _, down, peak) in own:
        lines.append(f"| {path} | {count / 1e6:,.1f} M | {down / count / 1e3:,.2f} | {peak:,.0f} |")
    return lines


def progress(found, hours=(9, 10, 12, 15, 17, 20, 24, 30, 36)):
    reached = {int(hour) + 1: float(current) / max(float(active), 1) for hour, active, current in found["reached"]}
    return ", ".join(f"{100 * reached[hour]:.0f} % at {hour % 24}:00" + (" of the second day" if hour > 24 else "") for hour in hours)


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "chainlit"
    versions = json.loads(pathlib.Path("Benchmarks/datasets.json").read_text())["sets"][name]["versions"][-4:]
    subprocess.run(["scripts/fetch-datasets.sh", name], check=True, stdout=sys.stderr)
    subprocess.run(["swift", "build", "-c", "release", "--static-swift-stdlib", "--package-path", "Benchmarks", "--product", "fleet"],
                   check=True, stdout=sys.stderr)
    prices = json.loads(pathlib.Path("Benchmarks/prices.json").read_text())["lists"]
    assumed = plan([pathlib.Path(".cache/datasets").resolve() / name / version for version in versions])
    # The model of a cache beside a count of each request, where each device stands for itself.
    small = simulated({**assumed, "devices": SMALL, "sample": SMALL}, DAY, None)
    beside = [(float(seconds), int(counted), float(model)) for way, seconds, counted, model in small["misses"] if way == "packtool"]
    faults = [f"bench-fleet: {model:.0f} requests by the model where {counted} were counted (pointer kept for {seconds:g} s)"
              for seconds, counted, model in beside if abs(model / counted - 1) > 0.02]
    day, trouble = simulated(assumed, DAY, None), simulated(assumed, INCIDENT, {"version": "1.2.0", "part": 0.2})
    lines = [
        f"{DEVICES:,} devices, by a sample of {SAMPLE:,} (seed {SEED}), in 36 hours from midnight UTC, before {sum(r['edges'] for r in REGIONS)} edges. "
        f"An app is opened {OPENS} times a day, by the hours of its place, and checks each time. {name} {', '.join(versions)} are 1.0.0 to "
        f"1.3.0; {', '.join(f'{100 * b_part:.0f} %' for b_part in (b['part'] for b in BASES))} of the devices have 1.1.0, 1.0.0 and nothing. *At most*: in "
        "the busiest ten minutes.", ""]
    lines += table("1.2.0 to 1 % at 9:00, 10 % at 11:00, 25 % at 13:00, all at 16:00", day, prices)
    lines += ["", f"Of the devices whose app was opened by then, so many have 1.2.0: {progress(day)}.", ""]
    lines += table("A fifth cannot start 1.2.0: taken back at 13:20, 1.3.0 to 10 % at 16:20, to all at 17:20", trouble, prices)
    lines += ["", f"So many have 1.3.0: {progress(trouble, (17, 18, 20, 24, 30, 36))}.", "",
              f"The model of a cache beside a count of each request for the pointer that reaches the origin, with {SMALL:,} devices: "
              + "; ".join(f"kept for {seconds:.0f} s, {model:,.0f} and {counted:,}" for seconds, counted, model in beside) + "."]
    text = "\n".join(lines)
    print(text)
    if os.environ.get("REPORT") == "1":
        subprocess.run(["Benchmarks/report.py", "fleet"], input=text.encode(), check=True)
    sys.exit("\n".join(faults) or 0)


main()
