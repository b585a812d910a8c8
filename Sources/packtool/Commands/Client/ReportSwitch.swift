import ArgumentParser
import Foundation
import PackUpdater

/// `--reports on|facts|off`.
enum ReportSwitch: String, ExpressibleByArgument, CaseIterable {
    case on, facts, off

    /// Its presence says that facts are reported too.
    private static let mark = "with-facts"

    /// A store in which reports were turned on reports until they are turned off: its folder says so.
    static func settings(_ given: ReportSwitch?, store: URL) throws -> ReportSettings? {
        let folder = store.appending(path: "reports")
        let mark = folder.appending(path: mark)
        let files = FileManager.default
        switch given {
        case .on, .facts:
            // A store is nobody else's to read.
            for url in [store, folder] where !files.fileExists(atPath: url.path) {
                try files.createDirectory(
                    at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            }
            if given == .facts {
                try Data().write(to: mark)
            } else if files.fileExists(atPath: mark.path) {
                try files.removeItem(at: mark)
            }
        case .off: if files.fileExists(atPath: folder.path) { try files.removeItem(at: folder) }
        case nil: break
        }
        return files.fileExists(atPath: folder.path)
            ? ReportSettings(includesFacts: files.fileExists(atPath: mark.path)) : nil
    }
}
