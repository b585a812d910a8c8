"""The actions of the kill sweep on rollouts of a set: its release, its plan, each verb, and a run of the steps that are due. Whatever is killed,
the signed channel has the set whole, each device has both packages in the version that the signed channel gives it, no device leaves a share that
has not shrunk, and the plan takes its next step."""
import datetime
import json
import shutil
import subprocess
import time

from kill_sweep_sets import PACKAGES
from packtool_runs import Fault
from signed_channel import SignedChannel

NEW = [f"{package}@1.1.0" for package in PACKAGES]
# What is rolled out to whom: nobody, the first step, the second, everybody.
NOBODY, SOME, MORE, ALL = 0, 3_000, 6_000, 10_000
# What was rolled out before the action, by what is there then.
SHARES_BEFORE = {"published": NOBODY, "offered": NOBODY, "scheduled": NOBODY, "due": NOBODY, "running": SOME, "paused": SOME}


class RolloutActions:
    def __init__(self, tool, sets):
        self.tool, self.sets, self.made = tool, sets, {}

    @property
    def actions(self):
        verbs = {
            # What is there before, what the verb takes besides, the share and the state after.
            "start": ("scheduled", (), SOME, "running"),
            "pause": ("running", (), SOME, "paused"),
            "resume": ("paused", (), SOME, "running"),
            "advance": ("running", ("--step", "2"), MORE, "running"),
            "halt": ("running", (), SOME, "halted"),
            "complete": ("running", (), ALL, "completed"),
            "rollback": ("running", (), NOBODY, "rolledBack"),
            "retry": ("running", (), SOME, "running"),
        }
        actions = {
            "release-set": self.action("published", ("release", *NEW, "--channel", "beta"), ALL, None),
            "rollout-plan": self.action("offered", ("rollout", "shop", "--channel", "beta", "--plan", "manual.json", "--yes"), NOBODY, "scheduled"),
            "rollout-run": self.action("due", ("rollout", "run"), SOME, "running"),
        }
        for verb, (before, more, share, state) in verbs.items():
            command = ("rollout", verb, "shop", "--channel", "beta", "--yes", *more)
            actions[f"rollout-{verb}"] = self.action(before, command, share, state)
        return actions

    def action(self, before, command, share, state):
        return (
            lambda folder: self.prepare(folder, before),
            command,
            lambda folder, outcome: self.after(folder, outcome, command, SHARES_BEFORE[before], share, state),
        )

    # What is there before. Each is made once, from the one that it follows.

    def prepare(self, folder, name):
        if name not in self.made:
            made = self.tool.work / f"made-{name}"
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir()
            getattr(self, f"make_{name}")(made)
            self.made[name] = made
        subprocess.run(["cp", "-a", f"{self.made[name]}/.", folder], check=True)

    def make_published(self, folder):
        self.sets.before_set(folder)
        self.tool.expect(folder, "publish", *(f"packages/{package}-1.1.0.zip" for package in PACKAGES), "--yes", "--quiet")
        # Of the plan in which verbs are said, the next step is due as soon as they have been looked at: only a run takes it.
        (folder / "manual.json").write_text(json.dumps({"start": "manual", "steps": self.steps("1s")}))
        soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=8)
        (folder / "soon.json").write_text(json.dumps({"start": soon.strftime("%Y-%m-%dT%H:%M:%SZ"), "steps": self.steps("1h")}))

    @staticmethod
    def steps(time):
        return [{"share": 30, "for": time}, {"share": 60, "for": time}, {"share": 100}]

    def make_offered(self, folder):
        self.prepare(folder, "published")
        self.offer(folder)

    def make_scheduled(self, folder):
        self.prepare(folder, "offered")
        self.rollout(folder, "--plan", "manual.json")

    def make_running(self, folder):
        self.prepare(folder, "scheduled")
        self.verb(folder, "start")

    def make_paused(self, folder):
        self.prepare(folder, "running")
        self.verb(folder, "pause")

    def make_due(self, folder):
        self.make_published(folder)
        self.offer(folder)
        self.rollout(folder, "--plan", "soon.json")
        (folder / "soon").touch()
        time.sleep(9)

    def offer(self, folder):
        """The set, to nobody yet; and three devices: of the first step, of the second, of the last."""
        self.tool.expect(folder, "release", *NEW, "--channel", "beta", "--rollout", "0", "--quiet")
        channel = SignedChannel(folder / ".packtool/registry/view", "beta")
        newest = channel.releases("shop")[0]
        found = {}
        for number in range(1_000):
            place = channel.place("shop", newest, f"device-{number}")
            found.setdefault((place >= SOME) + (place >= MORE), f"device-{number}")
        (folder / "devices.json").write_text(json.dumps([found[step] for step in range(3)]))

    def rollout(self, folder, *more):
        self.tool.expect(folder, "rollout", "shop", "--channel", "beta", *more, "--yes", "--quiet")

    def verb(self, folder, verb):
        self.tool.expect(folder, "rollout", verb, "shop", "--channel", "beta", "--yes", "--quiet")

    # What can be looked at.

    def seen(self, folder):
        """The version of both packages on each device, after an update of it; a fault if the two differ, or if it is not what the signed
        channel says. No command of the registry has run since the kill: devices see what was left."""
        channel = SignedChannel(folder / ".packtool/registry/view", "beta").require_whole(PACKAGES)
        found = []
        # Of a set that is released to all at once, any devices.
        file = folder / "devices.json"
        for device in json.loads(file.read_text()) if file.exists() else ("device-1", "device-2", "device-3"):
            self.tool.expect(
                folder, "client", "update", "--store", device, "--device", device, "--channel", "beta", "--registry", ".packtool/registry",
                codes=(0, 2))
            version = self.sets.active_set(folder, device)
            for package in PACKAGES:
                if version != (expected := channel.taken(package, device)):
                    raise Fault(f"{device} has {package} {version}, and the signed channel gives it {expected}")
            found.append(version)
        return found

    def status(self, folder):
        """The share of the set and the state of its rollout; a fault if the packages have different shares."""
        offered = json.loads(self.tool.expect(folder, "status", "--json"))["channels"]["beta"]
        newest = [offered[package][0] for package in PACKAGES]
        shares = {round(entry.get("percent", 100) * 100) if entry["version"] == "1.1.0" else NOBODY for entry in newest}
        if len(shares) != 1:
            raise Fault(f"the packages of the set have different shares: {newest}")
        outcome = self.tool.expect(folder, "rollout", "status", "shop", "--channel", "beta", "--json", codes=(0, 2))
        rollouts = json.loads(outcome)["rollouts"]
        return shares.pop(), rollouts[0]["state"] if rollouts else None

    def after(self, folder, outcome, command, before, share, state):
        # A change that is recorded and not yet shown is shown by the next command. So what a device saw in between is no measure of the
        # share; what was there before the action is.
        first = self.seen(folder)
        self.status(folder)
        if outcome.returncode == 0:
            self.require(folder, first, share, state)
        self.tool.expect(folder, *command, codes=(0, 1, 2) if "rollback" in command else (0, 2))
        second = self.seen(folder)
        self.require(folder, second, share, state)
        if before <= share and any(old == "1.1.0" and new != "1.1.0" for old, new in zip(first, second)):
            raise Fault(f"a device left the share that grew from {before} to {share}: {first}, {second}")
        if state in ("scheduled", "running", "paused", "halted"):
            self.go_on(folder, share, state, second)

    def go_on(self, folder, share, state, seen):
        """The plan goes on: a run takes the next step, once, and every device that has the set keeps it."""
        if begin := {"scheduled": "start", "paused": "resume", "halted": "resume"}.get(state):
            self.verb(folder, begin)
        # Started by hand, the first step is taken already.
        share = SOME if state == "scheduled" else share
        self.require(folder, self.seen(folder), share, "running")
        if (folder / "soon").exists():
            # Its next step is in an hour.
            self.verb(folder, "advance")
        else:
            time.sleep(1.1)
            self.tool.expect(folder, "rollout", "run")
        share = {SOME: MORE, MORE: ALL}[share]
        third = self.seen(folder)
        self.require(folder, third, share, "completed" if share == ALL else "running")
        if any(old == "1.1.0" and new != "1.1.0" for old, new in zip(seen, third)):
            raise Fault(f"a device left the share that grew to {share}: {seen}, {third}")
        self.tool.expect(folder, "rollout", "complete", "shop", "--channel", "beta", "--yes", "--quiet", codes=(0, 2))
        self.require(folder, self.seen(folder), ALL, "completed")

    def require(self, folder, seen, share, state):
        if (found := self.status(folder)) != (share, state):
            raise Fault(f"the rollout is at {found}, not {(share, state)}")
        # Of three devices, one a step; of a set that is released to all at once, all.
        expected = ["1.1.0" if share > before else "1.0.0" for before in (NOBODY, SOME, MORE)]
        if seen != expected:
            raise Fault(f"at {share} the devices have {seen}")
