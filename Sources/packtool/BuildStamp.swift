import CBuildStamp
import PackFormat

/// What `packtool --version` says: the version, and what the executable was built from.
///
///     0.2.0 (commit 0123456789ab of 2026-11-24, release build for linux-x86_64)
enum BuildStamp {
    static let text = describe(
        commit: String(cString: packtool_build_commit()), date: String(cString: packtool_build_date()))

    private static func describe(commit: String, date: String) -> String {
        let source = commit.isEmpty ? "" : date.isEmpty ? "commit \(commit), " : "commit \(commit) of \(date), "
        return "\(ProductVersion.text) (\(source)\(build) build for \(platform))"
    }

    private static var build: String {
        #if DEBUG
            "debug"
        #else
            "release"
        #endif
    }

    private static var platform: String {
        #if os(Linux)
            let system = "linux"
        #elseif os(macOS)
            let system = "macos"
        #else
            let system = "unknown"
        #endif
        #if arch(x86_64)
            return "\(system)-x86_64"
        #elseif arch(arm64)
            return "\(system)-arm64"
        #else
            return "\(system)-unknown"
        #endif
    }
}
