"""A registry with packages of the web builds of others, and devices whose updates are counted on the wire."""
import json
import shutil
import sys

sys.path.insert(0, "Tests/Tools")
from packtool_runs import Packtool, counted

# What these builds lack is not the question here.
IGNORED = ("missing-file", "name-differs", "outside", "secret", "risky-name", "service-worker", "no-confirm")


def with_page(version, folder):
    """A copy of a build in which there is a page to open: some builds have their pages in a server's templates."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(version, folder, copy_function=shutil.copyfile)
    if not (folder / "index.html").exists():
        (folder / "index.html").write_text("<!doctype html><title>A page</title>\n")
    return folder


class BuildRegistry:
    """A registry in a folder, behind `packtool serve`; its package is called `app`."""

    def __init__(self, binary, work):
        self.tool, self.folder = Packtool(binary, work), work / "app"
        self.folder.mkdir()
        self.run("init", "--template", "config")
        (self.folder / "packtool.json").write_text(
            json.dumps({"package": "app", "version": "1.0.0", "audit": {name: "off" for name in IGNORED}}))
        _, self.port, said = self.tool.serving(self.folder, "serve")
        if not self.port:
            sys.exit(said.read_text())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tool.stop()

    def run(self, *command):
        return self.tool.expect(self.folder, *command)

    def publish(self, build, version):
        self.run("build", str(with_page(build, self.folder / "dist")), "--package", "app", "--package-version", version,
                 "--out", "packages", "--whole-project", "--quiet")
        self.run("publish", f"packages/app-{version}.zip", "--channel", "beta", "--quiet")

    def update(self, store="device", base=None, reports=False):
        """What an update costs, of a copy of `base` where one is named. The version is started and confirmed."""
        if base:
            shutil.copytree(self.folder / base, self.folder / store)
        more = ["--root", ".packtool/root.json"] + (["--reports", "on"] if reports else [])
        cost = counted(self.tool, self.folder, self.port, *more, store=store)
        for command in ("start", "confirm"):
            self.run("client", command, "--store", store, "--package", "app")
        return cost

    def idle_check(self, store):
        return counted(self.tool, self.folder, self.port, store=store, codes=(2,))
