import Foundation
package import PackFormat

/// What a project says of where its build expects to be mounted.
package enum BaseSetting: Hashable, Sendable {
    /// `/`: nowhere else, and nothing is guessed.
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
    static func guess(_ references: [Reference], paths: some Sequence<PackagePath>) -> BasePath? {
        let own = references.compactMap { reference -> (Reference.Use, [Substring])? in
            guard reference.use == .code || reference.use == .resource, reference.url.hasPrefix("/"),
                !reference.url.hasPrefix("//")
            else { return nil }
            let path = reference.url.dropFirst().prefix { $0 != "?" && $0 != "#" }
            return (reference.use, path.split(separator: "/", omittingEmptySubsequences: false))
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
}
