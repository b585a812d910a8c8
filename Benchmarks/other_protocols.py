"""What other update protocols send for the same update."""
import hashlib
import json
import pathlib
import subprocess
import tempfile

# Bytes of header fields of one request and its answer, as many as ours have.
HEADS = 450


def files(folder):
    """What a package holds: no compressed copies beside their originals (packtool build leaves them out)."""
    found = {str(p.relative_to(folder)): p for p in sorted(folder.rglob("*")) if p.is_file()}
    return {n: p for n, p in found.items()
            if not any(n.endswith(e) and n[:-len(e)] in found for e in (".gz", ".br", ".zst"))}


def digests(*packages):
    return {p: hashlib.sha256(p.read_bytes()).hexdigest() for package in packages for p in package.values()}


def missing_files(before, after):
    """What a device that asks for each file that it lacks downloads: how many, and their bytes in brotli. Without `before`, all."""
    old, new = files(before) if before else {}, files(after)
    digest = digests(old, new)
    had = {digest[p] for p in old.values()}
    missing = {digest[p]: p for p in new.values() if digest[p] not in had}
    brotli = 0
    with tempfile.TemporaryDirectory() as folder:
        packed = pathlib.Path(folder) / "file.br"
        for p in missing.values():
            subprocess.run(["brotli", "-f", "-q", "11", "--lgwin=24", "-o", packed, p], check=True)
            brotli += packed.stat().st_size
    return len(missing), brotli


def file_list(folder):
    """Bytes of an answer that lists each file with its hash and URL."""
    found = files(folder)
    digest = digests(found)
    return 400 + len(json.dumps({"version": "1.1.0", "manifest": [
        {"file_name": n, "file_hash": digest[p], "download_url": f"https://files.example.com/{digest[p]}/{n}.br"}
        for n, p in found.items()]}, separators=(",", ":")))


def whole_zip(folder):
    """Bytes of everything in one zip."""
    with tempfile.TemporaryDirectory() as work:
        archive = pathlib.Path(work) / "all.zip"
        names = "\n".join(files(folder)) + "\n"
        subprocess.run(["zip", "-9", "-X", "-q", archive, "-@"], input=names, text=True, cwd=folder, check=True)
        return archive.stat().st_size


def others(before, after):
    """What the other protocols send for an update, without header fields: requests and bytes of each."""
    old, new = files(before), files(after)
    digest = digests(old, new)
    changed = [n for n in new if n not in old or digest[old[n]] != digest[new[n]]]
    missing, brotli = missing_files(before, after)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in changed:
            (folder / "new" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "new" / name).write_bytes(new[name].read_bytes())
        (folder / "new").mkdir(exist_ok=True)
        (folder / "new/hotcodepush.json").write_text(json.dumps({"deletedFiles": [n for n in old if n not in new]}))
        subprocess.run(["zip", "-9", "-X", "-q", "-r", folder / "changed.zip", "."], cwd=folder / "new", check=True)
        # An answer of CodePush: fifteen fields, of which the hash and the URL are the longest.
        return {"codepush": [2, 700 + (folder / "changed.zip").stat().st_size],
                "capgo": [1 + missing, file_list(after) + brotli]}
