import Foundation
package import PackFormat

/// Where a project says that its build expects to be mounted.
package enum BaseSetting: Hashable, Sendable {
    /// `/`: nowhere else. Nothing is guessed.
    case root
    case path(BasePath)

    /// - Throws: `FormatError`
    package init(_ text: String) throws {
        self = text == "/" ? .root : .path(try BasePath(text))
    }

    var path: BasePath? {
        if case .path(let path) = self { path } else { nil }
    }

    /// The path before which a build's entry page puts every file, where the package has the files without it.
    ///
    /// All missing scripts and styles of the page, or where none is missing all missing files, must begin with it, and
    /// one of them at least must be there without it.
    static func guess(
        _ references: [Reference], of entry: PackagePath, paths: some Sequence<PackagePath>
    ) -> BasePath? {
        let folder = entry.text.split(separator: "/").dropLast()
        let own = references.compactMap { reference -> (Reference.Use, [Substring])? in
            guard reference.use == .code || reference.use == .resource else { return nil }
            return components(of: reference.url, in: Array(folder)).map { (reference.use, $0) }
        }
        if own.isEmpty { return nil }
        let known = Set(paths.map(\.text))
        func isThere(_ parts: some Sequence<Substring>) -> Bool {
            let text = parts.joined(separator: "/")
            return known.contains(text.removingPercentEncoding ?? text)
        }
        let missing = own.filter { !isThere($0.1) }
        let code = missing.filter { $0.0 == .code }
        let judged = (code.isEmpty ? missing : code).map(\.1)
        guard let first = judged.first else { return nil }
        for count in 1..<max(1, min(first.count, 9)) {
            let prefix = first.prefix(count)
            guard judged.allSatisfy({ $0.starts(with: prefix) }) else { return nil }
            if judged.contains(where: { isThere($0.dropFirst(count)) }) {
                return try? BasePath("/" + prefix.joined(separator: "/") + "/")
            }
        }
        return nil
    }

    /// The components of a URL's path, where it is one of the page's own origin and leads nowhere up.
    private static func components(of url: String, in folder: [Substring]) -> [Substring]? {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, !path.hasPrefix("//"), !first.contains(":"), !parts.contains(".."), !path.isEmpty
        else { return nil }
        if first.isEmpty { return Array(parts.dropFirst()) }
        return folder + (first == "." ? parts.dropFirst() : parts[...])
    }
}
