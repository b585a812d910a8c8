import Foundation
import TestSupport
import Testing

/// `packtool client` is killed at each of its steps in turn: at its first rename, its second, and so on to the end.
struct DeviceKillTests {
    /// `pristine` is a device whose active version is 1.1.0, confirmed, with 1.0.0 below it; `$DAMAGE` makes work for
    /// `$VERB`. After each kill the page of a version that works is there, and a repair and a start go through.
    private static let script = """
        runs=0
        for call in $CALLS; do
            for step in $(seq 1 60); do
                rm -rf device && cp -a pristine device
                eval "$DAMAGE"
                code=0
                strace -f -qq -o /dev/null -e "inject=$call:signal=KILL:when=$step" \
                    "$PACKTOOL" client $VERB --store device --channel beta > /dev/null 2>&1 || code=$?
                runs=$((runs + 1))
                test -e device/state.json || { echo "$call $step: no state.json"; exit 1; }
                cmp -s device/unzipFiles/shop/1.1.0/app.js good.js || cmp -s device/unzipFiles/shop/1.0.0/app.js old.js \
                    || { echo "$call $step: no version is whole"; exit 1; }
                test -e device/unzipFiles/shop/1.1.0/pack.json || { echo "$call $step: 1.1.0 is gone"; exit 1; }
                "$PACKTOOL" client repair --store device --channel beta > said 2>&1 \
                    || { echo "$call $step: repair"; cat said; exit 1; }
                "$PACKTOOL" client start --store device > said 2>&1 || { echo "$call $step: start"; cat said; exit 1; }
                cmp device/unzipFiles/shop/1.1.0/app.js good.js
                test "$code" = 137 || break
            done
        done
        echo "$runs"
        """

    @Test(
        arguments: [
            (
                verb: "repair", calls: "rename renameat2 link",
                damage: "rm device/unzipFiles/shop/1.1.0/index.html; echo bad > device/unzipFiles/shop/1.1.0/index.html"
            ),
            (verb: "repair", calls: "rename link unlink", damage: "echo { > device/state.json"),
            (
                verb: "gc", calls: "rename unlink rmdir",
                damage: "cp -a device/unzipFiles/shop/1.0.0 device/unzipFiles/shop/0.9.0; mkdir device/objects/zz"
            ),
            (verb: "rollback", calls: "rename fsync", damage: "true"),
        ])
    func `killed at any step, the device has a version that works and a repair goes through`(
        verb: String, calls: String, damage: String
    ) async throws {
        let tool = try Tool(environment: ["PACKTOOL": Tool.executable.path])
        let setup = try await tool.shell(
            """
            packtool() { "$PACKTOOL" "$@" > /dev/null; }
            packtool init --quiet --template config
            for version in 1.0.0 1.1.0; do
                rm -rf dist && mkdir dist
                echo "<title>$version</title>" > dist/index.html
                seq 1 500 | sed "s/^/$version /" > dist/app.js
                if [ $version = 1.0.0 ]; then cp dist/app.js old.js; else cp dist/app.js good.js; fi
                packtool build dist --quiet --package shop --package-version $version
                packtool publish packages/shop-$version.zip --quiet --channel beta
                packtool client update --store pristine --channel beta
                packtool client start --store pristine
                packtool client confirm --store pristine
            done
            """)
        try #require(setup.exitCode == 0, "\(setup)")
        try tool.write(["script.sh": Self.script])
        let outcome = try await tool.shell(
            "bash -eu script.sh", environment: ["VERB": verb, "CALLS": calls, "DAMAGE": damage])
        #expect(outcome.exitCode == 0, "\(outcome)")
        // Each call was met at least once.
        let runs = Int(outcome.standardOutput.split(separator: "\n").last ?? "") ?? 0
        #expect(runs > calls.split(separator: " ").count, "\(outcome)")
    }

    @Test(.enabled(if: try OwnFileSystem.isAllowed, "TESTS_WITHOUT_MOUNTS=1"))
    func `a confirmed version opens on a full disk`() async throws {
        let tool = try Tool(environment: ["PACKTOOL": Tool.executable.path])
        try tool.write([
            "dist/index.html": "<title>one</title>",
            "script.sh": """
            mkdir disk && mount -t tmpfs -o size=4m tmpfs disk
            packtool() { "$PACKTOOL" "$@" > /dev/null; }
            packtool init --quiet --template config
            packtool build dist --quiet --package shop --package-version 1.0.0
            packtool publish packages/shop-1.0.0.zip --quiet --channel beta
            packtool client update --store disk/device --channel beta
            packtool client start --store disk/device
            packtool client confirm --store disk/device
            packtool client gc --store disk/device || true
            rm -rf disk/device/pins
            dd if=/dev/zero of=disk/filler bs=1k 2> /dev/null || true
            mount -o remount,nr_inodes=$(( $(find disk | wc -l) )) disk
            if touch disk/more 2> /dev/null; then echo "the disk is not full"; exit 9; fi
            "$PACKTOOL" client start --store disk/device
            """,
        ])
        let outcome = try await tool.shell("unshare -rm bash -eu script.sh")
        #expect(outcome.exitCode == 0, "\(outcome)")
        #expect(outcome.standardOutput.contains("shop 1.0.0"), "\(outcome)")
    }
}
