import Foundation
import PackTrust
import Testing

@testable import tuf_client

/// The built executable against a real server.
struct TUFClientTests {
    private final class Scene {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tuf-client-\(UUID().uuidString)")
        var repository: RepositoryModel
        let server: LocalServer
        var metadata: URL { folder.appendingPathComponent("device/metadata") }
        var downloads: URL { folder.appendingPathComponent("device/downloads") }

        init(mode: String = "plain", isInitialized: Bool = true) throws {
            repository = try RepositoryModel()
            // The executable has its own clock.
            for role in [\RepositoryModel.root.header, \.timestamp.header, \.snapshot.header, \.targets.header] {
                repository[keyPath: role].expires = Date() + 10 * RepositoryModel.day
            }
            try repository.publishRoot()
            try repository.publish()
            let served = folder.appendingPathComponent("served")
            try FileManager.default.createDirectory(at: served, withIntermediateDirectories: true)
            server = try LocalServer(serving: served, mode: mode)
            try serve()
            if isInitialized { #expect(try initialize().status == 0) }
        }

        deinit {
            try? FileManager.default.removeItem(at: folder)
        }

        func serve() throws {
            for (path, bytes) in repository.files {
                let url = server.folder.appendingPathComponent(path)
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(bytes).write(to: url)
            }
        }

        static let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("tuf-client")

        func run(_ arguments: String..., clock: String? = nil) throws -> Subprocess.Result {
            guard let clock else { return try Subprocess.run(Self.program, arguments) }
            return try Subprocess.run(
                URL(fileURLWithPath: "/usr/bin/faketime"), [clock, Self.program.path] + arguments)
        }

        func initialize() throws -> Subprocess.Result {
            let root = folder.appendingPathComponent("root.json")
            try Data(repository.files["metadata/1.root.json"] ?? []).write(to: root)
            return try run("--metadata-dir", metadata.path, "init", root.path)
        }

        func refresh(slash: String = "/", clock: String? = nil) throws -> Subprocess.Result {
            try serve()
            return try run(
                "--metadata-url", "\(server.url)/metadata\(slash)", "--metadata-dir", metadata.path, "refresh",
                clock: clock)
        }

        func download(_ names: [String], slash: String = "/") throws -> Subprocess.Result {
            try serve()
            let arguments =
                ["--metadata-url", "\(server.url)/metadata\(slash)", "--metadata-dir", metadata.path]
                + names.flatMap { ["--target-name", $0] }
                + ["--target-dir", downloads.path, "--target-base-url", "\(server.url)/targets\(slash)", "download"]
            return try Subprocess.run(Self.program, arguments)
        }

        func names(in url: URL) -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
        }

        func downloaded() throws -> [String] {
            try names(in: downloads).map {
                try String(contentsOf: downloads.appendingPathComponent($0), encoding: .utf8)
            }
        }
    }

    @Test func `init stores the root and asks nothing of the network`() throws {
        let scene = try Scene()
        #expect(scene.names(in: scene.metadata) == ["root.json"])
        #expect(try scene.server.requests() == [])
    }

