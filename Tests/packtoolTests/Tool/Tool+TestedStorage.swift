import Foundation
import TestSupport
import Testing

extension Tool {
    /// Whether this run has its registries in PostgreSQL and S3-compatible storage: STORAGE=1 scripts/run-tests.py.
    static let isOnStorage = ProcessInfo.processInfo.environment["TESTED_STORAGE"] == "1"

    static let executable =
        isOnStorage ? project.appending(path: "Tests/Tools/on-storage/packtool") : BuiltProgram.packtool

    /// What a tool's environment has more in such a run: a registry of its own, with copies where a registry in a folder has its files.
    /// - Parameter hasPlace: whether the test says where its registry is.
    static func storageOfThisRun(_ folder: URL, hasPlace: Bool) throws -> [String: String] {
        guard isOnStorage else { return [:] }
        var environment = [
            "TESTED_STORAGE_FOLDER": folder.path, "TESTED_STORAGE_PACKTOOL": BuiltProgram.packtool.path,
        ]
        guard !hasPlace else { return environment }
        let rows = try #require(PostgresServer.ofThisRun, "scripts/run-tests.py keeps no PostgreSQL")
        let files = try #require(SeaweedServer.ofThisRun, "scripts/run-tests.py keeps no SeaweedFS")
        let address = files.address(prefix: "t-\(UUID().uuidString.lowercased())")
        environment["PACKTOOL_REGISTRY"] = try rows.url(database: rows.newDatabase())
        environment["PACKTOOL_STORAGE"] = address
        environment["PACKTOOL_FILES"] = folder.appending(path: ".packtool/registry").path
        environment["TESTED_STORAGE_ADDRESS"] = address
        return environment.merging(files.environment) { $1 }
    }

    /// Removes the rows of such a run.
    func removeRowsOfStorage() {
        guard Self.isOnStorage, let name = environment["PACKTOOL_REGISTRY"]?.split(separator: "/").last else { return }
        _ = try? PostgresServer.ofThisRun?.psql("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
    }

    /// Ends the server that devices read in such a run, and gives its lease back: who publishes then makes the patches, as in a
    /// folder. The next command of a device starts another one.
    func stopServerOfStorage() async throws {
        guard Self.isOnStorage, let number = numberOfServer else { return }
        kill(number, SIGTERM)
        for _ in 0..<1_000 where kill(number, 0) == 0 { try await Task.sleep(for: .milliseconds(10)) }
        endServerOfStorage()
    }

    private var numberOfServer: Int32? {
        let text = try? String(contentsOfFile: folder.path + ".server.pid", encoding: .utf8)
        return text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }

    /// Kills the server that devices read in such a run.
    func endServerOfStorage() {
        guard Self.isOnStorage, let number = numberOfServer else { return }
        kill(number, SIGKILL)
        for end in ["pid", "log", "lock"] {
            try? FileManager.default.removeItem(atPath: "\(folder.path).server.\(end)")
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// For what only a registry in a folder has, or what says itself where its registry is.
    static var onFolder: Self {
        .enabled(if: !Tool.isOnStorage, "it is about a registry in a folder, or has a place of its own")
    }
}
