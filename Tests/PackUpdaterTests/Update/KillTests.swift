import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackUpdater

/// The built `packtool client`, killed.
struct KillTests {
    let registry: TestRegistry
    let device: TestDevice
    let one: VersionID
    let two: VersionID
    let root: URL
    static let files = 40

    init() throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
        func files(_ text: String) -> [String: String] {
            var files = ["index.html": text]
            for number in 0..<Self.files { files["js/\(number).js"] = "\(text) \(number)" }
            return files
        }
        one = try registry.publish("checkout", "1.0.0", files("one"))
        two = try registry.publish("checkout", "1.1.0", files("two"))
        try registry.patch(from: one, to: two, manifest: true)
        try registry.release("checkout", one, release: "r1")
        root = registry.folder.appending(path: "root.json")
    }

    func client(_ verb: String, _ arguments: String...) throws -> Process {
        let process = Process()
        process.executableURL = BuiltProgram.packtool
        process.arguments =
            ["client", verb, "--store", device.store.path, "--channel", "beta", "--registry", registry.folder.path]
            + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    func run(_ verb: String, _ arguments: String...) throws -> Int32 {
        let process = try client(verb, arguments.first ?? "--quiet", arguments.dropFirst().first ?? "--quiet")
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// The page and a script of one version, whole.
    func version() async throws -> String? {
        let opened = try await Updater(device.configuration).open(PackageID("checkout"))
        guard case .installed(let session) = opened else { return nil }
        func text(_ path: String) throws -> String? {
            try session.file(at: PackagePath(path)).map { try String(contentsOf: $0, encoding: .utf8) }
        }
        let page = try text("index.html") ?? ""
        for number in 0..<Self.files { #expect(try text("js/\(number).js") == "\(page) \(number)") }
        return page
    }

    /// 20 moments, 200 with PACKTOOL_LONG=1.
    @Test func `killed at any moment of an update, the old version or the new one works and the next run completes`()
        async throws
    {
        let keys = try AppKeys(registry, packages: ["checkout"])
        try keys.sign()
        try Data(keys.root).write(to: root)
        device.configuration.root = keys.root
        // This test looks at the pages more often than an app would start.
        device.configuration.maximumUnconfirmedStarts = 10
        let start = ContinuousClock.now
        #expect(try run("update", "--root", root.path) == 0)
        let whole = ContinuousClock.now - start
        try await device.confirmSigned("checkout")
        let moments = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == nil ? 20 : 200
        var random = SeededGenerator(seed: 7)
        var pages = ["one", "two"]
        for round in 0..<moments {
            let target = round.isMultiple(of: 2) ? two : one
            try registry.set(
                PackageID("checkout"),
                [Release(id: "n\(round)", offer: .version(target.version, manifest: target.manifest))])
            try keys.sign()
            let process = try client("update", "--quiet")
            let share = Double.random(in: 0...1, using: &random)
            try await Task.sleep(for: whole * share)
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let page = try #require(try await version(), "round \(round)")
            #expect(pages.contains(page), "round \(round)")
            let code = try run("update")
            #expect(code == 0 || code == 2, "round \(round)")
            #expect(try await version() == pages[1], "round \(round)")
            try await device.confirmSigned("checkout")
            pages.reverse()
        }
        #expect(try Durable.names(in: device.store.appending(path: "downloads")) == [])
    }

    @Test(.enabled(if: try OwnFileSystem.isAllowed, "TESTS_WITHOUT_MOUNTS=1"))
    func `a disk that is full leaves the old version, says so, and the next run completes`() async throws {
        let keys = try AppKeys(registry, packages: ["checkout"])
        try keys.sign()
        try Data(keys.root).write(to: root)
        let script = """
            set -e; mkdir -p "$D"; mount -t tmpfs -o nr_inodes=$INODES tmpfs "$D"
            C="--store $D/store --channel beta --registry $R --root $R/root.json"
            "$P" client update $C >&2
            cp "$R/two.json" "$R/signed.flag" 2>/dev/null || true
            "$NEXT"
            if "$P" client update $C 2>"$R/error.txt" >&2; then exit 90; fi
            test "$(cat "$D"/store/unzipFiles/checkout/1.0.0/index.html)" = one || exit 91
            mount -o remount,nr_inodes=10000 "$D"
            "$P" client update $C >&2 || exit 92
            test "$(cat "$D"/store/unzipFiles/checkout/1.1.0/index.html)" = two || exit 93
            """
        let next = registry.folder.appending(path: "next.sh")
        // The second release is signed beforehand beside the first, and put in place by the script.
        let before = registry.folder.appending(path: "view-1")
        try FileManager.default.copyItem(at: registry.view, to: before)
        try registry.release("checkout", two, release: "r2")
        try keys.sign()
        let after = registry.folder.appending(path: "view-2")
        try FileManager.default.moveItem(at: registry.view, to: after)
        try FileManager.default.moveItem(at: before, to: registry.view)
        try Data(
            "#!/bin/sh\nmv \(registry.view.path) \(registry.view.path)-old; mv \(after.path) \(registry.view.path)\n"
                .utf8
        )
        .write(to: next)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: next.path)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/unshare")
        process.arguments = ["--user", "--map-root-user", "--mount", "sh", "-c", script]
        process.environment = [
            "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "D": device.store.path, "R": registry.folder.path,
            "INODES": "220", "NEXT": next.path,
            "P": BuiltProgram.packtool.path,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let error = (try? String(contentsOf: registry.folder.appending(path: "error.txt"), encoding: .utf8)) ?? ""
        #expect(process.terminationStatus == 0)
        #expect(error.contains("full"))
    }
}

extension TestDevice {
    /// Starts the app with its real trust, opens the package and confirms it.
    func confirmSigned(_ package: String) async throws {
        let updater = try Updater(configuration)
        guard case .installed(let session) = try await updater.open(PackageID(package)) else { return }
        try await updater.confirm(session.package, version: session.version, loadToken: session.loadToken)
    }
}
