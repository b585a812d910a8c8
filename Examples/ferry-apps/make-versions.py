#!/usr/bin/env python3
"""Makes three versions of two small web apps as a bundler would leave them: hashed names, minified scripts, shared chunks.

    make-versions.py OUT    writes OUT/{1.0.0,1.1.0,1.2.0}/{tickets,help}/{package.json,dist/}

1.1.0 changes one view. 1.2.0 is broken: its first script throws before anything is drawn. The same bytes every time.
"""

import hashlib
import json
import pathlib
import random
import sys

VERSIONS = ["1.0.0", "1.1.0", "1.2.0"]
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$"
WORDS = (
    "pier harbour ferry ticket return single child adult group bicycle deck lounge platform notice delay weather tide "
    "summer winter timetable connection island lighthouse market station refund receipt seat window cabin luggage"
).split()


def short_name(number: int) -> str:
    """The name that a minifier gives to its number-th identifier."""
    name = LETTERS[number % 54]
    number //= 54
    while number:
        number -= 1
        name += LETTERS[number % 54]
        number //= 54
    return name


def library(seed: str, count: int, shift: int = 0) -> str:
    """A chunk of minified functions that call each other; `shift` renames all of them, as any change does."""
    chance = random.Random(seed)
    parts = []
    names = []
    for index in range(count):
        name = "v" + short_name(index + shift)
        first, second = chance.sample(WORDS, 2)
        body = [f'const r={{id:{chance.randrange(10**6)},kind:"{first}-{second}"}}']
        if names:
            body.append(f"if(n>{chance.randrange(3, 90)})return {chance.choice(names)}(n-{chance.randrange(1, 9)},o)")
        body.append(f'o&&(r.label=o+" {chance.choice(WORDS)} {chance.choice(WORDS)}")')
        body.append(f"return Object.freeze({{...r,at:n*{chance.randrange(2, 500)}%{chance.randrange(500, 9999)}}})")
        parts.append(f"function {name}(n,o){{{';'.join(body)}}}")
        names.append(name)
    parts.append(f"export{{{','.join(f'{name} as f{index}' for index, name in enumerate(names))}}};")
    return "".join(parts)


def hashed(stem: str, suffix: str, text: str) -> str:
    return f"assets/{stem}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.{suffix}"


def app(name: str, version: str) -> dict[str, str]:
    title = {"tickets": "Tickets", "help": "Help"}[name]
    later = version != "1.0.0"
    broken = version == "1.2.0" and name == "tickets"
    files: dict[str, str] = {}

    def add(stem: str, suffix: str, text: str) -> str:
        path = hashed(stem, suffix, text)
        files[path] = text
        return path.removeprefix("assets/")

    vendor = add("vendor", "js", library("vendor", 900))
    style = add("index", "css", "".join(f".{word}{{color:hsl({7 * i} 40% 40%);margin:{i}px}}" for i, word in enumerate(WORDS)))
    # One more function in the views renames all that follow it, and the hash of the chunk with it.
    views = add("views", "js", f'import{{f7 as p}}from"./{vendor}";' + library(f"{name} views", 260, shift=1 if later else 0))
    failure = 'throw new Error("ready is not a function");' if broken else ""
    note = "Now with bicycles" if later else "Singles and returns"
    main = add(
        "index",
        "js",
        f'import{{f3 as t}}from"./{vendor}";import{{f5 as v}}from"./{views}";{failure}'
        f'const m=document.querySelector("#app");m.textContent="{title}: {note}";'
        'm.dataset.rows=[...Array(8).keys()].map(n=>t(n,"row").at+v(n,"view").at).join();globalThis.packtool?.confirm?.();',
    )
    files["index.html"] = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<link rel="modulepreload" href="assets/{vendor}"><link rel="stylesheet" href="assets/{style}">'
        f'<script type="module" src="assets/{main}"></script></head>'
        f'<body><h1>{title}</h1><main id="app">Loading</main><p><a href="about.html">About</a></p></body></html>\n'
    )
    files["about.html"] = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>About</title>'
        f'<link rel="stylesheet" href="assets/{style}"></head><body><p>{title} {version}</p>'
        '<p><a href="index.html">Back</a></p></body></html>\n'
    )
    files["data/fares.json"] = json.dumps({word: 100 + 25 * i for i, word in enumerate(WORDS)}, indent=1) + "\n"
    return files


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    for version in VERSIONS:
        for name in ("tickets", "help"):
            folder = out / version / name
            (folder / "dist").mkdir(parents=True, exist_ok=True)
            (folder / "package.json").write_text(json.dumps({"name": name, "version": version}) + "\n")
            for path, text in app(name, version).items():
                file = folder / "dist" / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")


main()
