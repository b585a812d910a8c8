import ArgumentParser
import Foundation
import PackUpdater

/// `--reports on|off`.
enum ReportSwitch: String, ExpressibleByArgument, CaseIterable {
    case on, off

    /// A store in which reports were turned on reports until they are turned off: its folder says so.
    static func settings(_ given: ReportSwitch?, store: URL) throws -> ReportSettings? {
        let folder = store.appending(path: "reports")
        let files = FileManager.default
        switch given {
        case .on:
            // A store is nobody else's to read.
            for url in [store, folder] where !files.fileExists(atPath: url.path) {
                try files.createDirectory(
                    at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            }
        case .off: if files.fileExists(atPath: folder.path) { try files.removeItem(at: folder) }
        case nil: break
        }
        return files.fileExists(atPath: folder.path) ? ReportSettings() : nil
    }
}
