#!/usr/bin/env python3
"""The rate at which a server answers the checks of other systems' clients, beside that of its own devices (/v1/update): wrk, in turns. Each
asks for an update that there is, and for one that there is not. Fails below half of our own rate.

    scripts/bench-adapters.py        PACKTOOL names the binary
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

project = pathlib.Path(__file__).resolve().parent.parent
packtool = os.environ.get("PACKTOOL", str(project / ".build/bin/packtool"))
ROUNDS = 5
CHANNEL = "stable"


def capgo(version):
    return "/adapters/capgo/shop/updates", {
        "platform": "android", "device_id": "d1", "app_id": "com.example.shop", "custom_id": "", "version_build": "3.2.0",
        "version_code": "17", "version_os": "14", "version_name": version, "plugin_version": "7.4.0", "is_emulator": False,
        "is_prod": True, "defaultChannel": CHANNEL}


def ionic(version):
    device = {"binary_version": "3.2.0", "device_id": "d1", "platform": "android", "platform_version": "14"}
    if version == "1.1.0":
        device["snapshot"] = newest["snapshot"]
    return "/adapters/ionic/apps/shop/channels/check-device", {
        "channel_name": CHANNEL, "app_id": "shop", "device": device, "plugin_version": "5.5.3", "manifest": True}


def codepush(version):
    running = f"&package_hash={newest['hash']}&label=1.1.0" if version == "1.1.0" else ""
    return ("/adapters/codepush/v0.1/public/codepush/update_check?deployment_key=shop/stable&app_version=3.2"
            f"&is_companion=false&client_unique_id=d1{running}"), None


def capawesome(version):
    running = "=1.1.0" if version == "1.1.0" else ""
    return (f"/v1/apps/shop/bundles/latest?appVersionCode=17&appVersionName=3.2.0&bundleId{running}&channelName={CHANNEL}&customId"
            "&deviceId=d1&osVersion=34&platform=0&pluginVersion=8.4.1"), None


def chcp(version):
    # The client compares it itself.
    return f"/adapters/chcp/shop/{CHANNEL}/www/chcp.json", None


def offline(version):
    # It compares the files' versions itself.
    return f"/offline/manifest.json?channel={CHANNEL}&device=d1&app=3.2.0&platform=android", None


def own(version):
    return f"/v1/update?channel={CHANNEL}&package=shop&device=d1&version={version}", None


newest = {}
systems = {"own": own, "capgo": capgo, "codepush": codepush, "ionic": ionic, "capawesome": capawesome, "chcp": chcp,
           "offline": offline}


def ask(url, path, body):
    request = urllib.request.Request(url + path, data=body and json.dumps(body).encode(), headers={"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request))


def rate(url, folder, path, body):
    script = folder / "ask.lua"
    lines = [] if body is None else ['wrk.method = "POST"', f"wrk.body = {json.dumps(json.dumps(body))}",
                                     'wrk.headers["Content-Type"] = "application/json"']
    script.write_text("\n".join(lines) + "\n")
    text = subprocess.run(["wrk", "-t1", "-c16", "-d2s", "-s", str(script), url + path], check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in text:
        sys.exit(f"{path}: {text}")
    return float(re.search(r"Requests/sec:\s+([0-9.]+)", text).group(1))


def main():
    folder = pathlib.Path(tempfile.mkdtemp())

    def run(*command):
        subprocess.run([packtool, *command], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    run("init", "--template", "config", "--app", "bench")
    for version in ("1.0.0", "1.1.0"):
        for index in range(40):
            file = folder / f"site/{index}.js"
            file.parent.mkdir(exist_ok=True)
            file.write_text("".join(f"step({index}, {line}, '{version}');\n" for line in range(200)))
        (folder / "site/index.html").write_text(f"<!doctype html><title>{version}</title>")
        run("build", "site", "--package", "shop", "--package-version", version)
        run("publish", f"packages/shop-{version}.zip", "--channel", CHANNEL, "--yes")
    server = subprocess.Popen(
        [packtool, "serve", "--port", "0", "--quiet"] + [word for name in systems if name != "own" for word in ("--adapter", name)],
        cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        url = re.search(r"http://127\.0\.0\.1:[0-9]+", server.stdout.readline()).group(0)
        newest["snapshot"] = ask(url, *ionic("1.0.0"))["data"]["snapshot"]
        newest["hash"] = ask(url, *codepush("1.0.0"))["update_info"]["package_hash"]
        rates = {(name, version): [] for name in systems for version in ("1.0.0", "1.1.0")}
        for _ in range(ROUNDS):
            for name, version in rates:
                rates[name, version].append(rate(url, folder, *systems[name](version)))
    finally:
        server.kill()
    missed = []
    print("| checks, 1/s | an update | of ours | none | of ours |\n| --- | --: | --: | --: | --: |")
    for name in systems:
        best = [max(rates[name, version]) for version in ("1.0.0", "1.1.0")]
        ours = [max(rates["own", version]) for version in ("1.0.0", "1.1.0")]
        ratios = [mine / their for mine, their in zip(best, ours)]
        print(f"| {name} | {best[0]:,.0f} | {ratios[0]:.2f} | {best[1]:,.0f} | {ratios[1]:.2f} |")
        missed += [f"{name}: {ratio:.2f}" for ratio in ratios if ratio < 0.5]
    if missed:
        sys.exit("below half: " + ", ".join(missed))


main()
