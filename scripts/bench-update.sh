#!/usr/bin/env bash
# Bytes of real updates: packtool's patches beside what others send, for all consecutive versions of the web builds in
# Benchmarks/datasets.json (downloaded from PyPI first). Prints a table; with REPORT=1 writes it into docs/BENCHMARKS.md.
#
#   scripts/bench-update.sh [SET...]
#
# What was measured is kept in .cache/bench-update, so an interrupted run goes on. DATASETS names another list of builds.
# QUICK=1 leaves out bsdiff and xdelta3, which take most of the time.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/fetch-datasets.sh "$@"
swift build -c release --static-swift-stdlib --package-path Benchmarks --product patch-sizes >&2
tool=Benchmarks/.build/release/patch-sizes
exec python3 - "$tool" "$@" <<'PYTHON'
import hashlib, json, math, os, pathlib, resource, subprocess, sys, tempfile, time

tool, wanted = sys.argv[1], sys.argv[2:]
sets = json.loads(pathlib.Path(os.environ.get("DATASETS", "Benchmarks/datasets.json")).read_text())["sets"]
cache = pathlib.Path(".cache/bench-update")
cache.mkdir(parents=True, exist_ok=True)
stamp = hashlib.sha256(pathlib.Path(tool).read_bytes()).hexdigest()[:12]
quick = os.environ.get("QUICK") == "1"


def whole(folder):
    return {str(p.relative_to(folder)): p for p in sorted(folder.rglob("*")) if p.is_file()}


def files(folder):
    """What a package holds: no compressed copies beside their originals (packtool build leaves them out)."""
    found = whole(folder)
    return {n: p for n, p in found.items()
            if not any(n.endswith(e) and n[:-len(e)] in found for e in (".gz", ".br", ".zst"))}


def copies(before, after):
    """Bytes of the missing compressed copies: who sends each missing file of the folder sends them too, and brotli makes
    them no smaller."""
    had = {hashlib.sha256(p.read_bytes()).digest() for p in whole(before).values()}
    kept = files(after)
    missing = {hashlib.sha256(p.read_bytes()).digest(): p for n, p in whole(after).items() if n not in kept}
    return sum(size(p) for digest, p in missing.items() if digest not in had)


def run(*command, **options):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)


def size(path):
    return os.path.getsize(path)


def measure(name, before, after):
    old, new = files(before), files(after)
    digest = {p: hashlib.sha256(p.read_bytes()).digest() for p in [*old.values(), *new.values()]}
    had, has = {digest[p] for p in old.values()}, {digest[p] for p in new.values()}

    def once(paths, without):
        seen = set(without)
        return [p for n, p in sorted(paths.items(), key=lambda e: e[0].encode())
                if digest[p] not in seen and not seen.add(digest[p])]
    lost, added = once(old, has), once(new, had)
    if not added:
        return None
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for side, paths in (("a", old), ("b", new)):
            for n, p in paths.items():
                (folder / side / n).parent.mkdir(parents=True, exist_ok=True)
                os.link(p, folder / side / n) if os.stat(p).st_dev == os.stat(folder).st_dev else \
                    (folder / side / n).write_bytes(p.read_bytes())
        (folder / "old").write_bytes(b"".join(p.read_bytes() for p in lost))
        (folder / "new").write_bytes(b"".join(p.read_bytes() for p in added))
        output = subprocess.run([tool, folder / "a", folder / "b", folder / "patch"], check=True, capture_output=True)
        result.update(json.loads(output.stdout))
        run("zip", "-9", "-X", "-q", "-r", folder / "full.zip", ".", cwd=folder / "b")
        result["zip"] = size(folder / "full.zip")
        changed = [n for n in new if n not in old or digest[old[n]] != digest[new[n]]]
        run("zip", "-9", "-X", "-q", folder / "changed.zip", "-@", cwd=folder / "b", input="\n".join(changed).encode())
        result["changed"] = size(folder / "changed.zip")
        result["brotli"] = 0
        for p in added:
            run("brotli", "-f", "-q", "11", "--lgwin=24", "-o", folder / "file.br", p)
            result["brotli"] += size(folder / "file.br")
        run("zstd", "-q", "-f", "--ultra", "-22", "--long=27", f"--patch-from={folder / 'old'}", folder / "new",
            "-o", folder / "new.zst") if lost else run(
            "zstd", "-q", "-f", "--ultra", "-22", "--long=27", folder / "new", "-o", folder / "new.zst")
        result["zstd"] = size(folder / "new.zst")
        if not quick:
            run("xdelta3", "-f", "-e", "-9", "-S", "lzma", "-B", "268435456", "-s", folder / "old", folder / "new",
                folder / "new.xdelta")
            result["xdelta3"] = size(folder / "new.xdelta")
            # Its tables are 17 times the old bytes, and its time grows faster than they do.
            if size(folder / "old") + size(folder / "new") <= 24 << 20:
                run("bsdiff", folder / "old", folder / "new", folder / "new.bsdiff")
                result["bsdiff"] = size(folder / "new.bsdiff")
    return result


