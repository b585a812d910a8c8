"""The action of the kill sweep that removes files of old versions: whatever is killed, what is offered stays whole, and what went comes
back with its publication."""
import pathlib
import shutil
import subprocess

from packtool_runs import Fault

VERSIONS = ("1.0.0", "1.1.0", "1.2.0", "1.3.0")
PRUNE = ("registry", "prune", "--keep", "1", "--yes")
UPDATE = ("client", "update", "--store", "other", "--channel", "beta", "--registry", ".packtool/registry")


class PruneActions:
    def __init__(self, tool, files, text):
        self.tool, self.files, self.text = tool, files, text

    @property
    def actions(self):
        return {"prune": (self.before, PRUNE, self.after)}

    def long_ago(self, folder, *command):
        outcome = subprocess.run(
            ["faketime", "-f", "-40d", self.tool.executable, *command], cwd=folder, env=self.tool.environment, capture_output=True, text=True,
            timeout=300)
        if outcome.returncode not in (0, 2):
            raise Fault(f"packtool {' '.join(command)}: {outcome.stderr}")

    def before(self, folder):
        self.long_ago(folder, "init", "--quiet", "--template", "config")
        for version in VERSIONS:
            for path in self.files:
                (folder / "dist").mkdir(exist_ok=True)
                (folder / "dist" / path).write_text(self.text(version, path))
            self.long_ago(folder, "build", "dist", "--quiet", "--package", "shop", "--package-version", version, "--out", "packages")
            self.long_ago(folder, "publish", f"packages/shop-{version}.zip", "--channel", "beta", "--quiet")
        self.tool.expect(folder, "renew")

    def shown(self, folder):
        """What a device installs that has seen nothing, of which every file must be as it was published."""
        shutil.rmtree(folder / "other", ignore_errors=True)
        self.tool.expect(folder, *UPDATE)
        self.tool.expect(folder, "client", "start", "--store", "other")
        [installed] = pathlib.Path(folder / "other/unzipFiles/shop").iterdir()
        for path in self.files:
            if (installed / path).read_text() != self.text(installed.name, path):
                raise Fault(f"{path} of {installed.name} is not what was published")
        return installed.name

    def after(self, folder, outcome):
        # Before anybody goes on with what was interrupted: what is recorded and what is there agree.
        self.tool.expect(folder, "registry", "check")
        if (found := self.shown(folder)) != "1.3.0":
            raise Fault(f"a new device installs {found}")
        self.tool.expect(folder, *PRUNE)
        view = folder / ".packtool/registry/view"
        if list(view.glob("packages/shop-1.[01].0.zip")):
            raise Fault("pruned again, zips of 1.0.0 or 1.1.0 are there")
        if "nothing to remove" not in self.tool.expect(folder, *PRUNE):
            raise Fault("pruned again, something is left")
        self.tool.expect(folder, "publish", "packages/shop-1.0.0.zip", "--channel", "beta", "--yes", "--quiet")
        if (found := self.shown(folder)) != "1.0.0":
            raise Fault(f"1.0.0 was published again, and a new device installs {found}")
        self.tool.expect(folder, "registry", "check")
