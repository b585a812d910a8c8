#!/usr/bin/env python3
"""Runs the tests that are built; shows failures and the slowest tests, and keeps the whole output in .build/test.log.

    scripts/run-tests.py                        all tests, in three rings
    RING=1 scripts/run-tests.py                 the first ring
    STORAGE=1 scripts/run-tests.py              commands and attacks, with each registry in PostgreSQL and SeaweedFS
    scripts/run-tests.py --filter NAME...       what these options of swift-testing choose, one test at a time

The first ring (formats, trust, patches, archives, the builder, and the rules of the registry, the updater and the web side) needs no
server, engine or child of ours. Its tests run in one process, in parallel. The second (servers, transfers, commands) and the third
(browser engines) run a suite a process, or some short suites a process, some processes at a time, because they wait. Within a process
one test runs at a time.

VERBOSE=1 shows everything. TEST_TIMEOUT is the time that one process may take, in seconds. BUILD is the folder of the build
(.build/debug). WORKERS and ENGINES say how many suites run at a time, and how many of these may be browser engines; while the cores
have nothing to do, six suites more, one engine among them.
TIMES=1 writes what the suites took into Tests/slow-suites.txt. TESTED_PACKTOOL is the packtool that tests start (default: the debug build's).

AGAIN=1 runs one or two tests that failed once more, by themselves. What fails again fails the run. What passes is written into
Tests/unsteady.txt, to be mended, and shown at the end, to be committed. While a name is there twice, each run of a ring fails.

Folders of tests are in memory where all tests run and the machine has enough of it: a disk's file system looks long for room for the many
small files that come and go (ext4: an eighth of all that the cores do). DISK=1 leaves them on the disk."""
import collections
import concurrent.futures
import contextlib
import datetime
import os
import pathlib
import re
import signal
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from shared_servers import shared_servers, starting_servers

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / os.environ.get("BUILD", ".build/debug") / "packtoolPackageTests.xctest"
LOG, LOGS = ROOT / ".build/test.log", ROOT / ".build/tests"
LEDGER, SLOW = ROOT / "Tests/unsteady.txt", ROOT / "Tests/slow-suites.txt"
TIMEOUT = int(os.environ.get("TEST_TIMEOUT", "2400"))
WORKERS, ENGINES = int(os.environ.get("WORKERS", "5")), int(os.environ.get("ENGINES", "3"))
EXTRA_WORKERS = 6
# What a suite takes that is not in the list, by itself and beside others; and what suites of one process may take together.
SHORT, SHORT_BESIDE_OTHERS, SECONDS_TOGETHER = 3, 8, 0 if os.environ.get("TIMES") else 30

VALUES = r"^(PackJSON|PackSystem|PackFormat|PackAuthorities|PackPatch|PackArchive|PackBuilder|PackImporter)Tests\."
# Of the modules that also fetch, lock, wait or start programs, the folders that do not.
PURE = ["PackRegistryTests/Releasing", "PackRegistryTests/ReportRules", "PackRegistryS3Tests/Values", "PackUpdaterTests/State",
        *(f"PackTrustTests/{name}" for name in ("Attacks", "Client", "Format", "Keys", "Signing")),
        *(f"PackWebTests/{name}" for name in ("Address", "Cookies", "Response", "Rules"))]
# Once more with a registry in PostgreSQL and S3-compatible storage. STORAGE=1 runs more there.
ON_STORAGE = [f"packtoolTests.{name}Tests" for name in ("MirrorAttack", "OnDemandAttack", "RegistryAttack", "PublishTogether", "FileMode")]
THIRD_RING = re.compile(r"(PackKioskTests|BrowserTests)\.")
# What swift-testing prints for each step. The rest is for a reader.
STEP = re.compile(r"◇|↳|✔ (Test|Suite) .*passed")
CLOSING = re.compile(r"([✔✘]) Test run with (\d+) tests?.* after ([0-9.]+) seconds")
RESULT = re.compile(r'^[✔✘] Test (?!run with)(.*) (passed|failed) after ([0-9.]+) seconds', re.M)

printing = threading.Lock()


def say(text):
    with printing:
        print(text, flush=True)


