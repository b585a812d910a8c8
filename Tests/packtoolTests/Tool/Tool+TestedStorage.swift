import Foundation
import TestSupport

extension Tool {
    /// The environment of a tool in a run on PostgreSQL and S3-compatible storage (STORAGE=1 scripts/run-tests.py): a registry of its own,
    /// with its copies where a registry in a folder has its files. Empty in other runs.
    static func storageOfThisRun() throws -> [String: String] {
        let environment = ProcessInfo.processInfo.environment
        guard environment["TESTED_STORAGE"] == "1" else { return [:] }
        guard let rows = PostgresServer.ofThisRun, let files = SeaweedServer.ofThisRun else {
            throw CocoaError(.featureUnsupported)
        }
        return try files.environment.merging([
            "PACKTOOL_REGISTRY": rows.url(database: rows.newDatabase()), "PACKTOOL_FILES": ".packtool/registry",
            "PACKTOOL_STORAGE": files.address(prefix: "t-\(UUID().uuidString.lowercased())"),
        ]) { $1 }
    }
}