rows, copied = [], 0
for name in wanted or list(sets):
    versions = sets[name]["versions"]
    for before, after in zip(versions, versions[1:]):
        kept = cache / f"{name} {before} {after} {stamp} {'quick' if quick else 'all'}.json"
        if kept.exists():
            result = json.loads(kept.read_text())
        else:
            folder = pathlib.Path(".cache/datasets") / name
            if not (folder / before).is_dir() or not (folder / after).is_dir():
                continue
            result = measure(name, folder / before, folder / after)
            kept.write_text(json.dumps(result))
        if result is None:
            continue
        rows.append((name, before, after, result))
        folder = pathlib.Path(".cache/datasets") / name
        if (folder / before).is_dir() and (folder / after).is_dir():
            copied += copies(folder / before, folder / after)
        print(f"{name:17} {before:>10} {after:>10}  plain {result['plain']:>9}  renamed {result['renamed']:>9}  "
              f"zstd {result['zstd']:>9}  {result['renamed'] / max(1, result['plain']):.3f}  "
              f"{result['renamedSeconds']:.1f} s", file=sys.stderr, flush=True)


def total(key):
    return sum(r[3][key] for r in rows if key in r[3])


def geometric(key, to):
    logs = [math.log(r[3][key] / r[3][to]) for r in rows if r[3].get(key) and r[3].get(to)]
    return math.exp(sum(logs) / len(logs)) if logs else float("nan")


lines = [f"{len(rows)} updates of {len({r[0] for r in rows})} web builds.", "",
         "| what a device downloads | command | bytes in sum | of the full zip, geometric mean |", "| --- | --- | --: | --: |"]
for key, label, command in [
    ("zip", "the new version whole", "`zip -9 -X -r`"),
    ("changed", "files whose path or content changed, as a zip", "`zip -9 -X`"),
    ("brotli", "each missing file", "`brotli -q 11 --lgwin=24`"),
    ("bsdiff", "the changed set (¹)", "`bsdiff`"),
    ("xdelta3", "the changed set", "`xdelta3 -e -9 -S lzma`"),
    ("zstd", "the changed set", "`zstd --ultra -22 --long=27 --patch-from`"),
    ("plain", "**packtool, without renaming**", "`patch-sizes`"),
    ("renamed", "**packtool**", "`patch-sizes`"),
    ("manifest", "packtool: the manifest besides, as a patch", "`patch-sizes`"),
    ("skeleton", "**packtool: the manifest besides, as it is sent**", "`patch-sizes`"),
]:
    if any(key in r[3] for r in rows):
        lines.append(f"| {label} | {command} | {total(key):,} | {geometric(key, 'zip'):.4f} |")
plain_zstd = total("plain") / total("zstd")
by_plain = total("renamed") / total("plain")
mean = geometric("renamed", "plain")
brotli = total("renamed") / total("brotli")
sent = total("renamed") / (total("brotli") + copied)
skeletons = total("skeleton") / max(1, total("manifest"))
longer = max(r[3]["skeleton"] - r[3]["manifest"] for r in rows)
worst = max(r[3]["renamed"] - r[3]["plain"] for r in rows)
slowest = max(rows, key=lambda r: r[3]["renamedSeconds"])
lines += ["", "(¹) where old and new have at most 24 MB: " + str(sum("bsdiff" in r[3] for r in rows)) + " updates.", "",
          "| | measured | bar |", "| --- | --: | --: |",
          f"| plain / zstd tool, in sum | {plain_zstd:.4f} | ≤ 1.02 |",
          f"| packtool / plain, in sum | {by_plain:.3f} | ≤ 0.68 |",
          f"| packtool / plain, geometric mean | {mean:.3f} | ≤ 0.55 |",
          f"| packtool / missing files in brotli, in sum | 1/{1 / brotli:.1f} | |",
          f"| the same, with the {copied / 1e6:.1f} MB of compressed copies beside their originals that who sends each "
          f"missing file sends, and packtool build leaves out | 1/{1 / sent:.1f} | ≤ 1/11 |",
          f"| most bytes above plain | {worst} | ≤ 100 |",
          f"| manifests as they are sent / as patches, in sum | {skeletons:.3f} | ≤ 0.15 |",
          f"| most bytes of a manifest above its patch | {longer} | ≤ 0 |",
          f"| slowest to make | {slowest[3]['renamedSeconds']:.0f} s ({slowest[0]} {slowest[1]} to {slowest[2]}, "
          f"{(slowest[3]['lost'] + slowest[3]['new']) / 1e6:.0f} MB) | |", "",
          "| build | updates | full zip | missing files, brotli | zstd tool | plain | packtool | of plain |",
          "| --- | --: | --: | --: | --: | --: | --: | --: |"]
for name in dict.fromkeys(r[0] for r in rows):
    part = [r[3] for r in rows if r[0] == name]
    def s(key): return sum(p[key] for p in part)
    lines.append(f"| {name} | {len(part)} | {s('zip'):,} | {s('brotli'):,} | {s('zstd'):,} | {s('plain'):,} | "
                 f"{s('renamed'):,} | {s('renamed') / s('plain'):.3f} |")
table = "\n".join(lines)
print(table)
if os.environ.get("REPORT") == "1":
    subprocess.run(["Benchmarks/report.py", "update"], input=table.encode(), check=True)
sys.exit(0 if plain_zstd <= 1.02 and by_plain <= 0.68 and mean <= 0.55 and sent <= 1 / 11 and worst <= 100
         and skeletons <= 0.15 and longer <= 0 else 1)
PYTHON
