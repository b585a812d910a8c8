"""Packages made of the web builds of others, for benchmarks."""
import shutil

# What these builds lack is not the question there.
OTHERS_BUILDS = {
    "package": "app", "version": "1.0.0",
    "audit": {name: "off" for name in ("missing-file", "name-differs", "outside", "secret", "risky-name", "service-worker", "no-confirm")}}


def with_page(version, folder):
    """A copy of a build in which there is a page to open: some builds have their pages in a server's templates."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(version, folder, copy_function=shutil.copyfile)
    if not (folder / "index.html").exists():
        (folder / "index.html").write_text("<!doctype html><title>A page</title>\n")
    return folder