    @Test(arguments: ["/", ""])
    func `a first refresh makes exactly four requests and stores the bytes received`(slash: String) throws {
        let scene = try Scene()
        let result = try scene.refresh(slash: slash)
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            try scene.server.requests() == [
                "GET /metadata/2.root.json", "GET /metadata/timestamp.json", "GET /metadata/1.snapshot.json",
                "GET /metadata/1.targets.json",
            ])
        #expect(
            scene.names(in: scene.metadata).filter { $0.hasSuffix(".json") } == [
                "root.json", "snapshot.json", "targets.json", "timestamp.json",
            ])
        for (name, path) in [("timestamp", "timestamp"), ("snapshot", "1.snapshot"), ("targets", "1.targets")] {
            let stored = try Data(contentsOf: scene.metadata.appendingPathComponent("\(name).json"))
            #expect(Array(stored) == scene.repository.files["metadata/\(path).json"])
        }
        #expect(try scene.refresh(slash: slash).status == 0)
        #expect(
            try scene.server.requests().dropFirst(4) == [
                "GET /metadata/2.root.json", "GET /metadata/timestamp.json",
            ])
    }

    @Test(arguments: ["/", ""])
    func `targets are downloaded, and one that changed keeps its file name`(slash: String) throws {
        let scene = try Scene()
        scene.repository.add("a.txt", "A1")
        scene.repository.add("dir/b c\u{E9}.txt", "B1")
        try scene.repository.publishNext()
        let first = try scene.download(["a.txt", "dir/b c\u{E9}.txt"], slash: slash)
        #expect(first.status == 0, "\(first.errors)")
        let names = scene.names(in: scene.downloads)
        #expect(try scene.downloaded().sorted() == ["A1", "B1"])
        scene.repository.add("a.txt", "A2")
        try scene.repository.publishNext()
        #expect(try scene.download(["a.txt"], slash: slash).status == 0)
        #expect(scene.names(in: scene.downloads) == names)
        #expect(try scene.downloaded().sorted() == ["A2", "B1"])
    }

    @Test func `the first target that fails ends the run and no false byte is kept`() throws {
        let scene = try Scene()
        for name in ["a", "b", "c"] { scene.repository.add(name, "good \(name)") }
        try scene.repository.publishNext()
        let info = try #require(scene.repository.targets.targets["b"])
        scene.repository.files[RepositoryPath.target("b", info: info, consistentSnapshot: true)] = Array("evil b".utf8)
        let result = try scene.download(["a", "b", "c"])
        #expect(result.status == 1)
        #expect(result.errors.contains("b is not the file that was signed"))
        #expect(try scene.downloaded() == ["good a"])
    }

    @Test(arguments: ["../x", "/x", "..", "."])
    func `neither a role nor a target leaves its folder`(name: String) throws {
        let scene = try Scene()
        try scene.repository.delegate(to: name)
        scene.repository.delegated[name]?.expires = Date() + RepositoryModel.day
        scene.repository.add("t/../\(name)", "T", to: name)
        try scene.repository.publishNext()
        let before = scene.names(in: scene.folder)
        _ = try scene.download([name])
        #expect(scene.names(in: scene.folder) == before)
        #expect(scene.names(in: scene.metadata.deletingLastPathComponent()) == ["metadata"])
    }

    @Test(arguments: [
        [], ["refresh"], ["--metadata-dir"], ["--metadata-dir", "D", "fly"], ["--metadata-dir", "D"],
        ["--what", "x", "refresh"], ["--metadata-dir", "D", "init"], ["--metadata-dir", "D", "init", "/nowhere.json"],
        ["--metadata-dir", "D", "--metadata-url", "https://127.0.0.1/", "refresh"],
        ["--metadata-dir", "D", "--metadata-url", "http://127.0.0.1:1/", "refresh"],
        ["refresh", "--metadata-dir", "D", "--metadata-url", "http://127.0.0.1:1/"],
    ])
    func `a call that cannot succeed exits with exactly 1`(arguments: [String]) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let result = try Subprocess.run(Scene.program, arguments.map { $0 == "D" ? folder.path : $0 })
        #expect(result.status == 1)
        #expect(result.errors.hasPrefix("tuf-client: "))
    }

    @Test func `a repository that answers with errors is a failure and not an endless loop`() throws {
        let scene = try Scene(mode: "error")
        let result = try scene.refresh()
        #expect(result.status == 1)
        #expect(try scene.server.requests() == ["GET /metadata/2.root.json"])
    }

    @Test func `a chunked answer is read`() throws {
        let scene = try Scene(mode: "chunked")
        let result = try scene.refresh()
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test(arguments: ["endless", "close-early"])
    func `endless data and half an answer are refused`(mode: String) throws {
        let scene = try Scene(mode: mode)
        let result = try scene.refresh()
        #expect(result.status == 1)
        #expect(scene.names(in: scene.metadata).filter { $0.hasSuffix(".json") } == ["root.json"])
    }

    @Test func `slow retrieval is given up`() async throws {
        let scene = try Scene(mode: "trickle")
        let address = try HTTPAddress("\(scene.server.url)/metadata")
        let patience = HTTPConnection.Patience(silence: 5, answer: 1)
        let transport = HTTPTransport(metadata: address, targets: nil, patience: patience)
        await #expect {
            _ = try await transport.fetch("metadata/timestamp.json", maximumByteCount: 16_384)
        } throws: { error in
            "\(error)".contains("too slow")
        }
    }

    @Test func `under a faked clock the client neither hangs nor forgets what time it is`() throws {
        let scene = try Scene()
        #expect(try scene.refresh(clock: "+5 days").status == 0)
        let late = try scene.refresh(clock: "+11 days")
        #expect(late.status == 1)
        #expect(late.errors.contains("root expired at"))
        #expect(try scene.refresh().status == 0)
    }

    @Test func `a client killed at any moment leaves a store that completes`() throws {
        let scene = try Scene()
        try scene.repository.rotateKeys(of: .root)
        try scene.repository.rotateKeys(of: .timestamp)
        scene.repository.add("a", "A")
        try scene.repository.publishNext()
        try scene.serve()
        let isLong = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] != nil
        for delay in stride(from: 4_000, to: 60_000, by: isLong ? 500 : 8_000) {
            try? FileManager.default.removeItem(at: scene.metadata)
            _ = try scene.initialize()
            let process = Process()
            process.executableURL = Scene.program
            process.arguments = [
                "--metadata-url", "\(scene.server.url)/metadata", "--metadata-dir", scene.metadata.path, "refresh",
            ]
            process.standardError = FileHandle.nullDevice
            try process.run()
            usleep(UInt32(delay))
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let result = try scene.refresh()
            #expect(result.status == 0, "killed after \(delay) µs: \(result.errors)")
        }
    }
}
