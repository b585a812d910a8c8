extension ProductVersion {
    /// What `--version` says: the version, and what the executable was built from.
    ///
    ///     0.2.0 (commit 0123456789ab of 2026-11-24, release build for linux-x86_64)
    ///
    /// - Parameters:
    ///   - commit: empty if the build knew none.
    ///   - date: the commit's day, or empty.
    package static func stamp(commit: String, date: String) -> String {
        let source = commit.isEmpty ? "" : date.isEmpty ? "commit \(commit), " : "commit \(commit) of \(date), "
        return "\(text) (\(source)\(build) build for \(platform))"
    }

    private static var build: String {
        #if DEBUG
            "debug"
        #elseif UNOPTIMIZED
            "unoptimized"
        #else
            "release"
        #endif
    }

    private static var platform: String {
        #if os(Linux)
            let system = "linux"
        #elseif os(Android)
            let system = "android"
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
