import Foundation
import TestSupport
import Testing

/// A registry on a disk that is full, in a mount namespace of its own.
@Suite(.onFolder) struct FullDiskTests {
    private static let script = """
        mkdir disk && mount -t tmpfs -o size=4m tmpfs disk
        "$PACKTOOL" init --quiet --app full --registry disk/registry > /dev/null
        "$PACKTOOL" build dist --quiet --package big --package-version 1.0.0 > /dev/null
        find disk -type f | sort > before
        code=0; dd if=/dev/zero of=disk/filler bs=1k 2> /dev/null || code=$?
        truncate -s "$(( $(stat -c %s disk/filler) - FREE * 1024 ))" disk/filler
        code=0; "$PACKTOOL" publish packages/big-1.0.0.zip --registry disk/registry --channel beta 2> said || code=$?
        echo "publish $code"
        cat said
        find disk -type f ! -name filler ! -name 'registry.sqlite-*' | sort > after
        "$PACKTOOL" status --registry disk/registry > /dev/null 2>&1 || echo "status failed"
        rm disk/filler
        "$PACKTOOL" publish packages/big-1.0.0.zip --registry disk/registry --channel beta
        "$PACKTOOL" status --registry disk/registry
        find disk/registry/uploads -type f
        """

    @Test(
        .enabled(if: try OwnFileSystem.isAllowed, "TESTS_WITHOUT_MOUNTS=1"),
        arguments: [64, 300, 700, 1_100])
    func `a full disk is said so, nothing is half there, and the next run completes`(freeKilobytes: Int) async throws {
        let tool = try Tool()
        try tool.write(["dist/index.html": "<h1>big</h1>"])
        try await tool.shell("tr -dc '!-~' < /dev/urandom | head -c 500000 > dist/noise.js || true").expectSuccess()
        try tool.write(["script.sh": Self.script])
        let outcome = try await tool.shell(
            "unshare -rm bash -eu script.sh",
            environment: ["PACKTOOL": Tool.executable.path, "FREE": "\(freeKilobytes)"])
        #expect(outcome.exitCode == 0, "\(outcome)")
        let lines = outcome.standardOutput.split(separator: "\n").map(String.init)
        #expect(lines.first == "publish 1", "\(outcome)")
        #expect(outcome.standardOutput.lowercased().contains("no space left"), "\(outcome)")
        #expect(!lines.contains("status failed"), "\(outcome)")
        #expect(lines.contains { $0.hasPrefix("big      1.0.0") && $0.hasSuffix("beta") }, "\(outcome)")
        #expect(lines.last == "disk/registry/uploads/lock", "\(outcome)")
    }

    /// The server is asked by Bash itself: nothing else sees the disk.
    private static let servingScript = """
        mkdir disk && mount -t tmpfs -o size=4m tmpfs disk
        "$PACKTOOL" init --quiet --app full --registry disk/registry > /dev/null
        "$PACKTOOL" build dist --quiet --package shop --package-version 1.0.0 > /dev/null
        "$PACKTOOL" publish packages/shop-1.0.0.zip --quiet --registry disk/registry --channel beta > /dev/null
        dd if=/dev/zero of=disk/filler bs=1k 2> /dev/null || dd if=/dev/zero of=disk/last bs=1 2> /dev/null || true
        ask() { exec 3<> /dev/tcp/127.0.0.1/$PORT && printf "GET $1 HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n" >&3 && cat <&3; }
        "$PACKTOOL" serve --registry disk/registry --port "$PORT" > said 2>&1 &
        server=$!
        for _ in $(seq 200); do ask /health/live > answer 2> /dev/null && break; sleep 0.1; done
        ask /metadata/timestamp.json | head -1
        ask /site/shop/1.0.0/ | grep -a -o '<h1>.*</h1>' || ask /site/shop/1.0.0/ | head -30
        grep -a -o 'the disk is full: devices get what is published' said || cat said
        rm disk/filler disk/last
        "$PACKTOOL" publish packages/shop-1.0.0.zip --registry disk/registry --channel stable --yes --new-channel
        kill $server && wait $server || true
        """

    @Test(.enabled(if: try OwnFileSystem.isAllowed, "TESTS_WITHOUT_MOUNTS=1"))
    func `a server that is started on a full disk serves what is published`() async throws {
        let tool = try Tool()
        try tool.write(["dist/index.html": "<h1>there</h1>", "script.sh": Self.servingScript])
        let outcome = try await tool.shell(
            "unshare -rm bash -eu script.sh",
            environment: ["PACKTOOL": Tool.executable.path, "PORT": "\(try LoopbackPort.free(1)[0])"])
        #expect(outcome.exitCode == 0, "\(outcome)")
        let lines = outcome.standardOutput.split(whereSeparator: \.isNewline).map(String.init)
        #expect(lines.first == "HTTP/1.1 200 OK", "\(outcome)")
        #expect(lines.contains("<h1>there</h1>"), "\(outcome)")
        #expect(lines.contains("the disk is full: devices get what is published"), "\(outcome)")
        #expect(lines.contains { $0.hasPrefix("offered") && $0.contains("stable") }, "\(outcome)")
    }
}
