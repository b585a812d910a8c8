#!/usr/bin/env python3
"""Writes man pages from what the commands say of themselves: make-manual.py PACKTOOL OUT.

One page for the program and one for each command (packtool-build.1), from what `--experimental-dump-help` prints.
"""

import json
import pathlib
import subprocess
import sys

EXIT_CODES = [
    ("0", "Done."),
    ("1", "Failed: bad input or a fault; nothing was changed."),
    ("2", "There was nothing to do, or a policy refused it."),
    ("64", "The command line was not understood."),
]
ENVIRONMENT = [
    ("PACKTOOL_REGISTRY", "The registry, where --registry is not given: a folder or a URL."),
    ("PACKTOOL_TOKEN", "The access token for a registry over HTTP."),
    ("PACKTOOL_KEY", "The publisher's private key: a PEM text, base64 of one, or the path of a key file."),
    ("PACKTOOL_PASSPHRASE", "The passphrase of the key files."),
    ("PACKTOOL_CA", "A file of certificate authorities to trust besides the system's."),
    ("NO_COLOR", "No colour, whatever its value."),
]


def escape(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.split("\n"))


def option_names(argument: dict) -> str:
    names = [("-" if n["kind"] == "short" else "--") + n["name"] for n in argument.get("names") or []]
    value = "" if argument["kind"] == "flag" else f" \\fI{escape(argument.get('valueName', 'value'))}\\fR"
    return ", ".join(f"\\fB{escape(name)}\\fR" for name in names) + value


def synopsis(argument: dict) -> str:
    if argument["kind"] == "positional":
        text = f"\\fI{escape(argument['valueName'])}\\fR"
    else:
        text = option_names({**argument, "names": [argument["preferredName"]]})
    if argument.get("isRepeating"):
        text += " ..."
    return f"[{text}]" if argument.get("isOptional") else text


def shown(items: list) -> list:
    return [item for item in items or [] if item.get("shouldDisplay", True)]


def page(path: list[str], command: dict) -> str:
    title = "-".join(path)
    arguments = shown(command.get("arguments"))
    subcommands = [item for item in shown(command.get("subcommands")) if item["commandName"] != "help"]
    out = [f'.TH "{title.upper()}" 1 "" "packtool" "packtool manual"', ".SH NAME"]
    out.append(f"{escape(title)} \\- {escape(command.get('abstract', ''))}")
    out += [".SH SYNOPSIS", f"\\fB{escape(' '.join(path))}\\fR"]
    out += [synopsis(argument) for argument in arguments] or []
    if subcommands:
        out.append("\\fIcommand\\fR ...")
    if text := command.get("discussion"):
        out += [".SH DESCRIPTION", ".nf", escape(text), ".fi"]
    if subcommands:
        out.append(".SH COMMANDS")
        for sub in subcommands:
            name = escape("-".join([*path, sub["commandName"]]))
            out += [".TP", f"\\fB{name}\\fR(1)", escape(sub.get("abstract", ""))]
    if arguments:
        out.append(".SH OPTIONS")
        for argument in arguments:
            head = f"\\fI{escape(argument['valueName'])}\\fR" if argument["kind"] == "positional" else option_names(argument)
            text = argument.get("abstract", "")
            if default := argument.get("defaultValue"):
                text += f" (default: {default})"
            if values := argument.get("allValues"):
                text += f" One of {', '.join(values)}."
            out += [".TP", head, escape(text)]
    for heading, rows in (("ENVIRONMENT", ENVIRONMENT), ("EXIT STATUS", EXIT_CODES)):
        out.append(f".SH {heading}")
        for name, text in rows:
            out += [".TP", f"\\fB{escape(name)}\\fR", escape(text)]
    return "\n".join(out) + "\n"


def write(path: list[str], command: dict, out: pathlib.Path) -> int:
    (out / f"{'-'.join(path)}.1").write_text(page(path, command), encoding="utf-8")
    count = 1
    for sub in shown(command.get("subcommands")):
        if sub["commandName"] != "help":
            count += write([*path, sub["commandName"]], sub, out)
    return count


tool, out = sys.argv[1], pathlib.Path(sys.argv[2])
help_text = subprocess.run([tool, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
out.mkdir(parents=True, exist_ok=True)
command = json.loads(help_text)["command"]
for old in [*out.glob(f"{command['commandName']}.1"), *out.glob(f"{command['commandName']}-*.1")]:
    old.unlink()
print(f"{write([command['commandName']], command, out)} man pages in {out}")
