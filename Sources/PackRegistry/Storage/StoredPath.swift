package import PackFormat

/// A file that a registry keeps in storage: one of its view, or one beside them that only servers read.
package enum StoredPath: Hashable, Sendable, CustomStringConvertible {
    case view(ViewPath)
    /// A compressed form of an object for online copies.
    case encoded(Digest, ContentCoding)

    /// - Returns: nil for a path that no file of a registry has.
    package init?(_ text: String) {
        if let path = ViewPath(text) {
            self = .view(path)
            return
        }
        let name = text.split(separator: "/").last ?? ""
        guard let digest = try? Digest(hex: String(name.prefix { $0 != "." })),
            let coding = ContentCoding.allCases.first(where: { $0.path(of: digest) == text })
        else { return nil }
        self = .encoded(digest, coding)
    }

    /// Relative to the folder or the prefix of the view.
    package var description: String {
        switch self {
        case .view(let path): path.description
        case .encoded(let digest, let coding): coding.path(of: digest)
        }
    }

    /// The digest of the content, where the name says it.
    package var digest: Digest? {
        switch self {
        case .view(let path): path.digest
        case .encoded: nil
        }
    }
}
