"""The actions of the kill sweep on two packages of one set: whatever is killed, a device sees both in one version."""
import json
import shutil

from packtool_runs import Fault
from signed_channel import SignedChannel

PACKAGES = ("admin", "shop")
PUBLISH = ("publish", *(f"packages/{package}-1.1.0.zip" for package in PACKAGES), "--channel", "beta")
ROLL_BACK = ("rollback", "shop", "--channel", "beta")


class SetActions:
    def __init__(self, tool, files, versions, text, update):
        self.tool, self.files, self.versions, self.text, self.update = tool, files, versions, text, update

    @property
    def actions(self):
        return {
            "publish-set": (self.before_set, PUBLISH, self.after_set_publish),
            "rollback-set": (self.before_set_rollback, ROLL_BACK, self.after_set_rollback),
            "update-set": (self.before_set_update, self.update(), self.after_set_update),
        }

    def build_set(self, folder, version):
        for package in PACKAGES:
            for path in self.files:
                (folder / package).mkdir(exist_ok=True)
                (folder / package / path).write_text(f"{package} {self.text(version, path)}")
            self.tool.expect(folder, "build", package, "--quiet", "--package", package, "--package-version", version, "--out", "packages")
        return [f"packages/{package}-{version}.zip" for package in PACKAGES]

    def before_set(self, folder):
        self.tool.expect(folder, "init", "--quiet", "--template", "config")
        zips = [self.build_set(folder, version) for version in self.versions]
        self.tool.expect(folder, "publish", *zips[0], "--channel", "beta", "--quiet")

    def before_set_update(self, folder):
        self.before_set(folder)
        self.tool.expect(folder, *self.update())
        self.tool.expect(folder, "client", "start", "--store", "device")
        for package in PACKAGES:
            self.tool.expect(folder, "client", "confirm", "--store", "device", "--package", package)
        self.tool.expect(folder, *PUBLISH, "--quiet")

    def before_set_rollback(self, folder):
        self.before_set(folder)
        self.tool.expect(folder, *PUBLISH, "--quiet")

    def active_set(self, folder, store="device"):
        """The version of both packages; a fault if they differ, or a file is not what was published."""
        status = json.loads(self.tool.expect(folder, "client", "status", "--store", store, "--json"))["packages"]
        versions = {status.get(package, {}).get("active") for package in PACKAGES}
        if len(versions) != 1:
            raise Fault(f"half a set is active: {status}")
        version = versions.pop()
        for package in PACKAGES if version else ():
            for path in self.files:
                if (folder / store / "unzipFiles" / package / version / path).read_text() != f"{package} {self.text(version, path)}":
                    raise Fault(f"{path} of {package} {version} is not what was published")
        return version

    def new_set_device(self, folder):
        """What a device installs that has seen nothing, from a view that has the set whole."""
        SignedChannel(folder / ".packtool/registry/view", "beta").require_whole(PACKAGES)
        shutil.rmtree(folder / "other", ignore_errors=True)
        self.tool.expect(folder, "client", "update", "--store", "other", "--channel", "beta", "--registry", ".packtool/registry", codes=(0, 2))
        self.tool.expect(folder, "client", "start", "--store", "other")
        return self.active_set(folder, "other")

    def after_set_publish(self, folder, outcome):
        found = self.new_set_device(folder)
        if found not in self.versions or outcome.returncode == 0 and found != "1.1.0":
            raise Fault(f"a new device installs {found}")
        self.tool.expect(folder, *PUBLISH)
        if self.new_set_device(folder) != "1.1.0":
            raise Fault("published again, 1.1.0 is not what a new device installs")

    def after_set_rollback(self, folder, outcome):
        found = self.new_set_device(folder)
        if found not in self.versions or outcome.returncode == 0 and found != "1.0.0":
            raise Fault(f"a new device installs {found}")
        # Done already, there is nothing before it to go back to.
        self.tool.expect(folder, *ROLL_BACK, codes=(0, 1))
        if self.new_set_device(folder) != "1.0.0":
            raise Fault("rolled back again, 1.0.0 is not what a new device installs")

    def after_set_update(self, folder, outcome):
        if (version := self.active_set(folder)) != "1.0.0":
            raise Fault(f"{version} is active before the next start")
        # Whatever was staged: all of it or nothing.
        self.tool.expect(folder, "client", "start", "--store", "device")
        self.active_set(folder)
        self.tool.expect(folder, *self.update(), codes=(0, 2))
        self.tool.expect(folder, "client", "start", "--store", "device")
        if self.active_set(folder) != "1.1.0":
            raise Fault("updated again, 1.1.0 does not start")
        self.tool.expect(folder, "client", "rollback", "--store", "device", "--package", "shop")
        if self.active_set(folder) != "1.0.0":
            raise Fault("the set does not go back as one")