class Run:
    """One process of the test program, and what its output says."""

    def __init__(self, name, log, *options, environment=None):
        self.name, self.log, self.options, self.environment = name, log, options, environment or {}
        self.text, self.status, self.count, self.failed = "", None, 0, []
        self.seconds, self.cpu = 0, 0

    def __call__(self):
        # A crashing test must end the run, not wait in the debugger while it holds the pipe open. Colours would hide the marks.
        environment = dict(os.environ, SWIFT_BACKTRACE="enable=no", NO_COLOR="1") | self.environment
        started = time.monotonic()
        with open(self.log, "w", encoding="utf-8") as log:
            process = subprocess.Popen(
                [PROGRAM, "--testing-library", "swift-testing", *self.options], cwd=ROOT, env=environment, text=True,
                errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            timer = threading.Timer(TIMEOUT, os.kill, (process.pid, signal.SIGKILL))
            timer.start()
            lines, is_in_step = [], False
            for line in process.stdout:
                log.write(line)
                lines.append(line)
                # A step that names an argument of several lines goes on to the word "started".
                is_in_step = not line.rstrip().endswith(" started.") and (line[:1] == "◇" or is_in_step and line[:1] not in "✘✔")
                if os.environ.get("VERBOSE") or not (is_in_step or STEP.match(line) or line.rstrip().endswith('" started.')):
                    say(line.rstrip()[:1000])
            # With what it used, and its children, whose end it has waited for.
            _, status, used = os.wait4(process.pid, 0)
            self.status = process.returncode = os.waitstatus_to_exitcode(status)
            timer.cancel()
        self.seconds, self.cpu = time.monotonic() - started, used.ru_utime + used.ru_stime
        self.text = "".join(lines)
        closing = CLOSING.findall(self.text)
        if closing:
            self.count = int(closing[-1][1])
        names = [found[0] for found in RESULT.findall(self.text) if found[1] == "failed"]
        self.failed = [re.sub(r' with \d+ test cases?$', "", name).strip('"') for name in names]
        # A process that was killed, crashed or said nothing at its end is no passed run.
        self.is_sound = bool(closing) and (self.status == 0 or closing[-1][0] == "✘")
        return self

    @property
    def passed(self):
        return self.is_sound and self.status == 0 and not self.failed


def first_ring():
    suite = re.compile(r"^(?:@Suite.*\) )?(?:struct|final class|enum) (\w+Tests)\b", re.M)
    suites = sorted(f"{folder.split('/')[0]}.{name}" for folder in PURE for path in (ROOT / "Tests" / folder).rglob("*Tests.swift")
                    for name in suite.findall(path.read_text(encoding="utf-8")))
    return rf"{VALUES}|^({'|'.join(map(re.escape, suites))})/"


class OnStorage(list):
    """Suites whose registries are in PostgreSQL and S3-compatible storage."""

    environment = {"TESTED_STORAGE": "1"}


def groups_of_other_rings(first):
    """The suites that wait, as lists that share a process, longest first: what is begun last ends last."""
    listed = subprocess.run([PROGRAM, "--testing-library", "swift-testing", "--list-tests"], cwd=ROOT, capture_output=True, text=True,
                            check=True).stdout.split("\n")
    names = sorted({line.split("/")[0] for line in listed if "/" in line and not re.search(first, line)})
    seconds = {name: float(number) for number, *_, name in (line.split() for line in SLOW.read_text().splitlines() if line[:1] != "#")}
    def length(name):
        return seconds.get(name, SHORT)

    # What may share a process: to start one takes 0.35 s of a core, and servers that tests share are started once.
    def is_short(name):
        return not THIRD_RING.match(name) and length(name) <= SECONDS_TOGETHER / 3

    names.sort(key=length, reverse=True)
    groups, group = [[name] for name in names if not is_short(name)], []
    for name in filter(is_short, names):
        group.append(name)
        if sum(map(length, group)) >= SECONDS_TOGETHER:
            groups.append(group)
            group = []
    groups += [group] * bool(group)
    return sorted(groups, key=lambda group: max(sum(map(length, group)), len(group) * SHORT_BESIDE_OTHERS), reverse=True)


class Cores:
    """Whether the machine's cores have had nothing to do for some seconds."""

    def __init__(self):
        self.since, self.before = time.monotonic(), self.read()

    @staticmethod
    def read():
        """The time that all cores had, and the part of it in which they waited; nothing where no Linux says it."""
        try:
            with open("/proc/stat", encoding="ascii") as file:
                times = [int(word) for word in file.readline().split()[1:9]]
        except OSError:
            return 0, 0
        return sum(times), times[3] + times[4]

    def are_idle(self):
        if time.monotonic() - self.since < 3:
            return False
        (whole, idle), (whole_before, idle_before) = now, _ = self.read(), self.before
        self.since, self.before = time.monotonic(), now
        return idle - idle_before > 0.3 * max(whole - whole_before, 1)


def run_together(groups):
    """Runs groups of suites, WORKERS at a time, at most ENGINES of them browser engines; some more while the cores are idle."""
    waiting, lock, runs, started, cores = list(groups), threading.Lock(), [], time.monotonic(), Cores()
    running, engines = 0, 0

    def take():
        """Engines first: there are few places for them, and many that wait."""
        engine = next((group for group in waiting if THIRD_RING.match(group[0])), None)
        other = next((group for group in waiting if not THIRD_RING.match(group[0])), None)
        if running < WORKERS and (other or engines < ENGINES):
            return engine if engine and engines < ENGINES else other
        if cores.are_idle():
            return engine if engine and engines <= ENGINES else other
        return None

    def work():
        nonlocal running, engines
        while True:
            with lock:
                if not waiting:
                    return
                if group := take():
                    waiting.remove(group)
                    running += 1
                    engines += bool(THIRD_RING.match(group[0]))
            if group is None:
                time.sleep(0.2)
                continue
            names = "|".join(re.escape(name) for name in group)
            name = group[0] if len(group) == 1 else f"{group[0]}+{len(group) - 1}"
            environment = getattr(group, "environment", None)
            name += "-on-storage" if environment else ""
            run = Run(name, LOGS / f"{name}.log", "--no-parallel", "--filter", f"^({names})/", environment=environment)()
            with lock:
                running -= 1
                engines -= bool(THIRD_RING.match(group[0]))
                runs.append(run)

    with concurrent.futures.ThreadPoolExecutor(WORKERS + EXTRA_WORKERS) as pool:
        workers = [pool.submit(work) for _ in range(WORKERS + EXTRA_WORKERS)]
        while not all(worker.done() for worker in workers):
            concurrent.futures.wait(workers, timeout=60)
            with lock:
                say(f"{len(runs)} of {len(groups)} processes, {sum(run.count for run in runs)} tests, "
                    f"{time.monotonic() - started:.0f} s")
        for worker in workers:
            worker.result()
    return runs


@contextlib.contextmanager
def folders_in_memory():
    """Has the folders of tests in memory, where there is room for them, and takes them away at the end."""
    memory = pathlib.Path("/dev/shm")
    available = re.search(r"MemAvailable:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text()) if memory.is_dir() else None
    if os.environ.get("DISK") == "1" or not available or int(available[1]) < 10 << 20 or shutil.disk_usage(memory).free < 6 << 30:
        yield
        return
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(dir=memory, prefix="packtool-tests-", ignore_cleanup_errors=True) as folder:
        # Servers that run as somebody else look for their files there.
        os.chmod(folder, 0o755)
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        try:
            yield
        finally:
            tempfile.tempdir = None
            os.environ.pop("TMPDIR")
            os.environ.update(before)


def remove_left_clocks():
    """Removes what faketime left in memory of processes that were killed: one whose number comes again could not start."""
    for file in pathlib.Path("/dev/shm").glob("*faketime_s[eh]m_*"):
        number = file.name.rpartition("_")[2]
        if number.isdigit() and not pathlib.Path("/proc", number).exists():
            file.unlink(missing_ok=True)


def run_on_storage():
    """What commands and attackers do, once more with the registry in PostgreSQL and S3-compatible storage."""
    with folders_in_memory(), shared_servers():
        return run_together([OnStorage(group) for group in groups_of_other_rings(r"^(?!packtoolTests\.)")])


def run_all():
    """The first ring, and the suites of the others, where they are asked for."""
    started, rule, is_alone = time.monotonic(), first_ring(), os.environ.get("RING") == "1"
    with folders_in_memory(), contextlib.nullcontext() if is_alone else starting_servers() as wait_for_servers:
        first = Run("first ring", LOGS / "first-ring.log", "--parallel", "--filter", rule)()
        print(f"first ring: {first.count} tests in {time.monotonic() - started:.0f} s", flush=True)
        if is_alone:
            return first, []
        wait_for_servers()
        return first, run_together([OnStorage(ON_STORAGE), *groups_of_other_rings(rule)])


def show_times(runs):
    """Says which suites took longest, and writes that down where it is asked for."""
    ordered = sorted(runs, key=lambda run: -run.seconds)
    lines = [f"{run.seconds:.0f} {run.cpu:.0f} {run.name}" for run in ordered]
    print("\nthe suites that took longest, in seconds, with the cores' time:")
    print("\n".join(lines[:20]))
    (LOGS / "times.txt").write_text("\n".join(lines) + "\n")
    print(f"the cores' time of all: {sum(run.cpu for run in runs):.0f} s")
    # What runs on storage is no suite of the list.
    if os.environ.get("TIMES") and os.environ.get("STORAGE") != "1":
        lines = [line for line, run in zip(lines, ordered) if not run.environment]
        head = [line for line in SLOW.read_text().splitlines() if line[:1] == "#"]
        SLOW.write_text("\n".join(head + [line for line in lines if int(line.split()[0]) >= 5]) + "\n")


def show_slowest(text):
    print("\nthe slowest, in seconds:")
    results = sorted(((float(seconds), name) for name, _, seconds in RESULT.findall(text)), reverse=True)
    for seconds, name in results[:20]:
        print(f"{seconds:8.3f} {name}"[:140])


def last_words(lines):
    """Of a process that crashed: the last step that it began and what followed, without the runtime's addresses."""
    begun = next((i for i in reversed(range(len(lines))) if lines[i].startswith("◇")), 0)
    return [line for line in lines[begun:] if not re.match(r"\d+ +\S+ +0x[0-9a-f]+ ", line)][-40:]


def report(runs):
    """Says at the end, where an output that was cut still has it, what failed."""
    print(f"\nwhat failed (the whole output is in {LOG.relative_to(ROOT)}):")
    for run in runs:
        if not run.is_sound:
            print(f"{run.name} did not come to a sound end (status {run.status}); what ran and what stopped it:")
            print("\n".join(line[:1000] for line in last_words(run.text.splitlines())))
        lines = run.text.splitlines()
        for index, line in enumerate(lines):
            if re.match(r"✘ Test .* recorded an issue", line):
                end = next((i for i in range(index + 1, len(lines)) if re.match("[✔✘◇]", lines[i])), len(lines))
                print("\n".join(text[:1000] for text in lines[index:min(end, index + 10)]))


def once_more(runs):
    """Whether the tests that failed pass alone; such tests are written into the ledger."""
    failed = [name for run in runs for name in run.failed]
    if not os.environ.get("AGAIN") or not 1 <= len(failed) <= 2 or not all(run.is_sound for run in runs):
        return False
    print("\nonce more, alone:", flush=True)
    with folders_in_memory(), shared_servers():
        for run in runs:
            filters = [f"--filter={re.sub(r'[^A-Za-z0-9 _-]', '.', name)}" for name in run.failed]
            if not filters:
                continue
            again = Run("again", ROOT / ".build/test-again.log", "--no-parallel", *filters, environment=run.environment)()
            if not again.passed or again.count == 0:
                report([again])
                return False
    today = f"{datetime.datetime.now(datetime.timezone.utc):%F}"
    lines = [f"{today} {name}" for name in failed]
    with open(LEDGER, "a", encoding="utf-8") as ledger:
        ledger.writelines(f"{line}\n" for line in lines)
    print(f"\nfailed at first and passed alone. Commit these new lines of {LEDGER.relative_to(ROOT)}, then mend what they name:")
    print("\n".join(lines))
    return True


def unsteady_twice():
    """The names that are in the ledger twice or more."""
    lines = [line for line in LEDGER.read_text(encoding="utf-8").splitlines() if line.strip() and line[0] != "#"]
    counts = collections.Counter(line.partition(" ")[2] for line in lines)
    return sorted(name for name, count in counts.items() if count > 1)


def main():
    LOGS.mkdir(parents=True, exist_ok=True)
    remove_left_clocks()
    for old in LOGS.glob("*.log"):
        old.unlink()
    started, options = time.monotonic(), sys.argv[1:]
    if options:
        is_on_storage = os.environ.get("STORAGE") == "1"
        with shared_servers() if is_on_storage else contextlib.nullcontext():
            environment = OnStorage.environment if is_on_storage else None
            runs, slow = [Run("tests", LOG, "--no-parallel", *options, environment=environment)()], []
    elif os.environ.get("STORAGE") == "1":
        runs = slow = run_on_storage()
        LOG.write_text("".join(run.text for run in runs), encoding="utf-8")
    else:
        first, slow = run_all()
        runs = [first, *slow]
        LOG.write_text("".join(run.text for run in runs), encoding="utf-8")
    show_slowest("".join(run.text for run in runs))
    if slow and not options:
        show_times(runs)
    passed = all(run.passed for run in runs)
    if not passed:
        report(runs)
        passed = once_more(runs)
    for name in [] if options else unsteady_twice():
        print(f"\nunsteady again; mend it, and take it out of {LEDGER.relative_to(ROOT)}: {name}")
        passed = False
    count, failed = sum(run.count for run in runs), sum(len(run.failed) for run in runs)
    print(f"\ntests: {time.monotonic() - started:.0f} s")
    print(f"{count - failed} passed, {0 if passed else max(failed, 1)} failed")
    return 0 if passed and count else 1


if __name__ == "__main__":
    sys.exit(main())
