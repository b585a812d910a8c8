import Foundation
import Testing

/// Work folders that killed processes leave: the next command removes them, also one that makes none itself.
struct SweepTests {
    /// Makes a work folder as a command does, and holds its lock.
    private static let holder = """
        import fcntl, os, sys, time
        os.makedirs(sys.argv[1], mode=0o700)
        lock = open(sys.argv[1] + "/lock", "w")
        fcntl.flock(lock, fcntl.LOCK_EX)
        open(sys.argv[1] + "/partial.zip", "w").write("x")
        print("holds it", flush=True)
        time.sleep(600)
        """

    @Test func `the folder of a process stays while it lives, and is gone after the next command when it was killed`()
        async throws
    {
        let tool = try Tool()
        try await tool.run("init", "--template", "config").expectSuccess()
        try await tool.shell("mkdir temporary")
        tool.environment["TMPDIR"] = tool.folder.appendingPathComponent("temporary").path
        let name = UUID().uuidString
        let place = "temporary/packtool-\(geteuid())"
        let process = try tool.start(URL(filePath: "/usr/bin/python3"), ["-c", Self.holder, "\(place)/\(name)"])
        defer { process.kill(SIGKILL) }
        #expect(try await process.line(holding: "holds it") != nil)

        try await tool.run("keys", "list").expectSuccess()
        #expect(try Set(tool.listing(place).keys) == ["lock", "\(name)/lock", "\(name)/partial.zip"])
        process.kill(SIGKILL)
        _ = await process.outcome()
        try await tool.run("keys", "list").expectSuccess()
        #expect(try Array(tool.listing("temporary").keys) == ["packtool-\(geteuid())/lock"])
        let left = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path + "/" + place)
        #expect(left == ["lock"])
    }
}
