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
        case .on: try files.createDirectory(at: folder, withIntermediateDirectories: true)
        case .off: if files.fileExists(atPath: folder.path) { try files.removeItem(at: folder) }
        case nil: break
        }
        return files.fileExists(atPath: folder.path) ? ReportSettings() : nil
    }
}
