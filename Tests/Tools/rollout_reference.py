#!/usr/bin/env python3
"""What rollout plans do, written from the rules of docs/ROLLOUTS.md ("What a plan does exactly") and nothing else.

    rollout_reference.py SCENARIOS.json

A scenario has a plan, the share of the release before it, the moment at which the plan is put on it, and what comes then: looks of the
runner and words of people. Prints, as JSON, each scenario's changes of the share and its last state.
"""

import datetime
import json
import re
import sys
import zoneinfo

DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
UNITS = {"w": 604800, "d": 86400, "h": 3600, "m": 60, "s": 1}


def seconds(text):
    return sum(int(number) * UNITS[unit] for number, unit in re.findall(r"(\d+)([wdhms])", text))


def parts(share):
    """A share in 1/10,000."""
    if isinstance(share, int):
        return share * 100
    whole, _, decimals = share.partition(".")
    return int(whole) * 100 + int((decimals + "00")[:2])


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Rollout:
    def __init__(self, plan, share, attached):
        self.steps = [(parts(step["share"]), seconds(step["for"]) if "for" in step else None) for step in plan["steps"]]
        start = plan.get("start")
        self.start = None if start == "manual" else attached if start is None else max(attached, moment(start))
        self.end = moment(plan["end"]) if "end" in plan else None
        self.hours = plan.get("hours")
        cap = plan.get("newDevicesPerHour")
        self.cap = None if cap is None else min(10000, cap * 10000 // plan["devices"])
        self.waits = plan.get("unknownHealth", "advance") == "wait"
        self.share = share
        self.state = "scheduled"
        self.begun = False
        # The time that the present share has had, and since when it goes on.
        self.had = 0.0
        self.since = None
        self.changes = []
        self.newer = False

    def is_open(self, now):
        if self.hours is None:
            return True
        local = datetime.datetime.fromtimestamp(now, zoneinfo.ZoneInfo(self.hours["zone"]))
        clock = local.strftime("%H:%M")
        return any(
            DAYS[local.weekday()] in window["days"] and window["from"] <= clock < window["to"]
            for window in self.hours["windows"])

    def put(self, share, now):
        if share != self.share:
            self.share = share
            self.changes.append([now, share])

    def take(self, share, now):
        self.put(share, now)
        self.state, self.begun, self.had, self.since = "running", True, 0.0, now
        if self.share >= self.steps[-1][0] and self.steps[-1][1] is None:
            self.finish(now)

    def stop(self, state, now):
        if self.since is not None:
            self.had += now - self.since
        self.since, self.state = None, state

    def finish(self, now):
        self.stop("completed", now)

    def stay(self):
        """How long the present share stays (rules 4 and 5)."""
        if self.share == 0:
            return 0
        below = [step for step in self.steps if step[0] <= self.share]
        time = (below[-1][1] or 0) if below else 0
        if self.cap is None or self.share >= self.steps[-1][0]:
            return time
        is_step = bool(below) and below[-1][0] == self.share
        return max(time, 3600) if is_step else 3600

    def limited(self, share):
        return share if self.cap is None else min(share, self.share + self.cap)

    def look(self, now):
        if self.state not in ("scheduled", "running"):
            return
        if self.newer:
            return self.stop("paused", now)
        if self.state == "running" and self.share >= self.steps[-1][0]:
            if self.had + now - self.since >= self.stay():
                self.finish(now)
            return
        if self.end is not None and now >= self.end:
            return self.stop("paused", now)
        if self.state == "scheduled":
            if self.start is None or now < self.start or not self.is_open(now):
                return
            first = self.steps[0][0]
            return self.take(self.share if self.share >= first else self.limited(first), now)
        if self.had + now - self.since < self.stay() or not self.is_open(now):
            return
        if self.waits and self.share > 0:
            return
        self.take(self.limited(min(step[0] for step in self.steps if step[0] > self.share)), now)

    def say(self, word, now):
        verb = word["verb"]
        if verb == "hand":
            if word["share"] == self.share or (self.state == "halted" and word["share"] > self.share):
                return
            self.put(word["share"], now)
            self.had, self.since = 0.0, None
            if self.state in ("scheduled", "running"):
                self.state = "paused"
        elif verb == "newer":
            self.newer = True
        elif verb == "pause" and self.state in ("scheduled", "running"):
            self.stop("paused", now)
        elif verb == "halt" and self.state in ("scheduled", "running", "paused"):
            self.stop("halted", now)
        elif verb == "resume" and self.state in ("paused", "halted"):
            if self.newer or (self.end is not None and now >= self.end):
                return
            self.state = "running" if self.begun else "scheduled"
            self.since = now if self.begun else None
        elif verb == "start" and self.state == "scheduled" and not self.newer:
            self.take(max(self.share, self.steps[0][0]), now)
        elif verb == "advance" and self.state in ("scheduled", "running", "paused") and not self.newer:
            above = [step[0] for step in self.steps if step[0] > self.share]
            if above:
                self.take(min(above), now)
        elif verb == "complete" and self.newer:
            return
        elif verb == "complete" and self.state != "halted" and not (self.state == "completed" and self.share == 10000):
            self.put(10000, now)
            self.finish(now)


def run(scenario):
    rollout = Rollout(scenario["plan"], scenario["share"], scenario["attached"])
    rollout.look(scenario["attached"])
    for event in scenario["events"]:
        if event["verb"] == "look":
            rollout.look(event["at"])
        else:
            rollout.say(event, event["at"])
    return {"changes": rollout.changes, "state": rollout.state}


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print(json.dumps([run(scenario) for scenario in json.load(file)]))
