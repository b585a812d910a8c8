package import Foundation

/// The programs of ours that tests start.
package enum BuiltProgram {
    /// `packtool`: the one that `TESTED_PACKTOOL` names, as `make test` does with the released one; else the one that the build has put
    /// beside the tests. Commands of a debug build take four times as long.
    package static let packtool: URL =
        ProcessInfo.processInfo.environment["TESTED_PACKTOOL"].map { URL(fileURLWithPath: $0) } ?? beside("packtool")

    /// A program that the build has put beside the tests.
    package static func beside(_ name: String) -> URL {
        URL(fileURLWithPath: CommandLine.arguments.first ?? "").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent(name)
    }
}
