import PackFormat

/// The folder of a zip that is the site: its root, or the only folder there, such as `www` of Cordova's CodePush. The clients
/// of Capgo and CodePush go by the same.
struct ZipRoot {
    /// With a slash at the end; empty for the zip's own root.
    let prefix: String

    /// - Returns: nil if the entry is in neither.
    init?(of paths: some Sequence<PackagePath>, entry: PackagePath) {
        var names: Set<Substring> = []
        var known: Set<String> = []
        for path in paths {
            known.insert(path.text)
            let first = path.components.first ?? ""
            // What macOS adds, and hidden files, do not count.
            guard first != "__MACOSX", !first.hasPrefix(".") else { continue }
            names.insert(path.components.count > 1 ? "\(first)/" : first)
        }
        if known.contains(entry.text) {
            prefix = ""
        } else if names.count == 1, let only = names.first, only.hasSuffix("/"), known.contains("\(only)\(entry)") {
            prefix = String(only)
        } else {
            return nil
        }
    }

    /// The path below the root; nil for a file outside of it.
    func path(of path: PackagePath) -> PackagePath? {
        guard path.text.utf8.starts(with: prefix.utf8) else { return nil }
        let rest = path.text.utf8.dropFirst(prefix.utf8.count)
        return try? PackagePath(String(decoding: Array(rest), as: UTF8.self))
    }
}
