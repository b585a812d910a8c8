#!/usr/bin/env python3
"""Damages at random what a device decodes from outside: patches, skeletons of manifests, update files, and recent metadata. Whatever
comes, the right bytes come out or an error, and nothing that was not signed is installed.

    scripts/fuzz-decoders.py [SECONDS]          600 for each decoder if no number is given

They run side by side. Ends with 1 where one of them failed, ran a minute longer than its time, or took more than MEMORY_MB (1,024).
The seed that each prints repeats it: PACKTOOL_FUZZ_SEED=N. `make test` runs the same for a second or two each. BINARY names another
test binary than that of the debug build."""
import os
import pathlib
import sys
import tempfile
import threading

os.chdir(pathlib.Path(__file__).resolve().parent.parent)
SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 600
BINARY = os.environ.get("BINARY", ".build/debug/packtoolPackageTests.xctest")
MEMORY = int(os.environ.get("MEMORY_MB", "1024"))
TESTS = {
    "patches": "PackPatchTests.FuzzTests",
    "skeletons": "PackPatchTests.SkeletonFuzzTests",
    "update files on devices": "PackUpdaterTests.UpdateFileFuzzTests",
    "recent metadata": "PackUpdaterTests.RecentMetadataTests.*no damage",
}

if not os.access(BINARY, os.X_OK):
    sys.exit(f"there is no {BINARY}: build the tests first, or name them with BINARY")


def start(test, log):
    """A process of its own, so that its memory is its own."""
    environment = os.environ | {"PACKTOOL_FUZZ_SECONDS": str(SECONDS), "SWIFT_BACKTRACE": "enable=no", "NO_COLOR": "1"}
    command = ["timeout", str(SECONDS + 60), BINARY, "--testing-library", "swift-testing", "--no-parallel", "--filter", test]
    return os.posix_spawnp(
        command[0], command, environment,
        file_actions=[(os.POSIX_SPAWN_DUP2, log.fileno(), 1), (os.POSIX_SPAWN_DUP2, log.fileno(), 2)])


def watch(name, test):
    with tempfile.TemporaryFile("w+b") as log:
        _, status, usage = os.wait4(start(test, log), 0)
        log.seek(0)
        lines = log.read().decode(errors="replace").splitlines()
    code, memory = os.waitstatus_to_exitcode(status), usage.ru_maxrss // 1024
    said = [line for line in lines if line.startswith("fuzzed")]
    # Without its line the filter found no test.
    if code or not said or memory > MEMORY:
        faults.append(name)
        said += [f"FAILED: exit code {code}, {memory} MB"] + lines[-20:]
    print(f"{name}, {memory} MB: " + "\n".join(said), flush=True)


faults = []
threads = [threading.Thread(target=watch, args=item) for item in TESTS.items()]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit(1 if faults else 0)
